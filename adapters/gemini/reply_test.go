package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/gemini"
)

const sig = `"thoughtSignature":"c2ln+/=="`

// replyRows: parts of a reply, the carrier's parts (nil: no carrier), the calls.
var replyRows = []struct {
	name  string
	parts []string
	kept  []string
	calls []string // name and arguments
	bound []string // native IDs
}{
	{"REPLAY-02 unsigned text", []string{`{"text":"a"}`}, nil, nil, nil},
	{"REPLAY-02 no parts", nil, nil, nil, nil},
	{"REPLAY-02 signed text", []string{`{"text":"a",` + sig + `}`}, []string{`{"text":"a",` + sig + `}`}, nil, nil},
	{"REPLAY-02 signature null", []string{`{"text":"a","thoughtSignature":null}`}, []string{`{"text":"a","thoughtSignature":null}`}, nil, nil},
	{"REPLAY-02 signature on a part without text", []string{`{"text":"a"}`, `{` + sig + `}`}, []string{`{"text":"a"}`, `{` + sig + `}`}, nil, nil},
	{"REPLAY-02 a signature below is none", []string{`{"text":"a","x":{` + sig + `}}`}, nil, nil, nil},
	{"REPLAY-02 a functionCall that is no call", []string{`{"functionCall":{"name":"","id":""}}`, `{"functionCall":{}}`, `{"functionCall":"w"}`, `{"functionCall":{"name":7}}`}, nil, nil, nil},
	{"REPLAY-01 unsigned call", []string{`{"functionCall":{"name":"w","args":{"c": 1.0}}}`}, []string{`{"functionCall":{"name":"w","args":{"c": 1.0}}}`}, []string{`w {"c": 1.0}`}, nil},
	{
		"REPLAY-01 every object, no other",
		[]string{`{}`, `null`, `{"text":"a"}`, `"b"`, `7`, `[{"text":"c"}]`, `true`, `{"functionCall":{"name":"w"},"nativeExtension":{"<":[9007199254740993]}}`, `{"x":1,"x":2}`},
		[]string{`{}`, `{"text":"a"}`, `{"functionCall":{"name":"w"},"nativeExtension":{"<":[9007199254740993]}}`, `{"x":1,"x":2}`},
		[]string{`w {}`},
		nil,
	},
	{"equal parallel calls", []string{`{"functionCall":{"name":"w","args":{}},` + sig + `}`, `{"functionCall":{"name":"w","args":{}}}`}, []string{`{"functionCall":{"name":"w","args":{}},` + sig + `}`, `{"functionCall":{"name":"w","args":{}}}`}, []string{`w {}`, `w {}`}, nil},
	{"CALLID-01 bindings", []string{`{"functionCall":{"id":"a","name":"w"}}`, `{"functionCall":{"name":"w"}}`, `{"functionCall":{"name":"v","id":"b\n"}}`}, []string{`{"functionCall":{"id":"a","name":"w"}}`, `{"functionCall":{"name":"w"}}`, `{"functionCall":{"name":"v","id":"b\n"}}`}, []string{`w {}`, `w {}`, `v {}`}, []string{`"a"`, "", `"b\n"`}},
	{"list and null arguments", []string{`{"functionCall":{"name":"w","args":[1]}}`, `{"functionCall":{"name":"w","args":null}}`}, []string{`{"functionCall":{"name":"w","args":[1]}}`, `{"functionCall":{"name":"w","args":null}}`}, []string{`w [1]`, `w null`}, nil},
	{"arguments that are not UTF-8", []string{"{\"functionCall\":{\"name\":\"w\",\"args\":{\"a\":\"\xff\"}}}"}, []string{"{\"functionCall\":{\"name\":\"w\",\"args\":{\"a\":\"\xff\"}}}"}, []string{"w {\"a\":\"\ufffd\"}"}, nil},
	{"pretty-printed", []string{"{\n  \"functionCall\" : { \"name\":\"w\" } \n}"}, []string{"{\n  \"functionCall\" : { \"name\":\"w\" } \n}"}, []string{`w {}`}, nil},
}

