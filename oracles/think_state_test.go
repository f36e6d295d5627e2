package oracles_test

import (
	"testing"
)

// A turn with a call is no answer, but its text is in the state all the same.
func TestTextOfATurnWithACallInTheState(t *testing.T) {
	for _, row := range []struct {
		name, scenario, id string
		content            func(string) string
		want               string
	}{
		{
			"thought text shown", "gemini/thoughts-then-call", "THINK-01", func(string) string { return "I only need the city." },
			"verbatim documented, changed: state after the last run, assistant message 1, content\nwant \"\"\ngot  \"I only need the city.\"",
		},
		{
			"later text lost", "gemini/text-and-call", "THINK-02", func(string) string { return "" },
			"",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			ev := good(t, row.scenario, plainMemory, "")
			if got := showAll(oracle(t, row.id).Check(view(t, ev))); got != "" {
				t.Fatalf("got %s before the change", got)
			}
			onState(func(state string) string {
				for i, m := range items(state, "messages") {
					if has(m, "tool_calls") {
						return setText(state, pathTo("messages", i)+".content", row.content(text(m, "content")))
					}
				}
				return state
			})(&ev)
			got := showAll(oracle(t, row.id).Check(view(t, ev)))
			if got == "" || row.want != "" && got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			ev.Subject.Carrier = ""
			if got := showAll(oracle(t, row.id).Check(view(t, ev))); got != "" {
				t.Errorf("got %s of a subject without a carrier", got)
			}
		})
	}
}
