package oracles

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

// modeCount is how many findings of a kind a mode has, all counted.
type modeCount struct {
	mode string
	n    int
}

// most is how many kinds of finding an explanation tells in full.
const most = 5

// told is one kind of finding with the place that shows it best.
type told struct {
	finding Finding
	where   string // scenario, mode and variant
	among   int    // findings of that run: the fewer, the clearer
	more    int    // further findings of the kind
	modes   []modeCount
}

// Explain says why a requirement is not met: its sentence, then each kind of
// finding that gates at the level, once, at the run with the fewest of them, and
// how many more there are. The report has them all.
func Explain(r result.Requirement, level Level) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s  %s", r.ID, r.Strength, r.Title)
	if r.Reason != "" {
		fmt.Fprintf(&b, "\n  %s: %s", r.Status, r.Reason)
	}
	reasons := map[string]bool{}
	for _, run := range r.Runs {
		if run.Reason != "" && run.Reason != r.Reason && !reasons[run.Reason] {
			reasons[run.Reason] = true
			fmt.Fprintf(&b, "\n  %s: %s (%s)", run.Status, run.Reason, place(run))
		}
	}
	kinds := kindsOf(r, level)
	for _, k := range kinds[:min(most, len(kinds))] {
		f := k.finding
		fmt.Fprintf(&b, "\n  where  %s   (%s)\n  change %s\n  want   %s\n  got    %s\n  means  %s; see specs/%s.md", f.Where, k.where, f.Change, f.Want, f.Got, f.Means, r.ID)
		if k.more > 0 {
			fmt.Fprintf(&b, "\n  and    %d more like it (%s)", k.more, inModes(k.modes))
		}
	}
	if n := len(kinds) - most; n > 0 {
		fmt.Fprintf(&b, "\n  and    %s", count(n, "further kind")+" of finding")
	}
	return b.String()
}

// inModes says where findings of a kind are: a loss in one mode only has another
// cause than one in all.
func inModes(modes []modeCount) string {
	if len(modes) == 1 {
		return "all in " + modes[0].mode
	}
	var each []string
	for _, m := range modes {
		each = append(each, fmt.Sprintf("%d in %s", m.n, m.mode))
	}
	return "together " + strings.Join(each, ", ")
}

func (k *told) count(mode string) {
	if i := slices.IndexFunc(k.modes, func(m modeCount) bool { return m.mode == mode }); i >= 0 {
		k.modes[i].n++
		return
	}
	k.modes = append(k.modes, modeCount{mode, 1})
}

func place(run result.Run) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", run.Scenario, run.Mode, run.Variant))
}

// kindsOf gathers the gating findings by change and basis, the clearest first.
func kindsOf(r result.Requirement, level Level) []told {
	type kind struct {
		change result.Change
		basis  result.Basis
	}
	at := map[kind]int{}
	var out []told
	for _, run := range r.Runs {
		n := 0
		for _, f := range run.Findings {
			if f.Gates(level) {
				n++
			}
		}
		for _, f := range run.Findings {
			if !f.Gates(level) {
				continue
			}
			k := kind{f.Change, f.Basis}
			i, known := at[k]
			if !known {
				at[k] = len(out)
				out = append(out, told{finding: f, where: place(run), among: n, modes: []modeCount{{run.Mode, 1}}})
				continue
			}
			out[i].count(run.Mode)
			if out[i].more++; n < out[i].among {
				out[i].finding, out[i].where, out[i].among = f, place(run), n
			}
		}
	}
	slices.SortStableFunc(out, func(a, b told) int { return a.among - b.among })
	return out
}