func TestCarrierAndCalls(t *testing.T) {
	grammar := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	for _, row := range replyRows {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				c := ask(t, kind.name, row.parts)
				var calls, bindings []string
				seen := map[string]bool{}
				for i, call := range c.ToolCalls {
					calls = append(calls, call.Name+" "+call.Arguments)
					if seen[call.ID] || !grammar.MatchString(call.ID) {
						t.Errorf("public ID %q", call.ID)
					}
					seen[call.ID] = true
					if i < len(row.bound) && row.bound[i] != "" {
						bindings = append(bindings, `{"tool_call_id":"`+call.ID+`","native_id":`+row.bound[i]+`}`)
					}
				}
				if diff := cmp.Diff(row.calls, calls); diff != "" {
					t.Error(diff)
				}
				want := ""
				if row.kept != nil {
					want = capsule(strings.Join(row.kept, ","))
				}
				if bindings != nil {
					want = bound(strings.Join(row.kept, ","), strings.Join(bindings, ","))
				}
				got, has := c.Metadata[chat.ItemsKey]
				if string(got) != want || has != (row.kept != nil) {
					t.Errorf("carrier\ngot  %s\nwant %s", got, want)
				}
				// What was kept can be sent.
				m := c.Message()
				if len(m.ToolCalls) > 0 {
					results := []chat.Message{user("hi"), m}
					for _, call := range m.ToolCalls {
						results = append(results, tool(call.ID, "{}"))
					}
					build(t, results, nil, chat.Options{})
				}
			})
		}
	}
}

func TestCompletion(t *testing.T) {
	const meta = `"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3,"thoughtsTokenCount":5,"totalTokenCount":15,"x":[]},"modelVersion":"gemini-3.8-flash-001"`
	head := func(finish string, parts string) string {
		return `{"candidates":[{"content":{"parts":[` + parts + `]}` + finish + `},{"content":{"parts":[{"text":"other"}]},"finishReason":"MAX_TOKENS","index":1}],` + meta + `}`
	}
	usage := chat.Usage{InputTokens: 7, OutputTokens: 3, ThinkingTokens: 5, TotalTokens: 15}
	thought := "T"
	for _, row := range []struct {
		name, body string
		want       chat.Completion
	}{
		{
			"stop", head(`,"finishReason":"STOP"`, `{"text":"T","thought":true},{"text":"a"}`),
			chat.Completion{Content: "a", Thinking: &thought, Usage: usage, Model: "gemini-3.8-flash-001", FinishReason: "stop"},
		},
		{
			"calls", head(`,"finishReason":"STOP"`, `{"text":"<think>T</think>a"},{"functionCall":{"name":"w"}}`),
			chat.Completion{
				Content: "a", Thinking: &thought, Usage: usage, Model: "gemini-3.8-flash-001", FinishReason: "tool_calls", ToolCalls: []chat.ToolCall{{Name: "w", Arguments: "{}"}},
				Metadata: map[string]json.RawMessage{chat.ItemsKey: json.RawMessage(capsule(`{"text":"<think>T</think>a"},{"functionCall":{"name":"w"}}`))},
			},
		},
		{"length", head(`,"finishReason":"MAX_TOKENS"`, `{"text":"a"}`), chat.Completion{Content: "a", Usage: usage, Model: "gemini-3.8-flash-001", FinishReason: "length"}},
		{"filter", head(`,"finishReason":"SAFETY"`, ``), chat.Completion{Usage: usage, Model: "gemini-3.8-flash-001", FinishReason: "content_filter"}},
		{"its own word", head(`,"finishReason":"MALFORMED_FUNCTION_CALL"`, ``), chat.Completion{Usage: usage, Model: "gemini-3.8-flash-001", FinishReason: "MALFORMED_FUNCTION_CALL"}},
		{"bare", `{"candidates":[{"finishReason":"STOP"}]}`, chat.Completion{Model: "gemini-3.8-flash", FinishReason: "stop"}},
		{"nulls", `{"candidates":[{"finishReason":"STOP","content":null}],"usageMetadata":null,"modelVersion":null,"error":null}`, chat.Completion{Model: "gemini-3.8-flash", FinishReason: "stop"}},
		{"parts null, odd usage", `{"candidates":[{"finishReason":"STOP","content":{"parts":null}}],"usageMetadata":{"promptTokenCount":"7","totalTokenCount":1.5}}`, chat.Completion{Model: "gemini-3.8-flash", FinishReason: "stop"}},
		{"a count that no number holds", `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"totalTokenCount":99999999999999999999}}`, chat.Completion{Usage: chat.Usage{InputTokens: 7}, Model: "gemini-3.8-flash", FinishReason: "stop"}},
		{"lone surrogate in public text", reply(`{"text":"a\ud800b"}`), chat.Completion{Content: "a\ufffdb", Model: "gemini-3.8-flash", FinishReason: "stop"}},
	} {
		row.want.Provider = "gemini"
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				answer := plain(row.body)
				if kind.stream {
					answer = streamed(row.body)
				}
				c, err := kind.do(client(t, newProvider(t, answer), nil), context.Background(), []chat.Message{user("hi")}, chat.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(row.want, c, cmpopts.IgnoreFields(chat.ToolCall{}, "ID")); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			})
		}
	}
}

