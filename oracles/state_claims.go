package oracles

import (
	"fmt"
	"strconv"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

// checkClaims judges who may work on a run (STATE-05): one approval, the others
// are refused; a resume raises the fence; who lost the run stops; a finished run
// holds no state.
func checkClaims(v *View) []Finding {
	out := append(attemptsMissing(v), v.reached(func(s fixtures.AgentStep) bool { return s.Do != "race" })...)
	out = append(out, v.storedRuns()...)
	out = append(out, v.twice()...)
	for i, step := range v.Scenario.Agent {
		done := v.of(i)
		switch {
		case len(done) == 0 && step.Do == "race":
			out = append(out, agentFinding(fmt.Sprintf("step %d (race)", i+1), result.Shrunk, "two processes", "none", meansLost))
		case step.Do == "race":
			out = append(out, v.judgeRace(done)...)
		case step.Do == "overtake" && len(done) == 2:
			out = append(out, v.judgeOvertaken(done[0], done[1])...)
		case step.Want == "refused":
			for _, a := range done {
				out = append(out, v.silent(a, meansTwice)...)
				out = append(out, sameRows(a)...)
			}
		case step.Do == "resume" || step.Do == "approve":
			for _, a := range done {
				out = append(out, raised(a, 1)...)
			}
		}
	}
	return out
}

// judgeRace wants one attempt that finished and one that was turned away.
func (v *View) judgeRace(done []attempt) []Finding {
	var out []Finding
	won := 0
	for _, a := range done {
		switch a.status() {
		case subject.RunFinished:
			won++
			out = append(out, raised(a, 1)...)
		case "refused":
			out = append(out, v.silent(a, meansTwice)...)
		default:
			out = append(out, agentFinding(a.where(), result.Changed, "finished or refused", v.said(a), meansLost))
		}
	}
	if won != 1 || len(done) != 2 {
		change := result.Accepted
		if won == 0 {
			change = result.Refused
		}
		out = append(out, agentFinding("race", change, "one of two approvals taken", fmt.Sprintf("%d of %d", won, len(done)), meansTwice))
	}
	return out
}

// judgeOvertaken wants the process that was overtaken to stop: an error, no
// further request, and nothing written over what the other one left.
func (v *View) judgeOvertaken(second, first attempt) []Finding {
	var out []Finding
	if got := first.status(); first.run.Outcome.Error == nil || got == subject.RunFinished {
		out = append(out, agentFinding(first.where()+", overtaken", result.Accepted, "an error: another process holds the run", v.said(first), meansTwice))
	}
	if n := len(first.run.Exchanges); n > 0 {
		out = append(out, agentFinding(first.where()+", overtaken", result.Added, "nothing sent any more", count(n, "request"), meansTwice))
	}
	if len(first.at.Calls) == 0 {
		out = append(out, agentFinding(first.where()+", overtaken", result.Shrunk, "a tool run that hangs", "none", "nobody was overtaken, so nothing could be judged"))
	}
	return append(out, raised(second, 2)...)
}

// raised wants the fence to have grown by at least n.
func raised(a attempt, n int) []Finding {
	fence := func(rows []Row) (int, bool) {
		row, ok := a.row(rows)
		f, err := strconv.Atoi(row.Columns["fence"])
		return f, ok && err == nil
	}
	before, okBefore := fence(a.at.Before)
	after, okAfter := fence(a.at.After)
	if okBefore && okAfter && after >= before+n {
		return nil
	}
	got := fmt.Sprintf("%d after %d", after, before)
	if !okBefore || !okAfter {
		got = "absent"
	}
	return []Finding{agentFinding(a.where()+", agent_run.fence", result.Changed, fmt.Sprintf("at least %d more than before", n), got, "a process that lost the run goes on writing to it")}
}

// twice returns the calls that ran more than once, over all processes.
func (v *View) twice() []Finding {
	var out []Finding
	seen := map[string]int{}
	for _, a := range v.attempts() {
		for _, call := range a.at.Calls {
			key := a.at.RunID + "\x00" + call.CallID
			if call.CallID == "" {
				continue // nothing tells them apart; ranOnce counts
			}
			if first := seen[key]; first > 0 {
				out = append(out, agentFinding(a.where()+", tool runs", result.Duplicated, "each call once", fmt.Sprintf("%s again, after process %d", named(call.Name), first), meansTwice))
				continue
			}
			seen[key] = a.n
		}
	}
	return out
}

// checkKills judges a run whose processes die (STATE-06).
func checkKills(v *View) []Finding {
	out := append(attemptsMissing(v), v.reached(anyAttempt)...)
	out = append(out, v.storedRuns()...)
	out = append(out, v.twice()...)
	died, dead := false, false
	for _, a := range v.attempts() {
		died = died || a.at.Died
		dead = dead || a.step.Crash != ""
		out = append(out, v.recordedFirst(a)...)
	}
	if dead && !died {
		out = append(out, agentFinding("processes", result.Shrunk, "one that dies where it was told to", "none did", "nothing was interrupted, so nothing could be judged"))
	}
	out = append(out, verbatimOnly(turns(anyStep, func(diff) bool { return true })(v))...)
	return append(out, v.interruptions()...)
}

// recordedFirst wants the start of each call in the database by the time it runs.
func (v *View) recordedFirst(a attempt) []Finding {
	var out []Finding
	came := map[*step]int{}
	for _, call := range a.at.Calls {
		for _, s := range v.script {
			if v.among(s, call) {
				came[s]++
				if call.Recorded < came[s] {
					out = append(out, agentFinding(a.where()+", agent_call", result.Absent, fmt.Sprintf("%d recorded before %s runs", came[s], named(call.Name)), strconv.Itoa(call.Recorded), "a process that dies now leaves no trace of the call, and it runs again"))
				}
				break
			}
		}
	}
	return out
}

// interruptions judges how each call is answered in the last request that answers it:
// with the result of its one run, or as interrupted where a process was lost.
func (v *View) interruptions() []Finding {
	var out []Finding
	lost := v.lostCalls()
	for _, s := range v.script {
		results := v.answersTo(s)
		if len(s.calls) == 0 {
			continue
		}
		if len(results) != len(s.calls) {
			out = append(out, agentFinding("the request after "+s.label(), result.Unanswered, count(len(s.calls), "result"), strconv.Itoa(len(results)), meansLost))
			continue
		}
		for i, p := range results {
			where := fmt.Sprintf("the result of call %d of %s", i+1, s.label())
			if isInterrupted(p) {
				if lost--; lost < 0 {
					out = append(out, agentFinding(where, result.Changed, "the result of its run", "interrupted, though no process was lost in it", meansLost))
				}
				continue
			}
			if !v.ranWith(s, p) {
				out = append(out, agentFinding(where, result.Changed, `the result of its run or {"error":"interrupted"}`, quote(p.Body), meansLost))
			}
		}
	}
	return out
}

// lostCalls counts the calls that were begun and not ended when their process
// was lost.
func (v *View) lostCalls() int {
	n := 0
	for _, a := range v.attempts() {
		if a.at.Died {
			begun, ended := a.recorded(a.at.After)
			n += begun - ended
		}
		if a.step.Do == "overtake" && a.status() != subject.RunFinished {
			n += len(a.at.Calls)
		}
	}
	return n
}

// answersTo returns the results of the last request after a step and before the
// next one.
func (v *View) answersTo(s *step) []native.Part {
	var out []native.Part
	for _, r := range v.requests {
		if r.err != nil || r.known != s.n {
			continue
		}
		out = nil
		for _, res := range sentResults(r) {
			out = append(out, res.part)
		}
		out = out[max(0, len(out)-len(s.calls)):]
	}
	return out
}

func isInterrupted(p native.Part) bool {
	e := p.Body.Get("error")
	return p.Body.Len() == 1 && e.Text() == "interrupted"
}

// ranWith reports whether the tool server gave a call of the step this result.
func (v *View) ranWith(s *step, p native.Part) bool {
	for _, a := range v.attempts() {
		for _, call := range a.at.Calls {
			if !v.among(s, call) || call.Name != p.Name {
				continue
			}
			if want, err := wire.Parse(call.Result); err == nil && wire.SameValue(want, p.Body) {
				return true
			}
		}
	}
	return false
}
