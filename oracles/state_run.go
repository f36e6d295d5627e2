package oracles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

// checkResume judges the whole path (STATE-01): the calls of the suspended turn
// run in the process that approved, once each, and the requests after it hold the
// native parts and the results as the rest of the contract says.
func checkResume(v *View) []Finding {
	out := append(attemptsMissing(v), v.reached(anyAttempt)...)
	out = append(out, v.storedRuns()...)
	for _, a := range v.attempts() {
		if a.step.Do == "start" && len(a.at.Calls) > 0 {
			out = append(out, agentFinding(a.where(), result.Added, "no tool run before the approval", count(len(a.at.Calls), "tool run"), meansUnsafe))
		}
	}
	out = append(out, v.ranOnce()...)
	return append(out, v.resent()...)
}

// resent returns what is wrong with the requests of a run that was gone on with.
func (v *View) resent() []Finding {
	out := turns(anyStep, func(diff) bool { return true })(v)
	out = append(out, checkEcho(v)...)
	return verbatimOnly(append(out, checkResults(v)...))
}

// ranOnce compares the calls that the tool server answered with those of the
// script: each once, its arguments as they came.
func (v *View) ranOnce() []Finding {
	var ran []ToolCall
	for _, a := range v.attempts() {
		ran = append(ran, a.at.Calls...)
	}
	var out []Finding
	n := 0
	for _, s := range v.script {
		for _, i := range s.calls {
			p := s.parts[i]
			n++
			where := fmt.Sprintf("tool run %d", n)
			if n > len(ran) {
				out = append(out, agentFinding(where, result.Shrunk, fmt.Sprintf("a run of call %d of %s", i+1, s.label()), "it never came: "+v.ending(), meansLost))
				continue
			}
			// Calls of one turn run side by side and may come in any order.
			if ran[n-1].Name != p.Name || !sameRoots(ran[n-1].Arguments, p.Args) && !v.among(s, ran[n-1]) {
				out = append(out, agentFinding(where, result.Changed, named(p.Name)+" with the arguments of "+s.label(), named(ran[n-1].Name)+" with others", meansLost))
			}
		}
	}
	if len(ran) > n {
		out = append(out, agentFinding("tool runs", result.Added, count(n, "tool run"), strconv.Itoa(len(ran)), meansTwice))
	}
	return out
}

// among reports whether a tool run is of one of the step's calls.
func (v *View) among(s *step, run ToolCall) bool {
	for _, i := range s.calls {
		if s.parts[i].Name == run.Name && sameRoots(run.Arguments, s.parts[i].Args) {
			return true
		}
	}
	return false
}

// checkDigests computes the digest of the waiting calls again, from the
// transcript (STATE-04), and compares it with what the subject gave out and what
// is stored.
func checkDigests(v *View) []Finding {
	out := attemptsMissing(v)
	waited := false
	for _, a := range v.attempts() {
		if a.status() != subject.RunWaiting {
			continue
		}
		waited = true
		want, err := digestOf(a)
		where := a.where() + ", outcome.agent.digest"
		if err != "" {
			out = append(out, agentFinding(where, result.Shrunk, "a transcript with the calls that wait", err, meansUnsafe))
			continue
		}
		if got := a.run.Outcome.Agent.Digest; got != want {
			out = append(out, agentFinding(where, result.Changed, want, short(got), meansUnsafe))
		}
		if row, ok := a.row(a.at.After); ok && row.Columns["digest"] != want {
			out = append(out, agentFinding(a.where()+", agent_run.digest", result.Changed, want, short(row.Columns["digest"]), meansUnsafe))
		}
	}
	if !waited {
		out = append(out, agentFinding("process 1", result.Shrunk, "a run that waits", "none", meansLost))
	}
	return out
}

// digestOf is the digest as the contract has it: SHA-256 of the compact JSON
// [run_id,actor,[[id,name,arguments],…]] of the calls that no message answers.
func digestOf(a attempt) (digest, problem string) {
	if a.run.Outcome.State == nil {
		return "", "no state"
	}
	root, err := wire.Parse(*a.run.Outcome.State)
	if err != nil {
		return "", "a state that is not JSON"
	}
	answered := map[string]bool{}
	var calls wire.Value
	for m := range root.Get("messages").Items() {
		switch m.Get("role").Text() {
		case "tool":
			answered[m.Get("tool_call_id").Text()] = true
		case "assistant":
			calls = m.Get("tool_calls")
		}
	}
	var pending []string
	for c := range calls.Items() {
		if id := c.Get("id").Text(); !answered[id] {
			f := c.Get("function")
			pending = append(pending, "["+plainJSON(id)+","+plainJSON(f.Get("name").Text())+","+plainJSON(f.Get("arguments").Text())+"]")
		}
	}
	if len(pending) == 0 {
		return "", "no call without a result"
	}
	text := "[" + plainJSON(a.at.RunID) + "," + plainJSON(a.run.Task.Agent.Actor) + ",[" + strings.Join(pending, ",") + "]]"
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:]), ""
}

// plainJSON writes a JSON string that escapes nothing but what JSON demands.
func plainJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\b':
			b.WriteString(`\b`)
		case c == '\f':
			b.WriteString(`\f`)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// checkRejection judges a rejected approval (STATE-07): no tool of the turn ran,
// each of its calls is answered with a word of the rejection, and the native
// parts are sent as ever.
func checkRejection(v *View) []Finding {
	out := append(attemptsMissing(v), v.reached(anyAttempt)...)
	out = append(out, verbatimOnly(turns(anyStep, func(diff) bool { return true })(v))...)
	for _, a := range v.attempts() {
		if a.step.Do != "reject" {
			continue
		}
		if len(a.run.Exchanges) == 0 {
			out = append(out, agentFinding(a.where(), result.Shrunk, "a request that tells the model", "none", "the model never learns of the rejection"))
			continue
		}
		out = append(out, v.toldRejected(a)...)
	}
	return out
}

func (v *View) toldRejected(a attempt) []Finding {
	first := a.run.Exchanges[0]
	var out []Finding
	for _, r := range v.requests {
		if r.x.Seq != first.Seq || r.err != nil || r.known == 0 {
			continue
		}
		rejected := v.script[r.known-1]
		for _, call := range a.at.Calls {
			if v.among(rejected, call) {
				out = append(out, agentFinding(a.where(), result.Added, "no run of a rejected call", "a run of "+named(call.Name), meansUnsafe))
			}
		}
		var sent []native.Part
		for _, res := range sentResults(r) {
			sent = append(sent, res.part)
		}
		if len(sent) != len(rejected.calls) {
			out = append(out, agentFinding(at(r, ""), result.Unanswered, fmt.Sprintf("%d results", len(rejected.calls)), strconv.Itoa(len(sent)), "a call without a result ends the conversation"))
		}
		for i, p := range sent {
			if !strings.Contains(strings.ToLower(p.Body.Raw()), "reject") {
				out = append(out, agentFinding(at(r, p.Value.Path()), result.Changed, "a result that says rejected", quote(p.Body), "the model never learns of the rejection"))
			}
			if i < len(rejected.calls) && p.ID != rejected.parts[rejected.calls[i]].ID {
				out = append(out, agentFinding(at(r, p.Value.Path()+".id"), result.Changed, named(rejected.parts[rejected.calls[i]].ID), named(p.ID), "the rejection answers another call"))
			}
		}
	}
	return out
}
