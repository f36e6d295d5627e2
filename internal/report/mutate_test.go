package report_test

import (
	"bytes"
	"strings"
	"testing"

	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
)

// A run of generated faults that is in error shows no score and is no green test
// suite, though each of its faults was detected.
func TestMutationInErrorShowsNoScore(t *testing.T) {
	r := result.Report{
		Kind: "mutate", Status: result.Error, NotJudged: []string{"source files changed meanwhile: a.go"},
		Mutation: &result.Mutation{Faults: 1, Detected: 1, Verdicts: map[result.Verdict]int{result.Detected: 1}},
		Faults:   []result.Fault{{ID: "a/b", Kind: "operator", Verdict: result.Detected}},
	}
	var text, junit bytes.Buffer
	if err := report.MutationText(&text, r, false); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); strings.Contains(got, "score 1") || !strings.Contains(got, "no score: the run is in error") || !strings.Contains(got, "changed meanwhile: a.go") {
		t.Errorf("got %s", got)
	}
	if err := report.MutationJUnit(&junit, r); err != nil {
		t.Fatal(err)
	}
	if got := junit.String(); !strings.Contains(got, `errors="1"`) || !strings.Contains(got, "changed meanwhile: a.go") {
		t.Errorf("got %s", got)
	}
}

// JUnit says what the exit code says: what is counted beside the score, or
// reviewed, is no failure, and a review that does not hold is one.
func TestGeneratedFaultsInJUnit(t *testing.T) {
	r := result.Report{
		Kind: "mutate", Status: result.Pass, Mutation: &result.Mutation{},
		Faults: []result.Fault{
			{ID: "a/1", Kind: "operator", Verdict: result.Detected},
			{ID: "a/2", Kind: "operator", Verdict: result.Survived, Equivalent: "nobody sees it"},
			{ID: "a/3", Kind: "operator", Verdict: result.TimedOut},
		},
	}
	junit := func() string {
		var b bytes.Buffer
		if err := report.MutationJUnit(&b, r); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := junit(); !strings.Contains(got, `tests="3" failures="0" errors="0" skipped="2"`) {
		t.Errorf("got %s", got)
	}
	r.Status, r.Mutation.Stale = result.Fail, []string{"a/2 is detected"}
	if got := junit(); !strings.Contains(got, `failures="1"`) || !strings.Contains(got, "a/2 is detected") {
		t.Errorf("got %s", got)
	}
	r.Mutation.Stale, r.Faults[1].Equivalent = nil, ""
	if got := junit(); !strings.Contains(got, `failures="1"`) {
		t.Errorf("got %s", got)
	}
}
