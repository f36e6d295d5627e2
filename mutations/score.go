package mutations

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

// score counts the reviewed equivalents among what was not detected, and says
// how many of the faults that show anything were.
func (cfg Config) score(rep *result.Report) error {
	all, err := Equivalents()
	if err != nil {
		return err
	}
	m := rep.Mutation
	apart := 0
	for i := range rep.Faults {
		f := &rep.Faults[i]
		switch f.Verdict {
		case result.Detected:
			if f.OwnTests {
				m.OwnTests++
			}
		case result.Invalid, result.Errored, result.TimedOut:
			apart++
		default:
			if f.Equivalent = reviewed(all, f.ID); f.Equivalent != "" {
				m.Equivalent++
			}
		}
	}
	percent := 0.0
	if n := m.Faults - apart - m.Equivalent; n > 0 {
		percent = 100 * float64(m.Detected) / float64(n)
	}
	m.Score = &percent
	m.Stale = stale(all, rep.Faults, len(cfg.Only) == 0 && cfg.Shards < 2)
	rep.Status = result.Pass
	if m.Detected < m.Faults-apart-m.Equivalent || len(m.Stale) > 0 {
		rep.Status = result.Fail
	}
	return nil
}

// stale lists the reviews that do not hold: what they say is equivalent was seen,
// or, where all faults of a package were made, is not there.
func stale(all []Equivalent, faults []result.Fault, whole bool) []string {
	var out []string
	packages := map[string]bool{}
	for _, f := range faults {
		name, _, _ := strings.Cut(f.ID, ".")
		packages[name] = true
	}
	for _, e := range all {
		name, _, _ := strings.Cut(e.Func, ".")
		ids := slices.Clone(e.IDs)
		if len(ids) == 0 {
			ids = []string{"*"}
		}
		for _, id := range ids {
			matched := false
			for _, f := range faults {
				if !e.covers(f.ID) || id != "*" && path.Base(f.ID) != id {
					continue
				}
				matched = true
				if f.Verdict != result.NoOp && f.Verdict != result.Survived && f.Verdict != result.Invalid {
					out = append(out, fmt.Sprintf("%s is %s, not equivalent; take it out of the list", f.ID, f.Verdict))
				}
			}
			if !matched && whole && packages[name] {
				out = append(out, fmt.Sprintf("%s/%s/%s: there is no such fault any more", e.Func, e.Operator, id))
			}
		}
	}
	return out
}
