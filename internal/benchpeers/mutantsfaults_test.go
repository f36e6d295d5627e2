package benchpeers_test

import (
	"strings"
	"testing"
	"time"

	"example.com/replaycheck/internal/benchpeers"
)

func TestFaultIDs(t *testing.T) {
	const list = `[{"variants":[{"id":"a.one","requirements":["REPLAY-01"],"kinds":["wire","source"]},{"id":"a.two","requirements":["REPLAY-01"],"kinds":["wire"]}]},` +
		`{"variants":[{"id":"b","requirements":["REPLAY-02","STATE-01"],"kinds":["source"]},{"id":"c","requirements":["THINK-01"],"kinds":["source"]}]}]`
	ids, err := benchpeers.FaultIDs([]byte(list))
	if got := strings.Join(ids, " "); err != nil || got != "a.one c" {
		t.Errorf("got %q, %v, want a.one and c", got, err)
	}
	for _, bad := range []string{"oops", "[]"} {
		if _, err := benchpeers.FaultIDs([]byte(bad)); err == nil {
			t.Errorf("%s: got no error", bad)
		}
	}
	m := benchpeers.Mutants{Package: "the catalogue", Tried: 104, CPU: 2080 * time.Millisecond, Wall: time.Second}
	if got := m.HundredTarget().String(); !strings.HasPrefix(got, "met") || !strings.Contains(got, "2.00 s (1.0 s wall for 104), want ≤ 3 s") {
		t.Errorf("got %q", got)
	}
}
