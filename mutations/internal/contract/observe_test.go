package contract_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/mutations/internal/contract"
	"example.com/replaycheck/oracles"
)

func open(t *testing.T, scenario string) *contract.Contract {
	t.Helper()
	s, err := oracles.Open(t.Context(), oracles.Config{
		New: func() (oracles.Subject, error) { return reference.New(), nil }, InProcess: true, Scenarios: []string{scenario},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return contract.New(s)
}

// TestSumSeesEverything: whatever changes in what a subject reports, or in what it
// sends, changes the sum. A field that is new is found here.
func TestSumSeesEverything(t *testing.T) {
	g := NewWithT(t)
	c := open(t, "gemini/parallel-different")
	ev, err := c.Drive(t.Context(), 0, nil)
	g.Expect(err).NotTo(HaveOccurred())
	full := subject.Outcome{
		V: 1, Stopped: "s", State: new("state"), Error: &subject.Error{Kind: "k", Message: "m", Status: 1},
		Agent:    &subject.AgentState{RunID: "r", Status: "s", Digest: "d", Steps: 1},
		ToolRuns: []subject.ToolRun{{Name: "n", Arguments: "a", CallID: "c", Result: "r"}},
		Answers: []subject.Answer{{Leg: 1, Prompt: 1, Content: "c", Thinking: new("t"), Meta: &subject.Meta{
			Usage: json.RawMessage(`{}`), Model: "m", Provider: "p", FinishReason: "f", Metadata: map[string]json.RawMessage{"a": json.RawMessage("1")},
		}}},
	}
	ev.Runs[0].Outcome = full
	first := c.Observation(0, ev).Sum()
	g.Expect(c.Observation(0, ev).SameAs(first)).To(BeTrue()) // and is remembered
	sums := map[string]string{first: "as it was"}
	exact := map[string]string{c.Observation(0, ev).Exact(): "as it was"}
	differs := func(what string) {
		t.Helper()
		sum, text := c.Observation(0, ev).Sum(), c.Observation(0, ev).Exact()
		g.Expect(sums).NotTo(HaveKey(sum), what)
		g.Expect(c.Observation(0, ev).SameAs(first)).To(BeFalse(), what)
		g.Expect(exact).NotTo(HaveKey(text), what)
		sums[sum], exact[text] = what, what
	}
	n := 0
	change(reflect.ValueOf(&ev.Runs[0].Outcome).Elem(), "Outcome", func(where string) { n++; differs(where) })
	g.Expect(n).To(BeNumerically(">=", 27))

	x := &ev.Runs[0].Exchanges[0]
	for what, text := range map[string]*string{"method": &x.Method, "path": &x.Path, "query": &x.Query, "body": &x.Body, "probe": &ev.Runs[0].ProbeError} {
		was := *text
		*text += "x"
		differs(what)
		*text = was
	}
	for what, number := range map[string]*int{"step": &x.Step, "exit": &ev.Runs[0].Exit, "connections": &ev.Runs[0].Connections, "leftover": &ev.Leftover} {
		*number += 7
		differs(what)
		*number -= 7
	}
	ev.Strays++
	differs("strays")
	ev.Strays--
	ev.Runs[0].Probes = []subject.Probe{{Body: "a", Body2: "b"}}
	differs("built twice")
	ev.Runs[0].Probes = []subject.Probe{{Body: "a", Body2: "a", Before: "b"}}
	differs("built and changed")
}

// change changes each leaf of a value in turn, and each pointer and list to nothing.
func change(v reflect.Value, where string, changed func(string)) {
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	try := func(now reflect.Value, how string) {
		v.Set(now)
		changed(where + how)
		v.Set(was)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			change(v.Field(i), where+"."+v.Type().Field(i).Name, changed)
		}
	case reflect.Pointer:
		change(v.Elem(), where, changed)
		try(reflect.Zero(v.Type()), " is nil")
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			try(reflect.ValueOf([]byte("[1]")).Convert(v.Type()), " changed")
			return
		}
		change(v.Index(0), where+"[0]", changed)
		try(reflect.Zero(v.Type()), " is empty")
	case reflect.Map:
		try(reflect.Zero(v.Type()), " is empty")
		other := reflect.MakeMap(v.Type())
		other.SetMapIndex(reflect.ValueOf("b"), v.MapIndex(v.MapKeys()[0]))
		try(other, " has another key")
		same := reflect.MakeMap(v.Type())
		same.SetMapIndex(v.MapKeys()[0], reflect.ValueOf([]byte("2")).Convert(v.Type().Elem()))
		try(same, " has another value")
	case reflect.String:
		try(reflect.ValueOf(v.String()+"x").Convert(v.Type()), " changed")
	default:
		try(reflect.ValueOf(int(v.Int())+7).Convert(v.Type()), " changed")
	}
}

