package runstore_test

import (
	"os"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore/runstoretest"
)

// large is a conversation of 50 steps, each with a signature of 6 KB and a
// result of 12 KB: about 1 MB.
func large(tb testing.TB) string {
	tb.Helper()
	signature, result := strings.Repeat("Sg+/x7Qz", 775), strings.Repeat("tool result ", 1024)
	messages := []chat.Message{{Role: chat.User, Content: "Go"}}
	for range 50 {
		id := chat.NewCallID()
		messages = append(messages,
			chat.Message{
				Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: id, Name: "look", Arguments: `{}`}},
				ProviderItems: []byte(`[{"type":"nrllm_gemini_generate_content","parts":[{"functionCall":{"name":"look","args":{}},"thoughtSignature":"` + signature + `"}]}]`),
			},
			chat.Message{Role: chat.Tool, ToolCallID: id, Content: result})
	}
	text, err := chat.EncodeTranscript(messages)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// BenchmarkSuspendAndClaim is what one approval costs a run of 1 MB: it is
// stored as waiting, then claimed, which reads and stores it once more.
func BenchmarkSuspendAndClaim(b *testing.B) {
	for engine, fresh := range runstoretest.Engines() {
		b.Run(engine, func(b *testing.B) {
			dsn := fresh(b)
			s := open(b, dsn)
			run := suspended("r1", "user:1")
			run.Transcript = large(b)
			if _, err := s.Create(b.Context(), run); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(run.Transcript)))
			for b.Loop() {
				run, err := s.Claim(b.Context(), "r1", "user:1", chat.RunWaiting, accept)
				if err != nil {
					b.Fatal(err)
				}
				run.Status = chat.RunWaiting
				if err := s.Save(b.Context(), run); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(run.Transcript)), "state-bytes")
			if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
				var total int64
				for _, f := range []string{path, path + "-wal"} {
					if info, err := os.Stat(f); err == nil {
						total += info.Size()
					}
				}
				b.ReportMetric(float64(total), "file-bytes")
			}
		})
	}
}
