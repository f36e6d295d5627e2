package oracles_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

func pathTo(list string, i int) string { return fmt.Sprintf("%s.%d", list, i) }

// rebuilt writes a native turn as one whose carrier was lost: its visible text,
// then its calls, nothing else of it.
func rebuilt(parts []string) []string {
	var out []string
	var visible strings.Builder
	for _, p := range parts {
		if isText(p) {
			visible.WriteString(text(p, "text"))
		}
	}
	if visible.Len() > 0 {
		out = append(out, setText(`{}`, "text", visible.String()))
	}
	for _, p := range parts {
		if isCall(p) {
			call := setText(`{}`, "functionCall.name", text(p, "functionCall.name"))
			args := text(p, "functionCall.args")
			if args == "" {
				args = "{}"
			}
			out = append(out, setRaw(call, "functionCall.args", args))
		}
	}
	if out == nil {
		return []string{`{"text":""}`}
	}
	return out
}

// onState edits the state after each run.
func onState(e edit) change {
	return func(ev *oracles.Evidence) {
		for i := range ev.Runs {
			if s := ev.Runs[i].Outcome.State; s != nil {
				if out := e(*s); out != *s {
					ev.Runs[i].Outcome.State = &out
				}
			}
		}
	}
}

func carrierFaults() []fault {
	lost := func(is func(oracles.Exchange) bool) change {
		return func(ev *oracles.Evidence) {
			for x := range exchanges(ev) {
				if x.Endpoint == "gemini" && is(*x) {
					x.Body = model(x.Body, func(parts []string) []string {
						if len(filter(parts, isSigned)) == 0 {
							return parts // it has nothing to lose
						}
						return rebuilt(parts)
					})
				}
			}
		}
	}
	return []fault{
		{"carrier-on-unsigned-plain", "", []string{"REPLAY-02"}, result.Verbatim, inGemini(onState(func(state string) string {
			for i, m := range items(state, "messages") {
				if text(m, "role") == "assistant" && !has(m, "tool_calls") && !has(m, "provider_items") && text(m, "content") != "" {
					capsule := setText(`{"type":"nrllm_gemini_generate_content","parts":[{}]}`, "parts.0.text", text(m, "content"))
					state = setRaw(state, pathTo("messages", i)+".provider_items", "["+capsule+"]")
				}
			}
			return state
		}))},
		{"carrier-dropped-by-chat", "", []string{"REPLAY-08"}, result.Provider, lost(func(x oracles.Exchange) bool { return !x.Stream && !has(x.Body, "tools") })},
		{"carrier-dropped-by-chat", "with tools", []string{"REPLAY-08"}, result.Provider, lost(func(x oracles.Exchange) bool { return !x.Stream && has(x.Body, "tools") })},
		{"carrier-dropped-by-stream", "", []string{"REPLAY-08"}, result.Provider, lost(func(x oracles.Exchange) bool { return x.Stream })},
		{"carrier-mutated", "the messages", []string{"REPLAY-12"}, result.Verbatim, func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				for j := range ev.Runs[i].Probes {
					p := &ev.Runs[i].Probes[j]
					p.After = strings.Replace(p.After, `"thoughtSignature":`, `"thoughtSignature": `, 1)
				}
			}
		}},
		{"carrier-mutated", "the second body", []string{"REPLAY-12"}, result.Verbatim, func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				for j := range ev.Runs[i].Probes {
					ev.Runs[i].Probes[j].Body2 += "\n"
				}
			}
		}},
		{"carrier-mutated", "an earlier entry", []string{"REPLAY-12"}, result.Verbatim, func(ev *oracles.Evidence) {
			sent := map[string]bool{}
			for x := range exchanges(ev) {
				if entry := gjson.Get(x.Body, "contents.1").Raw; sent[entry] {
					x.Body = strings.Replace(x.Body, entry, entry[:1]+" "+entry[1:], 1)
				} else if entry != "" {
					sent[entry] = true
				}
			}
		}},
		{"carrier-mutated", "an entry is gone", []string{"REPLAY-12"}, result.Verbatim, func(ev *oracles.Evidence) {
			for x := range exchanges(ev) {
				if list := items(x.Body, "contents"); len(list) > 3 {
					x.Body = setItems(x.Body, "contents", list[2:])
				}
			}
		}},
		{"native-text-as-answer", "", []string{"REPLAY-14"}, result.Provider, thoughtsInAnswer},
		{"native-text-as-answer", "in the arguments", []string{"REPLAY-14"}, result.Provider, func(ev *oracles.Evidence) {
			seen := signaturesOf(ev)
			for i := range ev.Runs {
				for j := range ev.Runs[i].Outcome.ToolRuns {
					if len(seen) > 0 {
						ev.Runs[i].Outcome.ToolRuns[j].Arguments = setText(ev.Runs[i].Outcome.ToolRuns[j].Arguments, sig, seen[0])
					}
				}
			}
		}},
		{"native-text-as-answer", "a signature as the call ID", []string{"REPLAY-14"}, result.Provider, func(ev *oracles.Evidence) {
			seen := signaturesOf(ev)
			for i := range ev.Runs {
				for j := range ev.Runs[i].Outcome.ToolRuns {
					if len(seen) > 0 {
						ev.Runs[i].Outcome.ToolRuns[j].CallID += "__thought__" + seen[0]
					}
				}
			}
		}},
		{"native-text-as-answer", "in the log", []string{"REPLAY-14"}, result.Verbatim, func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				if seen := signaturesOf(ev); len(seen) > 0 {
					ev.Runs[i].Stderr = "debug: got part " + seen[0]
				}
			}
		}},
		{"id-not-unique", "the name", []string{"REPLAY-10"}, result.Verbatim, renamed(func(name string, _ int) string { return "call_" + name })},
		{"id-not-unique", "the index in the turn", []string{"REPLAY-10"}, result.Verbatim, renamed(func(_ string, i int) string { return fmt.Sprintf("call_%d", i) })},
		{"id-not-unique", "of a form that providers refuse", []string{"REPLAY-10"}, result.Verbatim, inGemini(func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				for j := range ev.Runs[i].Outcome.ToolRuns {
					ev.Runs[i].Outcome.ToolRuns[j].CallID += ":"
				}
			}
			onState(func(s string) string { return callIDs(s, func(id, _ string, _ int) string { return id + ":" }) })(ev)
		})},
	}
}

