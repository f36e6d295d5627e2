package sdktest_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
)

func openaiClient(p *fakeserver.Play, version string) openai.Client {
	return openai.NewClient(option.WithAPIKey("k"), option.WithBaseURL(p.URL()+version))
}

// scripted is the script of a scenario.
func scripted(t *testing.T, id string) fakeserver.Script {
	t.Helper()
	all, err := fixtures.All()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(s *fixtures.Scenario) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("got no scenario %s", id)
	}
	return fakeserver.FromScenario(all[i], "")
}

func question(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: "gpt-6-sol", Store: openai.Bool(false), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
}

// What was scripted by hand is what the SDK reads, plain and from the events.
func TestOpenAIResponses(t *testing.T) {
	p := fakeserver.New(t, scripted(t, "openai/single-call"))
	c := openaiClient(p, "/v1/")
	plain, err := c.Responses.New(t.Context(), question("?"))
	if err != nil {
		t.Fatal(err)
	}
	stream := c.Responses.NewStreaming(t.Context(), question("?"))
	var streamed *responses.Response
	kinds := map[string]int{}
	for stream.Next() {
		ev := stream.Current()
		kinds[ev.Type]++
		if ev.Type == "response.completed" {
			r := ev.AsResponseCompleted().Response
			streamed = &r
		}
	}
	if stream.Err() != nil || streamed == nil {
		t.Fatal(stream.Err(), kinds)
	}
	if got := plain.Output[1].AsFunctionCall(); plain.Output[0].Type != "reasoning" || plain.Output[0].AsReasoning().EncryptedContent == "" || got.Name != "weather" || got.Arguments != `{"city":"Leipzig"}` {
		t.Errorf("got %+v", plain.Output)
	}
	if streamed.OutputText() == "" || kinds["response.output_text.delta"] == 0 {
		t.Errorf("got %q of events %v", streamed.OutputText(), kinds)
	}
}

func TestOpenAIReadsRefusals(t *testing.T) {
	script := scripted(t, "openai/single-call")
	script.Enforce, script.Replies = true, nil
	p := fakeserver.New(t, script)
	c := openaiClient(p, "/v1/")
	_, err := c.Responses.New(t.Context(), question("?"), option.WithRequestBody("application/json",
		[]byte(`{"model":"gpt-6-sol","store":false,"input":[{"role":"user","content":"?"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAABforeign=="}]}`)))
	e, ok := errors.AsType[*openai.Error](err)
	if !ok || e.StatusCode != http.StatusBadRequest || e.Code != "invalid_encrypted_content" || e.Type != "invalid_request_error" ||
		e.Message != "The encrypted content gAAA...gn== could not be verified. Reason: Encrypted content could not be decrypted or parsed." {
		t.Errorf("got %#v", err)
	}
	_, err = c.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "gpt-6-sol", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("?"), openai.ToolMessage("1", "call_1")}})
	if e, ok := errors.AsType[*openai.Error](err); !ok || e.Param != "messages.[1].role" || !strings.HasPrefix(e.Message, "Invalid parameter: messages with role 'tool'") {
		t.Errorf("got %#v", err)
	}
}

// The SDK asks again after 429 and 503 and gets the reply.
func TestOpenAITriesAgain(t *testing.T) {
	reply := fakeserver.Reply{Endpoint: fakeserver.Chat, Plain: `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-6-sol","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`}
	late, broken := reply, reply
	late.Fault, broken.Fault = &fakeserver.Fault{Times: 1, Status: 429, RetryAfter: "0"}, &fakeserver.Fault{Times: 1, Reset: fakeserver.BeforeHeaders}
	p := fakeserver.New(t, fakeserver.Script{Replies: []fakeserver.Reply{late, broken}})
	c := openaiClient(p, "/v1/")
	for range 2 {
		r, err := c.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "gpt-6-sol", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("?")}})
		if err != nil || r.Choices[0].Message.Content != "hi" {
			t.Errorf("got %+v, %v", r, err)
		}
	}
	if n := len(p.Record().Exchanges); n != 4 {
		t.Errorf("got %d requests, want 4", n)
	}
}

