package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.com/replaycheck/internal/result"
)

// line is one of the labelled lines of a finding.
type line struct{ label, text string }

func (l line) String() string { return fmt.Sprintf("  %-6s %s", l.label, clean(l.text)) }

// lines are the five lines of a finding of requirement id: where, want, got,
// means, raw. The context, if any, follows the place in brackets.
func lines(id string, f result.Finding, context string) []line {
	where := f.Where
	if context != "" {
		where += "   (" + context + ")"
	}
	got := f.Got
	if f.Change != "" && !strings.Contains(got, string(f.Change)) {
		got = strings.TrimPrefix(got+", "+string(f.Change), ", ")
	}
	means := f.Means
	if f.Basis == result.Contested && !strings.Contains(means, string(f.Basis)) {
		means = strings.TrimPrefix(means+"; contested", "; ")
	}
	if !strings.Contains(means, "specs/") && !strings.HasPrefix(id, "PROOF-") { // those have no file
		means = strings.TrimPrefix(means+"; see specs/"+id+".md", "; ")
	}
	raw := f.Raw
	if raw == "" {
		raw = "not kept; run again with --keep DIR"
	}
	return []line{{"where", where}, {"want", f.Want}, {"got", got}, {"means", means}, {"raw", raw}}
}

// place is a run as a person names it.
type place struct{ mode, variant string }

func (p place) String() string {
	if p.variant == "" {
		return p.mode
	}
	return p.mode + " (" + p.variant + ")"
}

// group is the findings of one requirement that are of the same kind in the
// same scenario, over all its modes and places in the requests.
type group struct {
	scenario string
	change   result.Change
	gates    bool
	first    result.Finding
	places   []place
	others   []string // further values of Where, in order
	count    int      // findings, over all modes
}

// groups puts the findings of q together, in the order of the runs.
func groups(q result.Requirement, level result.Level) []group {
	var out []group
	for _, run := range q.Runs {
		for _, f := range run.Findings {
			gates := gating(run, f, level)
			i := slices.IndexFunc(out, func(g group) bool {
				return g.scenario == run.Scenario && g.change == f.Change && g.gates == gates && g.first.Basis == f.Basis && g.first.Level == f.Level
			})
			if i < 0 {
				i = len(out)
				out = append(out, group{scenario: run.Scenario, change: f.Change, gates: gates, first: f})
			}
			out[i].add(f, place{run.Mode, run.Variant})
		}
	}
	return out
}

// gating: a finding of a run that passed gates nothing, whatever its level, since
// the strength of its requirement may be less than MUST.
func gating(run result.Run, f result.Finding, level result.Level) bool {
	return run.Status != result.Pass && f.Gates(level)
}

func (g *group) add(f result.Finding, p place) {
	g.count++
	if !slices.Contains(g.places, p) {
		g.places = append(g.places, p)
	}
	if f.Where != g.first.Where && !slices.Contains(g.others, f.Where) {
		g.others = append(g.others, f.Where)
	}
}

// context names scenario and modes: "scenario gemini/parallel, streamed, stored".
func (g group) context() string {
	if len(g.places) > 1 {
		return "scenario " + g.scenario + ", in " + placesText(g.places)
	}
	p := g.places[0]
	how, where, _ := strings.Cut(p.mode, "/")
	text := "scenario " + g.scenario + ", " + words[how] + ", " + words[where]
	if p.variant != "" {
		text += ", " + p.variant
	}
	return text
}

var words = map[string]string{"plain": "plain", "stream": "streamed", "memory": "in memory", "stored": "stored"}

// also is the line about further places of the same kind, "" when there are none.
func (g group) also() string {
	switch n := len(g.others); n {
	case 0:
		return ""
	case 1, 2:
		return strings.Join(g.others, "; ")
	default:
		return fmt.Sprintf("%s … %s (%d more places)", g.others[0], g.others[n-1], n)
	}
}

// short is a group in one line, for those after the first few.
func (g group) short() string {
	text := fmt.Sprintf("%s at %s   (%s)", g.change, g.first.Where, g.context())
	if n := len(g.others); n > 0 {
		text += fmt.Sprintf(" and %s", plural(n, "more place"))
	}
	return text
}

func placesText(all []place) string {
	var modes []string
	variants := map[string][]string{}
	for _, p := range all {
		if !slices.Contains(modes, p.mode) {
			modes = append(modes, p.mode)
		}
		if p.variant != "" && !slices.Contains(variants[p.mode], p.variant) {
			variants[p.mode] = append(variants[p.mode], p.variant)
		}
	}
	for i, m := range modes {
		if len(variants[m]) > 0 {
			modes[i] += " (" + strings.Join(variants[m], ", ") + ")"
		}
	}
	return strings.Join(modes, ", ")
}

// clean makes text from elsewhere safe for a terminal and keeps it on one line:
// control characters and other unprintable ones become escapes.
func clean(s string) string {
	s = strings.ToValidUTF8(s, string(unicode.ReplacementChar))
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unprintable(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
