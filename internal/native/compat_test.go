package native_test

import (
	"strings"
	"testing"

	"example.com/replaycheck/internal/native"
)

func sse(events ...string) string { return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n" }

func TestSignaturesOfTheOpenAICompatibleEndpoint(t *testing.T) {
	const (
		google = `"extra_content":{"google":{"thought_signature":"S"}}`
		vertex = `"extra_content":{"vertex":{"thought_signature":"S"}}`
	)
	chunk := func(delta string) string { return `{"choices":[{"delta":` + delta + `}]}` }
	for _, row := range []struct{ name, body, want string }{
		{"call", `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c",` + google + `,"function":{"name":"f","arguments":"{}"}},{"id":"d","function":{"name":"g"}}]}}]}`, `call f({})#c signed S; call g#d`},
		{"call on Vertex", `{"choices":[{"message":{"tool_calls":[{"id":"c",` + vertex + `,"function":{"name":"f","arguments":"{}"}}]}}]}`, `call f({})#c signed S`},
		{"text", `{"choices":[{"message":{"content":"a",` + google + `}}]}`, `text "a" signed S`},
		{"streamed text, first delta", sse(chunk(`{"role":"assistant","content":"a",`+google+`}`), chunk(`{"content":"b"}`)), `text "ab" signed S`},
		{"streamed text, late delta", sse(chunk(`{"content":"a"}`), chunk(`{"content":"b"}`), chunk(`{"content":"",`+google+`}`)), `text "ab" signed S`},
		{"streamed call without index", sse(chunk(`{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"},` + google + `}]}`)), `call f({})#c signed S`},
		{
			"streamed calls, late deltas without index", sse(chunk(`{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\""}}]}`), chunk(`{"tool_calls":[{"function":{"arguments":":1}"}}]}`),
				chunk(`{"tool_calls":[{`+google+`}]}`), chunk(`{"tool_calls":[{"id":"d","function":{"name":"g","arguments":"{}"}}]}`)), `call f({"a":1})#c signed S; call g({})#d`,
		},
		{
			"streamed calls, by index", sse(chunk(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f"}},{"index":1,"id":"d","function":{"name":"g"}}]}`),
				chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"},`+google+`},{"index":1,"function":{"arguments":"[]"}}]}`), chunk(`{"content":"t"}`)), `text "t"; call f({})#c signed S; call g([])#d`,
		},
		{"a delta of no call", sse(chunk(`{"tool_calls":[{"function":{"arguments":"{}"},` + google + `}]}`)), ``},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := native.ParseReply(native.GeminiOpenAI, row.body)
			if err != nil {
				t.Fatal(err)
			}
			if got := showParts(r.Parts); got != row.want {
				t.Errorf("got %s\nwant %s", got, row.want)
			}
		})
	}
	req, err := native.ParseRequest(native.GeminiOpenAI, `{"messages":[{"role":"user","content":"?"},{"role":"assistant","content":"a",`+google+`,"tool_calls":[{"id":"c",`+google+`,"function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"}]}`)
	if err != nil || len(req.Entries) != 3 || showParts(req.Entries[1].Parts) != `text "a" signed S; call f({})#c signed S` {
		t.Errorf("got %+v, %v", req.Entries, err)
	}
}

func showParts(parts []native.Part) string {
	var out []string
	for _, p := range parts {
		out = append(out, showPart(p))
	}
	return strings.Join(out, "; ")
}

func TestAnthropicMessages(t *testing.T) {
	const want = `thought "hm" signed S; reasoning signed D; text "a"; call f({"x":1})#toolu_1; call g({})#toolu_2`
	for _, row := range []struct{ name, body string }{
		{"plain", `{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"S"},{"type":"redacted_thinking","data":"D"},{"type":"text","text":"a"},` +
			`{"type":"tool_use","id":"toolu_1","name":"f","input":{"x":1}},null,{"type":"tool_use","id":"toolu_2","name":"g","input":{}}],"stop_reason":"tool_use"}`},
		{"events", sse(
			`{"type":"message_start","message":{"content":[]}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`, `{"type":"ping"}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"m"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S"}}`, `{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"D"}}`, `{"type":"content_block_stop","index":1}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"a"}}`,
			`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"x\""}}`, `{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":":1}"}}`,
			`{"type":"content_block_stop","index":3}`,
			`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_2","name":"g","input":{}}}`, `{"type":"content_block_stop","index":4}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`)},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := native.ParseReply(native.Anthropic, row.body)
			if err != nil {
				t.Fatal(err)
			}
			if got := showParts(r.Parts); got != want || r.Finish != "tool_use" {
				t.Errorf("got %s, %s\nwant %s", got, r.Finish, want)
			}
		})
	}
	req, err := native.ParseRequest(native.Anthropic, `{"messages":[{"role":"user","content":"?"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"S"},{"type":"tool_use","id":"t","name":"f","input":{}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"1"}]}]}]}`)
	if err != nil || len(req.Entries) != 3 || showParts(req.Entries[1].Parts) != `thought "hm" signed S; call f({})#t` || !req.Entries[2].Results() || req.Entries[2].Parts[0].Text != "1" {
		t.Errorf("got %+v, %v", req.Entries, err)
	}
	if r, err := native.ParseReply(native.Anthropic, sse(`{"type":"content_block_delta","delta":{"text":"a"}}`, `{"type":"content_block_stop"}`)); err != nil || len(r.Parts) != 0 {
		t.Errorf("got %+v, %v, want nothing of deltas without a block", r.Parts, err)
	}
}

// An opaque value that a stream gives in pieces is all of them, in order; the
// whole once more, or nothing, adds nothing.
func TestPiecesOfAnOpaqueValue(t *testing.T) {
	signature := func(pieces ...string) string {
		var b strings.Builder
		b.WriteString("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n")
		for _, p := range pieces {
			b.WriteString("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"" + p + "\"}}\n\n")
		}
		return b.String()
	}
	extra := func(pieces ...string) string {
		text := "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n"
		for _, p := range pieces {
			text += "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"extra_content\":{\"google\":{\"thought_signature\":\"" + p + "\"}}}]}}]}\n\n"
		}
		return text
	}
	for _, c := range []struct {
		name   string
		pieces []string
		want   string
	}{
		{"whole", []string{"abcd"}, "abcd"},
		{"three pieces", []string{"ab+/", "cd", "=="}, "ab+/cd=="},
		{"the whole again", []string{"abcd", "abcd"}, "abcd"},
		{"nothing after it", []string{"abcd", ""}, "abcd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for api, text := range map[native.API]string{native.Anthropic: signature(c.pieces...), native.GeminiOpenAI: extra(c.pieces...)} {
				reply, err := native.ParseReply(api, text)
				if err != nil || len(reply.Parts) != 1 {
					t.Fatalf("%s: got %d parts, error %v", api, len(reply.Parts), err)
				}
				if p := reply.Parts[0]; p.Sig.Text() != c.want || p.Value.Exists() {
					t.Errorf("%s: got %q, want %q, and no object, as none of it was sent", api, p.Sig.Text(), c.want)
				}
			}
		})
	}
}
