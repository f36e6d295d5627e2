package oracles_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
	"example.com/replaycheck/oracles"
)

var partMembers = []string{"text", "thought", sig, "functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult"}

// known drops the members that a client's types have no field for.
func known(part string) string {
	for _, path := range unknown(part, "", partMembers) {
		part = remove(part, path)
	}
	for _, path := range unknown(part, "functionCall", []string{"id", "name", "args"}) {
		part = remove(part, path)
	}
	return part
}

func unknown(part, in string, names []string) []string {
	v, err := wire.Parse(part)
	if err != nil {
		return nil
	}
	var out []string
	for name := range v.At(in).Members() {
		if !slices.Contains(names, name) {
			out = append(out, strings.TrimPrefix(in+"."+name, "."))
		}
	}
	return out
}

// decoded writes a JSON value as a client does that decodes and encodes it.
func decoded(raw string) string {
	var v any
	if json.Unmarshal([]byte(raw), &v) != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil || string(out) == wireCompact(raw) {
		return raw
	}
	return string(out)
}

func wireCompact(raw string) string {
	v, err := wire.Parse(raw)
	if err != nil {
		return raw
	}
	return wire.Compact(v)
}

var number = regexp.MustCompile(`([:\[,] ?)(-?\d+)\.0+([,}\]])`)

const capsule = `{"type":"nrllm_gemini_generate_content","parts":[],"tool_call_bindings":[]}`

func capsuleFaults() []fault {
	bare := func(p string) bool { return wireCompact(p) == "{}" }
	inCapsule := func(body string) string {
		for e, entry := range items(body, "contents") {
			if text(entry, "role") == "model" {
				parts := items(entry, "parts")
				wrapped := `{"type":"nrllm_gemini_generate_content","parts":[` + strings.Join(parts, ",") + `]}`
				return setItems(body, pathTo("contents", e)+".parts", []string{wrapped})
			}
		}
		return body
	}
	beside := func(list, role, name, raw string) edit {
		return func(body string) string {
			for e, entry := range items(body, list) {
				if text(entry, "role") == role || role == "" && text(entry, "type") == "function_call" {
					return setRaw(body, pathTo(list, e)+"."+name, raw)
				}
			}
			return body
		}
	}
	return []fault{
		{"unknown-member-dropped", "", []string{"REPLAY-01"}, result.Verbatim, each(func(parts []string) []string {
			out := slices.Clone(parts)
			for i, p := range out {
				out[i] = known(p)
			}
			return out
		})},
		{"empty-part-dropped", "", []string{"REPLAY-01"}, result.Verbatim, each(func(parts []string) []string { return filter(parts, not(bare)) })},
		{"empty-part-dropped", "parts:[] as no carrier", []string{"REPLAY-09"}, result.Verbatim, func(ev *oracles.Evidence) {
			if ev.Scenario.ID == "gemini/empty-capsule" {
				gemini(func(body string) string { return setRaw(body, "contents.1.parts", `[{"text":"Hello."}]`) })(ev)
			}
		}},
		{"number-normalised", "through a decoder", []string{"REPLAY-01"}, result.Verbatim, onEach(isCall, func(p string) string {
			raw := text(p, "functionCall.args")
			if out := decoded(raw); out != raw {
				return setRaw(p, "functionCall.args", out)
			}
			return p
		})},
		{"number-normalised", "1.0 to 1", []string{"REPLAY-01"}, result.Verbatim, onEach(isCall, func(p string) string { return number.ReplaceAllString(p, "$1$2$3") })},
		{"wrapper-sent", "the capsule", []string{"REPLAY-13"}, result.Verbatim, gemini(inCapsule)},
		{"wrapper-sent", "provider_items", []string{"REPLAY-13"}, result.Verbatim, gemini(beside("contents", "model", "provider_items", `[`+capsule+`]`))},
		{"wrapper-sent", "bindings", []string{"REPLAY-13"}, result.Verbatim, gemini(beside("contents", "model", "tool_call_bindings", `[{"tool_call_id":"a","native_id":"b"}]`))},
		{"wrapper-sent", "the metadata of a completion", []string{"REPLAY-13"}, result.Verbatim, responses(func(body string) string {
			return setRaw(body, "metadata", `{"nrllm_provider_items":[]}`)
		})},
		{"wrapper-sent", "the capsule as an item", []string{"REPLAY-13"}, result.Verbatim, responses(func(body string) string {
			return setItems(body, "input", append(items(body, "input"), capsule))
		})},
		{"wrapper-sent", "to Chat Completions", []string{"REPLAY-13"}, result.Verbatim, completions(beside("messages", "assistant", "provider_items", `[]`))},
	}
}
