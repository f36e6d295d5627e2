// Package agent is a tool loop whose runs survive a restart: it asks a model,
// runs the tools that the model calls, suspends where a person has to approve,
// and goes on in whatever process comes next.
//
// At each moment the stored run says enough to go on. A call's start is
// recorded before it runs, so no call ever runs twice; a request to the
// provider may be repeated.
package agent

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"

	"example.com/replaycheck/adapters/chat"
)

// Model asks a model. The adapters are behind it.
type Model interface {
	// Ask returns the next message of the conversation.
	Ask(ctx context.Context, messages []chat.Message, tools []chat.ToolSpec) (chat.Completion, error)
	// Check returns the error with which Ask would refuse the conversation
	// before it contacts anybody, and sends nothing. The conversation may end
	// with calls that have no result yet.
	Check(messages []chat.Message, tools []chat.ToolSpec) error
}

// Store keeps runs; *runstore.Store is one. Its errors about runs are of type
// chat.RunError. All writes carry the run's fence and fail with
// chat.ErrRunStale when another process holds the run.
type Store interface {
	Create(ctx context.Context, run chat.Run) (chat.Run, error)
	Look(ctx context.Context, id, actor string) (chat.Run, error)
	Claim(ctx context.Context, id, actor string, from chat.RunStatus, decide func(*chat.Run) error) (chat.Run, error)
	Save(ctx context.Context, run chat.Run) error
	StartCall(ctx context.Context, run chat.Run, position int) error
	EndCall(ctx context.Context, run chat.Run, position int, result string) error
	Finish(ctx context.Context, run chat.Run) error
}

// Tool is a tool offered to the model.
type Tool struct {
	chat.ToolSpec
	// Approval lets no call of the tool run before somebody approved it. The
	// calls of one turn are decided on together.
	Approval bool
	// Begin begins one call, whose start is recorded by then. The calls of a
	// turn are begun in their order, from one goroutine; what Begin returns
	// runs in a goroutine of its own, beside the others. Its result goes to the
	// model as it is, its error as {"error":"…"}, unless it comes from Abort.
	Begin func(call chat.ToolCall) func(context.Context) (string, error)
}

// Func makes a Begin of a plain function.
func Func(f func(ctx context.Context, call chat.ToolCall) (string, error)) func(chat.ToolCall) func(context.Context) (string, error) {
	return func(call chat.ToolCall) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return f(ctx, call) }
	}
}

// Abort makes a tool's error end the attempt instead of being told to the
// model. The call counts as begun and not finished.
func Abort(err error) error { return abortError{err} }

type abortError struct{ error }

func (e abortError) Unwrap() error { return e.error }

// DefaultMaxSteps is the step budget where a Config has none.
const DefaultMaxSteps = 100

// Config is what an agent is made of.
type Config struct {
	Model Model // required
	Store Store // required
	Tools []Tool
	// MaxSteps bounds the model turns of a run over all its processes; 0 means
	// DefaultMaxSteps, less means none at all.
	MaxSteps int
	// MaxTokens bounds the tokens of a run, as the provider counts them; no
	// request is made once they are reached. 0: no bound.
	MaxTokens int
	// At is called at each point of Points, from the goroutine that is there;
	// nil: nobody listens. Tests end the process in it.
	At func(point string)
}

// Agent runs conversations. It keeps nothing between calls and is safe for
// concurrent use, as far as its model, store and tools are.
type Agent struct {
	cfg   Config
	tools map[string]Tool
	specs []chat.ToolSpec
}

// New checks the configuration; the error is a *chat.ConfigError.
func New(cfg Config) (*Agent, error) {
	a := &Agent{cfg: cfg, tools: map[string]Tool{}}
	if cfg.Model == nil || cfg.Store == nil {
		return nil, &chat.ConfigError{Message: "agent: new: want a model and a store"}
	}
	for i, t := range cfg.Tools {
		if _, twice := a.tools[t.Name]; twice || t.Name == "" || t.Begin == nil {
			return nil, &chat.ConfigError{Message: fmt.Sprintf("agent: new: tool %d: want a name of its own and a Begin", i)}
		}
		a.tools[t.Name] = t
		a.specs = append(a.specs, t.ToolSpec)
	}
	if a.cfg.MaxSteps == 0 {
		a.cfg.MaxSteps = DefaultMaxSteps
	}
	if a.cfg.At == nil {
		a.cfg.At = func(string) {}
	}
	return a, nil
}

// Outcome is how far a run has come.
type Outcome struct {
	RunID string
	// Status is chat.RunWaiting or chat.RunFinished; "" next to an error: the
	// run is then where the store says it is, and Resume may go on with it.
	Status chat.RunStatus
	Steps  int // model turns so far; 0 for a run that was finished before
	// Pending are the calls that wait for a decision, and Digest their digest.
	Pending []chat.ToolCall
	Digest  string
	Answer  *chat.Completion // nil unless the run finished just now
	// Messages are the conversation so far; nil for a run that was finished
	// before.
	Messages []chat.Message
}

