package replay_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/replay"
)

// call writes a native part: id and args are raw JSON, "" leaves the member out.
func call(id, name, args string) string {
	var members []string
	if id != "" {
		members = append(members, `"id":`+id)
	}
	members = append(members, `"name":"`+name+`"`)
	if args != "" {
		members = append(members, `"args":`+args)
	}
	return `{"functionCall":{` + strings.Join(members, ",") + `},"thoughtSignature":"c2lnK28vPQ=="}`
}

func public(calls ...string) []chat.ToolCall {
	var out []chat.ToolCall
	for _, c := range calls {
		f := strings.SplitN(c, " ", 3)
		out = append(out, chat.ToolCall{ID: f[0], Name: f[1], Arguments: f[2]})
	}
	return out
}

func bind(pairs ...string) []replay.Binding {
	out := []replay.Binding{}
	for _, p := range pairs {
		id, native, _ := strings.Cut(p, "=")
		out = append(out, replay.Binding{ToolCallID: id, NativeID: native})
	}
	return out
}

type associateRow struct {
	name   string
	parts  []string
	binds  []replay.Binding // nil: none; empty: []
	calls  []chat.ToolCall
	others []chat.Message
	want   map[string]string // raw native IDs
	refuse bool
}

var associateRows = []associateRow{
	{name: "CALLID-05 one", parts: []string{call(`"a"`, "w", `{"c":1}`)}, binds: bind("p=a"), calls: public(`p w {"c":1}`), want: map[string]string{"p": `"a"`}},
	{name: "CALLID-03 equal calls, list reordered", parts: []string{call(`"a"`, "w", `{}`), call(`"b"`, "w", `{}`)}, binds: bind("p=a", "q=b"), calls: public(`q w {}`, `p w {}`), want: map[string]string{"p": `"a"`, "q": `"b"`}},
	{name: "CALLID-02 the exact token", parts: []string{call(`"\u0061\/"`, "w", `{}`)}, binds: bind("p=a/"), calls: public(`p w {}`), want: map[string]string{"p": `"\u0061\/"`}},
	{name: "CALLID-05 beside a call without ID", parts: []string{call(`"a"`, "w", `{}`), call("", "w", `{}`)}, binds: bind("p=a"), calls: public(`p w {}`, `q w {}`), want: map[string]string{"p": `"a"`}},
	{name: "CALLID-05 part without binding", parts: []string{call(`"a"`, "w", `{}`), call(`"b"`, "v", `{}`)}, binds: bind("p=a"), calls: public(`p w {}`, `q v {}`), refuse: true},
	{name: "CALLID-05 no binding at all", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind(), calls: public(`p w {}`), refuse: true},
	{name: "CALLID-05 binding without part", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind("p=a", "q=b"), calls: public(`p w {}`, `q w {}`), refuse: true},
	{name: "CALLID-05 unknown native ID", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind("p=b"), calls: public(`p w {}`), refuse: true},
	{name: "CALLID-05 unknown public ID", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind("q=a"), calls: public(`p w {}`), refuse: true},
	{name: "CALLID-05 public ID twice in the message", parts: []string{call(`"a"`, "w", `{}`), call("", "w", `{}`)}, binds: bind("p=a"), calls: public(`p w {}`, `p w {}`), refuse: true},
	{name: "CALLID-05 other name", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind("p=a"), calls: public(`p v {}`), refuse: true},
	{name: "CALLID-05 other arguments", parts: []string{call(`"a"`, "w", `{"c":1}`)}, binds: bind("p=a"), calls: public(`p w {"c":2}`), refuse: true},
	{name: "CALLID-05 broken arguments", parts: []string{call(`"a"`, "w", `{"c":1}`)}, binds: bind("p=a"), calls: public(`p w {"c":1`), refuse: true},
	{name: "CALLID-05 exchanged", parts: []string{call(`"a"`, "w", `{"c":1}`), call(`"b"`, "w", `{"c":2}`)}, binds: bind("p=b", "q=a"), calls: public(`p w {"c":1}`, `q w {"c":2}`), refuse: true},
	{name: "CALLID-05 stored ID null", parts: []string{call(`null`, "w", `{}`)}, calls: public(`p w {}`), refuse: true},
	{name: "CALLID-05 stored ID empty", parts: []string{call(`""`, "w", `{}`)}, calls: public(`p w {}`), refuse: true},
	{name: "CALLID-05 stored ID number, no call list", parts: []string{call(`7`, "w", `{}`)}, refuse: true},
	{name: "CALLID-05 one native ID on two parts", parts: []string{call(`"a"`, "w", `{}`), call(`"a"`, "v", `{}`)}, binds: bind("p=a"), calls: public(`p w {}`, `q v {}`), refuse: true},

	{name: "CALLID-06 unique", parts: []string{call(`"a"`, "w", `{"c":1}`), call(`"b"`, "w", `{"c":2}`)}, calls: public(`q w {"c":2}`, `p w {"c":1}`), want: map[string]string{"p": `"a"`, "q": `"b"`}},
	{name: "CALLID-06 unique beside calls without IDs", parts: []string{call(`"a"`, "w", `{"c":1}`), call("", "w", `{}`), call("", "w", `{}`)}, calls: public(`p w {"c":1}`, `q w {}`, `r w {}`), want: map[string]string{"p": `"a"`}},
	{name: "CALLID-06 equal to another with an ID", parts: []string{call(`"a"`, "w", `{}`), call(`"b"`, "w", ``)}, calls: public(`p w {}`, `q w []`), refuse: true},
	{name: "CALLID-06 equal to another without an ID", parts: []string{call(`"a"`, "w", `{}`), call("", "w", `{}`)}, calls: public(`p w {}`, `q w {}`), refuse: true},
	{name: "CALLID-06 equal to another that has no public call", parts: []string{call(`"a"`, "w", `{}`), call("", "w", `{}`)}, calls: public(`p w {}`), refuse: true},
	{name: "CALLID-06 two public calls", parts: []string{call(`"a"`, "w", `{}`)}, calls: public(`p w {}`, `q w {}`), refuse: true},
	{name: "CALLID-06 no public call", parts: []string{call(`"a"`, "w", `{}`)}, calls: public(`p v {}`), refuse: true},
	{name: "CALLID-06 one native ID on two parts", parts: []string{call(`"a"`, "w", `{}`), call(`"a"`, "v", `{}`)}, calls: public(`p w {}`, `q v {}`), refuse: true},

	{name: "CALLID-07 no native IDs", parts: []string{call("", "w", `{}`), call("", "w", `{}`)}, calls: public(`p w {}`)},
	{name: "CALLID-07 no native IDs, bindings []", parts: []string{call("", "w", `{}`)}, binds: bind(), calls: public(`p w {}`)},
	{name: "CALLID-07 no native IDs, bindings", parts: []string{call("", "w", `{}`)}, binds: bind("p=a"), calls: public(`p w {}`), refuse: true},
	{name: "CALLID-07 no call list", parts: []string{call(`"a"`, "w", `{}`), call(`"a"`, "w", `{}`)}},
	{name: "CALLID-07 no call list, bindings []", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind()},
	{name: "CALLID-07 no call list, bindings", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind("p=a"), refuse: true},
	{name: "CALLID-07 no parts", parts: nil, calls: public(`p w {}`)},
	{name: "a functionCall without a name is no call", parts: []string{`{"functionCall":{"id":""}}`, `{"functionCall":{"id":7,"name":""}}`, `{"functionCall":"x"}`, `{"functionCall":{"id":null,"name":3}}`}, calls: public(`p w {}`)},

	{
		name: "CALLID-08 native ID again in a later turn", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind("p=a"), calls: public(`p w {}`), want: map[string]string{"p": `"a"`},
		others: []chat.Message{{Role: chat.Assistant, ToolCalls: public(`r w {}`), ProviderItems: replay.NewCarrier([]string{call(`"a"`, "w", `{}`)}, bind("r=a"))}},
	},
	{name: "CALLID-08 bound public ID again", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind("p=a"), calls: public(`p w {}`), refuse: true, others: []chat.Message{{Role: chat.Assistant, ToolCalls: public(`p v {}`)}}},
	{name: "CALLID-08 only the second of two bound public IDs again", parts: []string{call(`"a"`, "w", `{}`), call(`"b"`, "v", `{}`)}, binds: bind("p=a", "q=b"), calls: public(`p w {}`, `q v {}`), refuse: true, others: []chat.Message{{Role: chat.Assistant, ToolCalls: public(`q v {}`)}}},
	{name: "CALLID-08 bound public ID again, second in its message", parts: []string{call(`"a"`, "w", `{}`)}, binds: bind("p=a"), calls: public(`p w {}`), refuse: true, others: []chat.Message{{Role: chat.Assistant, ToolCalls: public(`r w {}`, `p v {}`)}}},
	{name: "CALLID-08 paired public ID again", parts: []string{call(`"a"`, "w", `{}`)}, calls: public(`p w {}`), refuse: true, others: []chat.Message{{Role: chat.Assistant, ToolCalls: public(`p v {}`)}}},
	{
		name: "CALLID-08 public ID without a part in it again", parts: []string{call(`"a"`, "w", `{}`), call("", "v", `{}`)}, binds: bind("p=a"), calls: public(`p w {}`, `q v {}`), want: map[string]string{"p": `"a"`},
		others: []chat.Message{{Role: chat.Assistant, ToolCalls: public(`q v {}`)}, {Role: chat.Tool, ToolCallID: "p"}, {Role: chat.User, ToolCalls: public(`p v {}`)}},
	},
}

