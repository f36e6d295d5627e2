package report

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

// kind is the findings of one requirement that are alike: the first one of them
// is shown whole, the scenarios after it in a line each at most.
type kind struct {
	first  result.Finding // of groups[0]
	gates  bool
	groups []group // per scenario
}

// group is a kind of finding in one scenario, over all its modes and places.
type group struct {
	scenario string
	where    string // the first place
	others   []string
	places   []place
	count    int // findings, over all modes
}

// kinds puts the findings of q together, in the order of the runs.
func kinds(q result.Requirement, level result.Level) []kind {
	var out []kind
	for _, run := range q.Runs {
		for _, f := range run.Findings {
			gates := gating(q, run, f, level)
			i := slices.IndexFunc(out, func(k kind) bool {
				return k.first.Change == f.Change && k.first.Basis == f.Basis && k.first.Level == f.Level && k.gates == gates
			})
			if i < 0 {
				i = len(out)
				out = append(out, kind{first: f, gates: gates})
			}
			out[i].add(run, f)
		}
	}
	return out
}

func (k *kind) add(run result.Run, f result.Finding) {
	i := slices.IndexFunc(k.groups, func(g group) bool { return g.scenario == run.Scenario })
	if i < 0 {
		i = len(k.groups)
		k.groups = append(k.groups, group{scenario: run.Scenario, where: f.Where})
	}
	g := &k.groups[i]
	g.count++
	if p := (place{run.Mode, run.Variant}); !slices.Contains(g.places, p) {
		g.places = append(g.places, p)
	}
	if f.Where != g.where && !slices.Contains(g.others, f.Where) {
		g.others = append(g.others, f.Where)
	}
}

// gating: what gates nothing is a finding of a requirement that did not fail,
// because it is not asked at this level or is less than a MUST.
func gating(q result.Requirement, run result.Run, f result.Finding, level result.Level) bool {
	return effective(q, run) != result.Pass && !neutral(q.Status) && f.Gates(level)
}

// effective is the status of a run in the light of its requirement's.
func effective(q result.Requirement, run result.Run) result.Status {
	switch {
	case neutral(q.Status):
		return q.Status
	case q.Status == result.Pass && run.Status == result.Fail:
		return result.Pass // less than a MUST
	}
	return run.Status
}

func neutral(s result.Status) bool { return s == result.Unsupported || s == result.Skipped }

// lines are the kind's lines: the first finding whole, then its further places,
// then the scenarios in which it is the same, those of equal places together.
func (k kind) lines(id string) []line {
	first := k.groups[0]
	out := lines(id, k.first, "scenario "+first.scenario+", "+first.modes())
	if also := first.also(); also != "" {
		out = append(out, line{"also", also})
	}
	type tail struct {
		text  string
		names []string
	}
	var tails []tail
	for _, g := range k.groups[1:] {
		text := g.where
		if n := len(g.others); n > 0 {
			text += fmt.Sprintf(" and %s", plural(n, "more place"))
		}
		text += "   (" + g.modes() + ")"
		i := slices.IndexFunc(tails, func(t tail) bool { return t.text == text })
		if i < 0 {
			i = len(tails)
			tails = append(tails, tail{text: text})
		}
		tails[i].names = append(tails[i].names, g.scenario)
	}
	for _, t := range tails {
		out = append(out, line{"and", fmt.Sprintf("%s in %s: %s", k.first.Change, strings.Join(t.names, ", "), t.text)})
	}
	return out
}

// modes are "streamed, stored", or for several "in plain/memory, plain/stored".
func (g group) modes() string {
	if len(g.places) > 1 {
		return "in " + placesText(g.places)
	}
	p := g.places[0]
	how, where, _ := strings.Cut(p.mode, "/")
	text := words[how] + ", " + words[where]
	if p.variant != "" {
		text += ", " + p.variant
	}
	return text
}

var words = map[string]string{"plain": "plain", "stream": "streamed", "memory": "in memory", "stored": "stored", "live": "live"}

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
	if slices.Equal(slices.Sorted(slices.Values(modes)), allModes) && len(variants) == 0 {
		return "all four modes"
	}
	for i, m := range modes {
		if len(variants[m]) > 0 {
			modes[i] += " (" + strings.Join(variants[m], ", ") + ")"
		}
	}
	return strings.Join(modes, ", ")
}
