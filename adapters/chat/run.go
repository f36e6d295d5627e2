package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"example.com/replaycheck/internal/wire"
)

// RunStatus says how a run of an agent stands.
type RunStatus string

// A run is claimed by the process that works on it from its first moment. It
// waits while a person has to decide on its calls.
const (
	RunWaiting  RunStatus = "waiting"
	RunRunning  RunStatus = "running" // claimed; the process that holds it may have died
	RunFinished RunStatus = "finished"
)

// Run is the stored shape of a run of an agent: what one process leaves behind
// so that another can go on (STATE-01).
type Run struct {
	ID     string // not empty
	Actor  string // who may decide and go on, such as "user:1"
	Status RunStatus
	// Fence is raised by each claim. A write that carries an older one fails
	// (STATE-05).
	Fence int64
	// Steps and Tokens are what the run has spent: model turns, and tokens as
	// the provider counted them.
	Steps  int
	Tokens int
	// Pending are the calls of the last turn that the transcript holds no
	// result of, in the turn's order.
	Pending []ToolCall
	// Approved says that somebody approved the pending calls.
	Approved bool
	// Begun are the pending calls whose start is recorded, by their index in
	// Pending; the value is the result, nil where there is none. The store
	// reads it and never writes it but through calls.
	Begun map[int]*string
	// Transcript is the conversation in the stored shape (EncodeTranscript).
	// A finished run has none.
	Transcript string
}

// Digest names the pending calls to whoever approves them (STATE-04): "sha256:"
// and the hexadecimal SHA-256 of the compact JSON
// [run_id,actor,[[id,name,arguments],…]], which escapes only what JSON
// requires. The carrier is not in it.
func (r Run) Digest() string {
	var b strings.Builder
	b.WriteString(`[` + wire.Quote(r.ID) + `,` + wire.Quote(r.Actor) + `,[`)
	for i, call := range r.Pending {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`[` + wire.Quote(call.ID) + `,` + wire.Quote(call.Name) + `,` + wire.Quote(call.Arguments) + `]`)
	}
	b.WriteString(`]]`)
	sum := sha256.Sum256([]byte(b.String()))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Unanswered returns the calls of the last assistant message that no message
// after it answers, in their order; none where the conversation does not end
// with a turn that called tools.
func Unanswered(messages []Message) []ToolCall {
	last := len(messages) - 1
	answered := map[string]bool{}
	for ; last >= 0 && messages[last].Role == Tool; last-- {
		answered[messages[last].ToolCallID] = true
	}
	if last < 0 || messages[last].Role != Assistant {
		return nil
	}
	var calls []ToolCall
	for _, call := range messages[last].ToolCalls {
		if !answered[call.ID] {
			calls = append(calls, call)
		}
	}
	return calls
}

// RunError is why a run of an agent was refused or stopped. The messages are
// constant: nothing of a conversation, a key or a name is in them.
type RunError string

func (e RunError) Error() string { return string(e) }

// The refusals. After each of them no tool has run, nothing was sent, and what
// is stored is as it was.
const (
	ErrRunNotFound   RunError = "agent run: there is no such run"
	ErrRunExists     RunError = "agent run: the run exists already"
	ErrRunSealed     RunError = "agent run: the stored state is damaged, of another run, or sealed with another key"
	ErrRunActor      RunError = "agent run: the run belongs to another actor"
	ErrRunDecided    RunError = "agent run: the calls were decided on already"
	ErrRunWaiting    RunError = "agent run: the calls wait for a decision"
	ErrRunFinished   RunError = "agent run: the run is finished"
	ErrRunDigest     RunError = "agent run: the digest is not that of the pending calls"
	ErrRunNotOffered RunError = "agent run: a call names a tool that is not offered"
	ErrRunBudget     RunError = "agent run: the budget is spent"
	ErrRunTooLarge   RunError = "agent run: the state is over the store's limit"
)

// ErrRunStale stops a process whose run somebody else took over, finished or
// purged meanwhile. Its write did not happen.
const ErrRunStale RunError = "agent run: another process holds the run"
