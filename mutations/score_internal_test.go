package mutations

import (
	"slices"
	"testing"

	"example.com/replaycheck/internal/result"
)

// TestScore: what is reviewed as equivalent leaves the score only while it lives,
// and a review that does not hold fails the run.
func TestScore(t *testing.T) {
	reviews := []Equivalent{
		{Func: "own.Lives", Operator: "const", IDs: []string{"aaaaaa"}},
		{Func: "own.Seen", Operator: "const"},
		{Func: "own.Gone", Operator: "drop", IDs: []string{"bbbbbb"}},
		{Func: "elsewhere.F"},
	}
	faults := func(v result.Verdict) []result.Fault {
		return []result.Fault{{ID: "own.Lives/const/aaaaaa", Verdict: result.NoOp}, {ID: "own.Seen/const/cccccc", Verdict: v}}
	}
	for _, row := range []struct {
		name    string
		verdict result.Verdict
		whole   bool
		want    []string
	}{
		{"both live, some chosen", result.Survived, false, nil},
		{"both live, all tried", result.Survived, true, []string{"own.Gone/drop/bbbbbb: there is no such fault any more"}},
		{"one is detected", result.Detected, false, []string{"own.Seen/const/cccccc is detected, not equivalent; take it out of the list"}},
		{"one panics", result.Errored, false, []string{"own.Seen/const/cccccc is error, not equivalent; take it out of the list"}},
	} {
		if got := stale(reviews, faults(row.verdict), row.whole); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
	rep := result.Report{
		Mutation: &result.Mutation{Faults: 5, Detected: 2},
		Faults: []result.Fault{
			{ID: "own.A/const/1", Verdict: result.Detected},
			{ID: "own.B/const/1", Verdict: result.Detected, OwnTests: true},
			{ID: "own.C/const/1", Verdict: result.Survived},
			{ID: "own.D/const/1", Verdict: result.Errored},
			{ID: "own.E/const/1", Verdict: result.TimedOut},
		},
	}
	if err := (Config{Only: []string{"own.*"}}).score(&rep); err != nil {
		t.Fatal(err)
	}
	if m := rep.Mutation; m.OwnTests != 1 || m.Score == nil || *m.Score < 66.6 || *m.Score > 66.7 || rep.Status != result.Fail {
		t.Errorf("got %+v, %s", m, rep.Status)
	}
}

// A run whose source files changed meanwhile proves nothing: no score, no
// requirement that passed.
func TestVoid(t *testing.T) {
	score := 97.5
	rep := result.Report{
		Status: result.Pass, Mutation: &result.Mutation{Score: &score},
		Requirements: []result.Requirement{{ID: "A-01", Status: result.Pass}, {ID: "A-02", Status: result.Fail}}, Summary: result.Summary{Pass: 1, Fail: 1},
	}
	void(&rep)
	if rep.Status != result.Error || rep.Mutation.Score != nil || rep.Summary != (result.Summary{Error: 2}) || ExitCode(rep) != 2 {
		t.Errorf("got %+v", rep)
	}
	for _, r := range rep.Requirements {
		if r.Status != result.Error || r.Reason == "" {
			t.Errorf("got %+v", r)
		}
	}
}
