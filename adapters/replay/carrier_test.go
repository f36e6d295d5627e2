package replay_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/replay"
)

const capsuleHead = `{"type":"nrllm_gemini_generate_content"`

// refused holds every way in which a carrier is malformed whatever the message.
var refused = []struct{ name, items string }{
	{"REFUSE-01 no parts", `[` + capsuleHead + `}]`},
	{"REFUSE-01 bindings instead of parts", `[` + capsuleHead + `,"tool_call_bindings":[]}]`},
	{"REFUSE-02 parts string", `[` + capsuleHead + `,"parts":"c2VjcmV0"}]`},
	{"REFUSE-02 parts number", `[` + capsuleHead + `,"parts":7}]`},
	{"REFUSE-02 parts object", `[` + capsuleHead + `,"parts":{"0":{"text":"c2VjcmV0"}}}]`},
	{"REFUSE-02 parts null", `[` + capsuleHead + `,"parts":null}]`},
	{"REFUSE-02 parts true", `[` + capsuleHead + `,"parts":true}]`},
	{"REFUSE-03 member null", `[` + capsuleHead + `,"parts":[{"text":"c2VjcmV0"},null]}]`},
	{"REFUSE-03 member string", `[` + capsuleHead + `,"parts":["c2VjcmV0"]}]`},
	{"REFUSE-03 member list", `[` + capsuleHead + `,"parts":[[]]}]`},
	{"REFUSE-03 member number", `[` + capsuleHead + `,"parts":[{},0]}]`},
	{"REFUSE-04 two capsules", `[` + capsuleHead + `,"parts":[]},` + capsuleHead + `,"parts":[]}]`},
	{"REFUSE-04 two capsules, one malformed", `[` + capsuleHead + `,"parts":[]},` + capsuleHead + `}]`},
	{"REFUSE-05 reasoning before", `[{"type":"reasoning","id":"rs_1"},` + capsuleHead + `,"parts":[]}]`},
	{"REFUSE-05 reasoning after", `[` + capsuleHead + `,"parts":[]},{"type":"reasoning","id":"rs_1"}]`},
	{"REFUSE-05 untyped item", `[` + capsuleHead + `,"parts":[]},{}]`},
	{"REFUSE-06 null", `null`},
	{"REFUSE-06 string", `"c2VjcmV0"`},
	{"REFUSE-06 number", `7`},
	{"REFUSE-06 object", capsuleHead + `,"parts":[]}`},
	{"REFUSE-06 false", `false`},
	{"REFUSE-06 member null", `[null]`},
	{"REFUSE-06 member string", `["c2VjcmV0"]`},
	{"REFUSE-06 member list", `[[` + capsuleHead + `,"parts":[]}]]`},
	{"REFUSE-06 capsule and null", `[` + capsuleHead + `,"parts":[]},null]`},
	{"REFUSE-06 reasoning and null", `[{"type":"reasoning"},null]`},
	{"REFUSE-06 no JSON", `[{"c2VjcmV0"`},
	{"REFUSE-06 no text", ``},
	{"REFUSE-07 null", bindings(`null`)},
	{"REFUSE-07 string", bindings(`"c2VjcmV0"`)},
	{"REFUSE-07 object", bindings(`{"tool_call_id":"call_1","native_id":"c2VjcmV0"}`)},
	{"REFUSE-07 member null", bindings(`[null]`)},
	{"REFUSE-07 member list", bindings(`[["call_1","c2VjcmV0"]]`)},
	{"REFUSE-07 no native ID", bindings(`[{"tool_call_id":"call_1"}]`)},
	{"REFUSE-07 no call ID", bindings(`[{"native_id":"c2VjcmV0"}]`)},
	{"REFUSE-07 empty native ID", bindings(`[{"tool_call_id":"call_1","native_id":""}]`)},
	{"REFUSE-07 empty call ID", bindings(`[{"tool_call_id":"","native_id":"c2VjcmV0"}]`)},
	{"REFUSE-07 native ID number", bindings(`[{"tool_call_id":"call_1","native_id":7}]`)},
	{"REFUSE-07 native ID null", bindings(`[{"tool_call_id":"call_1","native_id":null}]`)},
	{"REFUSE-07 another member", bindings(`[{"tool_call_id":"call_1","native_id":"a","index":0}]`)},
	{"REFUSE-07 member twice", bindings(`[{"tool_call_id":"call_1","native_id":"a","native_id":"a"}]`)},
	{"REFUSE-07 call ID of two", bindings(`[{"tool_call_id":"call_1","native_id":"a"},{"tool_call_id":"call_1","native_id":"b"}]`)},
	{"REFUSE-07 native ID of two", bindings(`[{"tool_call_id":"call_1","native_id":"a"},{"tool_call_id":"call_2","native_id":"\u0061"}]`)},
	{"type twice, the same", `[` + capsuleHead + `,"type":"nrllm_gemini_generate_content","parts":[]}]`},
	{"type twice, capsule first", `[` + capsuleHead + `,"type":"reasoning","parts":[]}]`},
	{"type twice, capsule last", `[{"type":"reasoning","type":"nrllm_gemini_generate_content","parts":[]}]`},
	{"parts twice", `[` + capsuleHead + `,"parts":[],"parts":[]}]`},
	{"bindings twice", `[` + capsuleHead + `,"parts":[],"tool_call_bindings":[],"tool_call_bindings":[]}]`},
	{"type in escapes", `[{"type":"\u006erllm_gemini_generate_content"}]`},
}

