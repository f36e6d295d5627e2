package oracles_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/oracles"
)

// sentNothing is a subject that answers and sends no request. What it says of
// itself stays: its answers, its tool runs and, if told so, its state.
func sentNothing(state bool) change {
	return func(ev *oracles.Evidence) {
		for i := range ev.Runs {
			ev.Runs[i].Exchanges = nil
			if !state {
				ev.Runs[i].Outcome.State, ev.Runs[i].Probes = nil, nil
			}
		}
		ev.Leftover = len(ev.Scenario.Replies)
	}
}

// stoppedAfter is a subject that fails after n requests.
func stoppedAfter(n int) change {
	return func(ev *oracles.Evidence) {
		for i := range ev.Runs {
			r := &ev.Runs[i]
			if len(r.Exchanges) >= n {
				r.Exchanges = r.Exchanges[:n]
				r.Outcome.Error = &oracles.SubjectError{Kind: subject.FromSubject, Message: "gave up"}
				ev.Runs = ev.Runs[:i+1]
				return
			}
			n -= len(r.Exchanges)
		}
	}
}

// ofRequests reports whether a requirement is judged by requests; THINK reads
// answers.
func ofRequests(o oracles.Oracle) bool { return !strings.HasPrefix(o.ID, "THINK-") }

func requests(ev oracles.Evidence) int {
	n := 0
	for range exchanges(&ev) {
		n++
	}
	return n
}

func TestNothingSentIsNeverAPass(t *testing.T) {
	asked := askedAt(t)
	for _, keep := range []bool{true, false} {
		for i, d := range cells(t) {
			ev := copyOf(d.ev)
			if d.ev.Scenario.Expect == "refused" {
				ev.Control = nil // there the control run is what must send
			} else {
				sentNothing(keep)(&ev)
			}
			v := view(t, ev)
			for _, o := range scopesOf(t)[i] {
				if !ofRequests(o) {
					continue
				}
				found := o.Check(v)
				for level, ids := range asked {
					if ids[o.ID] && !gates(found, level) {
						t.Errorf("%s on %s, state %t: passes at %s", o.ID, d.cell, keep, level)
					}
				}
				if d.ev.Scenario.Expect != "refused" && !slices.ContainsFunc(found, func(f oracles.Finding) bool { return f.Change == result.Shrunk }) {
					t.Errorf("%s on %s, state %t: got no finding %q\n%s", o.ID, d.cell, keep, result.Shrunk, showAll(found))
				}
			}
		}
	}
}

func TestARefusalThatNeverRanIsNoPass(t *testing.T) {
	for i, d := range cells(t) {
		if d.ev.Scenario.Expect != "refused" {
			continue
		}
		ev := copyOf(d.ev)
		ev.Runs = nil
		v := view(t, ev)
		for _, o := range scopesOf(t)[i] {
			if !gates(o.Check(v), result.Verbatim) {
				t.Errorf("%s on %s: passes", o.ID, d.cell)
			}
		}
	}
}

// TestStoppedAfterTheFirstRequest: every requirement that needs a later one
// fails. What the first request shows alone is listed.
func TestStoppedAfterTheFirstRequest(t *testing.T) {
	for i, d := range cells(t) {
		ev := copyOf(d.ev)
		if d.ev.Scenario.Expect == "refused" || requests(ev) < 2 || d.ev.Scenario.Carrier {
			continue // where a state is put in, the first request brings it back
		}
		stoppedAfter(1)(&ev)
		v := view(t, ev)
		for _, o := range scopesOf(t)[i] {
			if !ofRequests(o) {
				continue
			}
			if found := o.Check(v); len(found) == 0 {
				t.Errorf("%s on %s: passes", o.ID, d.cell)
			} else if f := found[0]; f.Change == result.Shrunk && f.Where == "request 2" {
				if want := "it never came: the subject ended with an error of kind \"subject\": gave up"; f.Got != want {
					t.Errorf("%s on %s: got %q, want %q", o.ID, d.cell, f.Got, want)
				}
			}
		}
	}
}

// TestLeftoverRepliesAreAFail: wherever a subject stops, some requirement of
// each level fails.
func TestLeftoverRepliesAreAFail(t *testing.T) {
	asked := askedAt(t)
	for i, d := range cells(t) {
		n := requests(d.ev)
		if d.ev.Scenario.Expect == "refused" || d.again() {
			continue
		}
		for k := 1; k < n; k++ {
			ev := copyOf(d.ev)
			stoppedAfter(k)(&ev)
			v := view(t, ev)
			var red []string
			for _, o := range scopesOf(t)[i] {
				if asked[result.Verbatim][o.ID] && gates(o.Check(v), result.Verbatim) {
					red = append(red, o.ID)
				}
			}
			if len(red) == 0 {
				t.Errorf("%s stopped after request %d of %d: nothing is red", d.cell, k, n)
			}
		}
	}
}

// TestUnscriptedRequestIsAFail: a request that the script has no answer for
// fails the requirements of the conversation.
func TestUnscriptedRequestIsAFail(t *testing.T) {
	for _, id := range []string{"gemini/single-call", "openai/single-call", "foreign/there-and-back"} {
		ev := good(t, id, plainMemory, "")
		r := &ev.Runs[0]
		extra := r.Exchanges[len(r.Exchanges)-1]
		extra.Step, extra.Status, extra.Reply = 0, 400, `{"error":{}}`
		r.Exchanges = append(r.Exchanges, extra)
		v := view(t, ev)
		n := len(r.Exchanges)
		for _, name := range []string{"REPLAY-03", "REPLAY-13", "OPENAI-03", "FOREIGN-06"} {
			o := oracle(t, name)
			if !o.Scope(v) {
				continue
			}
			want := fmt.Sprintf("provider confirmed, added: request %d\nwant no further request after reply %d\ngot  POST %s", n, n-1, extra.Path)
			if got := showAll(o.Check(v)); !strings.Contains(got, want) {
				t.Errorf("%s on %s: got\n%s\nwant\n%s", name, id, got, want)
			}
		}
	}
}
