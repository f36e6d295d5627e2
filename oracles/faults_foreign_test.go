package oracles_test

import (
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// input edits the items of every request to Responses.
func input(e func(list []string) []string) change {
	return responses(func(body string) string { return setItems(body, "input", e(items(body, "input"))) })
}

// Items of Responses that rebuild another provider's turn have no server ID.
func isRebuiltCall(item string) bool {
	return text(item, "type") == "function_call" && !has(item, "id")
}

func isRebuiltText(item string) bool { return text(item, "role") == "assistant" && !has(item, "id") }

// onItem edits the first item that is as asked.
func onItem(is func(string) bool, e func(string) []string) func([]string) []string {
	return func(list []string) []string {
		if i := slices.IndexFunc(list, is); i >= 0 {
			return slices.Replace(slices.Clone(list), i, i+1, e(list[i])...)
		}
		return list
	}
}

// withValue applies an edit of the first rebuilt call in requests to Responses,
// with the last signature of the earlier Gemini replies.
func withValue(is func(string) bool, e func(item, value string) string) change {
	return learnt("responses", signatureForm, func(body, value string) string {
		return setItems(body, "input", onItem(is, func(item string) []string { return []string{e(item, value)} })(items(body, "input")))
	})
}

func drop(string) []string { return nil }

func foreignFaults() []fault {
	first := func(path string, e func(body, value string) string) func(body, value string) string {
		return func(body, value string) string {
			for _, p := range places(body, func(part string) bool { return has(part, path) && !has(part, sig) && !isThought(part) }) {
				return e(body, p.path()+"\x00"+value)
			}
			return body
		}
	}
	onPart := func(name string) func(body, value string) string {
		return first("functionCall", func(body, at string) string {
			path, value, _ := strings.Cut(at, "\x00")
			return setText(body, path+"."+name, value)
		})
	}
	return []fault{
		{"foreign-items-sent", "a signature in the call", []string{"FOREIGN-02"}, result.Provider, withValue(isRebuiltCall, func(item, value string) string { return setText(item, sig, value) })},
		{"foreign-items-sent", "a signature in the text", []string{"FOREIGN-02"}, result.Provider, withValue(isRebuiltText, func(item, value string) string {
			return setText(item, "content", text(item, "content")+"\n<sig>"+value+"</sig>")
		})},
		{"foreign-items-sent", "a signature in the call ID", []string{"FOREIGN-02"}, result.Provider, withValue(isRebuiltCall, func(item, value string) string {
			return setText(item, "call_id", text(item, "call_id")+"__thought__"+value)
		})},
		{"foreign-items-sent", "a Gemini part as an item", []string{"FOREIGN-02"}, result.Provider, withValue(isRebuiltCall, func(_, value string) string {
			return setText(`{"functionCall":{"name":"x","args":{}}}`, sig, value)
		})},
		{"foreign-items-sent", "thought text", []string{"FOREIGN-02", "REPLAY-14"}, result.Provider, learnt("responses", thoughtForm, func(body, value string) string {
			return setItems(body, "input", onItem(isRebuiltCall, func(item string) []string {
				return []string{setText(`{"type":"message","role":"assistant"}`, "content", value), item}
			})(items(body, "input")))
		})},
		{"foreign-items-sent", "encrypted_content to Gemini", []string{"FOREIGN-03"}, result.Provider, learnt("gemini", cipherForm, onPart("encrypted_content"))},
		{"foreign-items-sent", "the cipher as a signature", []string{"FOREIGN-03", "FOREIGN-07"}, result.Provider, learnt("gemini", cipherForm, onPart(sig))},
		{"foreign-items-sent", "an item's id as the native one", []string{"FOREIGN-03"}, result.Provider, learnt("gemini", itemForm, onPart("functionCall.id"))},
		{"foreign-items-sent", "an item as a part", []string{"FOREIGN-03"}, result.Provider, learnt("gemini", cipherForm, first("functionCall", func(body, at string) string {
			path, value, _ := strings.Cut(at, "\x00")
			return setRaw(body, path, setText(`{"type":"reasoning","summary":[]}`, "encrypted_content", value))
		}))},
		{"foreign-text-lost", "", []string{"FOREIGN-01"}, result.Provider, input(func(list []string) []string {
			for i, item := range list {
				if isRebuiltText(item) && i+1 < len(list) && isRebuiltCall(list[i+1]) {
					return slices.Delete(slices.Clone(list), i, i+1)
				}
			}
			return list
		})},
		{"foreign-text-lost", "after the calls", []string{"FOREIGN-01"}, result.Provider, input(func(list []string) []string {
			for i, item := range list {
				if isRebuiltText(item) && i+1 < len(list) && isRebuiltCall(list[i+1]) {
					return slices.Replace(slices.Clone(list), i, i+2, list[i+1], item)
				}
			}
			return list
		})},
		{"foreign-calls-lost", "", []string{"FOREIGN-01"}, result.Provider, input(func(list []string) []string { return filter(list, not(isRebuiltCall)) })},
		{"foreign-calls-lost", "with their outputs", []string{"FOREIGN-01"}, result.Provider, input(func(list []string) []string {
			gone := map[string]bool{}
			for _, item := range filter(list, isRebuiltCall) {
				gone[text(item, "call_id")] = true
			}
			return filter(list, func(item string) bool { return !gone[text(item, "call_id")] })
		})},
		{"foreign-calls-lost", "flattened into prose", []string{"FOREIGN-01"}, result.Provider, input(onItem(isRebuiltCall, func(item string) []string {
			return []string{setText(`{"type":"message","role":"assistant"}`, "content", "Called "+text(item, "name")+" with "+text(item, "arguments"))}
		}))},
		{"foreign-calls-lost", "an id of its own", []string{"FOREIGN-01"}, result.Provider, learnt("responses", signatureForm, func(body, _ string) string {
			return setItems(body, "input", onItem(isRebuiltCall, func(item string) []string { return []string{setText(item, "id", "fc_0123456789")} })(items(body, "input")))
		})},
		{"foreign-items-dropped", "", []string{"FOREIGN-04"}, result.Verbatim, inUntagged(rebuiltItems)},
		{"foreign-items-dropped", "the unknown ones", []string{"FOREIGN-04"}, result.Verbatim, inUntagged(func(list []string) []string {
			return filter(list, func(item string) bool { return text(item, "type") != "web_search_call" && !has(item, "note") })
		})},
		{"foreign-items-dropped", "after their outputs", []string{"FOREIGN-04"}, result.Verbatim, inUntagged(func(list []string) []string {
			i := slices.IndexFunc(list, func(item string) bool { return text(item, "type") == "function_call_output" })
			return slices.Concat(list[:1], list[i:i+1], list[1:i], list[i+1:])
		})},
		{"foreign-items-dropped", "decoded and encoded", []string{"FOREIGN-04"}, result.Verbatim, inUntagged(func(list []string) []string {
			out := slices.Clone(list)
			for i := range out {
				out[i] = decoded(out[i])
			}
			return out
		})},
		{"own-turn-rebuilt-on-return", "", []string{"FOREIGN-06"}, result.Provider, func(ev *oracles.Evidence) {
			away := false
			for x := range exchanges(ev) {
				if x.Endpoint == "gemini" && away {
					x.Body = model(x.Body, func(parts []string) []string {
						if len(filter(parts, isSigned)) == 0 {
							return parts
						}
						return rebuilt(parts)
					})
				}
				away = away || x.Endpoint == "responses"
			}
		}},
		{"own-turn-rebuilt-on-return", "the call only", []string{"FOREIGN-06"}, result.Provider, func(ev *oracles.Evidence) {
			away := false
			for x := range exchanges(ev) {
				if call := places(x.Body, both(isCall, isSigned)); x.Endpoint == "gemini" && away && len(call) > 0 {
					x.Body = remove(x.Body, call[0].path()+"."+sig)
				}
				away = away || x.Endpoint == "responses"
			}
		}},
		{"chat-sends-carrier", "the capsule", []string{"FOREIGN-05"}, result.Verbatim, toMessages(func(list []string) []string {
			return onItem(func(m string) bool { return text(m, "role") == "assistant" }, func(m string) []string {
				return []string{setRaw(m, "provider_items", "["+capsule+"]")}
			})(list)
		})},
		{"chat-sends-carrier", "the items", []string{"FOREIGN-05"}, result.Verbatim, toMessages(func(list []string) []string {
			return onItem(func(m string) bool { return text(m, "role") == "assistant" }, func(m string) []string {
				return []string{`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAAB"}`, m}
			})(list)
		})},
		{"chat-sends-carrier", "a signature as extra content", []string{"FOREIGN-05"}, result.Verbatim, learnt("chat", signatureForm, func(body, value string) string {
			return setItems(body, "messages", onItem(func(m string) bool { return has(m, "tool_calls") }, func(m string) []string {
				return []string{setText(m, "tool_calls.0.extra_content.google.thought_signature", value)}
			})(items(body, "messages")))
		})},
	}
}

// toMessages edits the messages of every request to Chat Completions that goes on
// with turns which another API minted.
func toMessages(e func([]string) []string) change {
	return func(ev *oracles.Evidence) {
		if strings.HasPrefix(ev.Scenario.ID, "foreign/") {
			completions(func(body string) string { return setItems(body, "messages", e(items(body, "messages"))) })(ev)
		}
	}
}

func inUntagged(e func([]string) []string) change {
	return func(ev *oracles.Evidence) {
		if ev.Scenario.ID == "openai/untagged-items" {
			input(e)(ev)
		}
	}
}

// rebuiltItems writes native items as a client does that has lost them.
func rebuiltItems(list []string) []string {
	var out []string
	for _, item := range list {
		switch {
		case text(item, "role") == "assistant":
			out = append(out, setText(`{"type":"message","role":"assistant"}`, "content", text(item, "content.0.text")))
		case text(item, "type") == "function_call":
			out = append(out, remove(item, "id"))
		case text(item, "role") == "user" || text(item, "type") == "function_call_output":
			out = append(out, item)
		}
	}
	return out
}
