package gemini_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/gemini"
)

const (
	hi      = `{"role":"user","parts":[{"text":"hi"}]}`
	signedW = `{"functionCall":{"name":"w","args":{"c":"L"}},"thoughtSignature":"c2ln+/=="}`
	bareW   = `{"functionCall":{"name":"w","args":{"c":"L"}}}`
)

// contentsRows: what follows the user's "hi".
var contentsRows = []struct {
	name     string
	messages []chat.Message
	want     []string
}{
	{"REPLAY-03 single call", []chat.Message{own(capsule(signedW), call("p", "w", `{"c":"L"}`)), tool("p", `{"t":7}`)}, []string{
		`{"role":"model","parts":[` + signedW + `]}`, `{"role":"user","parts":[{"functionResponse":{"name":"w","response":{"t":7}}}]}`,
	}},
	{"REPLAY-04 -15 parallel calls, results in the calls' order", []chat.Message{
		own(capsule(signedW+","+bareW), call("p", "w", `{"c":"L"}`), call("q", "w", `{"c":"L"}`)), tool("q", `{"r":2}`), tool("p", `{"r":1}`), user("and?"),
	}, []string{
		`{"role":"model","parts":[` + signedW + `,` + bareW + `]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"w","response":{"r":1}}},{"functionResponse":{"name":"w","response":{"r":2}}}]}`,
		`{"role":"user","parts":[{"text":"and?"}]}`,
	}},
	{"REPLAY-06 every boundary", []chat.Message{own(capsule(`{"text":"a","thought":true,"thoughtSignature":"eA=="},{"text":"b"},{"text":"c"},{"text":"","thoughtSignature":"eQ=="},{}`))}, []string{
		`{"role":"model","parts":[{"text":"a","thought":true,"thoughtSignature":"eA=="},{"text":"b"},{"text":"c"},{"text":"","thoughtSignature":"eQ=="},{}]}`,
	}},
	{"REPLAY-01 every byte", []chat.Message{own(capsule("{ \"text\" :\"<a> & \u2028 \\/ \\u00e9 \\ud800\", \"n\":[1.0,1e3,9007199254740993], \"n\":{\"b\":1,\"a\":[]} }"))}, []string{
		"{\"role\":\"model\",\"parts\":[{ \"text\" :\"<a> & \u2028 \\/ \\u00e9 \\ud800\", \"n\":[1.0,1e3,9007199254740993], \"n\":{\"b\":1,\"a\":[]} }]}",
	}},
	{"REPLAY-09 empty capsule", []chat.Message{own(capsule(``))}, []string{`{"role":"model","parts":[]}`}},
	{"REPLAY-09 empty carrier", []chat.Message{own(`[]`, call("p", "w", ``)), tool("p", `7`)}, []string{
		`{"role":"model","parts":[{"text":"seen"},{"functionCall":{"name":"w","args":{}}}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"w","response":{"result":"7"}}}]}`,
	}},
	{"REPLAY-09 no carrier", []chat.Message{{Role: chat.Assistant, Content: "a"}}, []string{`{"role":"model","parts":[{"text":"a"}]}`}},
	{"REPLAY-09 neither", []chat.Message{{Role: chat.Assistant}}, []string{`{"role":"model","parts":[{"text":""}]}`}},
	{"calls without text", []chat.Message{{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("p", "w", `{"c": 1.0}`)}}}, []string{`{"role":"model","parts":[{"functionCall":{"name":"w","args":{"c": 1.0}}}]}`}},
	{"REPLAY-11 names by ID", []chat.Message{
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("p", "w", `{}`), call("q", "v", `{}`)}}, tool("q", `{"of":"v"}`), tool("p", `{"of":"w"}`),
	}, []string{
		`{"role":"model","parts":[{"functionCall":{"name":"w","args":{}}},{"functionCall":{"name":"v","args":{}}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"w","response":{"of":"w"}}},{"functionResponse":{"name":"v","response":{"of":"v"}}}]}`,
	}},
	{"FOREIGN-03 OpenAI items", []chat.Message{own(`[{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA"},{"type":"function_call","name":"w"}]`, call("p", "w", `{"c":1}`)), tool("p", `{}`)}, []string{
		`{"role":"model","parts":[{"text":"seen"},{"functionCall":{"name":"w","args":{"c":1}}}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"w","response":{}}}]}`,
	}},
	{"carrier on a user message is ignored", []chat.Message{{Role: chat.User, Content: "x", ProviderItems: json.RawMessage(`"bad"`)}}, []string{`{"role":"user","parts":[{"text":"x"}]}`}},
	{"CALLID-02 echo", []chat.Message{
		own(bound(`{"functionCall":{"id":"f\u0063-1","name":"w","args":{}}}`, `{"tool_call_id":"p","native_id":"fc-1"}`), call("p", "w", `{}`)), tool("p", `{}`),
	}, []string{
		`{"role":"model","parts":[{"functionCall":{"id":"f\u0063-1","name":"w","args":{}}}]}`, `{"role":"user","parts":[{"functionResponse":{"id":"f\u0063-1","name":"w","response":{}}}]}`,
	}},
	{"CALLID-03 reordered list", []chat.Message{
		own(bound(`{"functionCall":{"id":"a","name":"w","args":{}}},{"functionCall":{"id":"b","name":"w","args":{}}}`, `{"tool_call_id":"p","native_id":"a"},{"tool_call_id":"q","native_id":"b"}`), call("q", "w", `{}`), call("p", "w", `{}`)),
		tool("q", `{"of":"b"}`), tool("p", `{"of":"a"}`),
	}, []string{
		`{"role":"model","parts":[{"functionCall":{"id":"a","name":"w","args":{}}},{"functionCall":{"id":"b","name":"w","args":{}}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"w","response":{"of":"a"}}},{"functionResponse":{"id":"b","name":"w","response":{"of":"b"}}}]}`,
	}},
	{"reordered list without IDs", []chat.Message{
		own(capsule(`{"functionCall":{"name":"w","args":{}}},{"functionCall":{"name":"v"}}`), call("q", "v", `{}`), call("p", "w", `{}`)), tool("q", `{"of":"v"}`), tool("p", `{"of":"w"}`),
	}, []string{
		`{"role":"model","parts":[{"functionCall":{"name":"w","args":{}}},{"functionCall":{"name":"v"}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"w","response":{"of":"w"}}},{"functionResponse":{"name":"v","response":{"of":"v"}}}]}`,
	}},
	{"reordered list with equal calls", []chat.Message{
		own(capsule(`{"functionCall":{"name":"w"}},{"functionCall":{"name":"v"}},{"functionCall":{"name":"w"}}`), call("p", "w", `{}`), call("r", "w", `{}`), call("q", "v", `{}`)),
		tool("p", `{"of":"p"}`), tool("q", `{"of":"q"}`), tool("r", `{"of":"r"}`),
	}, []string{
		`{"role":"model","parts":[{"functionCall":{"name":"w"}},{"functionCall":{"name":"v"}},{"functionCall":{"name":"w"}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"w","response":{"of":"p"}}},{"functionResponse":{"name":"v","response":{"of":"q"}}},{"functionResponse":{"name":"w","response":{"of":"r"}}}]}`,
	}},
	{"calls that the parts don't have keep the list's order", []chat.Message{
		own(capsule(``), call("q", "v", `{}`), call("p", "w", `{}`)), tool("p", `{"of":"w"}`), tool("q", `{"of":"v"}`),
	}, []string{
		`{"role":"model","parts":[]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"v","response":{"of":"v"}}},{"functionResponse":{"name":"w","response":{"of":"w"}}}]}`,
	}},
	{"CALLID-06 older state", []chat.Message{own(capsule(`{"functionCall":{"id":"a","name":"w"}}`), call("p", "w", `{}`)), tool("p", `{}`)}, []string{
		`{"role":"model","parts":[{"functionCall":{"id":"a","name":"w"}}]}`, `{"role":"user","parts":[{"functionResponse":{"id":"a","name":"w","response":{}}}]}`,
	}},
	{"STRUCT-04 older list root", []chat.Message{own(capsule("{\"functionCall\":{\"name\":\"w\",\"args\": [ {\"a\":[]} , 1.0 ],\"args\":[]} ,\"thoughtSignature\":\"eA==\"},{\"args\":[1]}"))}, []string{
		"{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"w\",\"args\": {\"0\":{\"a\":[]},\"1\":1.0},\"args\":{}} ,\"thoughtSignature\":\"eA==\"},{\"args\":[1]}]}",
	}},
	{"STRUCT-04 a member twice", []chat.Message{own(capsule(`{"functionCall":{"name":"w","args":[1]},"functionCall":{"name":"v","args":[2]},"functionCall":{}}`))}, []string{
		`{"role":"model","parts":[{"functionCall":{"name":"w","args":{"0":1}},"functionCall":{"name":"v","args":{"0":2}},"functionCall":{}}]}`,
	}},
	{"STRUCT-01 absent args stay absent", []chat.Message{own(capsule(`{"functionCall":{"name":"w"}},{"functionCall":{"name":"w","args":{"0":"zero"}}},{"functionCall":{"name":"w","args":null}}`))}, []string{
		`{"role":"model","parts":[{"functionCall":{"name":"w"}},{"functionCall":{"name":"w","args":{"0":"zero"}}},{"functionCall":{"name":"w","args":null}}]}`,
	}},
}

