package oracles

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
)

// replayMessage is the constant message of every refusal (REFUSE-08), written
// out: the adapters' own constant must not be its own judge.
const replayMessage = "gemini replay state is malformed or ambiguous"

func refuseOracles() []Oracle {
	var out []Oracle
	// 01 capsule without parts, 02 parts is no list, 03 a part is no object, 04
	// two capsules, 05 a capsule and another item, 06 the carrier is no list of
	// objects, 07 bindings of the wrong shape.
	for n := 1; n <= 7; n++ {
		id := fmt.Sprintf("REFUSE-%02d", n)
		out = append(out, Oracle{ID: id, Needs: Needs{Carrier: true}, Check: checkRefused, Scope: func(v *View) bool {
			return due(v) && v.shows(id)
		}})
	}
	return append(
		out,
		Oracle{ID: "REFUSE-08", Needs: Needs{Carrier: true}, Scope: due, Check: checkRefusalMessage},
		Oracle{ID: "REFUSE-09", Needs: Needs{Carrier: true}, Scope: due, Check: checkSilence},
	)
}

// shows reports whether the scenario's expectation is about a requirement.
func (v *View) shows(id string) bool { return slices.Contains(v.Scenario.Shows, id) }

func due(v *View) bool { return v.Scenario.Expect == "refused" }

func refuseFinding(where string, change result.Change, want, got string) Finding {
	return Finding{
		Where: where, Change: change, Level: result.Verbatim, Basis: result.Documented, Want: want, Got: got,
		Means: "a malformed carrier must fail before contact rather than lose signatures silently (ADR-222)",
	}
}

// control returns a finding when the same conversation with a well-formed
// carrier does not reach the provider: then a refusal shows nothing.
func control(v *View) []Finding {
	for _, run := range v.Control {
		reached := len(run.Exchanges) > 0 && run.Connections > 0
		if reached && (run.Outcome.Error == nil || v.expectedRefusal(run.Exchanges[0])) {
			return nil
		}
	}
	got := "nothing was sent"
	for _, run := range v.Control {
		if run.Outcome.Error != nil {
			got = fmt.Sprintf("an error of kind %q", run.Outcome.Error.Kind)
		}
	}
	return []Finding{refuseFinding("control run", result.Refused, "a request, since its carrier is well formed", got)}
}

func checkRefused(v *View) []Finding {
	out := control(v)
	for i, run := range v.Runs {
		where := fmt.Sprintf("run %d (%s)", i+1, v.Variant)
		switch err := run.Outcome.Error; {
		case err == nil:
			out = append(out, refuseFinding(where, result.Accepted, `an error of kind "refused"`, fmt.Sprintf("no error, %s sent", count(len(run.Exchanges), "request"))))
		case err.Kind != subject.Refused:
			out = append(out, refuseFinding(where, result.Accepted, `an error of kind "refused"`, fmt.Sprintf("an error of kind %q, %s sent", err.Kind, count(len(run.Exchanges), "request"))))
		}
	}
	return append(out, neverRan(v)...)
}

func neverRan(v *View) []Finding {
	if len(v.Runs) > 0 {
		return nil
	}
	return []Finding{refuseFinding("run 1", result.Shrunk, "a run", "none was made")}
}

func checkRefusalMessage(v *View) []Finding {
	out := append(control(v), neverRan(v)...)
	state := v.Scenario.State(v.Variant)
	for i, run := range v.Runs {
		where := fmt.Sprintf("run %d (%s), error message", i+1, v.Variant)
		err := run.Outcome.Error
		if err == nil {
			out = append(out, refuseFinding(where, result.Absent, fmt.Sprintf("%q", replayMessage), "no error"))
			continue
		}
		if err.Message != replayMessage {
			out = append(out, refuseFinding(where, result.Changed, fmt.Sprintf("%q", replayMessage), fmt.Sprintf("another message (%d bytes)", len(err.Message))))
		}
		for _, said := range []struct{ what, text string }{{"error message", err.Message}, {"standard error", run.Stderr}} {
			if word := contentWord(state, said.text); word != "" {
				out = append(out, refuseFinding(fmt.Sprintf("run %d (%s), %s", i+1, v.Variant, said.what), result.Leaked, "nothing of the carrier", "a string of the carrier"))
			}
		}
	}
	return out
}

// contentWord returns a string of the carriers in a state that a text quotes,
// "" if none. Strings shorter than 8 bytes may occur by chance.
func contentWord(state, text string) string {
	for _, m := range readTranscript(state) {
		for val := range m.items.All() {
			if word := val.Text(); len(word) >= 8 && word != capsuleType && strings.Contains(text, word) {
				return word
			}
		}
	}
	return ""
}

func checkSilence(v *View) []Finding {
	out := append(control(v), neverRan(v)...)
	for i, run := range v.Runs {
		where := fmt.Sprintf("run %d (%s)", i+1, v.Variant)
		if n := len(run.Exchanges); n > 0 {
			out = append(out, refuseFinding(where, result.Accepted, "no request", count(n, "request")))
		}
		if run.Connections != 0 { // scenario.NotCounted shows nothing either
			out = append(out, refuseFinding(where, result.Accepted, "no connection", count(run.Connections, "connection")))
		}
	}
	return out
}