// TestSumLeavesOut: what is drawn anew in each run, and white space between the tokens
// of a body, change nothing; what only looks alike does.
func TestSumLeavesOut(t *testing.T) {
	const a, b = "call_ABCDEFGHIJKLMNOPQRSTUVWXYZ", "call_ZYXWVUTSRQPONMLKJIHGFEDCBA"
	c := open(t, "gemini/parallel-different")
	ev, err := c.Drive(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	ev.Runs = ev.Runs[:1]
	show := func(body string, ids ...string) string {
		run := ev.Runs[0]
		run.Exchanges = append(run.Exchanges[:0:0], run.Exchanges[0])
		run.Exchanges[0].Body = body
		run.Outcome.State, run.Outcome.ToolRuns = nil, nil
		for _, id := range ids {
			run.Outcome.ToolRuns = append(run.Outcome.ToolRuns, subject.ToolRun{Name: "n", CallID: id})
		}
		shown := ev
		shown.Runs = []oracles.Run{run}
		return c.Observation(0, shown).Sum()
	}
	for _, row := range []struct {
		name        string
		left, right string
		same        bool
	}{
		{"another ID", show(`["`+a+`"]`, a), show(`["`+b+`"]`, b), true},
		{"another ID, reported nowhere", show(`["` + a + `"]`), show(`["` + b + `"]`), true},
		{"white space", show(`{"a": [1, 2]}`), show(`{"a":[1,2]}`), true},
		{"white space in a string", show(`{"a":"1 2"}`), show(`{"a":"12"}`), false},
		{"white space after a quote in a string", show(`{"a":"\" 1"}`), show(`{"a":"\"1"}`), false},
		{"IDs exchanged", show(`["`+a+`","`+b+`"]`, a, b), show(`["`+b+`","`+a+`"]`, a, b), false},
		{"one ID twice", show(`["`+a+`","`+b+`"]`, a, b), show(`["`+a+`","`+a+`"]`, a, b), false},
		{"an ID cut", show(`["`+a+`"]`, a), show(`["`+a[:20]+`"]`, a), false},
		{"an ID with more letters", show(`["`+a+`"]`, a), show(`["`+a+`AA"]`, a), false},
		{"a plain ID changed", show(`["call_1"]`, "call_1"), show(`["call_3"]`, "call_1"), false},
		{"a plain ID that a random one begins with", show(`["call_2","call_2BCDEFGHIJKLMNOPQRSTUVWXY"]`, "call_2", "call_2BCDEFGHIJKLMNOPQRSTUVWXY"), show(`["call_2","`+b+`"]`, "call_2", b), true},
		{"plain IDs that begin alike", show(`["x1","x12"]`, "x1", "x12"), show(`["x1","x1"]`, "x1", "x12"), false},
		{"another port and path", show(`["http://127.0.0.1:4321/r/0123456789abcdef"]`), show(`["http://127.0.0.1:65000/r/fedcba9876543210"]`), true},
		{"another key", show(`["key-ABCDEFGH"]`), show(`["key-ZYXWVUTS"]`), true},
		{"a word", show(`["key-A"]`), show(`["key-B"]`), false},
	} {
		if (row.left == row.right) != row.same {
			t.Errorf("%s: got the same: %t, want %t", row.name, row.left == row.right, row.same)
		}
	}
	if text := c.Observation(0, ev).Exact(); strings.Contains(text, "call_A") {
		t.Errorf("got the ID in %s", text)
	}
}
