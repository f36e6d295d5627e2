package oracles

import (
	"fmt"
	"regexp"
	"slices"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

// callResult is one call of the conversation with the tool run that answered it.
type callResult struct {
	step  *step
	index int      // of the call in step.parts
	run   *ToolRun // nil: no tool ran for it
	tag   string   // the unique tag of the result, "" where the script has none
	twins int      // how many calls before it have the same result
	alone bool     // no other call has it
}

var tagForm = regexp.MustCompile(`\br-[0-9a-f]{4,}\b`)

// matchResults pairs calls with tool runs: by name and arguments, then by the
// native ID where the subject hands it out, equal ones in order. The results of
// a state that was put in are runs of it.
func matchResults(v *View) []callResult {
	runs := storedRuns(v)
	for i := range v.Runs {
		for j := range v.Runs[i].Outcome.ToolRuns {
			runs = append(runs, &v.Runs[i].Outcome.ToolRuns[j])
		}
	}
	bound := v.boundIDs()
	var out []callResult
	for _, s := range slices.Concat(v.prior, v.script) {
		for _, i := range s.calls {
			out = append(out, callResult{step: s, index: i})
		}
	}
	for _, byID := range []bool{true, false} {
		for i := range out {
			cr := &out[i]
			part := cr.step.parts[cr.index]
			for j, run := range runs {
				if cr.run == nil && run != nil && run.Name == part.Name && sameRoots(run.Arguments, part.Args) && (!byID || part.ID != "" && (run.CallID == part.ID || bound[run.CallID] == part.ID)) {
					cr.run, runs[j] = run, nil
					cr.tag = tagForm.FindString(run.Result)
				}
			}
		}
	}
	// What the library made of the arguments may differ from what was sent (a
	// lone surrogate, a repeated member); the run is the call's all the same.
	for i := range out {
		for j, run := range runs {
			if cr := &out[i]; cr.run == nil && run != nil && run.Name == cr.step.parts[cr.index].Name {
				cr.run, runs[j] = run, nil
				cr.tag = tagForm.FindString(run.Result)
			}
		}
	}
	forms := make([]string, len(out))
	for i := range out {
		if out[i].run != nil {
			forms[i] = responseFor(out[i].run.Result)
		}
	}
	for i := range out {
		out[i].alone = true
		for j := range out {
			if i != j && forms[i] != "" && forms[i] == forms[j] {
				out[i].alone = false
				if j < i && out[j].step == out[i].step {
					out[i].twins++
				}
			}
		}
	}
	return out
}

// sentResult is one result part of a request.
type sentResult struct {
	entry int
	part  native.Part
}

func sentResults(r *request) []sentResult {
	var out []sentResult
	for i, e := range r.req.Entries {
		for _, p := range e.Parts {
			if p.Kind == native.Result {
				out = append(out, sentResult{i, p})
			}
		}
	}
	return out
}

// turnResults judges the results of one step in one request (REPLAY-15).
type turnResults struct {
	r     *request
	step  *step
	calls []callResult
	sent  []native.Part // the model's calls as they were sent, absent parts where they are missing
	all   []sentResult
	last  int // last entry of the step, -1 when it was not sent
	out   []Finding
}

// resultFinding is a finding about the results of one step in one request.
type resultFinding struct {
	Finding
	r    *request
	step *step
}

// checkResults returns what is wrong with the results of every step in every
// request (REPLAY-15).
func checkResults(v *View) []Finding {
	var out []Finding
	for _, f := range judgedResults(v) {
		out = append(out, f.Finding)
	}
	return out
}

func judgedResults(v *View) []resultFinding {
	var out []resultFinding
	for _, r := range v.requests {
		for _, t := range v.answeredTurns(r) {
			t.judge()
			for _, f := range t.out {
				out = append(out, resultFinding{f, r, t.step})
			}
		}
	}
	return out
}

// answeredTurns returns the steps with calls that a request holds the results of.
func (v *View) answeredTurns(r *request) []*turnResults {
	if r.err != nil {
		return nil
	}
	a, all := v.aligned(r), sentResults(r)
	var out []*turnResults
	for _, s := range slices.Concat(v.prior, v.script[:r.known]) {
		if len(s.calls) == 0 {
			continue
		}
		t := &turnResults{r: r, step: s, all: all, last: -1}
		for _, cr := range v.results() {
			if cr.step == s {
				t.calls = append(t.calls, cr)
			}
		}
		t.find(a, s)
		out = append(out, t)
	}
	return out
}

// find locates the step's calls in the request.
func (t *turnResults) find(a *alignment, s *step) {
	for i, w := range a.wants {
		if w.step != s {
			continue
		}
		part := native.Part{}
		if g := a.at[i]; g >= 0 {
			part = a.gots[g].part
			t.last = max(t.last, a.gots[g].entry)
		}
		if w.part.Kind == native.Call {
			t.sent = append(t.sent, part)
		}
	}
}

func (t *turnResults) say(where string, change result.Change, level result.Level, want, got string) {
	t.out = append(t.out, Finding{
		Where: at(t.r, where), Change: change, Level: level, Basis: result.Confirmed, Want: want, Got: got,
		Means: "refused by the provider (confirmed for counts and unanswered calls), or the model reads a result that is not the call's",
	})
}

func (t *turnResults) judge() {
	region := t.region()
	var order []int
	used := map[int]bool{}
	for i, cr := range t.calls {
		found := t.own(cr, region)
		name := fmt.Sprintf("one result for call %d of %s, %s", i+1, cr.step.label(), cr.step.parts[cr.index].Name)
		switch {
		case cr.run == nil:
			t.say("", result.Unanswered, result.Provider, name, "no tool ran for it")
			continue
		case len(found) == 0:
			t.say("", result.Unanswered, result.Provider, name, "absent")
			continue
		case used[found[0]]:
			t.say(t.all[found[0]].part.Value.Path(), result.Merged, result.Provider, name, "one part with another call's result")
			continue
		case len(found) > 1:
			t.say(t.all[found[1]].part.Value.Path(), result.Duplicated, result.Provider, name, count(len(found), "result"))
		}
		used[found[0]] = true
		at := slices.Index(region, found[0])
		if at < 0 {
			got := "sent elsewhere"
			if t.last < 0 {
				got = "sent without that turn"
			}
			t.say(t.all[found[0]].part.Value.Path(), result.Moved, result.Provider, name+" directly after the model's turn", got)
			continue
		}
		order = append(order, at)
		t.identity(i, t.all[found[0]].part)
		t.form(t.all[found[0]].part)
	}
	if len(region) > len(t.calls) {
		extra := t.all[region[len(region)-1]].part
		t.say(extra.Value.Path(), result.Added, result.Provider, count(len(t.calls), "result"), count(len(region), "result"))
	}
	if !slices.IsSorted(order) {
		change := result.Reordered
		if t.byOrder() {
			change = result.Swapped
		}
		t.say(t.all[region[order[0]]].part.Value.Path(), change, result.Provider, "the results in the order of the calls", "another order")
	}
	t.together(region)
}

// own returns the indexes of the sent results that belong to a call. Where
// other calls have the same result only those behind this step count, and equal
// ones of this step are dealt out in order.
func (t *turnResults) own(cr callResult, region []int) []int {
	var out []int
	for i, s := range t.all {
		if cr.holds(s.part) && (cr.alone || slices.Contains(region, i)) {
			out = append(out, i)
		}
	}
	if !cr.alone && len(out) > cr.twins {
		return out[cr.twins : cr.twins+1]
	}
	return out
}

// region returns the results that stand between the step and the next model
// turn or user message.
func (t *turnResults) region() []int {
	if t.last < 0 {
		return nil
	}
	end := t.last + 1
	for end < len(t.r.req.Entries) && t.r.req.Entries[end].Results() {
		end++
	}
	var out []int
	for i, s := range t.all {
		if s.entry > t.last && s.entry < end {
			out = append(out, i)
		}
	}
	return out
}

// byOrder reports whether results are told apart by their order only.
func (t *turnResults) byOrder() bool {
	for _, p := range t.sent {
		if p.ID != "" {
			return false
		}
	}
	return true
}

// identity checks that a result names its own call where IDs are sent.
func (t *turnResults) identity(call int, p native.Part) {
	if call >= len(t.sent) || t.sent[call].ID == "" || p.ID == t.sent[call].ID {
		return
	}
	want := "the ID of its call, " + named(t.sent[call].ID)
	for i, other := range t.sent {
		if i != call && other.ID != "" && other.ID == p.ID {
			t.say(p.Value.Path(), result.Swapped, result.Provider, want, fmt.Sprintf("%s, the ID of call %d", named(p.ID), i+1))
			return
		}
	}
	if t.r.req.API != native.Gemini { // Gemini's own IDs are CALLID's
		t.say(p.Value.Path(), result.Changed, result.Provider, want, named(p.ID))
	}
}

// form checks that a result says nothing in both spellings of the wire, and that
// its part holds nothing else: the data of a Gemini part is one of them.
func (t *turnResults) form(p native.Part) {
	for other, mine := range spelledTwice(p.Value) {
		t.say(other.Path(), result.Added, twiceLevel(other, mine), "absent: it is the same field as "+mine.Path(), quote(other))
	}
	if !generates(t.r.req.API) {
		return
	}
	for name, m := range p.Value.Members() {
		if u := usual(name); slices.Contains(geminiData, u) && m.Kind() != wire.Null {
			t.say(m.Path(), result.Added, result.Provider, "absent: the part is a result", quote(m))
		}
	}
}

// together checks that Gemini's results share one user entry (T8: several
// consecutive ones, of any of the three roles, are let pass at provider).
func (t *turnResults) together(region []int) {
	if !generates(t.r.req.API) || len(region) == 0 {
		return
	}
	first := t.r.req.Entries[t.all[region[0]].entry]
	if t.all[region[len(region)-1]].entry != t.all[region[0]].entry {
		t.say(first.Value.Path(), result.Split, result.Verbatim, "all results of the step in one user entry", "several entries")
	}
	for _, i := range region {
		e := t.r.req.Entries[t.all[i].entry]
		if e.Role == "user" {
			continue
		}
		level := result.Provider
		if e.Role == "function" || e.Role == "tool" {
			level = result.Verbatim
		}
		t.say(e.Value.Path()+".role", result.Changed, level, `"user"`, named(e.Role))
	}
}

// checkNames returns the results whose name is not that of their call
// (REPLAY-11).
func checkNames(v *View) []Finding {
	out, shown := misnamed(v, native.Gemini)
	var last *request
	if to := v.to(native.Gemini); len(to) > 0 {
		last = to[len(to)-1]
	}
	for _, cr := range v.results() {
		if due := last != nil && (cr.step.stored || cr.step.n <= last.known); due && !shown[cr.run] && v.answered(native.Gemini)(cr.step) {
			out = append(out, Finding{
				Where: at(last, ""), Change: result.Unanswered, Level: result.Provider, Basis: result.Confirmed,
				Want: "a result named " + named(cr.step.parts[cr.index].Name) + " for its call in " + cr.step.label(), Got: "absent",
				Means: "without the result its name can't be judged",
			})
		}
	}
	return out
}

// misnamed returns the results in requests to one of Gemini's hosts whose name is
// not that of their call, and the runs whose results these requests hold.
func misnamed(v *View, api native.API) (out []Finding, shown map[*ToolRun]bool) {
	shown = map[*ToolRun]bool{}
	for _, r := range v.to(api) {
		for _, s := range sentResults(r) {
			for _, cr := range v.results() {
				if !cr.holds(s.part) {
					continue
				}
				shown[cr.run] = true
				if want := cr.step.parts[cr.index].Name; s.part.Name != want {
					out = append(out, Finding{
						Where: at(r, s.part.Value.Path()+".functionResponse.name"), Change: result.Changed, Level: result.Provider, Basis: result.Documented,
						Want: named(want) + ", the name of its call", Got: named(s.part.Name),
						Means: "the model reads the result as another function's (documented: the name is that of the call)",
					})
				}
			}
		}
	}
	return out, shown
}