func TestContents(t *testing.T) {
	for _, row := range contentsRows {
		t.Run(row.name, func(t *testing.T) {
			messages := append([]chat.Message{user("hi")}, row.messages...)
			before, err := chat.EncodeTranscript(messages)
			want := `{"contents":[` + strings.Join(append([]string{hi}, row.want...), ",") + `]}`
			got := build(t, messages, nil, chat.Options{})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			// REPLAY-12: nothing is changed, twice gives equal bytes.
			if again := build(t, messages, nil, chat.Options{}); again != got {
				t.Errorf("the second build differs: %s", again)
			}
			after, err2 := chat.EncodeTranscript(messages)
			if err != nil && row.name != "carrier on a user message is ignored" || err2 != nil || before != after {
				t.Errorf("the conversation changed: %v %v\n%s\n%s", err, err2, before, after)
			}
			for _, wrapper := range []string{"nrllm", "tool_call_bindings", "native_id", "provider_items", "tool_call_id"} { // REPLAY-13
				if strings.Contains(got, wrapper) {
					t.Errorf("%s was sent: %s", wrapper, got)
				}
			}
		})
	}
}

func build(t *testing.T, messages []chat.Message, tools []chat.ToolSpec, opts chat.Options) string {
	t.Helper()
	got, err := gemini.BuildRequest(messages, tools, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(got)) {
		t.Fatalf("not JSON: %s", got)
	}
	return got
}

