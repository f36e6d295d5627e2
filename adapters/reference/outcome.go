package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/subject"
)

func answer(leg, prompt int, c chat.Completion) subject.Answer {
	metadata := map[string]json.RawMessage{}
	maps.Copy(metadata, c.Metadata)
	u := c.Usage
	return subject.Answer{
		Leg: leg, Prompt: prompt, Content: c.Content, Thinking: c.Thinking,
		Meta: &subject.Meta{
			Usage: json.RawMessage(fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"thinking_tokens":%d,"total_tokens":%d}`,
				u.InputTokens, u.OutputTokens, u.ThinkingTokens, u.TotalTokens)),
			Model: c.Model, Provider: c.Provider, FinishReason: c.FinishReason, Metadata: metadata,
		},
	}
}

// brokenStreamError marks a stream that broke off.
type brokenStreamError struct{ error }

func (e brokenStreamError) Unwrap() error { return e.error }

// streamError marks an error of a stream if it is one of the connection.
func streamError(err error) error {
	if _, ok := errors.AsType[*chat.ConnectionError](err); ok {
		return brokenStreamError{err}
	}
	return err
}

// outcomeError sorts an error into the protocol's kinds. A stream that ended
// because the run itself was cancelled or ran out of time did not break off.
func outcomeError(ctx context.Context, err error) *subject.Error {
	out := &subject.Error{Kind: subject.FromSubject, Message: err.Error()}
	if _, ok := errors.AsType[*unsupportedError](err); ok {
		out.Kind = subject.NotSupported
	}
	if _, ok := errors.AsType[*chat.ConfigError](err); ok {
		out.Kind = subject.Refused
	}
	// A holder that lost its run was not refused: it had begun.
	if e, ok := errors.AsType[chat.RunError](err); ok && e != chat.ErrRunStale {
		out.Kind = subject.Refused
	}
	if e, ok := errors.AsType[*chat.ResponseError](err); ok {
		out.Kind, out.Status = subject.FromProvider, e.Status
	}
	if _, ok := errors.AsType[brokenStreamError](err); ok && ctx.Err() == nil {
		out.Kind = subject.FromStream
	}
	return out
}
