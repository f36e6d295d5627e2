package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
)

func TestCompletionMessage(t *testing.T) {
	calls := []chat.ToolCall{{ID: "call_1", Name: "n", Arguments: "{}"}}
	c := chat.Completion{Content: "a", ToolCalls: calls, Metadata: map[string]json.RawMessage{chat.ItemsKey: json.RawMessage(`[]`), chat.RawKey: json.RawMessage(`{}`)}}
	want := chat.Message{Role: chat.Assistant, Content: "a", ToolCalls: calls, ProviderItems: json.RawMessage(`[]`)}
	if diff := cmp.Diff(want, c.Message()); diff != "" {
		t.Error(diff)
	}
	if got := (chat.Completion{}).Message().ProviderItems; got != nil {
		t.Errorf("got %q, want no carrier", got)
	}
}

func TestErrorTexts(t *testing.T) {
	for _, row := range []struct {
		name string
		err  error
		want string
	}{
		{"refusal", chat.ErrReplayState(), "gemini replay state is malformed or ambiguous"},
		{"connection", &chat.ConnectionError{Provider: "gemini", Action: "read stream", Err: context.Canceled}, "gemini: read stream: context canceled"},
		{"response", &chat.ResponseError{Provider: "openai", Status: 400, Code: "X", Reason: "why", Shape: "{error}"}, "openai: response 400 (X): why, body {error}"},
		{"bare response", &chat.ResponseError{Provider: "openai", Status: 500, Shape: "empty"}, "openai: response 500, body empty"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.err.Error(); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
	if !errors.Is(&chat.ConnectionError{Err: context.Canceled}, context.Canceled) {
		t.Error("the cause of a connection error is hidden")
	}
}
