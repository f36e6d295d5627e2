package oracles_test

import (
	"fmt"
	"slices"

	"example.com/replaycheck/internal/result"
)

// eachResults edits the list of parts of every entry of results.
func eachResults(e func(parts []string) []string) change {
	return gemini(func(body string) string {
		for i, entry := range items(body, "contents") {
			if parts := items(entry, "parts"); len(parts) > 0 && isResult(parts[0]) {
				body = setItems(body, fmt.Sprintf("contents.%d.parts", i), e(parts))
			}
		}
		return body
	})
}

// exchanged exchanges a member of the first two results.
func exchanged(path string) func([]string) []string {
	return func(parts []string) []string {
		if len(parts) < 2 || !has(parts[0], path) || !has(parts[1], path) {
			return parts
		}
		out := slices.Clone(parts)
		a, b := parts[0], parts[1]
		out[0], out[1] = setText(a, path, text(b, path)), setText(b, path, text(a, path))
		if path == "functionResponse.response" {
			out[0], out[1] = setRaw(a, path, text(b, path)), setRaw(b, path, text(a, path))
		}
		return out
	}
}

func resultFaults() []fault {
	return []fault{
		{"results-interleaved", "", []string{"REPLAY-15"}, result.Provider, gemini(func(body string) string { return regroup(body, true) })},
		{"results-swapped", "their bodies", []string{"REPLAY-15"}, result.Provider, eachResults(exchanged("functionResponse.response"))},
		{"results-swapped", "their places", []string{"REPLAY-15"}, result.Provider, eachResults(func(parts []string) []string { return swapped(parts, isResult) })},
		{"results-swapped", "their IDs", []string{"REPLAY-15"}, result.Provider, eachResults(exchanged("functionResponse.id"))},
		{"result-name-by-position", "", []string{"REPLAY-11"}, result.Provider, eachResults(exchanged("functionResponse.name"))},
		{"result-name-by-position", "the name of the first call", []string{"REPLAY-11"}, result.Provider, gemini(func(body string) string {
			found := places(body, isResult)
			for _, p := range found[min(1, len(found)):] {
				body = setText(body, p.path()+".functionResponse.name", text(found[0].raw, "functionResponse.name"))
			}
			return body
		})},
		{"result-missing", "the last", []string{"REPLAY-15"}, result.Provider, eachResults(func(parts []string) []string { return parts[:len(parts)-1] })},
		{"result-missing", "the entry", []string{"REPLAY-15"}, result.Provider, gemini(func(body string) string {
			return setItems(body, "contents", filter(items(body, "contents"), func(entry string) bool { return !has(entry, "parts.0.functionResponse") }))
		})},
		{"result-extra", "the same twice", []string{"REPLAY-15"}, result.Provider, eachResults(func(parts []string) []string { return append(slices.Clone(parts), parts[0]) })},
		{"result-extra", "one of no call", []string{"REPLAY-15"}, result.Provider, eachResults(func(parts []string) []string {
			return append(slices.Clone(parts), `{"functionResponse":{"name":"`+text(parts[0], "functionResponse.name")+`","response":{"result":"interrupted"}}}`)
		})},
	}
}