func bindings(b string) string {
	return `[` + capsuleHead + `,"parts":[{"functionCall":{"id":"a","name":"n"}}],"tool_call_bindings":` + b + `}]`
}

func TestReadRefuses(t *testing.T) {
	for _, row := range refused {
		t.Run(row.name, func(t *testing.T) {
			c, err := replay.Read(json.RawMessage(row.items))
			wantRefused(t, err)
			if c.Present || c.Capsule != nil || c.Items != nil {
				t.Errorf("got %+v beside the error", c)
			}
		})
	}
}

func wantRefused(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*chat.ConfigError](err); !ok {
		t.Fatalf("got %v (%T), want a *chat.ConfigError", err, err)
	}
	if err.Error() != "gemini replay state is malformed or ambiguous" {
		t.Errorf("got %q", err)
	}
}

func TestRead(t *testing.T) {
	for _, row := range []struct {
		name    string
		items   json.RawMessage
		present bool
		parts   []string // nil: no capsule
		items2  []string
		binds   []replay.Binding
		has     bool
	}{
		{name: "no carrier"},
		{name: "empty carrier", items: json.RawMessage(`[]`), present: true},
		{name: "empty capsule", items: json.RawMessage(`[` + capsuleHead + `,"parts":[]}]`), present: true, parts: []string{}},
		{
			name: "parts keep their text", items: json.RawMessage("[" + capsuleHead + ",\"parts\":[ {\"a\" : 1.0,\n\"a\":2} ,{}]}]"),
			present: true, parts: []string{"{\"a\" : 1.0,\n\"a\":2}", "{}"},
		},
		{name: "unknown members", items: json.RawMessage(`[{"x":[],"parts":[{}],"provider":1,"type":"nrllm_gemini_generate_content","x":2}]`), present: true, parts: []string{"{}"}},
		{name: "no bindings", items: json.RawMessage(bindings(`[]`)), present: true, parts: []string{`{"functionCall":{"id":"a","name":"n"}}`}, has: true},
		{
			name: "bindings", items: json.RawMessage(bindings(`[{"native_id":"a","tool_call_id":"call_1"},{"tool_call_id":"call_2","native_id":"b"}]`)),
			present: true, parts: []string{`{"functionCall":{"id":"a","name":"n"}}`}, has: true,
			binds: []replay.Binding{{ToolCallID: "call_1", NativeID: "a"}, {ToolCallID: "call_2", NativeID: "b"}},
		},
		{name: "OpenAI items", items: json.RawMessage(`[{"type":"reasoning","id":"rs_1"}, {"type":"function_call" }]`), present: true, items2: []string{`{"type":"reasoning","id":"rs_1"}`, `{"type":"function_call" }`}},
		{name: "items without a type", items: json.RawMessage(`[{},{"type":null,"parts":[]},{"type":"x","type":"x"}]`), present: true, items2: []string{`{}`, `{"type":null,"parts":[]}`, `{"type":"x","type":"x"}`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := replay.Read(row.items)
			if err != nil {
				t.Fatal(err)
			}
			if c.Present != row.present {
				t.Errorf("present: got %v, want %v", c.Present, row.present)
			}
			var items []string
			for _, v := range c.Items {
				items = append(items, v.Raw())
			}
			if diff := cmp.Diff(row.items2, items); diff != "" {
				t.Error(diff)
			}
			if (c.Capsule != nil) != (row.parts != nil) {
				t.Fatalf("capsule: got %v", c.Capsule)
			}
			if c.Capsule == nil {
				return
			}
			parts := []string{}
			for _, v := range c.Capsule.Parts {
				parts = append(parts, v.Raw())
			}
			if diff := cmp.Diff(row.parts, parts); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(row.binds, c.Capsule.Bindings); diff != "" || c.Capsule.HasBindings != row.has {
				t.Errorf("bindings: %v %s", c.Capsule.HasBindings, diff)
			}
		})
	}
}

