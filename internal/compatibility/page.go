package main

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

const intro = `# Compatibility

<!-- Written by make golden from the reports of make thirdparty. Don't edit. -->

What released SDKs do with replay state, used the way their own documentation shows. Measured on %s.

%s

A cell says what happened in that mode at level provider: *pass*, or *fail* with the kinds of change that
were found. An empty cell is a mode in which the requirement was not judged, a dash a level at which it
is not asked. What is contested gates nothing and stands apart, as does what only level verbatim minds.
Words, levels and tolerances are in [contract.md](contract.md); each requirement has its page in
[specs/](../specs/), each scenario its folder in [fixtures/](../fixtures/).
`

// page is the whole document. It holds no version of our own and no time but
// the date given, so that it changes only with what it reports.
func page(date string, reports []result.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, intro, date, result.Claims)
	for _, r := range reports {
		section(&b, r)
	}
	return b.String()
}

func section(b *strings.Builder, r result.Report) {
	fmt.Fprintf(b, "\n## %s\n\n", r.Subject.Name)
	for _, sdk := range r.Subject.SDK {
		fmt.Fprintf(b, "- SDK: `%s` %s, through version %s of its driver\n", sdk.Name, sdk.Version, r.Subject.Version)
	}
	fmt.Fprintf(b, "- modes: %s; state: %s; capabilities: %s\n", list(modesOf(r)), r.Subject.State, list(r.Subject.Capabilities))
	fmt.Fprintf(b, "- verdict at level %s: **%s** (requirements: %d pass, %d fail, %d not judged)\n\n",
		r.Level, r.Status, r.Summary.Pass, r.Summary.Fail, r.Summary.Unsupported+r.Summary.Skipped)
	matrix(b, r)
	findings(b, r)
	notJudged(b, r)
}

// matrix is the table of requirements and modes.
func matrix(b *strings.Builder, r result.Report) {
	modes := modesOf(r)
	fmt.Fprintf(b, "| requirement | %s | provider | verbatim |\n|---|%s---|---|\n", strings.Join(modes, " | "), strings.Repeat("---|", len(modes)))
	for _, q := range r.Requirements {
		if len(q.Runs) == 0 {
			continue
		}
		fmt.Fprintf(b, "| [%s](../specs/%s.md) |", q.ID, q.ID)
		for _, mode := range modes {
			fmt.Fprintf(b, " %s |", cell(q, mode))
		}
		fmt.Fprintf(b, " %s | %s |\n", status(q.Levels.Provider), status(q.Levels.Verbatim))
	}
}

// cell is what happened to a requirement in a mode, at level provider.
func cell(q result.Requirement, mode string) string {
	var kinds []string
	judged := false
	for _, run := range q.Runs {
		if run.Mode != mode || run.Status == result.Unsupported || run.Status == result.Skipped {
			continue
		}
		judged = true
		for _, f := range run.Findings {
			if f.Gates(result.Provider) {
				kinds = append(kinds, string(f.Change))
			}
		}
	}
	switch {
	case !judged:
		return ""
	case q.Levels.Provider == nil:
		return "–"
	case len(kinds) == 0:
		return "pass"
	}
	return "fail: " + strings.Join(sorted(kinds), ", ")
}

// notJudged lists the requirements and modes without a verdict, by reason.
func notJudged(b *strings.Builder, r result.Report) {
	var reasons []string
	ids := map[string][]string{}
	for _, q := range r.Requirements {
		if len(q.Runs) > 0 {
			continue
		}
		if ids[q.Reason] == nil {
			reasons = append(reasons, q.Reason)
		}
		ids[q.Reason] = append(ids[q.Reason], q.ID)
	}
	var lines []string
	for _, reason := range reasons {
		lines = append(lines, fmt.Sprintf("%s: %s", strings.Join(ids[reason], ", "), reason))
	}
	for _, line := range r.NotJudged {
		if ids[line] == nil {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n### Not judged: %s\n\n- %s\n", r.Subject.Name, strings.Join(lines, "\n- "))
	}
}

func modesOf(r result.Report) []string {
	var found []string
	for _, q := range r.Requirements {
		for _, run := range q.Runs {
			found = append(found, run.Mode)
		}
	}
	return sorted(found)
}

func status(s *result.Status) string {
	if s == nil {
		return "–"
	}
	return string(*s)
}

// sorted returns the items in order, each once.
func sorted(items []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(items)))
}

func list(items []string) string {
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ", ")
}
