package oracles

import (
	"fmt"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
)

// offMode returns a finding where a run was not driven in the mode that was
// asked for: a plain request on a streamed leg or the other way round, a subject
// that goes on where it was told to stop. What such a run shows, it shows of
// another mode; counting it would be a false green.
func (v *View) offMode() []Finding {
	n := 0
	for i, run := range v.Runs {
		stream, same := oneMode(run.Task)
		for _, x := range run.Exchanges {
			if x.Endpoint == "" || x.Side {
				continue
			}
			if n++; same && x.Step > 0 && x.Stream != stream {
				return []Finding{modeFinding(fmt.Sprintf("request %d", n), requestKind(stream), requestKind(x.Stream))}
			}
		}
		if run.Task.StopAt == subject.StopAtToolCalls && run.Outcome.Stopped == "" && run.Outcome.Error == nil && len(run.Outcome.ToolRuns) > 0 && len(run.Exchanges) > 0 {
			return []Finding{modeFinding(fmt.Sprintf("run %d", i+1), fmt.Sprintf("a run that stops at %q", run.Task.StopAt), "it went on, so no state was stored and resumed")}
		}
	}
	return nil
}

// oneMode returns whether the legs of a task stream, and whether all agree.
func oneMode(t Task) (stream, same bool) {
	for i, leg := range t.Legs {
		if i > 0 && leg.Stream != stream {
			return false, false
		}
		stream = leg.Stream
	}
	return stream, len(t.Legs) > 0
}

func requestKind(stream bool) string {
	if stream {
		return "a streamed request"
	}
	return "a plain request"
}

func modeFinding(where, want, got string) Finding {
	return Finding{
		Where: where, Change: result.Changed, Level: result.Provider, Basis: result.Confirmed, Want: want, Got: got,
		Means: "the mode was asked for and not driven, so nothing is shown about it",
	}
}
