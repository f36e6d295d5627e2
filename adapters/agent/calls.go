package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"example.com/replaycheck/adapters/chat"
)

// What the model is told of a call that gave no result of its own.
const (
	interrupted = `{"error":"interrupted"}` // begun by a process that died (STATE-06)
	rejected    = `{"error":"rejected"}`    // by a person (STATE-07)
)

// recordTime is how long recording a result may take after the run was
// cancelled. What a tool did is done, so it is recorded all the same.
const recordTime = 10 * time.Second

// answer runs the pending calls and adds their results to the conversation, in
// the order of the calls, whichever is done first. Calls that were begun before
// are not run again.
func (h *holder) answer(ctx context.Context) error {
	calls := h.run.Pending
	if len(calls) == 0 {
		return nil
	}
	results := make([]string, len(calls))
	calling, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	for i, call := range calls {
		if result, begun := h.run.Begun[i]; begun {
			results[i] = earlier(result)
			continue
		}
		run, err := h.begin(calling, i, call)
		if err != nil {
			cancel(err)
			break
		}
		running.Go(func() {
			var err error
			if results[i], err = h.end(calling, i, run); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	if calling.Err() != nil {
		return context.Cause(calling)
	}
	h.addResults(results)
	return nil
}

// earlier is the result of a call that was begun before this process held the
// run.
func earlier(result *string) string {
	if result == nil {
		return interrupted
	}
	return *result
}

// begin records the start of a call and only then begins it.
func (h *holder) begin(ctx context.Context, i int, call chat.ToolCall) (func(context.Context) (string, error), error) {
	h.at(BeforeCallStart)
	if err := h.a.cfg.Store.StartCall(ctx, h.run, i); err != nil {
		return nil, err
	}
	h.at(AfterCallStart)
	return h.a.tools[call.Name].Begin(call), nil
}

// end waits for a call and records its result.
func (h *holder) end(ctx context.Context, i int, run func(context.Context) (string, error)) (string, error) {
	result, err := run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if e, ok := errors.AsType[abortError](err); ok {
			return "", e.error
		}
		if result, err = errorResult(err); err != nil {
			return "", err
		}
	}
	h.at(AfterCall)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	if err := h.a.cfg.Store.EndCall(ctx, h.run, i, result); err != nil {
		return "", err
	}
	h.at(AfterCallEnd)
	return result, nil
}

// addResults answers the pending calls.
func (h *holder) addResults(results []string) {
	for i, call := range h.run.Pending {
		h.messages = append(h.messages, chat.Message{Role: chat.Tool, ToolCallID: call.ID, Content: results[i]})
	}
	h.run.Pending, h.run.Approved, h.run.Begun = nil, false, nil
}

// reject answers the pending calls that were not begun with a rejection. The
// claim stores it, so no process can take the run for an approved one.
func (h *holder) reject() error {
	results := make([]string, len(h.run.Pending))
	for i := range results {
		results[i] = rejected
		if result, begun := h.run.Begun[i]; begun {
			results[i] = earlier(result)
		}
	}
	h.addResults(results)
	var err error
	h.run.Transcript, err = h.stored()
	return err
}

// errorResult is how the model is told that a tool failed.
func errorResult(err error) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]string{"error": err.Error()}); err != nil {
		return "", err
	}
	return string(bytes.TrimRight(b.Bytes(), "\n")), nil
}
