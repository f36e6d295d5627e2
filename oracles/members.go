package oracles

import "example.com/replaycheck/internal/native"

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

// listed are the members that tolerance T4 does not let go; of the APIs beyond
// the contract those that carry what was said.
var listed = map[native.API][]string{
	native.Gemini:       geminiMembers,
	native.Vertex:       geminiMembers,
	native.Responses:    {"type", "id", "call_id", "name", "arguments", "output", "role", "content", "summary", "encrypted_content"},
	native.GeminiOpenAI: {"id", "type", "function"},
	native.Anthropic:    {"type", "id", "name", "input", "text", "thinking", "signature", "data", "content"},
}

// listedInside are the listed members of the objects that T4 names with theirs.
var listedInside = map[string][]string{
	"functionCall":     {"id", "name", "args"},
	"functionResponse": {"id", "name", "response"},
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
