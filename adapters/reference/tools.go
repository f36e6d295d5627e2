package reference

import (
	"context"
	"errors"
	"slices"
	"sync"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/subject"
)

// runTools answers the calls of the last turn that have no result yet. The
// tools run side by side; their results are appended in the order of the calls,
// whichever is done first.
func (r *run) runTools(ctx context.Context) error {
	calls := pending(r.messages)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := make([]func(context.Context) (string, error), len(calls))
	for i, call := range calls {
		begun[i] = r.box.Begin(call.Name, call.Arguments, call.ID)
	}
	results, errs := make([]string, len(calls)), make([]error, len(calls))
	var running sync.WaitGroup
	for i := range calls {
		running.Go(func() {
			if results[i], errs[i] = begun[i](ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	if err := first(errs); err != nil {
		return err
	}
	for i, call := range calls {
		r.messages = append(r.messages, chat.Message{Role: chat.Tool, ToolCallID: call.ID, Content: results[i]})
	}
	return nil
}

// pending returns the calls of the last assistant message that no message
// after it answers.
func pending(messages []chat.Message) []chat.ToolCall {
	answered := map[string]bool{}
	for _, message := range slices.Backward(messages) {
		switch m := message; m.Role {
		case chat.Tool:
			answered[m.ToolCallID] = true
		case chat.Assistant:
			var calls []chat.ToolCall
			for _, call := range m.ToolCalls {
				if !answered[call.ID] {
					calls = append(calls, call)
				}
			}
			return calls
		default:
			return nil
		}
	}
	return nil
}

// first returns the error that came first in the order of the calls. Calls that
// were cancelled because another one failed are not the cause.
func first(errs []error) error {
	var cancelled error
	for _, err := range errs {
		switch {
		case err == nil:
		case !errors.Is(err, context.Canceled):
			return err
		case cancelled == nil:
			cancelled = err
		}
	}
	return cancelled
}

func toolSpecs(tools []subject.Tool) []chat.ToolSpec {
	specs := make([]chat.ToolSpec, len(tools))
	for i, t := range tools {
		specs[i] = chat.ToolSpec{Name: t.Name, Description: t.Description, Parameters: t.Schema}
	}
	return specs
}
