package inject

import (
	"slices"
	"strings"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
)

// Items that rebuild another provider's turn have no server ID.

func isRebuiltCall(item string) bool {
	return get(item, "type") == "function_call" && !has(item, "id")
}

func isRebuiltText(item string) bool { return isAssistant(item) && !has(item, "id") }

func signature(p native.Part) string { return p.Sig.Text() }

func thought(p native.Part) string {
	if p.Kind == native.Thought {
		return p.Text
	}
	return ""
}

func itemID(p native.Part) string {
	if p.Kind == native.Reasoning {
		return p.Value.Get("id").Text()
	}
	return ""
}

func foreign() map[string]edit {
	// onRebuilt edits an item in requests to Responses, with a value of the
	// Gemini replies before.
	onRebuilt := func(is func(string) bool, pick func(native.Part) string, e func(item, value string) []string) edit {
		return learnt(native.Responses, native.Gemini, pick, func(body, value string) string {
			return onList(body, "input", onItem(is, func(item string) []string { return e(item, value) }))
		})
	}
	// onPart edits the first bare call in requests to Gemini, with a value of
	// the Responses replies before.
	onPart := func(pick func(native.Part) string, e func(part, value string) string) edit {
		return learnt(native.Gemini, native.Responses, pick, func(body, value string) string {
			return firstPart(both(isCall, isBare), func(p string) string { return e(p, value) })(request{api: native.Gemini, body: body})
		})
	}
	return map[string]edit{
		"foreign-items-sent.signature": onRebuilt(isRebuiltCall, signature, func(item, value string) []string {
			return []string{setText(item, "thoughtSignature", value)}
		}),
		"foreign-items-sent.in-the-id": onRebuilt(isRebuiltCall, signature, func(item, value string) []string {
			return []string{setText(item, "call_id", get(item, "call_id")+"__thought__"+value)}
		}),
		"foreign-items-sent.part": onRebuilt(isRebuiltCall, signature, func(_, value string) []string {
			return []string{setText(`{"functionCall":{"name":"x","args":{}}}`, "thoughtSignature", value)}
		}),
		"foreign-items-sent.thought": onRebuilt(isRebuiltCall, thought, func(item, value string) []string {
			return []string{setText(`{"type":"message","role":"assistant"}`, "content", value), item}
		}),
		"foreign-items-sent.cipher":  onPart(signature, func(p, value string) string { return setText(p, "encrypted_content", value) }),
		"foreign-items-sent.item-id": onPart(itemID, func(p, value string) string { return setText(p, callAt(p, "id"), value) }),
		"foreign-items-sent.item": onPart(signature, func(_, value string) string {
			return setText(`{"type":"reasoning","summary":[]}`, "encrypted_content", value)
		}),
		"foreign-text-lost": onlyRebuilt(func(items []string) []string {
			for i, item := range items {
				if isRebuiltText(item) && i+1 < len(items) && isRebuiltCall(items[i+1]) {
					return slices.Delete(slices.Clone(items), i, i+1)
				}
			}
			return items
		}),
		"foreign-calls-lost.dropped": onlyRebuilt(func(items []string) []string { return filter(items, not(isRebuiltCall)) }),
		"foreign-calls-lost.prose": onlyRebuilt(onItem(isRebuiltCall, func(item string) []string {
			return []string{setText(`{"type":"message","role":"assistant"}`, "content", "Called "+get(item, "name")+" with "+get(item, "arguments"))}
		})),
		"own-turn-rebuilt-on-return": func(r request) string {
			if r.api != native.Gemini || !slices.ContainsFunc(r.earlier, away) {
				return r.body
			}
			return turns(func(parts []string) []string {
				if !slices.ContainsFunc(parts, isSigned) {
					return parts
				}
				return rebuilt(parts)
			})(r)
		},
		"chat-sends-carrier.capsule": afterOthers(onItem(isAssistant, func(m string) []string {
			return []string{setRaw(m, "provider_items", "["+capsule+"]")}
		})),
		"chat-sends-carrier.items": afterOthers(onItem(isAssistant, func(m string) []string {
			return []string{`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAAB"}`, m}
		})),
	}
}

// away reports whether an exchange went to another provider than Google.
func away(x fakeserver.Exchange) bool {
	return x.Endpoint == string(native.Responses) || x.Endpoint == string(native.Chat)
}

// mintedBy reports whether an earlier reply came from the API.
func mintedBy(api native.API) func(fakeserver.Exchange) bool {
	return func(x fakeserver.Exchange) bool { return x.Endpoint == string(api) }
}

// onlyRebuilt edits the items of requests to Responses that go on with a Gemini
// turn.
func onlyRebuilt(e func([]string) []string) edit {
	return func(r request) string {
		if !slices.ContainsFunc(r.earlier, mintedBy(native.Gemini)) {
			return r.body
		}
		return input(e)(r)
	}
}

// afterOthers edits the messages of requests to Chat Completions that go on with
// turns which another API minted.
func afterOthers(e func([]string) []string) edit {
	return func(r request) string {
		if !slices.ContainsFunc(r.earlier, mintedBy(native.Gemini)) && !slices.ContainsFunc(r.earlier, mintedBy(native.Responses)) {
			return r.body
		}
		return messages(e)(r)
	}
}

// rebuilt writes a native turn as one whose carrier was lost: its visible text,
// then its calls, nothing else of it.
func rebuilt(parts []string) []string {
	var out []string
	var visible strings.Builder
	for _, p := range parts {
		if isText(p) {
			visible.WriteString(get(p, "text"))
		}
	}
	if visible.Len() > 0 {
		out = append(out, setText(`{}`, "text", visible.String()))
	}
	for _, p := range parts {
		if !isCall(p) {
			continue
		}
		args := raw(p, callAt(p, "args"))
		if args == "" {
			args = "{}"
		}
		out = append(out, setRaw(setText(`{}`, "functionCall.name", get(p, callAt(p, "name"))), "functionCall.args", args))
	}
	if out == nil {
		return []string{`{"text":""}`}
	}
	return out
}
