package oracles_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
	"example.com/replaycheck/specs"
)

// fault is one selected fault of the design, made in recorded evidence.
type fault struct {
	id      string   // as in the design's table
	variant string   // which form of it, "" where there is one
	red     []string // the requirements that it violates: each must turn red
	level   oracles.Level
	change  change
}

func (f fault) String() string {
	if f.variant == "" {
		return f.id
	}
	return f.id + ", " + f.variant
}

// faults lists every selected fault whose requirement has an oracle.
func faults() []fault {
	return slices.Concat(signatureFaults(), partFaults(), resultFaults(), capsuleFaults(), carrierFaults(), foreignFaults(), refuseFaults(), openaiFaults(), streamFaults(), moreFaults(), thinkFaults(), structFaults(), callidFaults())
}

// The sentence of the design: in every scenario that a fault changes, some
// requirement is red; each one that it names is red in at least one.
func TestEveryFaultTurnsItsRequirementsRed(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			survived, red, changed := f.try(t, func(oracles.Evidence) bool { return true }, func(oracles.Oracle) bool { return true })
			if n := len(survived); n > 0 {
				t.Errorf("survived in %d of %d: no requirement is red at %s in %q …", n, changed, f.level, survived[:min(n, 5)])
			}
			if changed == 0 {
				t.Error("no-op: it changes no scenario")
			}
			for _, id := range f.red {
				if !red[id] {
					t.Errorf("detected elsewhere: %s is never red at %s", id, f.level)
				}
			}
		})
	}
}

// TestFaultsOnAnySubject: the same for a subject that hands out no carrier and
// is not the reference one, with the faults of level provider that are made on
// the wire. What only the other requirements see is listed.
func TestFaultsOnAnySubject(t *testing.T) {
	for _, f := range faults() {
		if f.level != result.Provider {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			g := f
			g.change = func(ev *oracles.Evidence) {
				runs := copyRuns(ev.Runs)
				f.change(ev)
				for i := range ev.Runs {
					ev.Runs[i].Outcome = runs[i].Outcome
				}
				ev.Subject.Name, ev.Subject.Carrier = "other", ""
			}
			// Streams have been tried: what differs here is who is judged.
			in := func(ev oracles.Evidence) bool {
				return !ev.Scenario.Carrier && (!ev.Mode.Stream || !ev.Scenario.HasMode(false))
			}
			survived, red, changed := g.try(t, in, func(o oracles.Oracle) bool {
				return !o.Needs.Carrier && !o.Needs.Reference
			})
			if n := len(survived); n > 0 {
				t.Errorf("survived in %d: no requirement is red in %q …", n, survived[:min(n, 5)])
			}
			if changed > 0 && len(red) == 0 && !slices.Contains(f.red, "REPLAY-14") && !slices.Contains(f.red, "STREAM-02") {
				t.Errorf("got none of %q red", f.red)
			}
		})
	}
}

// try makes a fault in every cell. It returns where no requirement turned red,
// which ones did, and how many cells it changed. Where a state is put in, the
// requirements are those of carrier subjects, which are judged at verbatim.
func (f fault) try(t *testing.T, in func(oracles.Evidence) bool, judged func(oracles.Oracle) bool) (survived []string, red map[string]bool, changed int) {
	t.Helper()
	scopes := scopesOf(t)
	asked := askedAt(t)
	red = map[string]bool{}
	for i, d := range cells(t) {
		level := f.level
		if d.ev.Scenario.Carrier {
			level = result.Verbatim
		}
		if d.again() || !in(d.ev) || d.further() && !f.aboutVariants() || d.echo && !f.aboutStreams() {
			continue
		}
		ev := copyOf(d.ev)
		f.change(&ev)
		if same(ev, d.ev) {
			continue
		}
		changed++
		caught := false
		v := view(t, ev)
		for _, named := range []bool{true, false} { // the rest only to see that one is red
			for _, o := range scopes[i] {
				if slices.Contains(f.red, o.ID) != named || caught && (!named || red[o.ID]) {
					continue
				}
				if judged(o) && asked[level][o.ID] && gates(o.Check(v), level) {
					caught = true
					red[o.ID] = red[o.ID] || level == f.level
				}
			}
		}
		// Towards Gemini, a change in the middle of a user turn is judged for
		// stand-ins only (contract, FOREIGN).
		if !caught && (d.scenario != "foreign/mid-turn-to-gemini" || slices.Contains(f.red, "FOREIGN-07") || slices.Contains(f.red, "REPLAY-12")) {
			survived = append(survived, d.String())
		}
	}
	return survived, red, changed
}

