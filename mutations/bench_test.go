package mutations_test

import (
	"testing"

	"example.com/replaycheck/mutations"
)

// BenchmarkRun is one run of the reference adapters without a fault, observed
// and judged.
func BenchmarkRun(b *testing.B) {
	suite, err := mutations.Contract(referenceConfig())(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		for i, r := range suite.Runs() {
			if r.Heavy || r.Process || r.Same >= 0 || r.Variant != "" {
				continue
			}
			o, err := suite.Try(b.Context(), i, nil)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := o.Judge(r.Requirements[0]); err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/run")
}
