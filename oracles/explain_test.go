package oracles_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// An explanation says in which modes a kind of finding is: a loss in one mode
// only has another cause than one in all.
func TestExplainNamesTheModes(t *testing.T) {
	lost := result.Finding{Where: "request 2", Change: result.Absent, Want: "a", Got: "absent", Means: "refused", Level: result.Provider, Basis: result.Confirmed}
	run := func(mode string, n int) result.Run {
		r := result.Run{Scenario: "gemini/x", Mode: mode, Status: result.Fail}
		for range n {
			r.Findings = append(r.Findings, lost)
		}
		return r
	}
	for _, row := range []struct {
		name string
		runs []result.Run
		want string
	}{
		{"one mode", []result.Run{run("plain/memory", 0), run("stream/memory", 3)}, "and    2 more like it (all in stream/memory)"},
		{"two modes", []result.Run{run("plain/memory", 1), run("stream/memory", 3)}, "and    3 more like it (together 1 in plain/memory, 3 in stream/memory)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := oracles.Explain(result.Requirement{ID: "REPLAY-03", Status: result.Fail, Runs: row.runs}, result.Provider)
			NewWithT(t).Expect(got).To(HaveSuffix("\n  " + row.want))
		})
	}
}
