package sdktest_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"example.com/replaycheck/fakeserver"
)

const (
	claudeHead  = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5"`
	claudeUse   = claudeHead + `,"content":[{"type":"thinking","thinking":"hm","signature":"` + sig + `"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`
	claudeEnd   = claudeHead + `,"content":[{"type":"text","text":"done"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`
	claudeStart = claudeHead + `,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`
)

func claudeEvents(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		name, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
		b.WriteString("event: " + name + "\ndata: " + e + "\n\n")
	}
	return b.String()
}

func claudeReplies() []fakeserver.Reply {
	return []fakeserver.Reply{
		{Endpoint: fakeserver.Anthropic, Plain: claudeUse, Stream: claudeEvents(
			`{"type":"message_start","message":`+claudeStart+`}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"`+sig+`"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`,
			`{"type":"content_block_stop","index":1}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":1}}`,
			`{"type":"message_stop"}`,
		)},
		{Endpoint: fakeserver.Anthropic, Plain: claudeEnd, Stream: claudeEvents(
			`{"type":"message_start","message":`+claudeStart+`}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"ping"}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"done"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}`,
			`{"type":"message_stop"}`,
		)},
	}
}

func claude(p *fakeserver.Play) anthropic.Client {
	return anthropic.NewClient(option.WithAPIKey("k"), option.WithBaseURL(p.URL()), option.WithMaxRetries(0))
}

func claudeParams(history ...anthropic.MessageParam) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model: "claude-sonnet-4-5", MaxTokens: 2048, Thinking: anthropic.ThinkingConfigParamOfEnabled(1024),
		Messages: append([]anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("?"))}, history...),
	}
}

func TestAnthropic(t *testing.T) {
	for _, stream := range []bool{false, true} {
		p := fakeserver.New(t, fakeserver.Script{Replies: claudeReplies(), Enforce: true})
		c := claude(p)
		ask := func(params anthropic.MessageNewParams) anthropic.Message {
			t.Helper()
			if !stream {
				m, err := c.Messages.New(t.Context(), params)
				if err != nil {
					t.Fatal(err)
				}
				return *m
			}
			var m anthropic.Message
			s := c.Messages.NewStreaming(t.Context(), params)
			for s.Next() {
				if err := m.Accumulate(s.Current()); err != nil {
					t.Fatal(err)
				}
			}
			if s.Err() != nil {
				t.Fatal(s.Err())
			}
			return m
		}
		turn := ask(claudeParams())
		use := turn.Content[1].AsToolUse()
		m := ask(claudeParams(turn.ToParam(), anthropic.NewUserMessage(anthropic.NewToolResultBlock(use.ID, "1", false))))
		if m.Content[0].Text != "done" || turn.Content[0].AsThinking().Signature != sig || string(use.Input) != `{"a":1}` {
			t.Errorf("got %+v, then %+v", turn, m)
		}
		for _, x := range p.Record().Exchanges {
			if x.Refusal != nil || x.Stream != stream {
				t.Errorf("got %+v with refusal %+v", x, x.Refusal)
			}
		}
	}
}

func TestAnthropicReadsRefusals(t *testing.T) {
	p := fakeserver.New(t, fakeserver.Script{Before: claudeReplies(), Enforce: true})
	c := claude(p)
	_, err := c.Messages.New(t.Context(), claudeParams(
		anthropic.NewAssistantMessage(anthropic.NewToolUseBlock("toolu_1", map[string]any{"a": 1}, "f")), anthropic.NewUserMessage(anthropic.NewToolResultBlock("toolu_1", "1", false)),
	))
	e, ok := errors.AsType[*anthropic.Error](err)
	if !ok || e.StatusCode != http.StatusBadRequest || !strings.Contains(e.RawJSON(), "Expected `thinking` or `redacted_thinking`, but found `tool_use`") {
		t.Errorf("got %v", err)
	}
	_, err = c.Messages.New(t.Context(), claudeParams(
		anthropic.NewAssistantMessage(anthropic.NewThinkingBlock("invented", "hm"), anthropic.NewToolUseBlock("toolu_1", map[string]any{"a": 1}, "f")),
		anthropic.NewUserMessage(anthropic.NewToolResultBlock("toolu_1", "1", false)),
	))
	if e, ok := errors.AsType[*anthropic.Error](err); !ok || !strings.Contains(e.RawJSON(), "messages.1.content.0: Invalid `signature` in `thinking` block") {
		t.Errorf("got %v", err)
	}
}

func TestAnthropicAsksBesideTheConversation(t *testing.T) {
	p := fakeserver.New(t, fakeserver.Script{})
	c := claude(p)
	n, err := c.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{Model: "claude-sonnet-4-5", Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello"))}})
	if err != nil || n.InputTokens < 1 {
		t.Errorf("got %+v, %v", n, err)
	}
	page, err := c.Models.List(t.Context(), anthropic.ModelListParams{})
	if err != nil || len(page.Data) != 1 {
		t.Errorf("got %+v, %v", page, err)
	}
	if m, err := c.Models.Get(t.Context(), "claude-x", anthropic.ModelGetParams{}); err != nil || m.ID != "claude-x" {
		t.Errorf("got %+v, %v", m, err)
	}
}
