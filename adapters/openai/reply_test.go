package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/openai"
)

const (
	reasoning = `{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA+/=","summary":[{"type":"summary_text","text":"think"}], "x":1.0}`
	call      = `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\": \"<L>\"}"}`
	message   = `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Hel"},{"type":"output_text","text":"lo"}]}`
	usage     = `"usage":{"input_tokens":5,"output_tokens":7,"total_tokens":12,"output_tokens_details":{"reasoning_tokens":3}}`
)

func response(status string, items ...string) string {
	return `{"object":"response","status":` + status + `,"model":"gpt-6-sol-1",` + usage + `,"output":[` + strings.Join(items, ",") + `]}`
}

func meta(key, value string) map[string]json.RawMessage {
	return map[string]json.RawMessage{key: json.RawMessage(value)}
}

// calls is what the weather call is to the caller.
func calls() []chat.ToolCall {
	return []chat.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"city": "<L>"}`}}
}

func TestReplies(t *testing.T) {
	counted := chat.Usage{InputTokens: 5, OutputTokens: 7, ThinkingTokens: 3, TotalTokens: 12}
	chatUsage := `"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12,"completion_tokens_details":{"reasoning_tokens":3}}`
	rows := []struct {
		name      string
		responses bool
		body      string
		want      chat.Completion
	}{
		{"a call keeps its items", true, response(`"completed"`, reasoning, call), chat.Completion{
			Thinking: new("think"), ToolCalls: calls(), Usage: counted, Model: "gpt-6-sol-1", FinishReason: "tool_calls",
			Metadata: meta(chat.ItemsKey, "["+reasoning+","+call+"]"),
		}},
		{"text too, without calls", true, response(`"completed"`, reasoning, message), chat.Completion{
			Content: "Hello", Thinking: new("think"), Usage: counted, Model: "gpt-6-sol-1", FinishReason: "stop",
			Metadata: meta(chat.ItemsKey, "["+reasoning+","+message+"]"),
		}},
		{"no items, no carrier", true, response(`"completed"`), chat.Completion{Usage: counted, Model: "gpt-6-sol-1", FinishReason: "stop"}},
		{"a refusal is text", true, response(`null`, `{"type":"message","content":[{"type":"refusal","refusal":"No."}]}`), chat.Completion{
			Content: "No.", Usage: counted, Model: "gpt-6-sol-1", FinishReason: "stop",
			Metadata: meta(chat.ItemsKey, `[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]`),
		}},
		{
			"broken off while thinking", true, strings.Replace(response(`"incomplete"`, message, reasoning), `"object"`, `"incomplete_details":{"reason":"max_output_tokens"},"object"`, 1),
			chat.Completion{Content: "Hello", Thinking: new("think"), Usage: counted, Model: "gpt-6-sol-1", FinishReason: "length", Metadata: meta(chat.ItemsKey, "["+message+"]")},
		},
		{
			"broken off inside a call", true, strings.Replace(response(`"incomplete"`, reasoning, strings.Replace(call, `"id"`, `"status":"incomplete","id"`, 1)), `"object"`, `"incomplete_details":{"reason":"content_filter"},"object"`, 1),
			chat.Completion{Thinking: new("think"), Usage: counted, Model: "gpt-6-sol-1", FinishReason: "content_filter"},
		},
		{
			"broken off while thinking twice", true, response(`"incomplete"`, message, reasoning, strings.Replace(reasoning, `"think"`, `"more"`, 1)),
			chat.Completion{Content: "Hello", Thinking: new("think\nmore"), Usage: counted, Model: "gpt-6-sol-1", FinishReason: "incomplete", Metadata: meta(chat.ItemsKey, "["+message+"]")},
		},
		{
			"thoughts in short pieces", true, response(`"completed"`, short("a", "b", "c"), message),
			chat.Completion{Content: "Hello", Thinking: new("a\nb\nc"), Usage: counted, Model: "gpt-6-sol-1", FinishReason: "stop", Metadata: meta(chat.ItemsKey, "["+short("a", "b", "c")+","+message+"]")},
		},
		{
			"a short thought", true, response(`"completed"`, short("a"), message),
			chat.Completion{Content: "Hello", Thinking: new("a"), Usage: counted, Model: "gpt-6-sol-1", FinishReason: "stop", Metadata: meta(chat.ItemsKey, "["+short("a")+","+message+"]")},
		},
		{
			"counts that are none", true, `{"usage":{"input_tokens":9007199254740994,"output_tokens":9007199254740992,"total_tokens":-1,"output_tokens_details":{"reasoning_tokens":"3"}},"output":[]}`,
			chat.Completion{Usage: chat.Usage{OutputTokens: 9007199254740992}, Model: "gpt-6-sol", FinishReason: "stop"},
		},
		{
			"chat: a refusal is text", false, `{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}`,
			chat.Completion{Content: "No.", Model: "gpt-6-sol", FinishReason: "stop"},
		},
		{
			"chat: text", false, `{"model":"m-1","choices":[{"message":{"content":"Hello","reasoning_items":[1]},"finish_reason":"stop"}],` + chatUsage + `}`,
			chat.Completion{Content: "Hello", Usage: counted, Model: "m-1", FinishReason: "stop"},
		},
		{
			"chat: calls", false, `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\": \"<L>\"}"}}]},"finish_reason":"tool_calls"}]}`,
			chat.Completion{ToolCalls: calls(), Model: "gpt-6-sol", FinishReason: "tool_calls"},
		},
		{
			"chat: no arguments", false, `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"ping","arguments":""}}]}}]}`,
			chat.Completion{ToolCalls: []chat.ToolCall{{ID: "a", Name: "ping", Arguments: "{}"}}, Model: "gpt-6-sol"},
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, plain(row.body))
			c := s.client(t, func(c *openai.Config) { c.TreatAsOpenAI = row.responses })
			row.want.Provider = openai.Provider
			got, err := c.ChatWithTools(context.Background(), []chat.Message{user("Hi")}, weather(), chat.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(row.want, got); d != "" {
				t.Errorf("completion (-want +got):\n%s", d)
			}
			captured, err := c.ChatWithTools(context.Background(), []chat.Message{user("Hi")}, weather(), chat.Options{RawCapture: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := raw(captured.Metadata, chat.RawKey); got != row.body {
				t.Errorf("captured: got %s, want %s", got, row.body)
			}
			if a, b := raw(captured.Metadata, chat.ItemsKey), raw(row.want.Metadata, chat.ItemsKey); a != b {
				t.Errorf("carrier with capture: got %s, want %s", a, b)
			}
		})
	}
}

