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