// TestFinishReasons: the provider's words for "not allowed" become one.
func TestFinishReasons(t *testing.T) {
	for _, word := range []string{"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"} {
		p := newProvider(t, plain(`{"candidates":[{"finishReason":"`+word+`"}]}`))
		c, err := client(t, p, nil).Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{})
		if err != nil || c.FinishReason != "content_filter" {
			t.Errorf("%s: got %q, %v", word, c.FinishReason, err)
		}
	}
}

func TestRawCapture(t *testing.T) { // REPLAY-02
	for _, part := range []string{`{"text":"<a>\u2028"}`, `{"text":"a",` + sig + `}`} {
		text := " " + reply(part) + "\n"
		p := newProvider(t, plain(text), plain(text), streamed(piece(part), reply()))
		c := client(t, p, nil)
		without, err := c.Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{})
		if err != nil {
			t.Fatal(err)
		}
		with, err := c.Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{RawCapture: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(with.Metadata[chat.RawKey]); got != reply(part) {
			t.Errorf("captured %s", got)
		}
		if without.Metadata[chat.RawKey] != nil || string(with.Metadata[chat.ItemsKey]) != string(without.Metadata[chat.ItemsKey]) {
			t.Errorf("the carrier depends on the capture: %s, %s", with.Metadata, without.Metadata)
		}
		_, done, err := drain(c, context.Background(), []chat.Message{user("hi")}, nil, chat.Options{RawCapture: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(done.Metadata[chat.RawKey]); got != "["+piece(part)+","+reply()+"]" {
			t.Errorf("captured %s", got)
		}
	}
}

const refusal = "secret c2ln+/=="

// rejectedRows are replies with a status of 200 that are no completion.
var rejectedRows = []struct{ name, body, want string }{
	{"finish reason", `{"candidates":[{"content":{"parts":[{"text":"` + refusal + `"}]},"finishReason":"MISSING_THOUGHT_SIGNATURE"}]}`, "gemini: response 200 (MISSING_THOUGHT_SIGNATURE): a thought signature is missing, body {candidates}"},
	{"finish reason without content", `{"candidates":[{"finishReason":"MISSING_THOUGHT_SIGNATURE"}],"modelVersion":"x"}`, "gemini: response 200 (MISSING_THOUGHT_SIGNATURE): a thought signature is missing, body {candidates,modelVersion}"},
	{"CALLID-04 null", reply(`{"functionCall":{"id":null,"name":"w"}}`), "gemini: response 200: a function call has an ID that is empty, not a string or not its own, body a reply"},
	{"CALLID-04 empty", reply(`{"functionCall":{"id":"","name":"w"}}`), "gemini: response 200: a function call has an ID that is empty, not a string or not its own, body a reply"},
	{"CALLID-04 number", reply(`{"functionCall":{"id":7,"name":"w"}}`), "gemini: response 200: a function call has an ID that is empty, not a string or not its own, body a reply"},
	{"CALLID-04 again", reply(`{"functionCall":{"id":"a","name":"w"}}`, `{"functionCall":{"id":"\u0061","name":"v"}}`), "gemini: response 200: a function call has an ID that is empty, not a string or not its own, body a reply"},
	{"no JSON", `{"candidates":` + refusal, "gemini: response 200: the reply is not JSON, body text"},
	{"scalar", `{"candidates":[7]}`, "gemini: response 200: the reply does not have the shape of one, body {candidates}"},
	{"candidates object", `{"candidates":{"secret":1}}`, "gemini: response 200: the reply does not have the shape of one, body {candidates{?}}"},
	{"content", `{"candidates":[{"content":"` + refusal + `"}]}`, "gemini: response 200: the reply does not have the shape of one, body {candidates}"},
	{"parts", `{"candidates":[{"content":{"parts":{}}}]}`, "gemini: response 200: the reply does not have the shape of one, body {candidates}"},
	{"blocked", `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, "gemini: response 200 (PROHIBITED_CONTENT): the prompt was blocked, body {promptFeedback{?}}"},
	{"number", `7`, "gemini: response 200: the reply does not have the shape of one, body number"},
	{"error with the least status", `{"error":{"code":400}}`, "gemini: response 400, body {error{code}}"},
	{"error with the greatest status", `{"error":{"code":599}}`, "gemini: response 599, body {error{code}}"},
	{"error with a status that is none", `{"error":{"code":600}}`, "gemini: response 200, body {error{code}}"},
	{"error in a good status", `{"error":{"code":503,"message":"` + refusal + `","status":"UNAVAILABLE"}}`, "gemini: response 503 (UNAVAILABLE), body {error{code,message,status}}"},
}

func TestRejectedReplies(t *testing.T) {
	for _, row := range rejectedRows {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				answer := plain(row.body)
				if kind.stream {
					answer = streamed(row.body)
				}
				p := newProvider(t, answer)
				c, err := kind.do(client(t, p, nil), context.Background(), []chat.Message{user("hi")}, chat.Options{RawCapture: true})
				wantResponseError(t, err, row.want)
				if diff := cmp.Diff(chat.Completion{}, c); diff != "" {
					t.Errorf("a completion beside the error: %s", diff)
				}
				p.only(t)
			})
		}
	}
}

func TestNoCandidate(t *testing.T) {
	for _, text := range []string{`{}`, `{"candidates":[]}`, `{"candidates":null}`} {
		p := newProvider(t, plain(text), streamed(text))
		_, err := client(t, p, nil).Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{})
		if _, ok := errors.AsType[*chat.ResponseError](err); !ok || !strings.Contains(err.Error(), "the reply has no candidate") {
			t.Errorf("%s: got %v", text, err)
		}
		_, done, err := drain(client(t, p, nil), context.Background(), []chat.Message{user("hi")}, nil, chat.Options{})
		if _, ok := errors.AsType[*chat.ConnectionError](err); !ok || done != nil {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func wantResponseError(t *testing.T, err error, want string) {
	t.Helper()
	if _, ok := errors.AsType[*chat.ResponseError](err); !ok {
		t.Fatalf("got %v (%T), want a *chat.ResponseError", err, err)
	}
	if err.Error() != want {
		t.Errorf("got  %q\nwant %q", err, want)
	}
	for _, secret := range []string{"secret", "c2ln", key} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error quotes %q: %v", secret, err)
		}
	}
}

// TestErrorAnswers: the provider's wording becomes a reason of ours.
func TestErrorAnswers(t *testing.T) {
	provider := func(message string) string {
		return `{"error":{"code":400,"message":"` + message + `","status":"INVALID_ARGUMENT"}}`
	}
	for _, row := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"missing signature", 400, provider("Function call is missing a thought_signature in functionCall parts. `default_api:secret`"), "gemini: response 400 (INVALID_ARGUMENT): a thought signature is missing, body {error{code,message,status}}"},
		{"corrupted, in a list", 400, "[" + provider("Corrupted thought signature.") + "]", "gemini: response 400 (INVALID_ARGUMENT): a thought signature is corrupted, body [{error{code,message,status}}]"},
		{"not base64", 400, provider(`Invalid value at 'x' (TYPE_BYTES), Base64 decoding failed for \"c2ln\"`), "gemini: response 400 (INVALID_ARGUMENT): a thought signature is not base64, body {error{code,message,status}}"},
		{"unknown wording", 400, provider(refusal), "gemini: response 400 (INVALID_ARGUMENT), body {error{code,message,status}}"},
		{"odd status word", 429, `{"error":{"status":"` + refusal + `"}}`, "gemini: response 429, body {error{status}}"},
		{"text", 502, "<html>" + refusal, "gemini: response 502, body text"},
		{"empty", 500, "", "gemini: response 500, body empty"},
		{"least redirect", 300, refusal, "gemini: response 300: redirects are not followed, body text"},
		{"redirect", 307, refusal, "gemini: response 307: redirects are not followed, body text"},
	} {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				p := newProvider(t, status(row.status, "application/json", row.body))
				_, err := kind.do(client(t, p, nil), context.Background(), []chat.Message{user("hi")}, chat.Options{})
				wantResponseError(t, err, row.want)
				p.only(t)
			})
		}
	}
}

