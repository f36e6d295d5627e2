// Package chat holds the conversation types that the adapters share: messages,
// tool calls, tool declarations, completions, their stored shape and the typed
// errors.
package chat

import "encoding/json"

// Role says whose message it is.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool" // the result of one tool call
)

// ItemsKey is the metadata key of a completion that holds its carrier, and the
// reason why Message keeps one.
const ItemsKey = "nrllm_provider_items"

// Message is one entry of a conversation.
type Message struct {
	Role    Role
	Content string
	// ToolCalls are the calls of an assistant message, in the model's order.
	ToolCalls []ToolCall
	// ToolCallID names the call that a tool message answers.
	ToolCallID string
	// ProviderItems is the carrier: opaque provider-owned items that adapters
	// send back unchanged. It is raw JSON and may be malformed; adapters check
	// it before any contact. nil means no carrier, which is not the same as an
	// empty one ("[]"). It counts on assistant messages only and is part of the
	// stored shape, never of the wire shape (REPLAY-13).
	ProviderItems json.RawMessage
}

// ToolCall is one call that the model asked for.
type ToolCall struct {
	ID        string // public ID, unique in the conversation, [A-Za-z0-9_-]{1,64}
	Name      string
	Arguments string // JSON text, as the provider wrote it where it sent JSON
}

// ToolSpec declares a tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema of the arguments; nil: no parameters
}

// Options are the settings of one request. The zero value leaves every choice
// to the provider.
type Options struct {
	Model          string // "" means the client's default model
	Temperature    *float64
	MaxTokens      *int
	Stop           []string
	ResponseSchema json.RawMessage // nil: free text
	// RawCapture keeps the provider's response body in the metadata, under
	// RawKey. It never changes the carrier (REPLAY-02).
	RawCapture bool
}

// RawKey is the metadata key of the captured response (Options.RawCapture).
const RawKey = "raw_response"

// Usage counts tokens as the provider reported them; zero where it did not.
type Usage struct {
	InputTokens    int
	OutputTokens   int
	ThinkingTokens int
	TotalTokens    int
}

// Completion is one reply of the model.
type Completion struct {
	Content  string  // visible text
	Thinking *string // nil: none
	// ToolCalls are the calls to answer before the conversation can go on.
	ToolCalls    []ToolCall
	Usage        Usage
	Model        string // as the provider named it, else as asked for
	Provider     string // "gemini" or "openai"
	FinishReason string // "stop", "length", "tool_calls", "content_filter", else the provider's own word
	// Metadata holds the carrier under ItemsKey (absent: no carrier) and the
	// captured response under RawKey.
	Metadata map[string]json.RawMessage
}

// Message returns the completion as the assistant message to append to the
// conversation, carrier included.
func (c Completion) Message() Message {
	return Message{Role: Assistant, Content: c.Content, ToolCalls: c.ToolCalls, ProviderItems: c.Metadata[ItemsKey]}
}

// Delta is one step of a streamed reply. Adapters yield any number of pieces of
// text and then, only when the stream came to its proper end, one last delta
// that holds the completion. A stream that breaks off yields an error instead,
// and so no carrier (STREAM-02).
type Delta struct {
	Text string // raw visible text without thought parts (THINK); "" in the last delta
	// Completion is nil but in the last delta. It equals the completion of the
	// same reply without streaming.
	Completion *Completion
}
