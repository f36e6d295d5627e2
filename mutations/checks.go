package mutations

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"example.com/replaycheck/mutations/internal/trial"
)

// Check is an oracle of one's own: it exercises the package and asserts what it
// promises.
type Check struct {
	ID string // the requirement
	// Run asserts through g and returns what it observed, in a form that is the
	// same whenever the package does the same.
	Run func(g gomega.Gomega) (observed string)
}

// Checks is a suite of checks, one run each, for packages that the contract is
// not about.
func Checks(checks ...Check) func(context.Context) (Suite, error) {
	return func(context.Context) (Suite, error) {
		seen := map[string]bool{}
		for _, c := range checks {
			if c.ID == "" || c.Run == nil || seen[c.ID] {
				return nil, fmt.Errorf("mutations: check %q: want an ID of its own and a function", c.ID)
			}
			seen[c.ID] = true
		}
		return checkSuite(checks), nil
	}
}

type checkSuite []Check

func (s checkSuite) Runs() []trial.Run {
	out := make([]trial.Run, len(s))
	for i, c := range s {
		out[i] = trial.Run{Scenario: c.ID, Requirements: []string{c.ID}, Same: -1}
	}
	return out
}

// failedAssertion is what a failed assertion panics with.
type failedAssertion struct{ message string }

func (s checkSuite) Try(_ context.Context, i int, _ trial.Edit) (trial.Observation, error) {
	observed, failure := s[i].try()
	text := observed
	if failure != "" {
		text = "failed: " + failure
	}
	return trial.Observation{
		Text: text, Sent: 1,
		Judge: func(id string) (string, error) {
			if id != s[i].ID {
				return "", nil
			}
			return failure, nil
		},
	}, nil
}

// try runs the check. Only the panic of a failed assertion ends here: the
// code's own goes on, with the place that it came from.
func (c Check) try() (observed, failure string) {
	failed := false
	g := gomega.NewGomega(func(message string, _ ...int) {
		failed, failure = true, message
		panic(failedAssertion{message}) //nolint:forbidigo // the way out of an assertion
	})
	defer func() {
		if failed {
			_ = recover()
		}
	}()
	return c.Run(g), ""
}