// TestGreatestGoodStatus: all of 200 to 299 is an answer.
func TestGreatestGoodStatus(t *testing.T) {
	for _, kind := range kinds {
		text := reply(`{"text":"a"}`)
		if kind.stream {
			text = "[" + text + "]"
		}
		p := newProvider(t, status(299, "application/json", text))
		if done, err := kind.do(client(t, p, nil), context.Background(), []chat.Message{user("hi")}, chat.Options{}); err != nil || done.Content != "a" {
			t.Errorf("%s: got %+v, %v", kind.name, done, err)
		}
	}
}

func TestToolLoop(t *testing.T) { // REPLAY-05: signatures of both steps, from socket to socket
	step := func(n string) string {
		return `{ "functionCall" : {"id":"fc-` + n + `","name":"w","args":{"n":` + n + `.0, "s":"\u003c<"}} , "thoughtSignature":"c2ln` + n + `+/=="}`
	}
	for _, stream := range []bool{false, true} {
		answer := plain
		if stream {
			answer = func(text string) http.HandlerFunc { return streamed(text) }
		}
		p := newProvider(t, answer(reply(step("1"))), answer(reply(step("2"))), answer(reply(`{"text":"done"}`)))
		c := client(t, p, nil)
		messages := []chat.Message{user("hi")}
		for {
			done, err := next(c, stream, messages)
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, done.Message())
			if len(done.ToolCalls) == 0 {
				break
			}
			for _, call := range done.ToolCalls {
				messages = append(messages, tool(call.ID, `{"ok":1}`))
			}
			text, err := chat.EncodeTranscript(messages) // stored and read again
			if err != nil {
				t.Fatal(err)
			}
			if messages, err = chat.DecodeTranscript(text); err != nil {
				t.Fatal(err)
			}
		}
		seen := p.seen()
		if len(seen) != 3 {
			t.Fatalf("got %d requests", len(seen))
		}
		result := func(n string) string {
			return `{"role":"user","parts":[{"functionResponse":{"id":"fc-` + n + `","name":"w","response":{"ok":1}}}]}`
		}
		want := `{"contents":[` + hi + `,{"role":"model","parts":[` + step("1") + `]},` + result("1") + `,{"role":"model","parts":[` + step("2") + `]},` + result("2") + `]`
		if got := seen[2].body; !strings.HasPrefix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func next(c *gemini.Client, stream bool, messages []chat.Message) (chat.Completion, error) {
	if !stream {
		return c.ChatWithTools(context.Background(), messages, tools, chat.Options{})
	}
	_, done, err := drain(c, context.Background(), messages, tools, chat.Options{})
	if err != nil {
		return chat.Completion{}, err
	}
	return *done, nil
}
