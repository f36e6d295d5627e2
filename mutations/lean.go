package mutations

import (
	"context"
	"slices"
	"strings"

	"example.com/replaycheck/mutations/internal/overlay"
)

// lean is the build tag that leaves out run stores and their engines: half of the
// build. No agent run is made in such a worker.
const lean = "replaycheck_lean"

// load loads the worker: the lean one where that has all of the packages and no
// fault is chosen that agent runs are made with.
func (cfg Config) load(ctx context.Context, packages []string, agents bool) (*overlay.Program, error) {
	if cfg.Worker == ReferenceWorker && !agents {
		program, err := cfg.overlay(ctx, packages, lean)
		if err != nil || !slices.ContainsFunc(packages, func(name string) bool { return !program.Whole(name) }) {
			return program, err
		}
	}
	return cfg.overlay(ctx, packages)
}

// overlay loads the worker. What judges may not be edited: a fault in it would be
// in the subject and in its judge, and what that shows is nothing.
func (cfg Config) overlay(ctx context.Context, packages []string, tags ...string) (*overlay.Program, error) {
	if !cfg.Operators {
		packages = nil // only what generated faults are in has its own tests built
	}
	program, err := overlay.Load(ctx, cfg.dir(), cfg.Worker, packages, tags...)
	if err == nil {
		for _, judge := range []string{"example.com/replaycheck/mutations/internal/worker", "example.com/replaycheck/oracles"} {
			program.Keep(judge, "what judges is made of it, so a fault in it would be in the judge too; choose a package of the subject's own")
		}
	}
	return program, err
}

// program loads the worker for some source faults.
func (cfg Config) program(ctx context.Context, all []attempt) (*overlay.Program, error) {
	if all[0].program != nil {
		return all[0].program, nil // the faults were made from it
	}
	var packages []string
	agents := false
	for _, a := range all {
		// Only agent runs judge these. Were there others, such a fault would be in
		// error: a lean worker makes no agent run.
		agents = agents || slices.ContainsFunc(a.fault.Requirements, func(id string) bool { return strings.HasPrefix(id, "STATE-") })
		for _, e := range a.source {
			packages = append(packages, e.Package)
		}
	}
	return cfg.load(ctx, packages, agents)
}