func TestResults(t *testing.T) { // STRUCT-02, STRUCT-03
	for _, row := range []struct{ name, text, want string }{
		{"object", ` {"a" : 1.0,"l":[],"o":{}, "s":"<\u00e9>"} `, `{"a" : 1.0,"l":[],"o":{}, "s":"<\u00e9>"}`},
		{"empty object", `{}`, `{}`},
		{"list", `[ {"a":[1,{}]} , 1e3,null]`, `{"0":{"a":[1,{}]},"1":1e3,"2":null}`},
		{"empty list", `[ ]`, `{}`},
		{"number", `7`, `{"result":"7"}`},
		{"null", `null`, `{"result":"null"}`},
		{"true", ` true`, `{"result":" true"}`},
		{"string", `"value"`, `{"result":"\"value\""}`},
		{"plain text", "it's 7 °C\n<b> & \u2028", "{\"result\":\"it's 7 °C\\n<b> & \u2028\"}"},
		{"empty", ``, `{"result":""}`},
		{"two values", `{} {}`, `{"result":"{} {}"}`},
		{"invalid JSON", `{"a":}`, `{"result":"{\"a\":}"}`},
		{"invalid UTF-8", "a\xffb", "{\"result\":\"a\ufffdb\"}"},
		{"object with invalid UTF-8", "{\"a\":\"\xff\"}", "{\"result\":\"{\\\"a\\\":\\\"\ufffd\\\"}\"}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := build(t, []chat.Message{{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("p", "w", ``)}}, tool("p", row.text)}, nil, chat.Options{})
			want := `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"w","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"w","response":` + row.want + `}}]}]}`
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestRebuiltArguments(t *testing.T) { // STRUCT-01
	for _, row := range []struct{ name, args, want string }{
		{"object", `{"b":1.0, "a":[]}`, `{"b":1.0, "a":[]}`},
		{"absent", ``, `{}`},
		{"list", `[1,[2]]`, `{"0":1,"1":[2]}`},
		{"empty list", `[]`, `{}`},
		{"null", `null`, `{}`},
		{"scalar", `7`, `{}`},
		{"no JSON", `{"a"`, `{}`},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", `{}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := build(t, []chat.Message{{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("p", "w", row.args)}}}, nil, chat.Options{})
			if want := `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"w","args":` + row.want + `}}]}]}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestRequestMembers(t *testing.T) {
	half, most, one := 0.5, 128, 1
	const contents = `"contents":[` + hi + `]`
	for _, row := range []struct {
		name   string
		system []string
		tools  []chat.ToolSpec
		opts   chat.Options
		want   string
	}{
		{"nothing", nil, nil, chat.Options{}, `{` + contents + `}`},
		{"system", []string{"be <brief>"}, nil, chat.Options{}, `{"systemInstruction":{"parts":[{"text":"be <brief>"}]},` + contents + `}`},
		{"two system messages", []string{"a", "b"}, nil, chat.Options{}, `{"systemInstruction":{"parts":[{"text":"a"},{"text":"b"}]},` + contents + `}`},
		{
			"tools", nil,
			[]chat.ToolSpec{{Name: "a", Description: "<d>", Parameters: json.RawMessage(` {"type":"object", "x":1.0} `)}, {Name: "b"}},
			chat.Options{},
			`{` + contents + `,"tools":[{"functionDeclarations":[{"name":"a","description":"<d>","parameters":{"type":"object", "x":1.0}},{"name":"b"}]}]}`,
		},
		{
			"all options", nil, nil,
			chat.Options{Temperature: &half, MaxTokens: &most, Stop: []string{"<end>", "\n"}, ResponseSchema: json.RawMessage(`{"type":"object"}`), RawCapture: true, Model: "other"},
			`{` + contents + `,"generationConfig":{"temperature":0.5,"maxOutputTokens":128,"stopSequences":["<end>","\n"],"responseMimeType":"application/json","responseSchema":{"type":"object"}}}`,
		},
		{"one token, one stop sequence", nil, nil, chat.Options{MaxTokens: &one, Stop: []string{"x"}}, `{` + contents + `,"generationConfig":{"maxOutputTokens":1,"stopSequences":["x"]}}`},
		{
			"everything",
			[]string{"s"},
			tools,
			chat.Options{Temperature: new(float64)},
			`{"systemInstruction":{"parts":[{"text":"s"}]},` + contents + `,"tools":[{"functionDeclarations":[{"name":"weather","description":"Weather now","parameters":{"type":"object"}}]}],"generationConfig":{"temperature":0}}`,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			var messages []chat.Message
			for _, s := range row.system {
				messages = append(messages, chat.Message{Role: chat.System, Content: s})
			}
			got := build(t, append(messages, user("hi")), row.tools, row.opts)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestBuildErrors(t *testing.T) {
	const p = "gemini: build request: "
	calls := chat.Message{Role: chat.Assistant, Content: "secret", ToolCalls: []chat.ToolCall{call("p", "w", `{}`), call("q", "secret", `{}`)}}
	nan, inf, zero := math.NaN(), math.Inf(-1), 0
	for _, row := range []struct {
		name     string
		messages []chat.Message
		tools    []chat.ToolSpec
		opts     chat.Options
		want     string
	}{
		{name: "nothing to answer", want: p + "no message to answer"},
		{name: "system only", messages: []chat.Message{{Role: chat.System}}, want: p + "no message to answer"},
		{name: "role", messages: []chat.Message{{Role: "secret"}}, want: p + "message 0 has an unknown role"},
		{name: "result first", messages: []chat.Message{tool("p", "secret")}, want: p + "message 0 is a tool result without a turn of calls before it"},
		{name: "result after a user message", messages: []chat.Message{calls, tool("p", ""), tool("q", ""), user(""), tool("p", "")}, want: p + "message 4 is a tool result without a turn of calls before it"},
		{name: "result missing", messages: []chat.Message{user(""), calls, tool("p", "")}, want: p + "call 1 of message 1 has no result of its own"},
		{name: "all results missing", messages: []chat.Message{user(""), calls, user("")}, want: p + "call 0 of message 1 has no result of its own"},
		{name: "something between", messages: []chat.Message{calls, tool("p", ""), user(""), tool("q", "")}, want: p + "call 1 of message 0 has no result of its own"},
		{name: "two results", messages: []chat.Message{calls, tool("p", ""), tool("q", ""), tool("p", "")}, want: p + "message 3 answers a call that has its result"},
		{name: "result of a turn without calls", messages: []chat.Message{{Role: chat.Assistant, Content: "secret"}, tool("p", "")}, want: p + "1 results after message 0 answer none of its calls"},
		{name: "the only result missing", messages: []chat.Message{{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("p", "w", ``)}}, user("")}, want: p + "call 0 of message 0 has no result of its own"},
		{name: "result of no call", messages: []chat.Message{calls, tool("p", ""), tool("q", ""), tool("secret", "")}, want: p + "1 results after message 0 answer none of its calls"},
		{name: "one ID for two calls", messages: []chat.Message{{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("p", "w", ``), call("p", "w", ``)}}, tool("p", "")}, want: p + "call 1 of message 0 has no result of its own"},
		{name: "tool name", messages: []chat.Message{user("")}, tools: []chat.ToolSpec{{}}, want: p + "tool 0 has no name"},
		{name: "tool parameters", messages: []chat.Message{user("")}, tools: []chat.ToolSpec{{Name: "a", Parameters: json.RawMessage(`{"secret"`)}}, want: p + "the parameters of tool 0 are not one JSON object"},
		{name: "schema", messages: []chat.Message{user("")}, opts: chat.Options{ResponseSchema: json.RawMessage(`"secret"`)}, want: p + "the response schema is not one JSON object"},
		{name: "temperature", messages: []chat.Message{user("")}, opts: chat.Options{Temperature: &nan}, want: p + "the temperature is not a finite number"},
		{name: "temperature without end", messages: []chat.Message{user("")}, opts: chat.Options{Temperature: &inf}, want: p + "the temperature is not a finite number"},
		{name: "max tokens", messages: []chat.Message{user("")}, opts: chat.Options{MaxTokens: &zero}, want: p + "max tokens: got 0, want more than 0"},
		{name: "a bad carrier first of all", messages: []chat.Message{tool("p", ""), own(`null`)}, tools: []chat.ToolSpec{{}}, want: "gemini replay state is malformed or ambiguous"},
		{name: "an ambiguous association", messages: []chat.Message{own(capsule(`{"functionCall":{"id":"a","name":"w"}}`), call("p", "secret", ``))}, want: "gemini replay state is malformed or ambiguous"},
	} {
		t.Run(row.name, func(t *testing.T) {
			body, err := gemini.BuildRequest(row.messages, row.tools, row.opts)
			if _, ok := errors.AsType[*chat.ConfigError](err); !ok || body != "" {
				t.Fatalf("got %q, %v (%T), want a *chat.ConfigError", body, err, err)
			}
			if err.Error() != row.want {
				t.Errorf("got %q, want %q", err, row.want)
			}
		})
	}
}

// TestEarlierEntriesStay: an entry has the same bytes in every later request
// (REPLAY-12).
func TestEarlierEntriesStay(t *testing.T) {
	messages := []chat.Message{user("hi")}
	for n, row := range contentsRows {
		last := row.messages[len(row.messages)-1]
		if strings.Contains(row.name, "CALLID") || len(last.ToolCalls) > 0 {
			continue // the IDs are also in the carrier; unanswered
		}
		before := strings.TrimSuffix(build(t, messages, nil, chat.Options{}), "]}")
		messages = append(append(messages, renamed(row.messages, n)...), user("next"))
		if after := build(t, messages, nil, chat.Options{}); !strings.HasPrefix(after, before+",") {
			t.Fatalf("%s: earlier bytes changed\n%s\n%s", row.name, before, after)
		}
	}
	if len(messages) < 20 {
		t.Errorf("only %d messages", len(messages))
	}
}

// renamed gives the calls of a row IDs of their own.
func renamed(messages []chat.Message, n int) []chat.Message {
	out := slices.Clone(messages)
	for i, m := range out {
		out[i].ToolCallID += strconv.Itoa(n)
		out[i].ToolCalls = slices.Clone(m.ToolCalls)
		for j := range m.ToolCalls {
			out[i].ToolCalls[j].ID += strconv.Itoa(n)
		}
	}
	return out
}
