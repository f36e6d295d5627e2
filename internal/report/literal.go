package report

import (
	"fmt"
	"slices"

	"example.com/replaycheck/internal/result"
)

// asRequirement gives the literal comparison the form of a requirement, so that
// it is shown like one: a run per scenario and mode that differs, or one that
// passed. It gates at any level.
func asRequirement(l result.Literal) result.Requirement {
	q := result.Requirement{ID: "PROOF-03", Title: literalTitle(l), Strength: "MUST", Status: l.Status}
	for _, f := range l.Findings {
		run := result.Run{Scenario: f.Scenario, Mode: f.Mode, Variant: f.Variant, Status: result.Fail}
		i := slices.IndexFunc(q.Runs, func(r result.Run) bool {
			return r.Scenario == run.Scenario && r.Mode == run.Mode && r.Variant == run.Variant
		})
		if i < 0 {
			i = len(q.Runs)
			q.Runs = append(q.Runs, run)
		}
		q.Runs[i].Findings = append(q.Runs[i].Findings, f.Finding)
	}
	return q
}

func literalTitle(l result.Literal) string {
	return fmt.Sprintf("%s compared with the literal expected ones, %d differ", plural(l.Compared, "request"), len(l.Findings))
}
