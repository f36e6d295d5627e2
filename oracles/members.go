package oracles

import (
	"iter"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

// spelled maps the other spelling of the Gemini wire to the usual one.
var spelled = map[string]string{
	"thought_signature": "thoughtSignature", "function_call": "functionCall", "function_response": "functionResponse",
	"inline_data": "inlineData", "file_data": "fileData", "executable_code": "executableCode", "code_execution_result": "codeExecutionResult",
}

func usual(name string) string {
	if u, ok := spelled[name]; ok {
		return u
	}
	return name
}

var geminiMembers = []string{"text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult"}

// geminiData are the members of which a part holds one; a call beside a result
// counts as a part of the model's.
var geminiData = []string{"text", "inlineData", "fileData", "executableCode", "codeExecutionResult"}

// listed are the members that tolerance T4 does not let go; of the APIs beyond
// the contract those that carry what was said.
var listed = map[native.API][]string{
	native.Gemini:       geminiMembers,
	native.Vertex:       geminiMembers,
	native.Responses:    {"type", "id", "call_id", "name", "arguments", "output", "role", "content", "summary", "encrypted_content"},
	native.GeminiOpenAI: {"id", "type", "function"},
	native.Anthropic:    {"type", "id", "name", "input", "text", "thinking", "signature", "data", "content"},
}

// listedInside are the listed members of the objects that T4 names with theirs,
// and of a call of the OpenAI-compatible endpoint.
var listedInside = map[string][]string{
	"functionCall":     {"id", "name", "args"},
	"functionResponse": {"id", "name", "response"},
	"function":         {"name", "arguments"},
}

// opaque names the member that holds the opaque value, judged on its own.
var opaque = map[native.API]string{
	native.Gemini: "thoughtSignature", native.Vertex: "thoughtSignature", native.Responses: "encrypted_content",
	native.GeminiOpenAI: "extra_content", native.Anthropic: "signature",
}

// opaqueIn is the member that holds the opaque value of a part.
func opaqueIn(api native.API, p native.Part) string {
	if api == native.Anthropic && p.Kind == native.Reasoning {
		return "data"
	}
	return opaque[api]
}

// spelledTwice gives the members that an object holds under the wire's other
// spelling though the usual one is there too, each with the usual one. They are
// one field; which of them a provider takes, if it takes both, nobody knows.
func spelledTwice(v wire.Value) iter.Seq2[wire.Value, wire.Value] {
	return func(yield func(other, mine wire.Value) bool) {
		for name, m := range v.Members() {
			u, odd := spelled[name]
			if !odd {
				continue
			}
			if mine := v.Get(u); mine.Exists() && !yield(m, mine) {
				return
			}
		}
	}
}

// twiceLevel is the level of such a member: that of the same value does no harm.
func twiceLevel(other, mine wire.Value) result.Level {
	if wire.SameTokens(other, mine) {
		return result.Verbatim
	}
	return result.Provider
}

// twice reports the members that a part says in both spellings, unless the model
// did.
func (c *comparer) twice(w *want, g got) {
	for range spelledTwice(w.part.Value) {
		return
	}
	for other, mine := range spelledTwice(g.part.Value) {
		kind := ofContent
		if mine.Path() == g.part.Sig.Path() {
			kind = ofSignature
		}
		c.add(w, kind, Finding{
			Where: at(c.r, other.Path()), Change: result.Added, Level: twiceLevel(other, mine),
			Want: "absent: it is the same field as " + mine.Path(), Got: quote(other),
		})
	}
}
