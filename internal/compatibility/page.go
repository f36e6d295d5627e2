package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

const intro = `# Compatibility

<!-- Written by make golden from the reports of make thirdparty. Don't edit. -->

What released SDKs do with replay state, used the way their own documentation shows. %s

A cell says what happened in that mode: *pass*, or the kinds of change that were found. At level
provider a finding fails unless it is *(contested)* or *(verbatim)*; those fail level verbatim only.
An empty cell is a mode in which the requirement was not judged. Words, levels and the tolerances are
in [contract.md](contract.md); each requirement has its page in [specs/](../specs/).
`

// page is the whole document. It holds no times and no versions of our own, so
// that it changes only with what it reports.
func page(reports []result.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, intro, result.Claims)
	for _, r := range reports {
		section(&b, r)
	}
	return b.String()
}

func section(b *strings.Builder, r result.Report) {
	fmt.Fprintf(b, "\n## %s %s\n\n", r.Subject.Name, r.Subject.Version)
	for _, sdk := range r.Subject.SDK {
		fmt.Fprintf(b, "- SDK: `%s` %s\n", sdk.Name, sdk.Version)
	}
	fmt.Fprintf(b, "- modes: %s; state: %s; capabilities: %s\n", list(r.Subject.Modes), r.Subject.State, list(r.Subject.Capabilities))
	fmt.Fprintf(b, "- verdict at level %s: **%s** (%d pass, %d fail, %d unsupported)\n\n",
		r.Level, r.Status, r.Summary.Pass, r.Summary.Fail, r.Summary.Unsupported)

	modes := modesOf(r)
	fmt.Fprintf(b, "| requirement | provider | verbatim | %s |\n|---|---|---|%s\n", strings.Join(modes, " | "), strings.Repeat("---|", len(modes)))
	for _, q := range r.Requirements {
		if q.Status == result.Unsupported || q.Status == result.Skipped {
			continue
		}
		fmt.Fprintf(b, "| [%s](../specs/%s.md) | %s | %s |", q.ID, q.ID, status(q.Levels.Provider), status(q.Levels.Verbatim))
		for _, mode := range modes {
			fmt.Fprintf(b, " %s |", cell(q, mode))
		}
		b.WriteString("\n")
	}
	details(b, r)
	if len(r.NotJudged) > 0 {
		b.WriteString("\nNot judged:\n\n")
		for _, line := range r.NotJudged {
			fmt.Fprintf(b, "- %s\n", line)
		}
	}
}

// details lists what fails level provider, and what is contested, once per
// requirement, scenario and kind of change, with the modes in which it was seen.
func details(b *strings.Builder, r result.Report) {
	type key struct{ id, scenario, change string }
	seen := map[key][]string{}
	var order []key
	where := map[key]string{}
	for _, q := range r.Requirements {
		for _, run := range q.Runs {
			for _, f := range run.Findings {
				if f.Level != result.Provider {
					continue
				}
				k := key{q.ID, run.Scenario, word(f)}
				if _, known := where[k]; !known {
					order = append(order, k)
					where[k] = f.Where
				}
				if mode := label(run); !slices.Contains(seen[k], mode) {
					seen[k] = append(seen[k], mode)
				}
			}
		}
	}
	if len(order) == 0 {
		return
	}
	b.WriteString("\nFindings, each with the first place where it was seen:\n\n")
	for _, k := range order {
		fmt.Fprintf(b, "- %s, `%s`: %s in %s (%s)\n", k.id, k.scenario, k.change, strings.Join(seen[k], ", "), where[k])
	}
}

// cell is what happened to a requirement in a mode.
func cell(q result.Requirement, mode string) string {
	found := map[string]bool{}
	judged := false
	for _, run := range q.Runs {
		if run.Mode != mode || run.Status == result.Unsupported || run.Status == result.Skipped {
			continue
		}
		judged = true
		for _, f := range run.Findings {
			found[word(f)] = true
		}
	}
	switch {
	case !judged:
		return ""
	case len(found) == 0:
		return "pass"
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), ", ")
}

// word is the kind of change, and whether it gates level provider.
func word(f result.Finding) string {
	switch {
	case f.Gates(result.Provider):
		return string(f.Change)
	case f.Basis == result.Contested:
		return string(f.Change) + " (contested)"
	}
	return string(f.Change) + " (verbatim)"
}

func label(run result.Run) string {
	if run.Variant == "" {
		return run.Mode
	}
	return run.Mode + " (" + run.Variant + ")"
}

func modesOf(r result.Report) []string {
	found := map[string]bool{}
	for _, q := range r.Requirements {
		for _, run := range q.Runs {
			found[run.Mode] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func status(s *result.Status) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

func list(items []string) string {
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ", ")
}
