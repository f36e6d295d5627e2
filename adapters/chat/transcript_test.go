package chat_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
)

// nativeItems holds everything that encoding/json would rewrite.
const nativeItems = "[{\"type\":\"x\",  \"parts\":[{\"text\":\"<a> & \u2028 \\/ \\u00e9 \\ud800\",\"n\":1.0,\"e\":1e3,\"big\":9007199254740993,\"n\":2}]}\n]"

func conversation() []chat.Message {
	return []chat.Message{
		{Role: chat.System, Content: "be <brief> & kind"},
		{Role: chat.User, Content: "weather\tin \"Leipzig\"?\u2028"},
		{
			Role: chat.Assistant, Content: "", ProviderItems: json.RawMessage(nativeItems),
			ToolCalls: []chat.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"city": "Leipzig","n":1.0}`}, {ID: "call_2", Name: "time", Arguments: ""}},
		},
		{Role: chat.Tool, ToolCallID: "call_1", Content: `{"c":7}`},
		{Role: chat.Tool, ToolCallID: "call_2", Content: ""},
		{Role: chat.Assistant, Content: "7 °C", ProviderItems: json.RawMessage(`[]`)},
	}
}

const wireShape = `[{"role":"system","content":"be <brief> & kind"},` +
	"{\"role\":\"user\",\"content\":\"weather\\tin \\\"Leipzig\\\"?\u2028\"}," +
	`{"role":"assistant","content":"","tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Leipzig\",\"n\":1.0}"}},` +
	`{"id":"call_2","type":"function","function":{"name":"time","arguments":""}}]},` +
	`{"role":"tool","content":"{\"c\":7}","tool_call_id":"call_1"},` +
	`{"role":"tool","content":"","tool_call_id":"call_2"},` +
	`{"role":"assistant","content":"7 °C"}]`

func TestEncode(t *testing.T) {
	stored, err := chat.EncodeTranscript(conversation())
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(wireShape, `"arguments":""}}]}`, `"arguments":""}}],"provider_items":`+nativeItems+`}`, 1)
	want = strings.Replace(want, `"7 °C"}`, `"7 °C","provider_items":[]}`, 1)
	if diff := cmp.Diff(`{"schema":"nrllm/v1","messages":`+want+`}`, stored); diff != "" {
		t.Errorf("stored shape: -want +got\n%s", diff)
	}
	got, err := chat.EncodeWire(conversation())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wireShape, got); diff != "" {
		t.Errorf("wire shape: -want +got\n%s", diff)
	}
	if !json.Valid([]byte(stored)) || !json.Valid([]byte(got)) {
		t.Error("not JSON")
	}
}

func TestCarriersSurvive(t *testing.T) {
	for _, row := range []struct {
		name, message string
		want          json.RawMessage
	}{
		{"absent", `{"role":"assistant","content":"a"}`, nil},
		{"empty", `{"role":"assistant","content":"a","provider_items":[]}`, json.RawMessage(`[]`)},
		{"null is there", `{"role":"assistant","content":"a","provider_items":null}`, json.RawMessage(`null`)},
		{"a string", `{"role":"assistant","content":"a","provider_items":"x"}`, json.RawMessage(`"x"`)},
		{"list of scalars", `{"role":"assistant","content":"a","provider_items":[1, null]}`, json.RawMessage(`[1, null]`)},
		{"native bytes", `{"role":"assistant","content":"a","provider_items":` + nativeItems + `}`, json.RawMessage(nativeItems)},
		{"on a user message", `{"role":"user","content":"a","provider_items":[{}]}`, nil},
		{"on a tool message", `{"role":"tool","content":"a","tool_call_id":"c","provider_items":[{}]}`, nil},
		{"on a system message", `{"role":"system","content":"a","provider_items":null}`, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			messages, err := chat.DecodeTranscript(`{"schema":"nrllm/v1","messages":[` + row.message + `]}`)
			if err != nil {
				t.Fatal(err)
			}
			got := messages[0].ProviderItems
			if (got == nil) != (row.want == nil) || string(got) != string(row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
			text, err := chat.EncodeTranscript(messages)
			if err != nil {
				t.Fatal(err)
			}
			if has := strings.Contains(text, "provider_items"); has != (row.want != nil) {
				t.Errorf("stored again: %s", text)
			}
		})
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, row := range []struct {
		name string
		m    chat.Message
		want string
	}{
		{"carrier that would break the text", chat.Message{Role: chat.Assistant, ProviderItems: json.RawMessage(`[{"secret"`)}, "chat: encode: the carrier of message 0 is not one JSON text"},
		{"two values", chat.Message{Role: chat.Assistant, ProviderItems: json.RawMessage(`[],"secret"`)}, "chat: encode: the carrier of message 0 is not one JSON text"},
		{"empty carrier text", chat.Message{Role: chat.Assistant, ProviderItems: json.RawMessage{}}, "chat: encode: the carrier of message 0 is not one JSON text"},
		{"role", chat.Message{Role: "secret"}, "chat: encode: message 0 has an unknown role"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := chat.EncodeTranscript([]chat.Message{row.m})
			wantConfigError(t, err, row.want)
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	const p = "chat: decode transcript: "
	message := func(m string) string {
		return `{"schema":"nrllm/v1","messages":[{"role":"user","content":""},` + m + `]}`
	}
	for _, row := range []struct{ name, text, want string }{
		{"no JSON", `{"secret"`, p + "wire: invalid JSON at byte 9: expected a colon"},
		{"schema absent", `{"messages":[]}`, p + `schema is not "nrllm/v1"`},
		{"other schema", `{"schema":"secret","messages":[]}`, p + `schema is not "nrllm/v1"`},
		{"no messages", `{"schema":"nrllm/v1"}`, p + "messages: got absent, want a list"},
		{"messages object", `{"schema":"nrllm/v1","messages":{}}`, p + "messages: got object, want a list"},
		{"message null", message(`null`), p + "messages[1]: got null, want an object"},
		{"role", message(`{"role":"secret"}`), p + "messages[1].role: want system, user, assistant or tool"},
		{"content", message(`{"role":"user","content":7}`), p + "messages[1].content: got number, want a string"},
		{"calls", message(`{"role":"assistant","tool_calls":{}}`), p + "messages[1].tool_calls: got object, want a list"},
		{"call", message(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"n","arguments":{}}}]}`), p + "messages[1].tool_calls[0].arguments: got object, want a string"},
		{"call ID", message(`{"role":"assistant","tool_calls":[{"function":{"name":"n","arguments":""}}]}`), p + "messages[1].tool_calls[0].id: got absent, want a string"},
		{"tool call ID", message(`{"role":"tool","content":"x"}`), p + "messages[1].tool_call_id: got absent, want a string"},
		{"two carriers", message(`{"role":"assistant","provider_items":[],"provider_items":[{}]}`), p + "messages[1].provider_items: occurs more than once"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := chat.DecodeTranscript(row.text)
			wantConfigError(t, err, row.want)
		})
	}
}

