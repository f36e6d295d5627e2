package oracles_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
	"example.com/replaycheck/oracles"
)

// onArgs edits the arguments of every call that is sent to Gemini.
func onArgs(e func(args string) string) change {
	return onEach(isCall, func(p string) string {
		args := gjson.Get(p, "functionCall.args").Raw
		if args == "" {
			return p
		}
		if out := e(args); out != args {
			return setRaw(p, "functionCall.args", out)
		}
		return p
	})
}

// onResponses edits the response of every result that is sent to Gemini.
func onResponses(e func(response string) string) change {
	return onEach(isResult, func(p string) string {
		response := gjson.Get(p, "functionResponse.response").Raw
		if out := e(response); out != response {
			return setRaw(p, "functionResponse.response", out)
		}
		return p
	})
}

// asList writes an object with the indexes as its names as a list, the empty
// one too, as a language does that has one kind for both.
func asList(object string) string {
	v, err := wire.Parse(object)
	if err != nil || v.Kind() != wire.Object {
		return object
	}
	var out []string
	for name, m := range v.Members() {
		if name != fmt.Sprint(len(out)) {
			return object
		}
		out = append(out, m.Raw())
	}
	return "[" + strings.Join(out, ",") + "]"
}

// castNested turns the empty lists below the root into objects.
func castNested(raw string) string {
	v, err := wire.Parse(raw)
	if err != nil {
		return raw
	}
	out := raw
	for _, n := range slices.Backward(slices.Collect(v.All())) {
		if n.Kind() == wire.Array && n.Len() == 0 && n.Offset() > v.Offset() {
			at := n.Offset() - v.Offset()
			out = out[:at] + "{}" + out[at+len(n.Raw()):]
		}
	}
	return out
}

func structFaults() []fault {
	return []fault{
		{"args-to-list", "{} to []", []string{"STRUCT-01"}, result.Provider, onArgs(func(args string) string {
			if wireCompact(args) == "{}" {
				return "[]"
			}
			return args
		})},
		{"args-to-list", "indexes to a list", []string{"STRUCT-01"}, result.Provider, onArgs(asList)},
		{"args-to-list", "null", []string{"STRUCT-01"}, result.Provider, onArgs(func(string) string { return "null" })},
		{"args-to-list", "absent made {}", []string{"STRUCT-01"}, result.Provider, onEach(isCall, func(p string) string {
			if has(p, "functionCall.args") {
				return p
			}
			return setRaw(p, "functionCall.args", "{}")
		})},
		{"response-to-list", "", []string{"STRUCT-02"}, result.Provider, onResponses(func(r string) string { return "[" + r + "]" })},
		{"response-to-list", "indexes to a list", []string{"STRUCT-02"}, result.Provider, onResponses(asList)},
		{"response-scalar", "as a string", []string{"STRUCT-02"}, result.Provider, onResponses(wire.Quote)},
		{"response-scalar", "the bare result", []string{"STRUCT-02"}, result.Provider, onResponses(func(r string) string {
			if v := gjson.Get(r, "result"); v.Exists() && strings.HasPrefix(r, `{"result":`) {
				return v.Raw
			}
			return r
		})},
		{"response-scalar", "parsed under another name", []string{"STRUCT-02"}, result.Verbatim, onResponses(func(r string) string {
			if v := gjson.Get(r, "result"); v.Exists() && strings.HasPrefix(r, `{"result":`) {
				return `{"output":` + v.Raw + `}`
			}
			return r
		})},
		{"nested-cast", "in arguments", []string{"STRUCT-03"}, result.Provider, onArgs(castNested)},
		{"nested-cast", "in responses", []string{"STRUCT-03"}, result.Provider, onResponses(castNested)},
		{"old-list-sent", "", []string{"STRUCT-04"}, result.Verbatim, stored(onArgs(asList))},
		{"old-list-rewritten-in-store", "", []string{"STRUCT-04"}, result.Verbatim, stored(onState(func(state string) string {
			for i, m := range items(state, "messages") {
				for j, p := range items(m, "provider_items.0.parts") {
					if args := gjson.Get(p, "functionCall.args"); args.IsArray() {
						state = setRaw(state, fmt.Sprintf("messages.%d.provider_items.0.parts.%d.functionCall.args", i, j), indexedList(args.Raw))
					}
				}
			}
			return state
		}))},
	}
}

func indexedList(list string) string {
	var out []string
	for _, item := range items(`{"list":`+list+`}`, "list") {
		out = append(out, fmt.Sprintf(`"%d":%s`, len(out), item))
	}
	return "{" + strings.Join(out, ",") + "}"
}

// stored makes a change only where a state was put in that has a list for
// arguments.
func stored(c change) change {
	return func(ev *oracles.Evidence) {
		if ev.Scenario.Expect == "" && strings.Contains(ev.Scenario.State(ev.Variant), `"args":[`) {
			c(ev)
		}
	}
}
