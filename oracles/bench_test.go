package oracles_test

import (
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// BenchmarkReferenceRun is a full run of the reference adapters in process:
// every scenario, mode and variant but those that need processes of their own,
// judged by every oracle.
func BenchmarkReferenceRun(b *testing.B) {
	for b.Loop() {
		rep, err := oracles.Judge(b.Context(), oracles.Config{New: newReference, InProcess: true})
		if err != nil {
			b.Fatal(err)
		}
		if rep.Status != result.Pass || rep.Summary.Fail+rep.Summary.Error > 0 {
			b.Fatalf("got status %s, want pass", rep.Status)
		}
		b.ReportMetric(float64(rep.Literal.Compared), "requests")
	}
}
