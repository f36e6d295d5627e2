package mutations

import (
	"context"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/mutations/internal/trial"
	"example.com/replaycheck/oracles"
)

func referenceSuite(tb testing.TB) trial.Suite {
	tb.Helper()
	s, err := Contract(oracles.Config{New: func() (oracles.Subject, error) { return reference.New(), nil }, InProcess: true})(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// BenchmarkRuns is one run without a fault, judged.
func BenchmarkRuns(b *testing.B) {
	s := referenceSuite(b)
	runs := s.Runs()
	n := 0
	for b.Loop() {
		for i, r := range runs {
			if r.Heavy || r.Same >= 0 || len(r.Variant) > 0 {
				continue
			}
			n++
			a := trial.Do(context.Background(), s, i, nil)
			if a.Err != nil {
				b.Fatal(a.Err)
			}
			for k, id := range r.Requirements {
				if k > 1 {
					break
				}
				if _, err := a.Judge(id); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/run")
}
