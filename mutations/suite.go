package mutations

import (
	"context"

	"example.com/replaycheck/mutations/internal/contract"
	"example.com/replaycheck/mutations/internal/trial"
	"example.com/replaycheck/mutations/internal/worker"
	"example.com/replaycheck/oracles"
)

// Suite is what judges a subject: named runs, each of which shows something that
// named requirements are judged on.
type Suite = trial.Suite

// SuiteRun is one run of a suite.
type SuiteRun = trial.Run

// Observation is what a run showed.
type Observation = trial.Observation

// Worker is the whole main of a program that tries source faults: replaycheck
// mutate builds it with the faults in and runs it. It returns when its input ends.
//
//	err := mutations.Worker(ctx, mutations.Contract(cfg))
func Worker(ctx context.Context, open func(context.Context) (Suite, error)) error {
	suite, err := open(ctx)
	if err != nil {
		return err
	}
	return worker.Serve(ctx, suite)
}

// Contract returns the suite of the product's own oracles for a subject.
func Contract(cfg oracles.Config) func(context.Context) (Suite, error) { return contract.Open(cfg) }
