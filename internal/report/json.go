// Package report turns a result.Report into what people and programs read:
// JSON, JUnit XML and terminal text. It decides nothing.
package report

import (
	"encoding/json"
	"fmt"
	"io"

	"example.com/replaycheck/internal/result"
)

// JSON writes r as indented JSON and a final newline. Lists are never null, and
// '<', '>' and '&' stay as they are; the same report gives the same bytes.
func JSON(w io.Writer, r result.Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(withLists(r)); err != nil {
		return fmt.Errorf("report: write json: %w", err)
	}
	return nil
}

// withLists copies r as far as needed to put an empty list where it has nil, so
// that readers of the JSON need not handle null.
func withLists(r result.Report) result.Report {
	r.Subject.SDK = list(r.Subject.SDK)
	r.Subject.Capabilities = list(r.Subject.Capabilities)
	r.Subject.Modes = list(r.Subject.Modes)
	r.NotJudged = list(r.NotJudged)
	if r.Literal != nil {
		literal := *r.Literal
		literal.Findings = list(literal.Findings)
		r.Literal = &literal
	}
	if r.Pair != nil {
		p := *r.Pair
		p.Added, p.Changed, p.Removed, p.Items = list(p.Added), list(p.Changed), list(p.Removed), list(p.Items)
		p.AtDecision = requirementsWithLists(p.AtDecision)
		r.Pair = &p
	}
	r.Requirements = requirementsWithLists(r.Requirements)
	return r
}

func requirementsWithLists(all []result.Requirement) []result.Requirement {
	requirements := make([]result.Requirement, len(all))
	for i, q := range all {
		runs := make([]result.Run, len(q.Runs))
		for j, run := range q.Runs {
			run.Findings = list(run.Findings)
			runs[j] = run
		}
		q.Runs = runs
		requirements[i] = q
	}
	return requirements
}

func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