// Start begins a run with a conversation that ends with the user's message and
// goes on until it is finished or has to wait. An empty runID gets a random one.
func (a *Agent) Start(ctx context.Context, runID, actor string, messages []chat.Message) (Outcome, error) {
	if runID == "" {
		runID = "run_" + rand.Text()
	}
	h := &holder{a: a, messages: slices.Clone(messages), run: chat.Run{ID: runID, Actor: actor, Status: chat.RunRunning, Pending: chat.Unanswered(messages)}}
	if n := len(messages); n == 0 || messages[n-1].Role == chat.System || messages[n-1].Role == chat.Assistant && len(h.run.Pending) == 0 {
		return h.outcome(), &chat.ConfigError{Message: "agent: start: want a conversation that waits for the model"}
	}
	if err := h.admit(h.run.Pending); err != nil {
		return h.outcome(), err
	}
	var err error
	if h.run.Transcript, err = h.stored(); err != nil {
		return h.outcome(), err
	}
	a.cfg.At(BeforeCreate)
	if h.run, err = a.cfg.Store.Create(ctx, h.run); err != nil {
		return h.outcome(), err
	}
	a.cfg.At(AfterCreate)
	return h.loop(ctx)
}

// Approve runs the pending calls of a waiting run and goes on. digest is that of
// the calls which the actor saw. One approval or rejection is taken;
// later ones are refused with chat.ErrRunDecided.
//
// Refusals are of type chat.RunError or *chat.ConfigError. After one, no tool
// has run, nothing was sent and the run waits as before (STATE-04).
func (a *Agent) Approve(ctx context.Context, runID, actor, digest string) (Outcome, error) {
	return a.take(ctx, runID, actor, chat.RunWaiting, func(h *holder) error {
		if err := h.verifyDigest(digest); err != nil {
			return err
		}
		if err := h.admit(h.run.Pending); err != nil {
			return err
		}
		h.run.Approved = true
		return nil
	})
}

// Reject tells the model that the pending calls were rejected, as their result,
// and goes on (STATE-07). It is refused as Approve is.
func (a *Agent) Reject(ctx context.Context, runID, actor, digest string) (Outcome, error) {
	return a.take(ctx, runID, actor, chat.RunWaiting, func(h *holder) error {
		if err := h.verifyDigest(digest); err != nil {
			return err
		}
		if err := h.admit(nil); err != nil {
			return err
		}
		return h.reject()
	})
}

// Resume goes on with a run whose process died or failed, without a second
// approval (STATE-05). A run that waits or is finished is only looked at.
func (a *Agent) Resume(ctx context.Context, runID, actor string) (Outcome, error) {
	out, err := a.take(ctx, runID, actor, chat.RunRunning, func(h *holder) error {
		return h.admit(h.run.Pending)
	})
	if errors.Is(err, chat.ErrRunWaiting) || errors.Is(err, chat.ErrRunFinished) {
		return a.Look(ctx, runID, actor)
	}
	return out, err
}

// Look says how far a run has come and changes nothing.
func (a *Agent) Look(ctx context.Context, runID, actor string) (Outcome, error) {
	h := &holder{a: a, run: chat.Run{ID: runID}}
	run, err := a.cfg.Store.Look(ctx, runID, actor)
	if err != nil {
		return h.outcome(), err
	}
	if run.Status == chat.RunFinished {
		return Outcome{RunID: runID, Status: run.Status}, nil
	}
	if err := h.open(run); err != nil {
		return h.outcome(), err
	}
	if run.Status == chat.RunWaiting {
		return h.waiting(), nil
	}
	return h.outcome(), nil
}

// take claims a run, if verify lets it, and goes on with it.
func (a *Agent) take(ctx context.Context, runID, actor string, from chat.RunStatus, verify func(*holder) error) (Outcome, error) {
	h := &holder{a: a, run: chat.Run{ID: runID}}
	a.cfg.At(BeforeClaim)
	run, err := a.cfg.Store.Claim(ctx, runID, actor, from, func(run *chat.Run) error {
		if err := h.open(*run); err != nil {
			return err
		}
		if err := verify(h); err != nil {
			return err
		}
		*run = h.run
		a.cfg.At(InClaim)
		return nil
	})
	if err != nil {
		return h.outcome(), err
	}
	h.run = run
	a.cfg.At(AfterClaim)
	return h.loop(ctx)
}

func (h *holder) verifyDigest(digest string) error {
	if subtle.ConstantTimeCompare([]byte(digest), []byte(h.run.Digest())) != 1 {
		return chat.ErrRunDigest
	}
	return nil
}
