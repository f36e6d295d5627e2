package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/openai"
)

// drain ranges over a stream: the texts, the completion (nil without one) and
// the error. It fails the test when the last delta is not the only special one.
func drain(t *testing.T, stream iter.Seq2[chat.Delta, error]) (texts []string, done *chat.Completion, err error) {
	t.Helper()
	for d, e := range stream {
		if done != nil || err != nil {
			t.Fatal("got a delta after the last one")
		}
		switch {
		case e != nil:
			err = e
		case d.Completion != nil:
			done = d.Completion
		default:
			texts = append(texts, d.Text)
		}
	}
	return texts, done, err
}

func itemDone(index, item string) string {
	return `{"type":"response.output_item.done","output_index":` + index + `,"item":` + item + `}`
}

func textDelta(text string) string {
	return `{"type":"response.output_text.delta","delta":"` + text + `"}`
}

// chunk is a Chat Completions chunk with a delta.
func chunk(delta, finish string) string {
	return `{"model":"m-1","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`
}

func TestStreams(t *testing.T) {
	counted := chat.Usage{InputTokens: 5, OutputTokens: 7, ThinkingTokens: 3, TotalTokens: 12}
	otherCipher := strings.Replace(reasoning, "gAAA", "gBBB", 1)
	full := chat.Completion{
		Content: "Hello", Thinking: new("think"), ToolCalls: calls(), Usage: counted, Model: "gpt-6-sol-1", FinishReason: "tool_calls",
		Metadata: meta(chat.ItemsKey, "["+reasoning+","+message+","+call+"]"),
	}
	rows := []struct {
		name      string
		responses bool
		data      []string
		texts     []string
		want      chat.Completion
	}{
		{"the completed output counts", true, []string{
			`{"type":"response.created"}`, itemDone("0", otherCipher), textDelta("Hel"), textDelta("lo"), itemDone("1", message), itemDone("2", call),
			`{"type":"response.completed","response":` + response(`"completed"`, reasoning, message, call) + `}`,
		}, []string{"Hel", "lo"}, full},
		{"without output the done items count", true, []string{
			itemDone("2", call), textDelta("Hello"), itemDone("0", reasoning), itemDone("1", message),
			`{"type":"response.completed","response":` + response(`"completed"`) + `}`,
		}, []string{"Hello"}, full},
		{
			"the completed output counts, one item too", true,
			[]string{itemDone("0", otherCipher), `{"type":"response.completed","response":` + response(`"completed"`, message) + `}`},
			nil,
			chat.Completion{Content: "Hello", Usage: counted, Model: "gpt-6-sol-1", FinishReason: "stop", Metadata: meta(chat.ItemsKey, "["+message+"]")},
		},
		{
			"a refusal is text", true,
			[]string{
				`{"type":"response.refusal.delta","delta":"N"}`, `{"type":"response.refusal.delta","delta":"o."}`,
				`{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}}`,
			},
			[]string{"N", "o."},
			chat.Completion{Content: "No.", Model: "gpt-6-sol", FinishReason: "stop", Metadata: meta(chat.ItemsKey, `[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]`)},
		},
		{
			"incomplete is complete", true,
			[]string{textDelta("Hello"), `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[` + message + `]}}`},
			[]string{"Hello"},
			chat.Completion{Content: "Hello", Model: "gpt-6-sol", FinishReason: "length", Metadata: meta(chat.ItemsKey, "["+message+"]")},
		},
		{
			"chat: text and usage", false,
			[]string{
				chunk(`{"role":"assistant","content":""}`, "null"), chunk(`{"content":"Hel"}`, "null"), chunk(`{"content":"lo"}`, `"stop"`),
				`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12,"completion_tokens_details":{"reasoning_tokens":3}}}`, "[DONE]",
			},
			[]string{"Hel", "lo"},
			chat.Completion{Content: "Hello", Usage: counted, Model: "m-1", FinishReason: "stop"},
		},
		{
			"chat: calls in pieces", false,
			[]string{
				chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"weather","arguments":""}}]}`, "null"), chunk(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"ping","arguments":"{}"}}]}`, "null"),
				chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"c\":"}},{"index":0,"function":{"arguments":"1}"}}]}`, `"tool_calls"`), "[DONE]",
			},
			nil,
			chat.Completion{ToolCalls: []chat.ToolCall{{ID: "a", Name: "weather", Arguments: `{"c":1}`}, {ID: "b", Name: "ping", Arguments: "{}"}}, Model: "m-1", FinishReason: "tool_calls"},
		},
		{
			"chat: every call has index 0", false,
			[]string{chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ping","arguments":"{}"}}]}`, "null"), chunk(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"ping","arguments":"{}"}}]}`, `"tool_calls"`), "[DONE]"},
			nil,
			chat.Completion{ToolCalls: []chat.ToolCall{{ID: "a", Name: "ping", Arguments: "{}"}, {ID: "b", Name: "ping", Arguments: "{}"}}, Model: "m-1", FinishReason: "tool_calls"},
		},
		{
			"chat: the ID comes later, the finish reason early", false,
			[]string{
				chunk(`{"tool_calls":[{"index":0,"function":{"name":"ping","arguments":"{"}}]}`, `"tool_calls"`),
				chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"}"}}]}`, "null"), "[DONE]",
			},
			nil,
			chat.Completion{ToolCalls: []chat.ToolCall{{ID: "a", Name: "ping", Arguments: "{}"}}, Model: "m-1", FinishReason: "tool_calls"},
		},
		{
			"chat: a piece without index or ID goes on with the last call", false,
			[]string{
				chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ping","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"ping","arguments":"{"}}]}`, "null"),
				chunk(`{"tool_calls":[{"function":{"arguments":"}"}}]}`, `"tool_calls"`), "[DONE]",
			},
			nil,
			chat.Completion{ToolCalls: []chat.ToolCall{{ID: "a", Name: "ping", Arguments: "{}"}, {ID: "b", Name: "ping", Arguments: "{}"}}, Model: "m-1", FinishReason: "tool_calls"},
		},
		{
			"chat: no index at all", false,
			[]string{chunk(`{"tool_calls":[{"id":"a","function":{"name":"ping","arguments":"{"}}]}`, "null"), chunk(`{"tool_calls":[{"function":{"arguments":"}"}}]}`, `"tool_calls"`), "[DONE]"},
			nil,
			chat.Completion{ToolCalls: []chat.ToolCall{{ID: "a", Name: "ping", Arguments: "{}"}}, Model: "m-1", FinishReason: "tool_calls"},
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, events(false, row.data...))
			c := s.client(t, func(c *openai.Config) { c.TreatAsOpenAI = row.responses })
			row.want.Provider = openai.Provider
			texts, done, err := drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, weather(), chat.Options{}))
			if err != nil || done == nil {
				t.Fatalf("got completion %v and error %v, want a completion", done, err)
			}
			if d := cmp.Diff(row.want, *done); d != "" {
				t.Errorf("completion (-want +got):\n%s", d)
			}
			if d := cmp.Diff(row.texts, texts); d != "" {
				t.Errorf("texts (-want +got):\n%s", d)
			}
			_, done, err = drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, weather(), chat.Options{RawCapture: true}))
			if err != nil || done == nil {
				t.Fatalf("got completion %v and error %v, want a completion", done, err)
			}
			var captured []json.RawMessage
			if err := json.Unmarshal(done.Metadata[chat.RawKey], &captured); err != nil {
				t.Fatalf("captured: got %s, %v, want the events", done.Metadata[chat.RawKey], err)
			}
			var got []string
			for _, event := range captured {
				got = append(got, string(event))
			}
			if d := cmp.Diff(slices.DeleteFunc(slices.Clone(row.data), func(s string) bool { return s == "[DONE]" }), got); d != "" {
				t.Errorf("captured (-want +got):\n%s", d)
			}
		})
	}
}

func TestBrokenStreams(t *testing.T) {
	completed := `{"type":"response.completed","response":` + response(`"completed"`, message) + `}`
	open := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text)
		}
	}
	rows := []struct {
		name      string
		responses bool
		answer    http.HandlerFunc
		lost      bool // a ConnectionError, else a ResponseError
		want      string
	}{
		{"cut after a delta", true, events(true, textDelta("Hel")), true, "openai: read stream: unexpected EOF"},
		{"clean end, nothing completed", true, events(false, textDelta("Hel"), itemDone("0", message)), true, "openai: read stream: unexpected EOF"},
		{"DONE completes no Responses reply", true, events(false, itemDone("0", message), "[DONE]"), true, "openai: read stream: unexpected EOF"},
		{"cut inside an event", true, open("data: " + completed[:40]), true, "openai: read stream: unexpected EOF"},
		{"garbage", true, open("data: c2VjcmV0\n\n"), false, "openai: response 200: the reply is not a JSON object, body text"},
		{"failed", true, events(false, `{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"c2VjcmV0"}}}`), false, "openai: response 200 (rate_limit_exceeded): the provider reported an error"},
		{"error event", true, events(false, `{"type":"error","code":"server_error","message":"c2VjcmV0"}`), false, "openai: response 200 (server_error): the provider reported an error"},
		{"wrapped error event", true, events(false, `{"type":"error","error":{"type":"server_error","code":null}}`), false, "openai: response 200 (server_error): the provider reported an error"},
		{"item that is no object", true, events(false, itemDone("0", `"c2VjcmV0"`), `{"type":"response.completed","response":{"output":[]}}`), false, "openai: response 200: an output item is not an object, body {output}"},
		{"done without its item", true, events(false, `{"type":"response.output_item.done"}`, `{"type":"response.completed","response":{}}`), false, "openai: response 200: an output item is not an object, body {}"},
		{"neither output nor items", true, events(false, `{"type":"response.completed","response":{}}`), false, "openai: response 200: the reply holds no choice and no output, body {}"},
		{"chat: a finish reason completes nothing", false, events(false, chunk(`{"content":"Hi"}`, `"stop"`)), true, "openai: read stream: unexpected EOF"},
		{"chat: cut", false, events(true, chunk(`{"content":"Hi"}`, `"stop"`)), true, "openai: read stream: unexpected EOF"},
		{"chat: nothing but DONE", false, events(false, "[DONE]"), false, "openai: response 200: the reply holds no choice and no output"},
		{"chat: no choice", false, events(false, `{"choices":[]}`, `{"usage":{}}`, "[DONE]"), false, "openai: response 200: the reply holds no choice and no output, body {choices}"},
		{"chat: call without name", false, events(false, chunk(`{"tool_calls":[{"index":0,"id":"a"}]}`, `"tool_calls"`), "[DONE]"), false, "openai: response 200: a tool call lacks its id or its name"},
		{"chat: error chunk", false, events(false, `{"error":{"code":"x_y","message":"c2VjcmV0"}}`), false, "openai: response 200 (x_y): the provider reported an error"},
		{"a plain reply", false, plain(`{"choices":[]}`), false, "openai: response 200: the reply is not an event stream"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, row.answer)
			c := s.client(t, func(c *openai.Config) { c.TreatAsOpenAI = row.responses })
			_, done, err := drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, weather(), chat.Options{}))
			if done != nil {
				t.Errorf("got a completion %+v next to the error", done)
			}
			if _, lost := errors.AsType[*chat.ConnectionError](err); err == nil || lost != row.lost || !strings.HasPrefix(said(err), row.want) {
				t.Errorf("got %v (%T), want %q, a ConnectionError: %v", err, err, row.want, row.lost)
			}
			if err != nil && strings.Contains(err.Error(), "c2VjcmV0") {
				t.Errorf("the error quotes the body: %v", err)
			}
		})
	}
}

func TestLeavingAStreamEndsTheExchange(t *testing.T) {
	gone := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		events(false, textDelta("Hel"))(w, r)
		<-r.Context().Done()
		close(gone)
	})
	for d, err := range s.client(t, nil).Stream(context.Background(), []chat.Message{user("Hi")}, weather(), chat.Options{}) {
		if err != nil || d.Text != "Hel" {
			t.Errorf("got %+v, %v, want the first text", d, err)
		}
		break
	}
	<-gone
}

func TestRefusesBeforeContact(t *testing.T) {
	s := serve(t, plain("{}"))
	_, done, err := drain(t, s.client(t, nil).Stream(context.Background(), turn("", "call_g", `7`), weather(), chat.Options{}))
	if _, ok := errors.AsType[*chat.ConfigError](err); !ok || done != nil || said(err) != chat.ReplayMessage {
		t.Errorf("got %v, want the constant refusal", err)
	}
	_, err = s.client(t, nil).ChatWithTools(context.Background(), turn("", "call_g", `7`), weather(), chat.Options{})
	if _, ok := errors.AsType[*chat.ConfigError](err); !ok || said(err) != chat.ReplayMessage {
		t.Errorf("plain: got %v, want the constant refusal", err)
	}
	if n := len(s.requests()); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}