func wantConfigError(t *testing.T, err error, want string) {
	t.Helper()
	if _, ok := errors.AsType[*chat.ConfigError](err); !ok {
		t.Fatalf("got %v (%T), want a *chat.ConfigError", err, err)
	}
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestDecodeAcceptsForeignWriters(t *testing.T) {
	got, err := chat.DecodeTranscript(` {"x":1,"messages":[{"role":"assistant","content":null,"tool_calls":null,"refusal":null}, {"role":"user"}],"schema":"nrllm\/v1"} `)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]chat.Message{{Role: chat.Assistant}, {Role: chat.User}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestRoundTrip: decode(encode(x)) is x for any conversation whose text is UTF-8.
func TestRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		want := randomConversation(rnd)
		text, err := chat.EncodeTranscript(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := chat.DecodeTranscript(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want +got\n%s", diff)
		}
		again, err := chat.EncodeTranscript(got)
		if err != nil || again != text {
			t.Fatalf("encoding again: %v\n%s\n%s", err, text, again)
		}
	}
}

func randomConversation(rnd *rand.Rand) []chat.Message {
	letters := []rune("ab<>&\"\\/\u2028\u00e9\U0001F600\x00\x1f\n\t \ufffd{}[],:")
	text := func() string {
		out := make([]rune, rnd.IntN(12))
		for i := range out {
			out[i] = letters[rnd.IntN(len(letters))]
		}
		return string(out)
	}
	carriers := []json.RawMessage{nil, json.RawMessage(`[]`), json.RawMessage(`null`), json.RawMessage(`"<\u003c"`), json.RawMessage(nativeItems), json.RawMessage(` { } `[1:4])}
	roles := []chat.Role{chat.System, chat.User, chat.Assistant, chat.Tool}
	messages := []chat.Message{}
	for range rnd.IntN(6) {
		m := chat.Message{Role: roles[rnd.IntN(len(roles))], Content: text()}
		switch m.Role {
		case chat.Tool:
			m.ToolCallID = text()
		case chat.Assistant:
			m.ProviderItems = slices.Clone(carriers[rnd.IntN(len(carriers))])
			for range rnd.IntN(3) {
				m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: text(), Name: text(), Arguments: text()})
			}
		}
		messages = append(messages, m)
	}
	return messages
}

func FuzzDecodeTranscript(f *testing.F) {
	text, err := chat.EncodeTranscript(conversation())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(`{"schema":"nrllm/v1","messages":[{"role":"assistant","provider_items":null}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		messages, err := chat.DecodeTranscript(text)
		if err != nil {
			return
		}
		stored, err := chat.EncodeTranscript(messages)
		if err != nil {
			t.Fatalf("what was read can't be written: %v", err)
		}
		again, err := chat.DecodeTranscript(stored)
		if err != nil {
			t.Fatalf("what was written can't be read: %v", err)
		}
		if diff := cmp.Diff(messages, again); diff != "" {
			t.Fatal(diff)
		}
	})
}