var thoughtForm = regexp.MustCompile(`"text":\s*"((?:[^"\\]|\\.){8,})",\s*"thought":\s*true`)

func signaturesOf(ev *oracles.Evidence) []string {
	var out []string
	for x := range exchanges(ev) {
		for _, m := range signatureForm.FindAllStringSubmatch(x.Reply, -1) {
			out = append(out, text(`{"v":"`+m[1]+`"}`, "v"))
		}
	}
	return out
}

// thoughtsInAnswer puts the thoughts of the conversation before its answer.
func thoughtsInAnswer(ev *oracles.Evidence) {
	var thoughts string
	for x := range exchanges(ev) {
		for _, m := range thoughtForm.FindAllStringSubmatch(x.Reply, -1) {
			thoughts += text(`{"v":"`+m[1]+`"}`, "v")
		}
	}
	for i := range ev.Runs {
		for j := range ev.Runs[i].Outcome.Answers {
			ev.Runs[i].Outcome.Answers[j].Content = thoughts + ev.Runs[i].Outcome.Answers[j].Content
		}
	}
}

// callIDs gives the calls of a transcript other public IDs.
func callIDs(state string, id func(old, name string, index int) string) string {
	for i, m := range items(state, "messages") {
		for j, c := range items(m, "tool_calls") {
			state = setText(state, fmt.Sprintf("messages.%d.tool_calls.%d.id", i, j), id(text(c, "id"), text(c, "function.name"), j))
		}
	}
	return state
}

// renamed gives all calls IDs that are not unique where two calls share one.
func renamed(id func(name string, index int) string) change {
	return inGemini(func(ev *oracles.Evidence) {
		seen, twice := map[string]bool{}, false
		ids := map[string]string{}
		last := ev.Runs[max(0, len(ev.Runs)-1)].Outcome.State
		if last == nil {
			return
		}
		callIDs(*last, func(old, name string, i int) string {
			if _, known := ids[old]; !known {
				ids[old] = id(name, i)
				twice = twice || seen[ids[old]]
				seen[ids[old]] = true
			}
			return old
		})
		if !twice {
			return
		}
		for i := range ev.Runs {
			for j := range ev.Runs[i].Outcome.ToolRuns {
				run := &ev.Runs[i].Outcome.ToolRuns[j]
				run.CallID = ids[run.CallID]
			}
		}
		onState(func(s string) string { return callIDs(s, func(old, _ string, _ int) string { return ids[old] }) })(ev)
	})
}

// onlyGemini: public IDs and carriers are the client's making for Gemini's turns
// only, in conversations that it begins itself.
func onlyGemini(ev *oracles.Evidence) bool {
	return ev.Scenario.Expect == "" && !ev.Scenario.Carrier && !slices.ContainsFunc(ev.Scenario.Endpoints, func(e string) bool { return e != "gemini" })
}

func inGemini(c change) change {
	return func(ev *oracles.Evidence) {
		if onlyGemini(ev) {
			c(ev)
		}
	}
}
