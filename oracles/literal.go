package oracles

import (
	"fmt"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

// literalResult is what the comparison with a scenario's literal files showed.
type literalResult struct {
	compared int
	findings []Finding
}

// checkLiteral compares the recorded requests of the reference adapters with
// the literal expected ones, token by token (PROOF-03). ⟨call:N⟩ in a file
// stands for the Nth public call ID.
func checkLiteral(v *View) literalResult {
	var out literalResult
	if v.Scenario.Expect == "refused" {
		for _, run := range v.Control {
			out.compareAll(v, run.Exchanges, "control")
		}
		return out
	}
	var all []Exchange
	for _, r := range v.requests {
		all = append(all, r.x)
	}
	out.compareAll(v, all, v.Variant)
	return out
}

// compareAll compares requests in their order; one that met a fault of the
// script is the one that comes after it.
func (l *literalResult) compareAll(v *View, all []Exchange, variant string) {
	n := 1
	for _, x := range all {
		l.compare(v, n, x, variant)
		if !faulted(x) {
			n++
		}
	}
}

func (l *literalResult) compare(v *View, n int, x Exchange, variant string) {
	text := v.Scenario.Request(n, x.Stream, variant)
	if text == "" {
		return
	}
	l.compared++
	say := func(path, want, got string) {
		l.findings = append(l.findings, Finding{
			Where: strings.TrimSuffix(fmt.Sprintf("request %d, %s", n, path), ", "), Change: result.Changed, Level: result.Verbatim, Basis: result.Documented,
			Want: want, Got: got, Means: fmt.Sprintf("the literal file request-%d of the scenario expects it", n),
		})
	}
	if want := literalPath(v, x); want != "" && x.Method+" "+x.Path != want {
		say("request line", want, printable(short(x.Method+" "+x.Path)))
	}
	want, err := wire.Parse(v.placeholders(text))
	if err != nil {
		say("", "a literal file that is JSON", err.Error())
		return
	}
	got, err := wire.Parse(x.Body)
	if err != nil {
		say("", "a JSON body", err.Error())
		return
	}
	if a, b, path := firstDifference(want, got); path != "" || a.Exists() != b.Exists() || a.Exists() {
		say(path, quote(a), quote(b))
	}
}

// literalPath is the request line that the scripted endpoint has, for the model
// of the leg that the scripted reply belongs to.
func literalPath(v *View, x Exchange) string {
	if x.Step == 0 {
		return ""
	}
	switch native.API(v.Scenario.Replies[x.Step-1].Endpoint) {
	case native.Responses:
		return "POST /v1/responses"
	case native.Chat:
		return "POST /v1/chat/completions"
	}
	model := v.modelOf(x.Step)
	if x.Stream {
		return "POST /v1beta/models/" + model + ":streamGenerateContent"
	}
	return "POST /v1beta/models/" + model + ":generateContent"
}

// modelOf returns the model of the leg that scripted reply n answers, as the
// scenario's own tasks say: each prompt has the replies up to the next one
// without calls, and a task that begins in the middle of a user turn has the
// rest of it. It does not look at what was sent.
func (v *View) modelOf(n int) string {
	reply, model := 0, ""
	next := func(stop string) bool { // takes the replies of one user turn
		for reply < len(v.script) {
			reply++
			if reply >= n {
				return true
			}
			if len(v.script[reply-1].calls) == 0 || stop == subject.StopAtToolCalls {
				break
			}
		}
		return false
	}
	for _, text := range v.Scenario.Tasks {
		task, err := parseTask(text)
		if err != nil {
			continue
		}
		for i, leg := range task.Legs {
			model = leg.Model
			pending := reply > 0 && len(v.script[reply-1].calls) > 0 || i == 0 && len(leg.Prompts) == 0
			if pending && next(task.StopAt) {
				return model
			}
			for range leg.Prompts {
				if next(task.StopAt) {
					return model
				}
			}
		}
	}
	return model
}

// placeholders puts the public call IDs of the conversation into a literal.
func (v *View) placeholders(text string) string {
	n := 0
	for _, run := range v.Runs {
		for _, t := range run.Outcome.ToolRuns {
			n++
			text = strings.ReplaceAll(text, fmt.Sprintf("⟨call:%d⟩", n), t.CallID)
		}
	}
	return text
}

// firstDifference returns the first two values that differ token by token, and
// where; two absent values when there is no difference. The path is that of
// the sent value, or of the expected one when nothing was sent.
func firstDifference(want, got wire.Value) (wire.Value, wire.Value, string) {
	if wire.SameTokens(want, got) {
		return wire.Value{}, wire.Value{}, ""
	}
	if want.Kind() != got.Kind() || want.Kind() != wire.Object && want.Kind() != wire.Array {
		return want, got, pathOf(want, got)
	}
	if want.Kind() == wire.Array {
		for i := 0; ; i++ {
			a, b := want.Index(i), got.Index(i)
			if !a.Exists() && !b.Exists() {
				return want, got, pathOf(want, got)
			}
			if !wire.SameTokens(a, b) {
				if !a.Exists() || !b.Exists() {
					return a, b, pathOf(a, b)
				}
				return firstDifference(a, b)
			}
		}
	}
	for name, a := range want.Members() {
		if b := got.Get(name); !wire.SameTokens(a, b) {
			if !b.Exists() {
				return a, b, a.Path()
			}
			return firstDifference(a, b)
		}
	}
	for name, b := range got.Members() {
		if !want.Get(name).Exists() {
			return wire.Value{}, b, b.Path()
		}
	}
	return want, got, pathOf(want, got) // the same members in another order, or repeated ones
}

func pathOf(want, got wire.Value) string {
	if p := got.Path(); p != "" {
		return p
	}
	if p := want.Path(); p != "" {
		return p
	}
	return "the whole body"
}