// nativeIDs binds two native IDs; quoted is the carrier that is made of them,
// the IDs between quotes as given.
func nativeIDs(a, b string) []replay.Binding {
	return []replay.Binding{{ToolCallID: "p", NativeID: a}, {ToolCallID: "q", NativeID: b}}
}

func quoted(a, b string) string {
	return `[` + capsuleHead + `,"parts":[],"tool_call_bindings":[{"tool_call_id":"p","native_id":"` + a + `"},{"tool_call_id":"q","native_id":"` + b + `"}]}]`
}

func TestNewCarrier(t *testing.T) {
	for _, row := range []struct {
		name  string
		parts []string
		binds []replay.Binding
		want  string
	}{
		{"nothing", nil, nil, `[` + capsuleHead + `,"parts":[]}]`},
		{"raw parts", []string{`{ "text":"<\u2028>" }`, "{}"}, nil, `[` + capsuleHead + `,"parts":[{ "text":"<\u2028>" },{}]}]`},
		{
			"bindings",
			[]string{"{}"},
			[]replay.Binding{{ToolCallID: "call_1", NativeID: "<\">"}, {ToolCallID: "call_2", NativeID: "b"}},
			`[` + capsuleHead + `,"parts":[{}],"tool_call_bindings":[{"tool_call_id":"call_1","native_id":"<\">"},{"tool_call_id":"call_2","native_id":"b"}]}]`,
		},
		{"first and last lone surrogate", nil, nativeIDs("\xed\xa0\x80", "a\xed\xbf\xbf"), quoted(`\ud800`, `a\udfff`)},
		{"beside the surrogates", nil, nativeIDs("\xed\x9f\xbf\xff", "\xee\x80\x80\xff"), quoted("\xed\x9f\xbf\xff", "\xee\x80\x80\xff")},
		{"the start of a surrogate", nil, nativeIDs("\xed\xa0", "\xed\xa0z"), quoted("\xed\xa0", "\xed\xa0z")},
		{"no surrogate", nil, nativeIDs("\xed\xc0\x80", "\xed\xa0\xc0"), quoted("\xed\xc0\x80", "\xed\xa0\xc0")},
		{"no surrogate, the first byte an ending", nil, nativeIDs("\xec\xa0\xff", "\xff\xa0\x80"), quoted("\xec\xa0\xff", "\xff\xa0\x80")},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := replay.NewCarrier(row.parts, row.binds)
			if string(got) != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			c, err := replay.Read(got)
			if err != nil || c.Capsule == nil || len(c.Capsule.Parts) != len(row.parts) {
				t.Errorf("read again: %+v, %v", c, err)
			}
			if diff := cmp.Diff(row.binds, c.Capsule.Bindings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadLeavesTheTextAlone: what Read returns lives in a copy (REPLAY-12).
func TestReadLeavesTheTextAlone(t *testing.T) {
	items := json.RawMessage(`[` + capsuleHead + `,"parts":[{"text":"a"}]}]`)
	c, err := replay.Read(items)
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		items[i] = 'x'
	}
	if got := c.Capsule.Parts[0].Raw(); got != `{"text":"a"}` {
		t.Errorf("got %s", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, row := range refused {
		f.Add(row.items)
	}
	f.Add(bindings(`[{"tool_call_id":"call_1","native_id":"\ud800"}]`))
	f.Add(`[{"type":"reasoning"}]`)
	f.Fuzz(func(t *testing.T, items string) {
		c, err := replay.Read(json.RawMessage(items))
		if err != nil {
			wantRefused(t, err)
			return
		}
		if !c.Present || c.Capsule != nil && c.Items != nil {
			t.Fatalf("got %+v", c)
		}
		for _, item := range c.Items {
			if !strings.Contains(items, item.Raw()) {
				t.Fatalf("%q is not of the text", item.Raw())
			}
		}
		if c.Capsule == nil {
			return
		}
		var parts []string
		for _, part := range c.Capsule.Parts {
			parts = append(parts, part.Raw())
		}
		again, err := replay.Read(replay.NewCarrier(parts, c.Capsule.Bindings))
		if err != nil || len(again.Capsule.Parts) != len(parts) {
			t.Fatalf("made again: %v", err)
		}
		for i, part := range again.Capsule.Parts {
			if part.Raw() != parts[i] {
				t.Fatalf("part %d: got %q, want %q", i, part.Raw(), parts[i])
			}
		}
		for i, b := range again.Capsule.Bindings {
			if b != c.Capsule.Bindings[i] {
				t.Fatalf("binding %d: got %q, want %q", i, b, c.Capsule.Bindings[i])
			}
		}
	})
}
