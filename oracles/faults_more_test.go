package oracles_test

import (
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// moreFaults are not in the design's table: what was seen to pass, or nearly,
// while the table was proved.
func moreFaults() []fault {
	const sentinel = "skip_thought_signature_validator"
	modelEntries := func(list []string) []int {
		var out []int
		for i, entry := range list {
			if text(entry, "role") == "model" {
				out = append(out, i)
			}
		}
		return out
	}
	return []fault{
		{"prompt-duplicated", "", []string{"REPLAY-03"}, result.Provider, entries(func(list []string) []string {
			if len(list) > 1 {
				return append([]string{list[0]}, list...)
			}
			return list
		})},
		{"prompt-duplicated", "at the end", []string{"REPLAY-03"}, result.Provider, entries(func(list []string) []string {
			if len(list) > 1 {
				return append(slices.Clone(list), list[0])
			}
			return list
		})},
		{"prompt-lost", "", []string{"REPLAY-03"}, result.Provider, entries(func(list []string) []string {
			if len(list) > 1 {
				return list[1:]
			}
			return list
		})},
		{"results-merged", "", []string{"REPLAY-15"}, result.Provider, eachResults(func(parts []string) []string {
			if len(parts) < 2 || has(parts[0], "functionResponse.id") {
				return parts
			}
			both := text(parts[0], "functionResponse.response") + "\n" + text(parts[1], "functionResponse.response")
			return slices.Concat([]string{setText(parts[0], "functionResponse.response", both)}, parts[2:])
		})},
		{"turns-exchanged", "", []string{"REPLAY-05"}, result.Provider, entries(func(list []string) []string {
			if m := modelEntries(list); len(m) > 1 {
				out := slices.Clone(list)
				out[m[0]], out[m[1]] = out[m[1]], out[m[0]]
				return out
			}
			return list
		})},
		{"part-moved-to-another-turn", "", []string{"REPLAY-05"}, result.Provider, entries(func(list []string) []string {
			m := modelEntries(list)
			if len(m) < 2 {
				return list
			}
			out := slices.Clone(list)
			from, into := items(list[m[0]], "parts"), items(list[m[1]], "parts")
			if len(from) == 0 {
				return list
			}
			out[m[1]] = setItems(list[m[1]], "parts", append(from, into...))
			return slices.Delete(out, m[0], m[0]+1)
		})},
		{"signature-invented", "a sentinel on a result", []string{"REPLAY-07"}, result.Provider, onEach(isResult, func(p string) string { return setText(p, sig, sentinel) })},
		{"signature-invented", "a sentinel on the user's text", []string{"REPLAY-07"}, result.Provider, gemini(func(body string) string {
			return setText(body, "contents.0.parts.0."+sig, sentinel)
		})},
		{"spelled-twice", "the signature", []string{"REPLAY-07"}, result.Provider, onEach(isSigned, func(p string) string { return setText(p, "thought_signature", "AAAA") })},
		{"spelled-twice", "the call", []string{"REPLAY-03"}, result.Provider, onEach(isCall, func(p string) string { return setRaw(p, "function_call", `{"name":"other","args":{}}`) })},
		{"spelled-twice", "the result", []string{"REPLAY-15"}, result.Provider, onEach(isResult, func(p string) string {
			return setRaw(p, "function_response", `{"name":"other","response":{}}`)
		})},
		{"spelled-twice", "the same signature", []string{"REPLAY-07"}, result.Verbatim, onEach(isSigned, func(p string) string { return setText(p, "thought_signature", text(p, sig)) })},
		{"result-extra", "a text in the result's part", []string{"REPLAY-15"}, result.Provider, onEach(isResult, func(p string) string { return setText(p, "text", "done") })},
		{"foreign-calls-lost", "for Chat Completions", []string{"FOREIGN-05"}, result.Verbatim, toMessages(func(list []string) []string {
			return filter(list, func(m string) bool { return !has(m, "tool_calls.0") && text(m, "role") != "tool" })
		})},
		{"foreign-text-lost", "for Chat Completions", []string{"FOREIGN-05"}, result.Verbatim, toMessages(func(list []string) []string {
			return filter(list, func(m string) bool { return text(m, "role") != "assistant" || text(m, "content") == "" })
		})},
		{"stream-not-asked-for", "", []string{"STREAM-01", "STREAM-02"}, result.Provider, func(ev *oracles.Evidence) {
			before, err := oracles.NewView(oracles.Evidence{Scenario: ev.Scenario, Mode: ev.Mode, Variant: ev.Variant, Subject: ev.Subject})
			i := slices.IndexFunc(oracles.All(), func(o oracles.Oracle) bool { return o.ID == "STREAM-01" })
			if err != nil || !ev.Mode.Stream || !oracles.All()[i].Scope(before) {
				return
			}
			for x := range exchanges(ev) {
				if x.Endpoint == "gemini" && x.Stream && !x.Cut && x.Step > 0 {
					x.Stream, x.Path, x.Query = false, strings.Replace(x.Path, ":streamGenerateContent", ":generateContent", 1), ""
				}
			}
		}},
	}
}
