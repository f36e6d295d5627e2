package oracles

import (
	"fmt"

	"example.com/replaycheck/internal/scenario"
)

// faulted reports whether an exchange met an injected fault in the place of a
// reply: it is judged as any request is, and the same is asked for again.
func faulted(x Exchange) bool { return x.Fault != "" && x.Step == 0 }

// givenUp says that a subject ended at an injected fault, "" where none did. What
// it would have sent is then not known, and no requirement asks it to try again:
// nothing can be judged on such a run.
func givenUp(ev Evidence) string {
	for _, runs := range [][]scenario.Run{ev.Runs, ev.Control} {
		n := 0
		var last scenario.Run
		for _, run := range runs {
			n += len(run.Exchanges)
			last = run
		}
		if len(last.Exchanges) == 0 {
			continue
		}
		x := last.Exchanges[len(last.Exchanges)-1]
		// An error may be what the scenario is for.
		ended := x.Fault != "" && last.Outcome.Error != nil && ev.Scenario.Expect == ""
		if faulted(x) || ended {
			return fmt.Sprintf("the subject gave up at an injected fault (%s, request %d); nothing after it could be judged", x.Fault, n)
		}
	}
	return ""
}