// short is a reasoning item whose summary has these parts.
func short(texts ...string) string {
	return `{"type":"reasoning","id":"rs_1","summary":[{"text":"` + strings.Join(texts, `"},{"text":"`) + `"}]}`
}

func TestCallsWithoutIDGetOne(t *testing.T) {
	two := `{"choices":[{"message":{"tool_calls":[{"function":{"name":"ping"}},{"id":"","function":{"name":"ping"}}]}}]}`
	s := serve(t, plain(two))
	got, err := s.client(t, func(c *openai.Config) { c.TreatAsOpenAI = false }).ChatWithTools(context.Background(), []chat.Message{user("Hi")}, weather(), chat.Options{})
	if err != nil || len(got.ToolCalls) != 2 || got.ToolCalls[0].ID == "" || got.ToolCalls[0].ID == got.ToolCalls[1].ID {
		t.Errorf("got %v, %v, want two calls with IDs of their own", got.ToolCalls, err)
	}
	s = serve(t, events(false, chunk(`{"tool_calls":[{"index":0,"function":{"name":"ping"}},{"index":1,"function":{"name":"ping"}}]}`, `"tool_calls"`), "[DONE]"))
	_, done, err := drain(t, s.client(t, func(c *openai.Config) { c.TreatAsOpenAI = false }).Stream(context.Background(), []chat.Message{user("Hi")}, weather(), chat.Options{}))
	if err != nil || done == nil || len(done.ToolCalls) != 2 || done.ToolCalls[0].ID == "" || done.ToolCalls[0].ID == done.ToolCalls[1].ID {
		t.Errorf("streamed: got %v, %v, want two calls with IDs of their own", done, err)
	}
}

func TestRejectedReplies(t *testing.T) {
	rows := []struct {
		name      string
		responses bool
		body      string
		want      string
	}{
		{"not JSON", true, `oops c2VjcmV0`, "openai: response 200: the reply is not a JSON object, body text"},
		{"a list", true, `[{}]`, "openai: response 200: the reply is not a JSON object, body [{}]"},
		{"failed", true, `{"status":"failed","error":{"code":"server_error","message":"c2VjcmV0"},"output":[]}`, "openai: response 200 (server_error): the provider reported an error"},
		{"failed without a word", true, `{"status":"failed","output":[]}`, "openai: response 200: the provider reported an error"},
		{"error without a status", true, `{"error":{"code":"server_error"},"output":[]}`, "openai: response 200 (server_error): the provider reported an error"},
		{"still running", true, `{"status":"in_progress","output":[]}`, "openai: response 200: the response was not completed"},
		{"no output", true, `{"status":"completed"}`, "openai: response 200: the reply holds no choice and no output"},
		{"item is text", true, `{"output":["c2VjcmV0"]}`, "openai: response 200: an output item is not an object"},
		{"call without id", true, `{"output":[{"type":"function_call","name":"c2VjcmV0"}]}`, "openai: response 200: a tool call lacks its id or its name"},
		{"same id twice", true, `{"output":[` + call + `,` + call + `]}`, "openai: response 200: two tool calls have the same id"},
		{"same id twice, after another", false, `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"w"}},{"id":"b","function":{"name":"w"}},{"id":"b","function":{"name":"w"}}]}}]}`, "openai: response 200: two tool calls have the same id"},
		{"chat: no choice", false, `{"choices":[]}`, "openai: response 200: the reply holds no choice and no output"},
		{"chat: error", false, `{"error":{"type":"quota","message":"c2VjcmV0"}}`, "openai: response 200 (quota): the provider reported an error"},
		{"chat: content is a number", false, `{"choices":[{"message":{"content":7}}]}`, "openai: response 200: the content is neither text nor null"},
		{"chat: call without name", false, `{"choices":[{"message":{"tool_calls":[{"id":"a"}]}}]}`, "openai: response 200: a tool call lacks its id or its name"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, plain(row.body))
			c := s.client(t, func(c *openai.Config) { c.TreatAsOpenAI = row.responses })
			got, err := c.ChatWithTools(context.Background(), []chat.Message{user("Hi")}, weather(), chat.Options{})
			if _, ok := errors.AsType[*chat.ResponseError](err); !ok || !strings.HasPrefix(said(err), row.want) {
				t.Fatalf("got %v, want a ResponseError that starts with %q", err, row.want)
			}
			if strings.Contains(err.Error(), "c2VjcmV0") {
				t.Errorf("the error quotes the body: %v", err)
			}
			if d := cmp.Diff(chat.Completion{}, got); d != "" {
				t.Errorf("got a completion next to the error: %s", d)
			}
		})
	}
}
