// Package subject holds what the harness and a subject under test say to each
// other: the task, the outcome and the description, as Go types and as the JSON
// lines of the driver protocol (docs/driver-protocol.md).
//
// Users see these types through aliases in package oracles.
package subject

import (
	"context"
	"encoding/json"
	"net/http"
)

// Version is the version of the driver protocol, the "v" of every line.
const Version = 1

// MaxLine is how long a protocol line may be, in bytes.
const MaxLine = 64 << 20

// Providers that a leg may name.
const (
	Gemini          = "gemini"           // generateContent on the Gemini API
	Vertex          = "vertex"           // generateContent on Vertex
	OpenAIResponses = "openai-responses" // the base URL counts as OpenAI's own
	OpenAIChat      = "openai-chat"      // Chat Completions on a compatible base URL
	GeminiOpenAI    = "gemini-openai"    // Gemini behind its OpenAI-compatible endpoint
)

// Capabilities that a description may name; the list is closed.
const (
	Tools         = "tools"
	Parallel      = "parallel"
	Sequential    = "sequential"
	Thinking      = "thinking"
	CrossProvider = "cross-provider"
	AgentRuns     = "agent"
)

// Carrier is what Description.Carrier holds when the subject's state is the
// stored transcript of the contract, so that carriers can be put in and edited.
const Carrier = "nrllm/v1"

// Places where Task.StopAt can end a run.
const (
	StopAtToolCalls = "tool_calls" // before any tool of the first step with calls in this run
	StopAtAnswer    = "answer"     // after the first answer of this run
)

// Subject is an adapter, SDK or framework under test. It runs its own natural
// tool loop, the way its documentation tells its users to; the verdict comes
// from the requests that it sent. The harness calls it from one goroutine.
type Subject interface {
	// Describe says what the subject is and what it can be asked to do.
	Describe(ctx context.Context) (Description, error)
	// Run plays one scripted conversation, or a stretch of it. A failure of
	// the conversation goes into Outcome.Error; the returned error is for a
	// subject that could not run at all.
	Run(ctx context.Context, task Task) (Outcome, error)
}

// Builder is implemented by Go subjects that can build a request without
// sending it (REPLAY-12).
type Builder interface {
	// Build builds the next request of the conversation in state twice, for
	// the provider and model of the leg.
	Build(ctx context.Context, leg Leg, tools []Tool, state string) (Probe, error)
}

// Sender is implemented by Go subjects that can send their requests through a
// client that they are given, so that many short runs need not connect anew.
type Sender interface {
	// Through returns the subject as it is, but for the client.
	Through(c *http.Client) Subject
}

// Probe is what building a request twice showed.
type Probe struct {
	Before string // the messages before, in the stored shape
	After  string // the same messages after building
	Body   string // the first body built
	Body2  string // the second
}

// Description is a subject's answer to "describe".
type Description struct {
	V            int                 `json:"v"`
	Name         string              `json:"name"`
	Version      string              `json:"version"`
	SDK          []SDK               `json:"sdk"`
	Docs         string              `json:"docs"`
	Providers    map[string]Provider `json:"providers"`
	Modes        []string            `json:"modes"`        // "plain", "stream"
	Stops        []string            `json:"stops"`        // StopAtToolCalls, StopAtAnswer
	State        string              `json:"state"`        // "library", "json" or "none"
	Capabilities []string            `json:"capabilities"` // see Tools and the rest
	Unsupported  map[string]string   `json:"unsupported,omitempty"`
	Carrier      string              `json:"carrier"` // Carrier or ""
}

// SDK is a library that the subject exercises.
type SDK struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Provider says how a subject reaches one provider. No models means any.
type Provider struct {
	Models []string `json:"models"`
}

// Task is one run: a conversation, or a stretch of one.
type Task struct {
	V          int     `json:"v"`
	DeadlineMS int     `json:"deadline_ms"` // 0 means no deadline
	Legs       []Leg   `json:"legs"`
	Tools      []Tool  `json:"tools"`
	ToolURL    *string `json:"tool_url"` // nil: results come from Tools
	StopAt     string  `json:"stop_at"`  // "", StopAtToolCalls or StopAtAnswer
	State      *string `json:"state"`    // nil: a new conversation
	Agent      *Agent  `json:"agent"`    // nil: no agent run (agent.go)
}

// Leg is a stretch of the conversation on one provider.
type Leg struct {
	Provider  string   `json:"provider"`
	BaseURL   string   `json:"base_url"` // no API version, no final slash
	APIKey    string   `json:"api_key"`
	Model     string   `json:"model"`
	Stream    bool     `json:"stream"`
	Stateless bool     `json:"stateless"` // the provider keeps nothing (OPENAI-02)
	System    *string  `json:"system"`
	Prompts   []string `json:"prompts"` // only what is not yet sent
	Options   *Options `json:"options,omitempty"`
}

// Options are the settings of a leg that only some subjects know.
type Options struct {
	RawCapture bool `json:"raw_capture"` // keep the provider's raw response (REPLAY-02)
}

// Tool is a tool offered to the model, with its scripted results.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Approval    bool            `json:"approval,omitempty"` // an agent run suspends before a call of it
	Results     []ToolResult    `json:"results"`
}

// ToolResult is what a call of the tool returns when it fits. See Pick.
type ToolResult struct {
	Args    json.RawMessage `json:"args,omitempty"` // nil: fits any arguments
	Nth     int             `json:"nth,omitempty"`  // 0: fits any call; else the 1-based count of calls of this tool in this run
	Result  string          `json:"result"`         // the text handed to the library
	DelayMS int             `json:"delay_ms,omitempty"`
}

// Outcome is how a run went.
type Outcome struct {
	V        int         `json:"v"`
	Answers  []Answer    `json:"answers"`
	ToolRuns []ToolRun   `json:"tool_runs"`
	Stopped  string      `json:"stopped"` // "" or the StopAt that ended the run
	State    *string     `json:"state"`   // the conversation so far; nil where the subject keeps none
	Error    *Error      `json:"error"`
	Agent    *AgentState `json:"agent,omitempty"` // nil where the task has no agent run
}

// Answer is a final answer of the model, as the library hands it to its user.
type Answer struct {
	Leg      int     `json:"leg"`    // index into Task.Legs
	Prompt   int     `json:"prompt"` // index into that leg's Prompts; -1 when it answers pending calls of an earlier run
	Content  string  `json:"content"`
	Thinking *string `json:"thinking"` // nil: none
	Meta     *Meta   `json:"meta,omitempty"`
}

// Meta is what else a completion of a carrier subject holds.
type Meta struct {
	Usage        json.RawMessage            `json:"usage"`
	Model        string                     `json:"model"`
	Provider     string                     `json:"provider"`
	FinishReason string                     `json:"finish_reason"`
	Metadata     map[string]json.RawMessage `json:"metadata"`
}

// ToolRun is one execution of a tool, in the order in which they started.
type ToolRun struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON text as the library gave it
	CallID    string `json:"call_id"`   // public ID as the library gave it, "" where it has none
	Result    string `json:"result"`
}

// Kinds of Error.
const (
	Refused      = "refused"     // the subject refused before any contact
	FromProvider = "provider"    // the provider answered with an error, or with a reply that was rejected
	FromStream   = "stream"      // a stream broke off
	FromSubject  = "subject"     // the subject itself failed
	NotSupported = "unsupported" // the subject can't do what the task asks
)

// Error is a failure of the conversation.
type Error struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Status  int    `json:"status,omitempty"` // HTTP status, 0 where there was none
}
