package oracles

import (
	"fmt"
	"slices"

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

// untried reports whether faults were asked for and no request met one: the run
// shows nothing of what it was for.
func (j *judge) untried() bool {
	if j.cfg.Faults == nil {
		return false
	}
	for _, jb := range j.jobs {
		for _, run := range slices.Concat(jb.ev.Runs, jb.ev.Control) {
			if slices.ContainsFunc(run.Exchanges, func(x Exchange) bool { return x.Fault != "" }) {
				return false
			}
		}
	}
	return true
}

// faultless says what met no fault though faults were asked for.
func (j *judge) faultless() []string {
	switch {
	case j.cfg.Faults == nil:
		return nil
	case j.untried():
		return []string{"faults: no request met one; none of those asked for fits a reply that was asked for"}
	case slices.ContainsFunc(j.jobs, func(jb *job) bool { return len(jb.sc.Agent) > 0 }):
		return []string{"faults in agent runs: they are driven without"}
	}
	return nil
}