// askedAt says which requirements have a level.
func askedAt(t testing.TB) map[oracles.Level]map[string]bool {
	t.Helper()
	all, err := specs.All()
	if err != nil {
		t.Fatal(err)
	}
	out := map[oracles.Level]map[string]bool{result.Provider: {}, result.Verbatim: {}}
	for _, s := range all {
		for _, l := range s.Levels {
			out[oracles.Level(l)][s.ID] = true
		}
	}
	return out
}

// again reports whether another cell shows the same: stored mode sends what
// memory mode does. The two big scenarios have a test of their own.
func (d driven) again() bool {
	return d.mode.Stored && len(d.ev.Scenario.Tasks) == 1 || d.big() || d.scenario == "gemini/think-long"
}

// further reports whether the cell is another variant of what two cells show.
func (d driven) further() bool { return slices.Index(d.ev.Scenario.Variants, d.variant) > 1 }

// aboutVariants reports whether a fault violates a requirement whose scenarios
// differ by variant.
func (f fault) aboutVariants() bool {
	return slices.ContainsFunc(f.red, func(id string) bool {
		family, _, _ := strings.Cut(id, "-")
		return slices.Contains([]string{"REFUSE", "CALLID", "STRUCT", "THINK"}, family) || id == "FOREIGN-05"
	})
}

// aboutStreams reports whether a fault violates a requirement about streams.
func (f fault) aboutStreams() bool {
	return slices.ContainsFunc(f.red, func(id string) bool { return strings.HasPrefix(id, "STREAM-") || id == "REPLAY-08" })
}

func (c cell) big() bool {
	return c.scenario == "gemini/fifty-steps" || c.scenario == "gemini/megabyte-argument"
}

// TestFaultsInBigConversations: the last request is edited only.
func TestFaultsInBigConversations(t *testing.T) {
	scopes := scopesOf(t)
	for _, row := range []struct{ fault, variant string }{
		{"drop-signature", ""},
		{"signature-truncated", "at 255 characters"},
		{"signed-content-edited", "the name of the call"},
		{"result-missing", "the last"},
	} {
		i := slices.IndexFunc(faults(), func(f fault) bool { return f.id == row.fault && f.variant == row.variant })
		f := faults()[i]
		for i, d := range cells(t) {
			if !d.big() || d.mode != plainMemory {
				continue
			}
			last := copyOf(d.ev)
			n := len(last.Runs[0].Exchanges) - 1
			last.Runs[0].Exchanges = last.Runs[0].Exchanges[n:]
			f.change(&last)
			ev := copyOf(d.ev)
			ev.Runs[0].Exchanges[n] = last.Runs[0].Exchanges[0]
			if same(ev, d.ev) {
				t.Errorf("%s: no-op in %s", f, d.cell)
			}
			v := view(t, ev)
			if !slices.ContainsFunc(scopes[i], func(o oracles.Oracle) bool { return gates(o.Check(v), f.level) }) {
				t.Errorf("%s: survived in %s", f, d.cell)
			}
		}
	}
}

func gates(findings []oracles.Finding, l oracles.Level) bool {
	return slices.ContainsFunc(findings, func(f oracles.Finding) bool { return f.Gates(l) })
}

// TestFaultsAreDistinct: no fault of the table is another one's double.
func TestFaultsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range faults() {
		if seen[f.String()] {
			t.Errorf("%s: listed twice", f)
		}
		seen[f.String()] = true
		if len(f.red) == 0 || f.level != result.Provider && f.level != result.Verbatim {
			t.Errorf("%s: got requirements %q at level %q", f, f.red, f.level)
		}
	}
}
