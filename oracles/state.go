package oracles

import (
	"fmt"
	"slices"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
)

// The oracles of agent runs. Their evidence are processes that ended or died,
// the calls that the harness's own tool server answered, the rows before and
// after, and what is on disk.
func stateOracles() []Oracle {
	oracle := func(id string, check func(*View) []Finding) Oracle {
		return Oracle{ID: id, Needs: Needs{Capability: subject.AgentRuns}, Check: check, Scope: func(v *View) bool {
			return len(v.Scenario.Agent) > 0 && v.shows(id)
		}}
	}
	return []Oracle{
		// Suspended, sealed, stored, opened by another process, approved; the next
		// request holds the exact native parts, bindings applied.
		oracle("STATE-01", checkResume),
		// Nothing that is stored or said can be read.
		oracle("STATE-02", checkSecrets),
		// Spoilt state is refused, nothing is sent, the row stays.
		oracle("STATE-03", checkRefusals),
		// The digest is computed again; who may not approve is refused.
		oracle("STATE-04", join2(checkDigests, checkRefusals)),
		// One approval claims the run, and only its holder writes to it.
		oracle("STATE-05", checkClaims),
		// Killed at any point, a run goes on; no call runs twice.
		oracle("STATE-06", checkKills),
		// A rejection is told to the model, and the run goes on.
		oracle("STATE-07", checkRejection),
	}
}

// attempt is one process at an agent run with the step that it belongs to.
type attempt struct {
	n    int // 1-based number of the run
	run  Run
	at   Attempt
	step fixtures.AgentStep
}

func (a attempt) where() string {
	return fmt.Sprintf("process %d (%s)", a.n, a.step.Do)
}

// attempts returns the attempts in the order in which they are noted.
func (v *View) attempts() []attempt {
	var out []attempt
	for i, run := range v.Runs {
		if run.Agent != nil && run.Agent.Step < len(v.Scenario.Agent) {
			out = append(out, attempt{i + 1, run, *run.Agent, v.Scenario.Agent[run.Agent.Step]})
		}
	}
	return out
}

// of returns the attempts of a step.
func (v *View) of(step int) []attempt {
	return slices.DeleteFunc(v.attempts(), func(a attempt) bool { return a.at.Step != step })
}

// status is how a run stands after an attempt, as the subject says.
func (a attempt) status() string {
	switch {
	case a.at.Died:
		return "died"
	case a.refused():
		return "refused"
	case a.run.Outcome.Agent == nil:
		return "no outcome.agent"
	case a.run.Outcome.Error != nil:
		return subject.RunFailed
	}
	return a.run.Outcome.Agent.Status
}

func (a attempt) refused() bool {
	e := a.run.Outcome.Error
	return e != nil && e.Kind == subject.Refused
}

// row returns the row of the attempt's run, from rows before or after it.
func (a attempt) row(rows []Row) (Row, bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Table == "agent_run" && r.Columns["run_id"] == a.at.RunID })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// recorded counts the calls of the run that a database knows, and how many of
// them have a result.
func (a attempt) recorded(rows []Row) (begun, ended int) {
	for _, r := range rows {
		if r.Table == "agent_call" && r.Columns["run_id"] == a.at.RunID {
			begun++
			if _, ok := r.Columns["sealed"]; ok {
				ended++
			}
		}
	}
	return begun, ended
}

func agentFinding(where string, change result.Change, want, got, means string) Finding {
	return Finding{Where: where, Change: change, Level: result.Verbatim, Basis: result.Documented, Want: want, Got: printable(got), Means: means}
}

const (
	meansLost   = "a run that waits for a person is lost, or goes on without its state (ADR-222)"
	meansUnsafe = "calls run that nobody approved (ADR-226)"
	meansTwice  = "a tool with effects in the world runs twice"
)

// said is how an attempt ended, for a person. It quotes no content.
func (v *View) said(a attempt) string {
	s := a.status()
	if e := a.run.Outcome.Error; e != nil {
		s += fmt.Sprintf(": an error of kind %q: %s", e.Kind, short(v.redact(e.Message)))
	}
	return s
}

