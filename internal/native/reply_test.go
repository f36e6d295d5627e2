package native_test

import (
	"strings"
	"testing"

	"example.com/replaycheck/internal/native"
)

func TestParseReply(t *testing.T) {
	sse := func(events ...string) string { return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n" }
	part := func(raw string) string { return `{"candidates":[{"content":{"parts":[` + raw + `]}}]}` }
	const finished = `{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"S"}]},"finishReason":"STOP"}],"usageMetadata":{}}`
	for _, row := range []struct {
		name, body   string
		api          native.API
		want, finish string
		calls        int
	}{
		{
			"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},null,"x",{"functionCall":{"name":"f","args":{}},"thoughtSignature":"S"},{}]},"finishReason":"STOP"},{"content":{"parts":[{"text":"other"}]}}]}`,
			native.Gemini, `text "a"; call f({}) signed S; part`, "STOP", 1,
		},
		{"gemini, pretty printed", "\n {\n\"candidates\": []}", native.Gemini, "", "", 0},
		{"gemini, blocked", `{"promptFeedback":{"blockReason":"SAFETY"}}`, native.Gemini, "", "", 0},
		{"gemini, the other spelling", `{"candidates":[{"content":{"parts":[{"function_call":{"name":"f"}}]},"finish_reason":"STOP"}]}`, native.Gemini, "call f", "STOP", 1},
		{"gemini, events", sse(part(`{"text":"a"}`), part(`{"functionCall":{"name":"f"}}`), finished), native.Gemini, `text "a"; call f; text signed S`, "STOP", 1},
		{"gemini, events after the finish reason", sse(finished, part(`{"text":"late"}`)), native.Gemini, `text signed S; text "late"`, "STOP", 0},
		{"gemini, a list", "[" + part(`{"text":"a"}`) + ",\r\n" + finished + "\n]", native.Gemini, `text "a"; text signed S`, "STOP", 0},
		{
			"gemini, events of two candidates", sse(
				`{"candidates":[{"index":1,"content":{"parts":[{"text":"other"}]},"finishReason":"STOP"}]}`,
				`{"candidates":[{"index":1,"content":{"parts":[{"text":"other"}]}},{"index":0,"content":{"parts":[{"text":"a"}]}}]}`,
				`{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"MAX_TOKENS"}]}`),
			native.Gemini, `text "a"; text "b"`, "MAX_TOKENS", 0,
		},
		{"responses, a call cut short", `{"status":"incomplete","output":[{"type":"function_call","status":"incomplete","call_id":"c","name":"f","arguments":"{"}]}`, native.Responses, `call f({)#c`, "incomplete", 0},
		{"gemini, an empty list", "[]", native.Gemini, "", "", 0},
		{"nothing", "", native.Gemini, "", "", 0},
		{
			"responses", `{"status":"completed","output":[{"type":"reasoning","id":"rs_1","encrypted_content":"E"},null,{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}]}`,
			native.Responses, `reasoning signed E; call f({})#c`, "completed", 1,
		},
		{
			"responses, events", sse(
				`{"type":"response.created","response":{"output":[]}}`,
				`{"type":"response.output_item.added","item":{"type":"reasoning","id":"rs_1","encrypted_content":"E1"}}`,
				`{"type":"response.output_item.done","item":{"type":"reasoning","id":"rs_1","encrypted_content":"E2"}}`,
				`{"type":"response.output_item.done","item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}}`,
				`{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","id":"rs_1","encrypted_content":"E3"},{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}]}}`),
			native.Responses, `reasoning signed E3 minted ["E1" "E2"]; call f({})#c minted [""]`, "completed", 1,
		},
		{
			"responses, cut before the end", sse(`{"type":"response.output_item.done","item":{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"a"}]}}`),
			native.Responses, `text "a"`, "", 0,
		},
		{"responses, incomplete", sse(`{"type":"response.incomplete","response":{"status":"incomplete","output":[{"type":"message","role":"assistant","content":[]}]}}`), native.Responses, "text", "incomplete", 0},
		{"responses, events that hold no item", sse(`{"type":"response.output_item.done","item":null}`, `{"type":"response.output_text.delta","delta":"a"}`), native.Responses, "", "", 0},
		{
			"chat", `{"choices":[{"message":{"role":"assistant","content":"a","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			native.Chat, `text "a"; call f({})#c`, "tool_calls", 1,
		},
		{
			"chat, events", sse(
				`{"choices":[{"delta":{"role":"assistant","content":""}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"d","function":{"name":"g","arguments":"{}"}}]}}]}`,
				`{"choices":[{"delta":{"content":"a"}}]}`, `{"choices":[{"delta":{"content":"b"}}]}`,
				`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, `{"choices":[],"usage":{}}`, `[DONE]`),
			native.Chat, `text "ab"; call f({"a":1})#c; call g({})#d`, "tool_calls", 2,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := native.ParseReply(row.api, row.body)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range r.Parts {
				got = append(got, showPart(p))
			}
			if s := strings.Join(got, "; "); s != row.want || r.Finish != row.finish || len(r.Calls()) != row.calls || r.API != row.api {
				t.Errorf("got %s, %q, %d calls\nwant %s, %q, %d calls", s, r.Finish, len(r.Calls()), row.want, row.finish, row.calls)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	const (
		reasoning = `{"type":"reasoning","encrypted_content":"E"}`
		message   = `{"type":"message","role":"assistant","content":"a"}`
		call      = `{"type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{}"}`
		cut       = `{"type":"function_call","status":"incomplete","call_id":"d","name":"f","arguments":"{"}`
	)
	for _, row := range []struct {
		name       string
		items      []string
		back, tail int
	}{
		{"nothing", nil, 0, 0},
		{"whole", []string{reasoning, message, reasoning, call}, 4, 0},
		{"reasoning alone", []string{reasoning}, 0, 1},
		{"reasoning at the end", []string{reasoning, message, reasoning, reasoning}, 2, 2},
		{"a cut call", []string{reasoning, call, cut}, 2, 1},
		{"a cut call and its reasoning", []string{reasoning, message, reasoning, cut}, 2, 2},
		{"what came after a cut call", []string{message, cut, message}, 1, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := native.ParseReply(native.Responses, `{"output":[`+strings.Join(row.items, ",")+`]}`)
			if err != nil {
				t.Fatal(err)
			}
			if back, tail := r.Split(); len(back) != row.back || len(tail) != row.tail {
				t.Errorf("got %d and %d parts, want %d and %d", len(back), len(tail), row.back, row.tail)
			}
		})
	}
}

func TestParseReplyRefuses(t *testing.T) {
	for _, row := range []struct {
		api  native.API
		body string
		want string
	}{
		{native.Gemini, `{"candidates":`, "wire: invalid JSON at byte 14: expected a value"},
		{native.Gemini, `{} {}`, "wire: invalid JSON at byte 3: expected the end of the text"},
		{native.Gemini, `[{}`, "unexpected EOF"},
		{native.Gemini, "data: {\n\n", "wire: invalid JSON at byte 1: expected a member name"},
		{native.Chat, "data: <html>\n\n", "wire: invalid JSON at byte 0: expected a value"},
		{"", `{}`, `native: read reply: got API "", want one of ["gemini" "vertex" "gemini-openai" "responses" "chat" "anthropic"]`},
	} {
		if _, err := native.ParseReply(row.api, row.body); err == nil || err.Error() != row.want {
			t.Errorf("%q: got %v, want %s", row.body, err, row.want)
		}
	}
}

// What came before a stream broke is there: a broken reply is judged by it.
func TestParseReplyKeepsWhatCame(t *testing.T) {
	r, err := native.ParseReply(native.Gemini, `[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{"cand`)
	if err == nil || len(r.Parts) != 1 || r.Parts[0].Text != "a" {
		t.Errorf("got %+v, %v", r.Parts, err)
	}
}

func FuzzReply(f *testing.F) {
	for _, seed := range []string{
		`{"candidates":[{"content":{"parts":[{"text":"a"},{}]},"finishReason":"STOP"}]}`, "data: {\"output\":[{}]}\n\n", `[{"candidates":[]}]`, `data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"x"}}]}}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, api := range native.APIs() {
			a, errA := native.ParseReply(api, body)
			b, errB := native.ParseReply(api, body)
			if (errA == nil) != (errB == nil) || len(a.Parts) != len(b.Parts) || a.Finish != b.Finish {
				t.Errorf("%s: read twice, got %d and %d parts", api, len(a.Parts), len(b.Parts))
			}
			if _, err := native.ParseRequest(api, body); err != nil && errA == nil && strings.HasPrefix(body, "{") {
				t.Errorf("%s: a reply and no request: %v", api, err)
			}
		}
	})
}
