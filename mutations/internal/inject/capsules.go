package inject

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

const capsule = `{"type":"nrllm_gemini_generate_content","parts":[]}`

var fraction = regexp.MustCompile(`([:\[,] ?)(-?\d+)\.0+([,}\]])`)

func capsules() map[string]edit {
	return map[string]edit{
		"unknown-member-dropped": eachPart(func(string) bool { return true }, known),
		"empty-part-dropped.object": turns(func(parts []string) []string {
			return filter(parts, func(p string) bool { return compact(p) != "{}" })
		}),
		"empty-part-dropped.no-carrier": entries(func(all []string) []string {
			out := slices.Clone(all)
			for i, entry := range out {
				if isModel(entry) && compact(raw(entry, "parts")) == "[]" {
					out[i] = setRaw(entry, "parts", `[{"text":""}]`)
				}
			}
			return out
		}),
		"number-normalised.float": eachPart(isCall, func(p string) string {
			if args := redecoded(raw(p, callAt(p, "args"))); args != "" {
				return setRaw(p, callAt(p, "args"), args)
			}
			return p
		}),
		"number-normalised.integer": eachPart(isCall, func(p string) string { return fraction.ReplaceAllString(p, "$1$2$3") }),
		"wrapper-sent.capsule": turns(func(parts []string) []string {
			return []string{`{"type":"nrllm_gemini_generate_content","parts":[` + strings.Join(parts, ",") + `]}`}
		}),
		"wrapper-sent.provider-items": entries(onItem(isModel, func(entry string) []string {
			return []string{setRaw(entry, "provider_items", "["+capsule+"]")}
		})),
		"wrapper-sent.bindings": entries(onItem(isModel, func(entry string) []string {
			return []string{setRaw(entry, "tool_call_bindings", `[{"tool_call_id":"a","native_id":"b"}]`)}
		})),
		"wrapper-sent.item": input(func(items []string) []string { return append(slices.Clone(items), capsule) }),
		"wrapper-sent.chat": messages(onItem(isAssistant, func(m string) []string {
			return []string{setRaw(m, "provider_items", "[]")}
		})),
	}
}

// known drops the members that a client's types have no field for.
func known(part string) string {
	v, err := wire.Parse(part)
	if err != nil {
		return part
	}
	for name := range v.Members() {
		if !slices.Contains([]string{
			"text", "thought", "thoughtSignature", "thought_signature", "functionCall", "function_call", "functionResponse", "function_response",
			"inlineData", "inline_data", "fileData", "file_data", "executableCode", "executable_code", "codeExecutionResult", "code_execution_result",
		}, name) {
			part = remove(part, escapedPath(name))
		}
	}
	for name := range v.Get(callName(part)).Members() {
		if !slices.Contains([]string{"id", "name", "args"}, name) {
			part = remove(part, callAt(part, escapedPath(name)))
		}
	}
	return part
}

var special = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `*`, `\*`, `?`, `\?`, `|`, `\|`, `#`, `\#`, `@`, `\@`, `!`, `\!`, `{`, `\{`, `}`, `\}`, `[`, `\[`, `]`, `\]`, `(`, `\(`, `)`, `\)`, `=`, `\=`, `<`, `\<`, `>`, `\>`, `%`, `\%`, `"`, `\"`, `:`, `\:`)

func escapedPath(name string) string { return special.Replace(name) }

// redecoded writes a JSON value as a client does that decodes and encodes it;
// "" where that changes no token.
func redecoded(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return ""
	}
	out, err := json.Marshal(v)
	if err != nil || string(out) == compact(text) {
		return ""
	}
	return string(out)
}

// input edits the items of every request to Responses.
func input(e func([]string) []string) edit {
	return to(native.Responses, func(body string) string { return onList(body, "input", e) })
}

// messages edits the messages of every request to Chat Completions.
func messages(e func([]string) []string) edit {
	return to(native.Chat, func(body string) string { return onList(body, "messages", e) })
}

func isAssistant(m string) bool { return get(m, "role") == "assistant" }
