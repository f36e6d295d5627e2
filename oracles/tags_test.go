package oracles_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// An answer with inline thoughts comes back as it was or without them. Other text
// in its place is found, on both of Gemini's hosts.
func TestObserveTags(t *testing.T) {
	const user = `{"role":"user","parts":[{"text":"hi"}]}`
	model := func(parts string) string { return `{"role":"model","parts":[` + parts + `]}` }
	const mixed, two = `{"text":"A <think>hidden</think> B"}`, `{"text":"<think>a</think>x<think>b</think>y"}`
	for _, row := range []struct {
		name, came, back string
		red              bool
	}{
		{"as it came", mixed, model(mixed), false},
		{"in two pieces as it came", `{"text":"A <think>hid"},{"text":"den</think> B"}`, model(`{"text":"A <think>hid"},{"text":"den</think> B"}`), false},
		{"joined", `{"text":"A <think>hid"},{"text":"den</think> B"}`, model(mixed), false},
		{"joined and taken out", `{"text":"A <think>hid"},{"text":"den</think> B"}`, model(`{"text":"A B"}`), false},
		{"taken out", mixed, model(`{"text":"A  B"}`), false},
		{"taken out and trimmed", `{"text":"<think>hidden</think>\n\nB "}`, model(`{"text":"B"}`), false},
		{"taken out by other letters", `{"text":"<THINK>hidden</Think>B"}`, model(`{"text":"B"}`), false},
		{"taken out one by one", two, model(`{"text":"xy"}`), false},
		{"taken out at once", two, model(`{"text":"y"}`), false},
		{"as a part of its own", mixed, model(`{"text":"hidden","thought":true},{"text":"A B"}`), false},
		{"never closed", `{"text":"A <think>hidden"}`, model(`{"text":"A"}`), false},
		{"nothing left of it", `{"text":"<think>hidden</think>"}`, model(`{"text":""}`), false},
		{"as it came, before its twin", mixed, model(mixed) + "," + user + "," + model(`{"text":"A B"}`), false},
		{"nothing but thoughts, as it came", `{"text":"<think>hidden</think>"}`, model(`{"text":"<think>hidden</think>"}`), false},

		{"replaced", mixed, model(`{"text":"completely other"}`), true},
		{"edited inside", mixed, model(`{"text":"A <think>shown</think> B"}`), true},
		{"edited outside", mixed, model(`{"text":"A <think>hidden</think> C"}`), true},
		{"shortened", mixed, model(`{"text":"A"}`), true},
		{"taken out and edited", mixed, model(`{"text":"A C"}`), true},
		{"emptied", mixed, model(`{"text":""}`), true},
		{"lost", mixed, "", true},
		{"taken out, another part beside", mixed, model(`{"text":"A B"},{"text":"C"}`), true},
		{"taken out, a value on it", mixed, model(`{"text":"A B","thoughtSignature":"` + aValue + `"}`), true},
		{"nothing left of it, other text instead", `{"text":"<think>hidden</think>"}`, model(`{"text":"other"}`), true},
	} {
		for _, api := range []native.API{native.Gemini, native.Vertex} {
			t.Run(string(api)+"/"+row.name, func(t *testing.T) {
				g := NewWithT(t)
				answer := func(turn string) string { return `{"candidates":[{"content":` + turn + `,"finishReason":"STOP"}]}` }
				body := func(contents ...string) string {
					return `{"contents":[` + strings.Join(slices.DeleteFunc(contents, func(s string) bool { return s == "" }), ",") + `]}`
				}
				all := []fakeserver.Exchange{
					{Endpoint: string(api), Status: 200, Body: body(user), Reply: answer(model(row.came))},
				}
				if strings.Contains(row.name, "twin") {
					all = append(all, fakeserver.Exchange{Endpoint: string(api), Status: 200, Body: body(user, model(row.came), user), Reply: answer(model(`{"text":"A B"}`))})
				}
				all = append(all, fakeserver.Exchange{Endpoint: string(api), Status: 200, Body: body(user, row.back, user), Reply: answer(model(`{"text":"Bye."}`))})
				for i := range all {
					all[i].Seq, all[i].Step = i+1, i+1
				}
				o, err := oracles.Observe(scenario.Observed("x", all))
				g.Expect(err).NotTo(HaveOccurred())
				found := gating(t, o)
				for _, f := range o.Beyond {
					if f.Gates(result.Provider) {
						found = append(found, string(f.Change)+" "+f.Where)
					}
				}
				if red := len(found) > 0; red != row.red {
					t.Errorf("got red %t: %v", red, found)
				}
			})
		}
	}
}