// Gemini's signature comes through the SDK as an extra field: plain, on the
// first delta, and on a late one without an index.
func TestOpenAIOnGeminisEndpoint(t *testing.T) {
	const (
		extra = `"extra_content":{"google":{"thought_signature":"` + sig + `"}}`
		call  = `"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}`
		head  = `{"id":"1","created":1,"model":"gemini-3.8-flash","object":"chat.completion`
		plain = head + `","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[{` + call + `,` + extra + `}]}}]}`
		first = "data: " + head + `.chunk","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{` + call + `,` + extra + `}]},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
		late  = "data: " + head + `.chunk","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{` + call + `}]}}]}` + "\n\n" +
			"data: " + head + `.chunk","choices":[{"index":0,"delta":{"tool_calls":[{` + extra + `}]},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	)
	reply := func(stream string) fakeserver.Reply {
		return fakeserver.Reply{Endpoint: fakeserver.GeminiOpenAI, Plain: plain, Stream: stream}
	}
	p := fakeserver.New(t, fakeserver.Script{Replies: []fakeserver.Reply{reply(first), reply(first), reply(late)}, Enforce: true})
	c := openaiClient(p, "/v1beta/openai/")
	params := openai.ChatCompletionNewParams{Model: "gemini-3.8-flash", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("?")}}
	r, err := c.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Choices[0].Message.ToolCalls[0].RawJSON(); !strings.Contains(got, sig) {
		t.Errorf("got %q, want the signature", got)
	}
	for _, name := range []string{"first", "late"} {
		stream, seen := c.Chat.Completions.NewStreaming(t.Context(), params), ""
		for stream.Next() {
			for _, choice := range stream.Current().Choices {
				for _, tc := range choice.Delta.ToolCalls {
					seen += tc.RawJSON()
				}
			}
		}
		if stream.Err() != nil || !strings.Contains(seen, sig) {
			t.Errorf("%s: got %q, %v, want the signature", name, seen, stream.Err())
		}
	}
	// The SDK's own way back loses it, and the fake says so.
	params.Messages = append(params.Messages, r.Choices[0].Message.ToParam(), openai.ToolMessage("1", "call_1"))
	_, err = c.Chat.Completions.New(t.Context(), params)
	if e, ok := errors.AsType[*openai.Error](err); err != nil && (!ok || e.StatusCode != http.StatusBadRequest) {
		t.Errorf("got %#v", err)
	}
	x := p.Record().Exchanges[3]
	if lost := !strings.Contains(x.Body, sig); lost != (x.Refusal != nil && x.Refusal.Rule == "gemini/missing-signature") {
		t.Errorf("got %s with refusal %+v", x.Body, x.Refusal)
	}
}

func TestOpenAIAsksForModels(t *testing.T) {
	p := fakeserver.New(t, fakeserver.Script{})
	c := openaiClient(p, "/v1/")
	page, err := c.Models.List(t.Context())
	if err != nil || len(page.Data) != 3 || page.Data[2].ID != "gpt-6-sol" {
		t.Errorf("got %+v, %v", page, err)
	}
	if m, err := c.Models.Get(t.Context(), "gpt-6-sol"); err != nil || m.ID != "gpt-6-sol" {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestOpenAIAsksForEmbeddings(t *testing.T) {
	p := fakeserver.New(t, fakeserver.Script{})
	for _, version := range []string{"/v1/", "/v1beta/openai/"} {
		c := openaiClient(p, version)
		r, err := c.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
			Model: "text-embedding-3-small", Dimensions: openai.Int(3), Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a", "b"}},
		})
		if err != nil || len(r.Data) != 2 || r.Data[1].Index != 1 || len(r.Data[1].Embedding) != 3 || slices.Equal(r.Data[0].Embedding, r.Data[1].Embedding) {
			t.Errorf("%s: got %+v, %v", version, r, err)
		}
	}
}
