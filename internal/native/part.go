// Package native reads what goes over a provider's wire, a request's history or
// a reply's turn, into entries and parts that oracles can compare, each with
// its exact text.
package native

import "example.com/replaycheck/internal/wire"

// API is one HTTP API of a provider, named as the endpoints of fixtures are.
type API string

// The APIs.
const (
	Gemini    API = "gemini"    // generateContent and streamGenerateContent
	Vertex    API = "vertex"    // the same on Vertex
	Responses API = "responses" // OpenAI Responses
	Chat      API = "chat"      // OpenAI Chat Completions

	GeminiOpenAI API = "gemini-openai" // Gemini behind its OpenAI-compatible endpoint
	Anthropic    API = "anthropic"     // Anthropic Messages
)

// Kind is what a part is.
type Kind uint8

// The kinds of parts.
const (
	Other     Kind = iota // anything else, such as inline data or {}
	Text                  // visible text; Gemini: string text without thought:true
	Thought               // Gemini: string text with thought:true; Anthropic: thinking
	Call                  // a function call
	Result                // the result of one
	Reasoning             // a reasoning item of OpenAI, thinking that Anthropic redacted
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"part", "text", "thought", "call", "result", "reasoning"}[k]
}

// Part is one native part of Gemini, one input or output item of Responses, or
// one message's text, call or result of Chat Completions.
type Part struct {
	Kind Kind
	// Value is the native object; absent where the API has no object for it
	// (a streamed Chat Completions call, a string content).
	Value wire.Value
	Text  string // of Text and Thought; of a Result as far as it is a string
	Name  string // of Call, and of Result where the API has it
	ID    string // native ID of a Gemini call or result; call_id or tool_call_id
	// Args is the JSON text of a call's arguments, "" when absent.
	Args string
	// Body is what a Result holds: response, output or content.
	Body wire.Value
	// Sig is the opaque value beside or inside: thoughtSignature,
	// encrypted_content, signature or data. It may be absent, and of any kind.
	Sig wire.Value
	// Minted holds further values of Sig that the same reply gave the same
	// item (a stream may send up to three).
	Minted []string
}

// Signed reports whether the part has a non-empty opaque value.
func (p Part) Signed() bool { return p.Sig.Text() != "" }

// Entry is one entry of a request's history: a content, an item or a message.
type Entry struct {
	Role  string // as sent: "user", "model", "function", "tool", "assistant", "system", …; "" absent
	Value wire.Value
	Parts []Part
}

// Model reports whether the model is the speaker.
func (e Entry) Model() bool {
	if speaks(e.Role) {
		return true
	}
	for _, p := range e.Parts {
		if p.Kind == Call || p.Kind == Reasoning {
			return true
		}
	}
	return false
}

// speaks reports whether a role is the model's.
func speaks(role string) bool { return role == "model" || role == "assistant" }

// Results reports whether the entry holds function results and nothing else.
func (e Entry) Results() bool {
	for _, p := range e.Parts {
		if p.Kind != Result {
			return false
		}
	}
	return len(e.Parts) > 0
}

// Request is the history that a request holds.
type Request struct {
	API     API
	Root    wire.Value
	Entries []Entry
}

// Reply is one turn of the model.
type Reply struct {
	API    API
	Parts  []Part // object-valued parts or items in order; of all chunks together
	Finish string // finish reason or status as the provider wrote it, "" when none came

	indexes []string // of the calls of a stream, in the order of Parts
}

// Split divides the parts into those that can go back and the tail that cannot.
// Only Responses has such a tail (OPENAI-04): a call that broke off inside its
// arguments, which nothing can answer, with what came after it; and reasoning
// that nothing followed.
func (r Reply) Split() (back, tail []Part) {
	n := len(r.Parts)
	if r.API == Responses {
		for i, p := range r.Parts {
			if p.Kind == Call && p.Value.Get("status").Text() == "incomplete" {
				n = i
				break
			}
		}
		for n > 0 && r.Parts[n-1].Kind == Reasoning {
			n--
		}
	}
	return r.Parts[:n:n], r.Parts[n:]
}

// Calls returns the calls of the turn that ask for a result.
func (r Reply) Calls() []Part {
	back, _ := r.Split()
	var out []Part
	for _, p := range back {
		if p.Kind == Call {
			out = append(out, p)
		}
	}
	return out
}

// either returns the member by the first name that is there: the providers
// read camelCase and snake_case alike.
func either(v wire.Value, names ...string) wire.Value {
	for _, n := range names {
		if m := v.Get(n); m.Exists() {
			return m
		}
	}
	return wire.Value{}
}
