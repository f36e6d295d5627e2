package mutations

import (
	"context"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// T is what Prove needs of a test: *testing.T, or GinkgoT() inside a suite.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Prove shows that the oracles can fail on a subject of one's own: it makes
// every wire fault that the subject is judged on and fails the test for each
// that is not detected by assertion.
//
//	func TestProof(t *testing.T) { mutations.Prove(t, oracles.Config{New: newMyAdapter}) }
//
// Faults are tried where the subject passes without one.
func Prove(t T, subject oracles.Config) {
	t.Helper()
	rep, err := Run(context.Background(), Config{Subject: subject, Kinds: []string{Wire}})
	if err != nil {
		t.Fatalf("%v", err)
		return
	}
	for _, f := range rep.Faults {
		switch f.Verdict {
		case result.Detected:
		case result.NotTried:
			t.Logf("%s: unsupported: %s", f.ID, f.Reason)
		default:
			t.Errorf("%s: %s: %s", f.ID, f.Verdict, f.Reason)
		}
	}
	t.Logf("%d of %d faults detected", rep.Mutation.Detected, rep.Mutation.Faults)
}
