package oracles_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

func hasID(part string) bool {
	return has(part, "functionCall.id") || has(part, "functionResponse.id")
}

const responseID = "functionResponse.id"

// in makes a change in scenarios whose ID begins like this.
func in(prefix string, c change) change {
	return func(ev *oracles.Evidence) {
		if strings.HasPrefix(ev.Scenario.ID, prefix) {
			c(ev)
		}
	}
}

// goThrough lets a refused run do what its control run does.
func goThrough() change {
	return refused(func(r, control *oracles.Run) {
		r.Exchanges, r.Connections, r.Outcome = control.Exchanges, control.Connections, control.Outcome
	})
}

func callidFaults() []fault {
	return []fault{
		{"bindings-not-made", "", []string{"CALLID-01"}, result.Verbatim, onMinted(func(m string) string { return remove(m, "provider_items.0.tool_call_bindings") })},
		{"bindings-not-made", "the last one", []string{"CALLID-01"}, result.Verbatim, onMinted(func(m string) string {
			if list := items(m, "provider_items.0.tool_call_bindings"); len(list) > 0 {
				return setItems(m, "provider_items.0.tool_call_bindings", list[:len(list)-1])
			}
			return m
		})},
		{"bindings-not-made", "crossed", []string{"CALLID-01"}, result.Verbatim, onMinted(func(m string) string {
			list := items(m, "provider_items.0.tool_call_bindings")
			if len(list) < 2 {
				return m
			}
			a, b := list[0], list[1]
			return setItems(m, "provider_items.0.tool_call_bindings", append([]string{setText(a, "native_id", text(b, "native_id")), setText(b, "native_id", text(a, "native_id"))}, list[2:]...))
		})},
		{"id-not-echoed", "", []string{"CALLID-02"}, result.Provider, onEach(both(isResult, hasID), func(p string) string { return remove(p, responseID) })},
		{"id-not-echoed", "null", []string{"CALLID-02"}, result.Provider, onEach(both(isResult, hasID), func(p string) string { return setRaw(p, responseID, "null") })},
		{"id-invented", "the public one", []string{"CALLID-02"}, result.Provider, onEach(both(isResult, hasID), func(p string) string { return setText(p, responseID, "call_JQ2Y7N5XW3K4M6T7Z2B5C3D4EF") })},
		{"id-invented", "where none came", []string{"CALLID-02"}, result.Provider, onEach(both(isResult, not(hasID)), func(p string) string { return setText(p, responseID, "call_JQ2Y7N5XW3K4M6T7Z2B5C3D4EF") })},
		{"id-invented", "on call and result, though they came", []string{"CALLID-02"}, result.Provider, onEach(func(string) bool { return true }, func(p string) string {
			for _, at := range []string{"functionCall.id", responseID} {
				if id := text(p, at); id != "" {
					p = setText(p, at, "own_"+id)
				}
			}
			return p
		})},
		{"ids-swapped", "", []string{"CALLID-03"}, result.Provider, eachResults(swapIDs)},
		{"results-swapped", "of equal calls, with IDs", []string{"CALLID-03"}, result.Provider, eachResults(func(parts []string) []string {
			if len(parts) < 2 || !hasID(parts[0]) || !hasID(parts[1]) || text(parts[0], "functionResponse.name") != text(parts[1], "functionResponse.name") {
				return parts
			}
			a, b := gjson.Get(parts[0], "functionResponse.response").Raw, gjson.Get(parts[1], "functionResponse.response").Raw
			return append([]string{setRaw(parts[0], "functionResponse.response", b), setRaw(parts[1], "functionResponse.response", a)}, parts[2:]...)
		})},
		{"bindings-by-position", "a reordered list", []string{"CALLID-03"}, result.Verbatim, in("gemini/callid-reordered", eachResults(swapIDs))},
		{"bindings-by-position", "an ambiguous turn", []string{"CALLID-06"}, result.Verbatim, in("gemini/callid-06-refused", goThrough())},
		{"bindings-by-position", "a list in another order", []string{"CALLID-06"}, result.Verbatim, func(ev *oracles.Evidence) {
			if ev.Scenario.ID == "gemini/callid-06-accepted" && ev.Variant == "list-reordered" {
				eachResults(swapIDs)(ev)
			}
		}},
		{"bindings-unchecked", "", []string{"CALLID-05"}, result.Verbatim, in("gemini/callid-05-refused", goThrough())},
		{"bindings-unchecked", "a public ID of two calls", []string{"CALLID-08"}, result.Verbatim, in("gemini/callid-08-refused", goThrough())},
		{"bindings-unchecked", "checked too strictly", []string{"CALLID-05", "CALLID-06", "CALLID-07", "CALLID-08"}, result.Verbatim, in("gemini/callid-0", func(ev *oracles.Evidence) {
			if ev.Scenario.Expect == "" {
				r := &ev.Runs[0]
				r.Exchanges, r.Outcome.Answers = nil, nil
				r.Outcome.Error = &oracles.SubjectError{Kind: "refused", Message: "gemini replay state is malformed or ambiguous"}
			}
		})},
		{"idless-bindings-accepted", "", []string{"CALLID-07"}, result.Verbatim, in("gemini/callid-07-refused", goThrough())},
		{"empty-id-accepted", "", []string{"CALLID-04"}, result.Verbatim, accepting(func(variant string) bool { return strings.HasPrefix(variant, "id-") })},
		{"duplicate-id-accepted", "", []string{"CALLID-04"}, result.Verbatim, accepting(func(variant string) bool { return strings.HasPrefix(variant, "repeated") })},
		{"duplicate-id-accepted", "rejected, but stored", []string{"CALLID-04"}, result.Verbatim, in("gemini/callid-rejected", onState(func(state string) string {
			return setItems(state, "messages", append(items(state, "messages"), `{"role":"assistant","content":"","tool_calls":[]}`))
		}))},
		{"duplicate-id-accepted", "another kind of error", []string{"CALLID-04"}, result.Verbatim, in("gemini/callid-rejected", func(ev *oracles.Evidence) {
			ev.Runs[len(ev.Runs)-1].Outcome.Error.Kind = "subject"
		})},
		{"native-id-to-foreign", "as the public one", []string{"CALLID-09"}, result.Verbatim, foreignIDs(func(item, public, native string) string {
			if text(item, "call_id") == public {
				return setText(item, "call_id", native)
			}
			return item
		})},
		{"native-id-to-foreign", "as a member", []string{"CALLID-09"}, result.Verbatim, foreignIDs(func(item, public, native string) string {
			if text(item, "type") == "function_call" && text(item, "call_id") == public {
				return setText(item, "native", native)
			}
			return item
		})},
		{"native-id-to-foreign", "to Gemini on a rebuilt call", []string{"CALLID-09"}, result.Verbatim, in("foreign/", onEach(both(isCall, not(isSigned)), func(p string) string {
			if has(p, "functionCall.id") {
				return p
			}
			return setText(p, "functionCall.id", "call_JQ2Y7N5XW3K4M6T7Z2B5C3D4EF")
		}))},
	}
}

