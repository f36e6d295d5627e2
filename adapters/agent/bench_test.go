package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/agent"
	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore/runstoretest"
)

// fiftySteps are 50 turns, each with a signature of 6,200 characters, whose
// results have 13,000 more: about 1 MB. The last turn needs approval.
func fiftySteps() (replies []chat.Completion, tool func(context.Context, chat.ToolCall) (string, error)) {
	signature, result := strings.Repeat("Sg+/x7Qz", 775), strings.Repeat("tool result, ", 1000)
	for i := range 50 {
		name := "look"
		if i == 49 {
			name = "pay"
		}
		reply := calls(fmt.Sprintf("%s call_%d {}", name, i))
		reply.Metadata = carrier(`[{"type":"nrllm_gemini_generate_content","parts":[{"functionCall":{"name":"look","args":{}},"thoughtSignature":"` + signature + `"}]}]`)
		replies = append(replies, reply)
	}
	return append(replies, answer("Done")), func(context.Context, chat.ToolCall) (string, error) { return result, nil }
}

func TestFiftyLargeStepsSuspendAndResume(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			replies, tool := fiftySteps()
			tools := []agent.Tool{{ToolSpec: chat.ToolSpec{Name: "look"}, Begin: agent.Func(tool)}, {ToolSpec: chat.ToolSpec{Name: "pay"}, Approval: true, Begin: agent.Func(tool)}}
			out, err := newAgent(t, agent.Config{Model: &model{replies: replies}, Store: open(t, dsn), Tools: tools}).Start(t.Context(), "r1", "user:1", user("Go"))
			must(t, err)
			if out.Status != chat.RunWaiting || out.Steps != 50 {
				t.Fatalf("got status %s after %d steps, want waiting after 50", out.Status, out.Steps)
			}
			m := &model{replies: replies}
			done, err := newAgent(t, agent.Config{Model: m, Store: open(t, dsn), Tools: tools}).Approve(t.Context(), "r1", "user:1", out.Digest)
			must(t, err)
			if done.Status != chat.RunFinished || len(m.asked) != 1 || len(m.asked[0]) != 101 {
				t.Fatalf("got %s, want one request with the whole conversation", done.Status)
			}
			for i, reply := range replies[:50] {
				if got := m.asked[0][1+2*i].ProviderItems; string(got) != string(reply.Metadata[chat.ItemsKey]) {
					t.Fatalf("turn %d: the carrier changed", i+1)
				}
			}
		})
	}
}

// BenchmarkFiftySteps is a whole run of 50 large steps, with what is stored at
// each of them, an approval and the answer.
func BenchmarkFiftySteps(b *testing.B) {
	replies, tool := fiftySteps()
	tools := []agent.Tool{{ToolSpec: chat.ToolSpec{Name: "look"}, Begin: agent.Func(tool)}, {ToolSpec: chat.ToolSpec{Name: "pay"}, Approval: true, Begin: agent.Func(tool)}}
	for engine, fresh := range runstoretest.Engines() {
		b.Run(engine, func(b *testing.B) {
			store := open(b, fresh(b))
			for n := 0; b.Loop(); n++ {
				a := newAgent(b, agent.Config{Model: &model{replies: replies}, Store: store, Tools: tools})
				out, err := a.Start(b.Context(), fmt.Sprint("r", n), "user:1", user("Go"))
				must(b, err)
				out, err = a.Approve(b.Context(), out.RunID, "user:1", out.Digest)
				must(b, err)
				text, err := chat.EncodeTranscript(out.Messages)
				must(b, err)
				b.ReportMetric(float64(len(text)), "state-bytes")
			}
		})
	}
}
