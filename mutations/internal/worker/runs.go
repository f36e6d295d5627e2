package worker

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"example.com/replaycheck/mutations/internal/trial"
)

// pass is one go at the faults that are left.
type pass int

const (
	plainRuns pass = iota // in the runs that say the same as no other
	namedRuns             // in all that judge a requirement that one of the faults names
	allRuns               // wherever it may be
)

// passes are those to make, one after the other, until nothing is left.
func (s *Supervisor) passes() []pass {
	if s.Limits.Quick {
		return []pass{plainRuns, namedRuns, allRuns}
	}
	return []pass{allRuns}
}

// rounds yields which unmutated runs to make in a pass, one set after the other. Where
// few runs are made with each fault, those that say the same as another are left out;
// the variants that only differ in their data are made, each once, where a fault's
// block was not entered by then.
func (s *Supervisor) rounds(specs []Spec, p pass) iter.Seq[func(run int) bool] {
	plain := func(run int) bool { return s.runs[run].Same < 0 }
	return func(yield func(func(int) bool) bool) {
		switch {
		case p == plainRuns:
			yield(plain)
			return
		case p == namedRuns:
			named := map[string]bool{}
			for _, spec := range specs {
				for _, id := range spec.Fault.Requirements {
					named[id] = true
				}
			}
			yield(func(run int) bool {
				return slices.ContainsFunc(s.runs[run].Requirements, func(id string) bool { return named[id] })
			})
			return
		case !s.sparing(specs):
			yield(func(int) bool { return true })
			return
		}
		if !yield(plain) || !s.unmet(specs) {
			return
		}
		type name struct{ scenario, variant string }
		made, chosen := map[name]bool{}, map[int]bool{}
		for _, r := range s.runs {
			if r.Same < 0 {
				made[name{r.Scenario, r.Variant}] = true
			}
		}
		for i, r := range s.runs {
			if n := (name{r.Scenario, r.Variant}); !made[n] {
				made[n], chosen[i] = true, true
			}
		}
		yield(func(run int) bool { return chosen[run] })
	}
}

// sparing reports whether few runs are made with each fault.
func (s *Supervisor) sparing(specs []Spec) bool {
	return s.Limits.Few > 0 && !slices.ContainsFunc(specs, func(spec Spec) bool { return !spec.AnyRed })
}

// used says in which of the runs that were made some fault is tried.
func (s *Supervisor) used(specs []Spec) func(run int) bool {
	if slices.ContainsFunc(specs, s.initTime) { // those are tried wherever it may be
		return func(int) bool { return true }
	}
	sparing := s.sparing(specs)
	used := make([]bool, len(s.runs))
	for _, spec := range specs {
		meets := func(run int) bool { return spec.enters(&s.bases[run]) }
		light, _ := trial.Order(s.runs, spec.Fault.Requirements, s.Limits.Exhaustive, meets)
		if sparing {
			light = leading(light, s.bases, s.ranks, s.Limits.Few)
		}
		for _, run := range light {
			used[run] = used[run] || meets(run)
		}
	}
	return func(run int) bool { return used[run] }
}

// cheapestFirst orders runs by how much is sent in them, those first that judge one of
// the requirements. What a run took is not looked at: which run shows a fault is the
// same every time.
func (w *worker) cheapestFirst(runs []int, requirements []string) {
	other := func(i int) int {
		if slices.ContainsFunc(w.runs[i].Requirements, func(id string) bool { return slices.Contains(requirements, id) }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(runs, func(a, b int) int {
		return cmp.Or(other(a)-other(b), w.bases[a].Sent-w.bases[b].Sent)
	})
}

// leading are the few runs that show most, of those that were made without a fault.
func leading(light []int, bases []trial.Base, ranks []int, few int) []int {
	light = slices.DeleteFunc(light, func(run int) bool { return bases[run].Sum == "" })
	slices.SortStableFunc(light, func(a, b int) int { return ranks[a] - ranks[b] })
	return light[:min(few, len(light))]
}

// enters reports whether a run enters a block that the fault changes.
func (s Spec) enters(b *trial.Base) bool { return slices.ContainsFunc(s.Blocks, b.Meets) }

// unmet reports whether some fault changes only blocks that no run entered so far.
func (s *Supervisor) unmet(specs []Spec) bool {
	met := map[int]bool{}
	for _, b := range s.bases {
		for _, slot := range b.Slots {
			met[slot] = true
		}
	}
	return slices.ContainsFunc(specs, func(spec Spec) bool {
		return !slices.ContainsFunc(spec.Blocks, func(slot int) bool { return met[slot] })
	})
}

// canaries chooses a few quick runs that meet many guards.
func canaries(bases []trial.Base) []int {
	const most, slow = 3, 20 * time.Millisecond
	var out []int
	met := map[int]bool{}
	for len(out) < most {
		best, gain := -1, 0
		for i, b := range bases {
			n := 0
			for _, slot := range b.Slots {
				if !met[slot] {
					n++
				}
			}
			if n = 1000 * n / max(2, b.Sent); n > gain && b.Took < slow {
				best, gain = i, n
			}
		}
		if best < 0 {
			break
		}
		out = append(out, best)
		for _, slot := range bases[best].Slots {
			met[slot] = true
		}
	}
	return out
}