func TestNativeIDs(t *testing.T) {
	for _, row := range associateRows {
		t.Run(row.name, func(t *testing.T) {
			items := replay.NewCarrier(row.parts, row.binds)
			if row.binds != nil && len(row.binds) == 0 {
				items = json.RawMessage(strings.TrimSuffix(string(items), "}]") + `,"tool_call_bindings":[]}]`)
			}
			m := chat.Message{Role: chat.Assistant, ToolCalls: row.calls, ProviderItems: items}
			c, err := replay.Read(items)
			if err != nil {
				t.Fatal(err)
			}
			for _, transcript := range [][]chat.Message{append([]chat.Message{m}, row.others...), append(slices.Clip(row.others), m)} {
				ids, err := c.Capsule.NativeIDs(m, transcript)
				if row.refuse {
					wantRefused(t, err)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				var got map[string]string
				for id, v := range ids {
					if got == nil {
						got = map[string]string{}
					}
					got[id] = v.Raw()
				}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestCallEquals(t *testing.T) {
	for _, row := range []struct {
		name, native, public string
		want                 bool
	}{
		{"absent and {}", ``, `{}`, true},
		{"absent and []", ``, `[]`, true},
		{"absent and nothing", ``, ``, true},
		{"{} and []", `{}`, `[]`, true},
		{"[] and blank", `[]`, ` `, true},
		{"null is not absent", `null`, ``, false},
		{"text that is no JSON is not absent", ``, `x`, false},
		{"null", `null`, `null`, true},
		{"list and its object", `["a",[]]`, `{"1":[],"0":"a"}`, true},
		{"object and its list", `{"0":{"x":1}}`, `[{"x":1.0}]`, true},
		{"list and a shorter object", `["a","b"]`, `{"0":"a"}`, false},
		{"list and an object with gaps", `["a","b"]`, `{"0":"a","2":"b"}`, false},
		{"list and repeated indexes", `["a","b"]`, `{"0":"a","0":"a","1":"b"}`, false},
		{"list and other index spelling", `["a"]`, `{"00":"a"}`, false},
		{"nested list is no object", `{"a":["b"]}`, `{"a":{"0":"b"}}`, false},
		{"nested {} is not []", `{"a":{}}`, `{"a":[]}`, false},
		{"order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"number literals", `{"a":1.0}`, `{"a":10e-1}`, true},
		{"exact numbers", `{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{"escapes", `{"a":"\u00e9"}`, `{"a":"é"}`, true},
		{"strings differ", `{"a":"é"}`, `{"a":"e"}`, false},
		{"bytes that are not UTF-8", "{\"a\":\"\xff\"}", "{\"a\":\"\ufffd\"}", true},
		{"the same text", `{"a":"\ud800"}`, `{"a":"\ud800"}`, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := replay.Read(replay.NewCarrier([]string{call("", "w", row.native)}, nil))
			if err != nil {
				t.Fatal(err)
			}
			calls := c.Capsule.Calls()
			if len(calls) != 1 {
				t.Fatalf("got %d calls", len(calls))
			}
			if got := calls[0].Equals(chat.ToolCall{Name: "w", Arguments: row.public}); got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
			if calls[0].Equals(chat.ToolCall{Name: "v", Arguments: row.public}) {
				t.Error("equal under another name")
			}
		})
	}
}

// TestBindingsKeepStrangeIDs: an ID that no Go string can hold is bound all the
// same and echoed as it came.
func TestBindingsKeepStrangeIDs(t *testing.T) {
	for _, id := range []string{`"\ud800"`, "\"a\xffb\"", `"\ud83d\ude00\udc00\n"`, "\"\ufffd\""} {
		c, err := replay.Read(replay.NewCarrier([]string{call(id, "w", `{}`)}, nil))
		if err != nil {
			t.Fatal(err)
		}
		native := c.Capsule.Calls()[0].ID.Text()
		items := replay.NewCarrier([]string{call(id, "w", `{}`)}, []replay.Binding{{ToolCallID: "p", NativeID: native}})
		m := chat.Message{Role: chat.Assistant, ToolCalls: public(`p w {}`), ProviderItems: items}
		c, err = replay.Read(items)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := c.Capsule.NativeIDs(m, []chat.Message{m})
		if err != nil || ids["p"].Raw() != id {
			t.Errorf("%s: got %q, %v", id, ids["p"].Raw(), err)
		}
	}
}
