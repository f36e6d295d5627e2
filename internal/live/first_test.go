package live_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
	evidence "example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// The server judges no conversation that has one request only. That is right as
// long as nothing can be found in one, whatever it holds and was answered.
func TestOneRequestShowsNothing(t *testing.T) {
	bodies := []string{
		``, `{`, `[]`, `{}`,
		`{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":[]},"thoughtSignature":"S"},{"text":"<think>x</think>"}]},{"role":"user","parts":[{"functionResponse":{"id":"b","name":"f","response":[]}}]},{"role":"model","parts":[{"text":"t","thought":true}]}]}`,
		`{"input":[{"type":"reasoning","id":"rs_1"},{"type":"function_call","id":"x","call_id":"c"},{"type":"function_call_output","call_id":"d","output":"1"}],"previous_response_id":"r"}`,
		`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":""}],"tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"d"}]}`,
	}
	replies := []string{
		``, `{`, "data: {}\n\n", "\x1f\x8bno gzip",
		`{"candidates":[{"content":{"parts":[{"text":"<think>a</think>b","thoughtSignature":"S"},{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]}`,
		`{"output":[{"type":"reasoning","id":"rs_1","encrypted_content":"E"},{"type":"function_call","call_id":"c"}]}`,
		`{"content":[{"type":"thinking","thinking":"t","signature":"S"},{"type":"tool_use","id":"x","name":"f","input":{}}]}`,
	}
	for _, api := range append(native.APIs(), "") {
		for _, body := range bodies {
			for _, reply := range replies {
				for _, x := range []fakeserver.Exchange{
					{Status: 200, Step: 1},
					{Status: 200, Step: 1, Stream: true, Cut: true},
					{Status: 200, Step: 1, Fault: "gzip"},
					{Status: 400, Refused: true, Refusal: &fakeserver.Refusal{Rule: "x"}},
					{Status: 400},
					{Status: 503, Fault: "status"},
					{Status: 200, Side: true},
				} {
					x.Seq, x.Endpoint, x.Body, x.Reply = 1, string(api), body, reply
					obs, err := oracles.Observe(evidence.Observed("x", []fakeserver.Exchange{x}))
					NewWithT(t).Expect(append(obs.NotJudged, fmt.Sprint(obs.Judged, err))).To(Equal([]string{"[] <nil>"}), "%+v", x)
					for _, turn := range obs.Turns {
						for _, p := range turn.Parts {
							NewWithT(t).Expect(p.Returns).To(BeEmpty())
						}
					}
				}
			}
		}
	}
}
