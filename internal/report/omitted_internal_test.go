package report

import "testing"

func TestShortIDs(t *testing.T) {
	for _, row := range []struct {
		name string
		ids  []string
		want string
	}{
		{"one", []string{"REPLAY-01"}, "REPLAY-01"},
		{"two neighbours are no range", []string{"STREAM-01", "STREAM-02"}, "STREAM-01, -02"},
		{"a range", []string{"REFUSE-01", "REFUSE-02", "REFUSE-03"}, "REFUSE-01 to -03"},
		{"a gap, then a range, then another family", []string{"REPLAY-01", "REPLAY-03", "REPLAY-04", "REPLAY-05", "THINK-01"}, "REPLAY-01, -03 to -05, THINK-01"},
		{"one past nine", []string{"REPLAY-08", "REPLAY-09", "REPLAY-10"}, "REPLAY-08 to -10"},
		{"what is no number", []string{"STATE-x", "STATE-y", "plain"}, "STATE-x, -y, plain"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := shortIDs(row.ids); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestShortFaults(t *testing.T) {
	got := shortFaults([]string{"store-true.store", "parallel-split", "store-true.previous"})
	if want := "store-true (2), parallel-split"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