// swapIDs exchanges the IDs of the first two results of one name.
func swapIDs(parts []string) []string {
	out := slices.Clone(parts)
	if len(out) < 2 || !hasID(out[0]) || !hasID(out[1]) || text(out[0], "functionResponse.name") != text(out[1], "functionResponse.name") {
		return out
	}
	a, b := text(out[0], responseID), text(out[1], responseID)
	out[0], out[1] = setText(out[0], responseID, b), setText(out[1], responseID, a)
	return out
}

// onMinted edits the assistant messages of the last state that came from scripted
// replies.
func onMinted(e func(message string) string) change {
	return func(ev *oracles.Evidence) {
		given := len(items(ev.Scenario.State(ev.Variant), "messages"))
		last := &ev.Runs[len(ev.Runs)-1].Outcome
		if last.State == nil {
			return
		}
		list := items(*last.State, "messages")
		for i := given; i < len(list); i++ {
			if text(list[i], "role") == "assistant" {
				list[i] = e(list[i])
			}
		}
		if out := setItems(*last.State, "messages", list); out != *last.State {
			last.State = &out
		}
	}
}

// accepting lets the variants as asked of a reply that is due to be rejected go
// through: its tools run, and the conversation is asked to go on.
func accepting(is func(variant string) bool) change {
	return in("gemini/callid-rejected", func(ev *oracles.Evidence) {
		if !is(ev.Variant) {
			return
		}
		last := &ev.Runs[len(ev.Runs)-1]
		last.Outcome.Error = nil
		for i, call := range items(last.Exchanges[len(last.Exchanges)-1].Reply, "candidates.0.content.parts") {
			last.Outcome.ToolRuns = append(last.Outcome.ToolRuns, oracles.ToolRun{Name: "ferry", Arguments: text(call, "functionCall.args"), CallID: fmt.Sprint("call_", i), Result: "{}"})
		}
	})
}

// foreignIDs edits the items of requests to Responses, each with the public and
// the native ID of the Gemini calls before them.
func foreignIDs(e func(item, public, native string) string) change {
	return func(ev *oracles.Evidence) {
		bound := map[string]string{}
		for i := range ev.Runs {
			if s := ev.Runs[i].Outcome.State; s != nil {
				for _, m := range items(*s, "messages") {
					for _, b := range items(m, "provider_items.0.tool_call_bindings") {
						bound[text(b, "tool_call_id")] = text(b, "native_id")
					}
				}
			}
		}
		responses(func(body string) string {
			list := items(body, "input")
			for i := range list {
				for public, native := range bound {
					list[i] = e(list[i], public, native)
				}
			}
			return setItems(body, "input", list)
		})(ev)
	}
}
