package oracles

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

// Oracle is the check of one requirement. Its strength, levels and sentence are
// those of the spec with the same ID.
type Oracle struct {
	ID    string
	Needs Needs
	// Scope reports whether a scenario holds evidence for the requirement. It
	// is asked before a run, on a view without runs.
	Scope func(*View) bool
	// Check returns what is not as the requirement says. It is a pure function
	// of the view; no finding means that the requirement holds there.
	Check func(*View) []Finding
}

// Needs says who is judged ("Who must meet what" of the design). The zero value
// means every subject.
type Needs struct {
	Carrier    bool // only subjects whose state is the stored transcript
	Reference  bool // only the reference adapters
	Capability string
	Forced     bool // cannot be opted out of
}

// All returns every oracle, in the order of the contract.
func All() []Oracle {
	return slices.Concat(
		conversations(replayOracles(), foreignOracles(), refuseOracles(), thinkOracles(), structOracles(), callidOracles()),
		stateOracles(),
		conversations(openaiOracles(), streamOracles()),
	)
}

// conversations leaves the scenarios about agent runs to the oracles of STATE:
// there processes die, and requests and results are not what they are elsewhere.
func conversations(families ...[]Oracle) []Oracle {
	out := slices.Concat(families...)
	for i := range out {
		scope := out[i].Scope
		out[i].Scope = func(v *View) bool { return len(v.Scenario.Agent) == 0 && scope(v) }
	}
	return out
}

// replayed reports whether a later reply of the same API follows the step in
// the script, so that a request must bring the step back.
func (v *View) replayed(s *step) bool {
	for _, later := range v.script {
		if (s.stored || later.n > s.n) && later.api == s.api {
			return true
		}
	}
	return false
}

// some reports whether any step that must come back is as asked.
func some(is func(*step) bool) func(*View) bool {
	return func(v *View) bool {
		return ordinary(v) && slices.ContainsFunc(slices.Concat(v.prior, v.script), func(s *step) bool { return v.replayed(s) && is(s) })
	}
}

// ordinary reports whether the conversation is meant to run to its end, or
// until a stream breaks or a reply is rejected: what came whole before it is
// replayed like any turn.
func ordinary(v *View) bool { return v.Scenario.Expect != "refused" }

// turns makes a check of the differences in the steps that are as asked.
func turns(is func(*step) bool, about func(diff) bool) func(*View) []Finding {
	return func(v *View) []Finding {
		if len(v.requests) == 0 {
			return v.shortfall(anyStep)
		}
		out := v.shortfall(func(s *step) bool { return v.replayed(s) && is(s) })
		for _, r := range v.requests {
			for _, d := range v.diffs()[r] {
				if d.step == nil || d.index >= 0 && is(d.step) && about(d) {
					out = append(out, d.Finding)
				}
			}
		}
		return out
	}
}

// shortfall returns a finding when a request that should have brought back one
// of the steps never came, or one came that the script does not answer or that
// nobody can read: no evidence is never a pass.
func (v *View) shortfall(needed func(*step) bool) []Finding {
	if off := v.offMode(); off != nil {
		return off
	}
	for _, r := range v.requests {
		if r.err != nil {
			return []Finding{{
				Where: at(r, ""), Change: result.Changed, Level: result.Provider, Basis: result.Confirmed,
				Want: "a JSON body", Got: r.err.Error(), Means: "no provider reads it",
			}}
		}
	}
	answered := 0
	for _, r := range v.requests {
		if r.x.Step > 0 {
			answered++
			continue
		}
		if faulted(r.x) { // it is sent again, or all after it is missing
			continue
		}
		if b := v.broken(); b > 0 && answered >= b {
			break // what a subject does after a broken stream is STREAM-02's
		}
		if r.x.Refused {
			return []Finding{unexpectedEnd(r)}
		}
		return []Finding{{
			Where: at(r, ""), Change: result.Added, Level: result.Provider, Basis: result.Confirmed,
			Want: v.wanted(answered), Got: fmt.Sprintf("%s %s", r.x.Method, printable(short(r.x.Path))), Means: "the script has no answer for it, so nothing after it could be judged",
		}}
	}
	if answered == len(v.script) || !slices.ContainsFunc(slices.Concat(v.prior, v.script), func(s *step) bool {
		return needed(s) && (answered == 0 || !s.stored && s.n >= answered)
	}) {
		return nil
	}
	want := fmt.Sprintf("request %d, after reply %d", answered+1, answered)
	if answered == 0 {
		want = "a first request"
	}
	return []Finding{{
		Where: fmt.Sprintf("request %d", answered+1), Change: result.Shrunk, Level: result.Provider, Basis: result.Confirmed,
		Want: want, Got: "it never came: " + v.ending(), Means: "nothing was sent back, so the turn is lost",
	}}
}

func (v *View) wanted(answered int) string {
	if answered < len(v.script) {
		return fmt.Sprintf("%s to the %s endpoint", requestKind(v.script[answered].stream), v.script[answered].api)
	}
	return fmt.Sprintf("no further request after reply %d", len(v.script))
}

// ending says how the last run ended, without quoting content.
func (v *View) ending() string {
	run := v.last()
	switch {
	case run.Outcome.Error != nil:
		return fmt.Sprintf("the subject ended with an error of kind %q: %s", run.Outcome.Error.Kind, printable(short(v.redact(run.Outcome.Error.Message))))
	case run.Outcome.Stopped != "":
		return fmt.Sprintf("the subject stopped at %q", run.Outcome.Stopped)
	}
	ended := "the subject ended with " + count(len(run.Outcome.Answers), "answer")
	asked := 0
	for _, leg := range run.Task.Legs {
		asked += len(leg.Prompts)
	}
	if len(run.Task.Legs) > 1 && asked > len(run.Outcome.Answers) { // some play the first leg only
		ended += fmt.Sprintf(" to the %d prompts of %d legs", asked, len(run.Task.Legs))
	}
	return ended
}

func anyStep(*step) bool { return true }

// sortFindings puts findings that were gathered in no order into one.
func sortFindings(f []Finding) []Finding {
	slices.SortFunc(f, func(a, b Finding) int { return strings.Compare(a.Where, b.Where) })
	return f
}

func geminiStep(is func(*step) bool) func(*step) bool {
	return func(s *step) bool { return s.api == native.Gemini && is(s) }
}
