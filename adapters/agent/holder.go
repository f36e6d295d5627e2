package agent

import (
	"context"
	"slices"

	"example.com/replaycheck/adapters/chat"
)

// holder works on a run: it is the one process that may write to it.
type holder struct {
	a        *Agent
	run      chat.Run
	messages []chat.Message
}

// open reads the stored conversation. A state whose pending calls are not those
// of its transcript would have people approve other calls than run.
func (h *holder) open(run chat.Run) error {
	messages, err := chat.DecodeTranscript(run.Transcript)
	if err != nil {
		return err
	}
	if !slices.Equal(run.Pending, chat.Unanswered(messages)) {
		return chat.ErrRunSealed
	}
	h.run, h.messages = run, messages
	return nil
}

// stored returns the conversation as it is stored, carriers included.
func (h *holder) stored() (string, error) { return chat.EncodeTranscript(h.messages) }

// admit says whether the run may go on here at all: the calls that would run
// are offered, the budget is not spent, and the model's adapter takes the
// conversation. Nothing has happened by then.
func (h *holder) admit(calls []chat.ToolCall) error {
	if !h.offered(calls) {
		return chat.ErrRunNotOffered
	}
	if h.spent() {
		return chat.ErrRunBudget
	}
	return h.a.cfg.Model.Check(h.messages, h.a.specs)
}

func (h *holder) offered(calls []chat.ToolCall) bool {
	for _, call := range calls {
		if _, ok := h.a.tools[call.Name]; !ok {
			return false
		}
	}
	return true
}

func (h *holder) spent() bool {
	return h.run.Steps >= h.a.cfg.MaxSteps || h.a.cfg.MaxTokens > 0 && h.run.Tokens >= h.a.cfg.MaxTokens
}

// undecided reports whether a person has to decide before the pending calls may
// run. A turn with a call that can't run anyway is not worth deciding on.
func (h *holder) undecided() bool {
	if h.run.Approved || !h.offered(h.run.Pending) {
		return false
	}
	for i, call := range h.run.Pending {
		if _, begun := h.run.Begun[i]; !begun && h.a.tools[call.Name].Approval {
			return true
		}
	}
	return false
}

// loop goes on until the run is finished or has to wait.
func (h *holder) loop(ctx context.Context) (Outcome, error) {
	for {
		if h.undecided() {
			return h.suspend(ctx)
		}
		if !h.offered(h.run.Pending) {
			return h.outcome(), chat.ErrRunNotOffered
		}
		if h.spent() {
			return h.outcome(), chat.ErrRunBudget
		}
		if err := h.answer(ctx); err != nil {
			return h.outcome(), err
		}
		h.at(BeforeRequest)
		reply, err := h.a.cfg.Model.Ask(ctx, slices.Clip(h.messages), h.a.specs)
		if err != nil {
			return h.outcome(), err
		}
		h.at(AfterReply)
		h.take(reply)
		if len(reply.ToolCalls) == 0 {
			return h.finish(ctx, reply)
		}
		if h.undecided() {
			return h.suspend(ctx)
		}
		if err := h.save(ctx); err != nil {
			return h.outcome(), err
		}
	}
}

// take adds a reply to the conversation and to what the run has spent.
func (h *holder) take(reply chat.Completion) {
	h.messages = append(h.messages, reply.Message())
	h.run.Steps++
	tokens := reply.Usage.TotalTokens
	if tokens == 0 {
		tokens = reply.Usage.InputTokens + reply.Usage.OutputTokens
	}
	h.run.Tokens += tokens
	h.run.Pending, h.run.Approved, h.run.Begun = reply.ToolCalls, false, nil
}

// save stores a turn whose calls may run.
func (h *holder) save(ctx context.Context) error {
	var err error
	if h.run.Transcript, err = h.stored(); err != nil {
		return err
	}
	h.run.Status = chat.RunRunning
	h.at(BeforeSave)
	if err := h.a.cfg.Store.Save(ctx, h.run); err != nil {
		return err
	}
	h.at(AfterSave)
	return nil
}

// suspend stores a turn whose calls have to be decided on, and lets go of the
// run: one write, so that no process ever finds the calls without the need for
// a decision.
func (h *holder) suspend(ctx context.Context) (Outcome, error) {
	var err error
	if h.run.Transcript, err = h.stored(); err != nil {
		return h.outcome(), err
	}
	waiting := h.run
	waiting.Status = chat.RunWaiting
	h.at(BeforeSuspend)
	if err := h.a.cfg.Store.Save(ctx, waiting); err != nil {
		return h.outcome(), err
	}
	h.at(AfterSuspend)
	return h.waiting(), nil
}

func (h *holder) finish(ctx context.Context, reply chat.Completion) (Outcome, error) {
	h.at(BeforeFinish)
	if err := h.a.cfg.Store.Finish(ctx, h.run); err != nil {
		return h.outcome(), err
	}
	h.at(AfterFinish)
	out := h.outcome()
	out.Status, out.Answer = chat.RunFinished, &reply
	return out, nil
}

// outcome says how far the run has come, without a status.
func (h *holder) outcome() Outcome {
	return Outcome{RunID: h.run.ID, Steps: h.run.Steps, Messages: h.messages}
}

func (h *holder) waiting() Outcome {
	out := h.outcome()
	out.Status, out.Pending, out.Digest = chat.RunWaiting, slices.Clone(h.run.Pending), h.run.Digest()
	return out
}

func (h *holder) at(point string) { h.a.cfg.At(point) }
