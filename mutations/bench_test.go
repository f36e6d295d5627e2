package mutations

import (
	"context"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/mutations/internal/trial"
	"example.com/replaycheck/oracles"
)

func reference_(tb testing.TB) trial.Suite {
	tb.Helper()
	s, err := Contract(oracles.Config{New: func() (oracles.Subject, error) { return reference.New(), nil }, InProcess: true})(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func BenchmarkRuns(b *testing.B) {
	s := reference_(b)
	runs := s.Runs()
	n := 0
	for b.Loop() {
		for i, r := range runs {
			if r.Scenario == "gemini/fifty-steps" || r.Scenario == "gemini/megabyte-argument" || r.Scenario == "gemini/think-long" {
				continue
			}
			n++
			if a := trial.Do(context.Background(), s, i, nil); a.Err != nil {
				b.Fatal(a.Err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/run")
}