// reached returns what is wrong with how the steps ended that are as asked; a
// step that never came is missing evidence.
func (v *View) reached(is func(fixtures.AgentStep) bool) []Finding {
	var out []Finding
	for i, step := range v.Scenario.Agent {
		if !is(step) {
			continue
		}
		done := v.of(i)
		if len(done) == 0 {
			out = append(out, agentFinding(fmt.Sprintf("step %d (%s)", i+1, step.Do), result.Shrunk, step.Want, "it never came", meansLost))
			continue
		}
		// The last attempt tells; of an overtake the last is the one that lost.
		last := done[len(done)-1]
		if step.Do == "overtake" {
			last = done[0]
		}
		if got := last.status(); got != step.Want {
			change := result.Changed
			if step.Want == "refused" {
				change = result.Accepted
			} else if got == "refused" {
				change = result.Refused
			}
			out = append(out, agentFinding(last.where(), change, step.Want, v.said(last), meansLost))
		}
	}
	return out
}

func anyAttempt(fixtures.AgentStep) bool { return true }

// silent returns what an attempt did that must have done nothing.
func (v *View) silent(a attempt, means string) []Finding {
	var out []Finding
	if n := len(a.run.Exchanges); n > 0 {
		out = append(out, agentFinding(a.where(), result.Added, "nothing sent", count(n, "request"), means))
	}
	if n := max(len(a.at.Calls), len(a.run.Outcome.ToolRuns)); n > 0 {
		out = append(out, agentFinding(a.where(), result.Added, "no tool run", count(n, "tool run"), means))
	}
	return out
}

// checkRefusals judges the attempts that must be refused: nothing runs, nothing
// is sent, and what is stored is as it was. That the run goes on afterwards shows
// that the refusal was about what had been changed (STATE-03, STATE-04).
func checkRefusals(v *View) []Finding {
	out := v.reached(anyAttempt)
	for _, a := range v.attempts() {
		if a.step.Want != "refused" {
			continue
		}
		out = append(out, v.silent(a, meansUnsafe)...)
		out = append(out, sameRows(a)...)
	}
	return out
}

// sameRows returns how the rows differ that an attempt must not have changed.
func sameRows(a attempt) []Finding {
	if _, ok := a.row(a.at.Before); !ok {
		return []Finding{agentFinding(a.where()+", rows", result.Shrunk, "the row of the run before", "absent", meansLost)}
	}
	if len(a.at.Before) != len(a.at.After) {
		return []Finding{agentFinding(a.where()+", rows", result.Changed, count(len(a.at.Before), "row"), count(len(a.at.After), "row"), meansLost)}
	}
	for i, before := range a.at.Before {
		after := a.at.After[i]
		for name, want := range before.Columns {
			if got, ok := after.Columns[name]; !ok || got != want || before.Table != after.Table {
				return []Finding{agentFinding(fmt.Sprintf("%s, rows, %s.%s", a.where(), before.Table, name), result.Changed, "as it was", "changed", meansLost)}
			}
		}
		if len(after.Columns) != len(before.Columns) {
			return []Finding{agentFinding(fmt.Sprintf("%s, rows, %s", a.where(), before.Table), result.Changed, "as it was", "a column more", meansLost)}
		}
	}
	return nil
}

// storedRuns returns what is wrong with the rows of runs that wait or are finished.
func (v *View) storedRuns() []Finding {
	var out []Finding
	for _, a := range v.attempts() {
		if a.step.Want == "refused" {
			continue
		}
		row, ok := a.row(a.at.After)
		where := a.where() + ", agent_run"
		switch sealed := row.Columns["sealed"]; a.status() {
		case subject.RunWaiting:
			if !ok || sealed == "" || row.Columns["status"] != subject.RunWaiting {
				out = append(out, agentFinding(where, result.Absent, "a row that waits, with a sealed state", rowText(row, ok), meansLost))
			}
		case subject.RunFinished:
			begun, _ := a.recorded(a.at.After)
			if !ok || row.Columns["status"] != subject.RunFinished || sealed != "" || row.Columns["digest"] != "" || begun > 0 {
				out = append(out, agentFinding(where, result.Changed, "a finished row without state, digest or calls", rowText(row, ok)+", "+count(begun, "call"), "a finished run holds suspended state"))
			}
		}
	}
	return out
}

func rowText(r Row, ok bool) string {
	if !ok {
		return "absent"
	}
	return fmt.Sprintf("status %q, %d bytes of state, digest of %d bytes", r.Columns["status"], len(r.Columns["sealed"]), len(r.Columns["digest"]))
}

// attemptsMissing is a finding where nothing was attempted at all.
func attemptsMissing(v *View) []Finding {
	if len(v.attempts()) > 0 {
		return nil
	}
	return []Finding{agentFinding("process 1", result.Shrunk, "a process", "none was started", meansLost)}
}
