package scenario_test

import (
	"bytes"
	"compress/gzip"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/subject"
)

func TestObserved(t *testing.T) {
	g := NewWithT(t)
	call := `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{"x":1}}},{"functionCall":{"name":"g"}}]}}]}`
	results := `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f"}},{"functionCall":{"name":"g"}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"r":1}}},{"functionResponse":{"name":"g","response":{"r":2}}}]}]}`
	exchanges := []fakeserver.Exchange{
		{Seq: 1, Endpoint: "gemini", Body: `{"contents":[]}`, Step: 1, Status: 200, Reply: call},
		{Seq: 2, Endpoint: "", Path: "/v1/models", Status: 404},
		{Seq: 3, Endpoint: "gemini", Body: results, Step: 2, Status: 429, Reply: `{"error":{}}`},
		{Seq: 3, Endpoint: "gemini", Body: results, Status: 200, Cut: true, Fault: "reset before headers"},
		{Seq: 3, Endpoint: "gemini", Side: true, Status: 200, Reply: `{"totalTokens":1}`},
		{Seq: 4, Endpoint: "gemini", Body: results, Status: 400, Refused: true, Reply: `{"error":{}}`},
		{Seq: 5, Endpoint: "gemini", Stream: true, Body: results, Step: 3, Status: 200, Reply: "data: {}\n\n"},
	}
	ev := scenario.Observed("weather", exchanges)
	g.Expect(ev.Scenario.ID).To(Equal("weather"))
	g.Expect(ev.Mode.Stream).To(BeTrue())
	g.Expect(ev.Runs).To(HaveLen(1))
	var steps, seqs []int
	for _, x := range ev.Runs[0].Exchanges {
		steps, seqs = append(steps, x.Step), append(seqs, x.Seq)
	}
	g.Expect(seqs).To(Equal([]int{1, 4, 5}), "failures of the server's and other paths are left out")
	g.Expect(steps).To(Equal([]int{1, 2, 3}), "a refusal is a step of its own")
	g.Expect(ev.Scenario.Replies[2].Plain).To(BeEmpty())
	g.Expect(ev.Scenario.Replies[2].Stream).To(Equal("data: {}\n\n"))
	g.Expect(ev.Runs[0].Outcome.ToolRuns).To(Equal([]subject.ToolRun{
		{Name: "f", Arguments: `{"x":1}`, CallID: "a", Result: `{"r":1}`},
		{Name: "g", Result: `{"r":2}`},
	}))
	g.Expect(exchanges[3].Step).To(BeZero(), "what was given is not changed")
}

// What broke off was not given; what was compressed was.
func TestObservedReplies(t *testing.T) {
	g := NewWithT(t)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(`{"candidates":[]}`))
	g.Expect(z.Close()).To(Succeed())
	ev := scenario.Observed("x", []fakeserver.Exchange{
		{Seq: 1, Endpoint: "gemini", Body: "{}", Step: 1, Status: 200, Reply: `{"candidates":[{"cont`},
		{Seq: 2, Endpoint: "gemini", Body: "{}", Step: 2, Status: 200, Reply: zipped.String(), Fault: "gzip"},
	})
	x := ev.Runs[0].Exchanges
	g.Expect([]bool{x[0].Cut, x[1].Cut}).To(Equal([]bool{true, false}))
	g.Expect(ev.Scenario.Replies[0].Plain).To(BeEmpty())
	g.Expect(ev.Scenario.Replies[1].Plain).To(Equal(`{"candidates":[]}`))
}

// A call without a result has no run.
func TestObservedWithoutResult(t *testing.T) {
	g := NewWithT(t)
	ev := scenario.Observed("x", []fakeserver.Exchange{
		{Seq: 1, Endpoint: "responses", Body: `{"input":"hi"}`, Step: 1, Status: 200, Reply: `{"status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call","id":"fc_2","call_id":"c2","name":"f","arguments":"{}"}]}`},
		{Seq: 2, Endpoint: "responses", Body: `{"input":[{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call","id":"fc_2","call_id":"c2","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c2","output":"two"}]}`, Step: 2, Status: 200, Reply: `{}`},
	})
	g.Expect(ev.Runs[0].Outcome.ToolRuns).To(Equal([]subject.ToolRun{{Name: "f", Arguments: "{}", CallID: "c2", Result: "two"}}))
}
