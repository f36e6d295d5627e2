package mutations

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/overlay"
	"example.com/replaycheck/mutations/internal/worker"
)

// sourceTrial is a source fault to be tried.
type sourceTrial struct {
	fault  result.Fault
	edits  []overlay.Edit
	anyRed bool
}

// sourceResult is what trying source faults showed.
type sourceResult struct {
	faults  []result.Fault // in the order of the trials
	runs    []SuiteRun
	sources string        // one hash over all source files
	changed []string      // those that are not what they were
	build   time.Duration // wall time of loading, generating and building
	cpu     time.Duration // of the tries
	notes   []string      // what judged nothing
}

// sourceRunner compiles all faults into one worker and tries them.
type sourceRunner struct {
	program *overlay.Program // the worker
	workers int
	limits  worker.Limits
	blind   []string
	skip    func(SuiteRun) bool // nil: no run is left out
	tried   func(result.Fault)
}

// run builds the worker and tries every fault. The sources are hashed before
// and after, whatever happens in between.
func (r *sourceRunner) run(ctx context.Context, trials []sourceTrial) (out sourceResult, err error) {
	begun := time.Now()
	program := r.program
	before, err := overlay.Hash(program.Sources())
	if err != nil {
		return out, err
	}
	defer func() {
		after, hashErr := overlay.Hash(program.Sources())
		out.sources, out.changed = before.Total(), before.Changed(after)
		err = errors.Join(err, hashErr)
	}()
	tmp, remove, err := overlay.Scratch()
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	out.faults = make([]result.Fault, len(trials))
	plan, specs, binary, err := r.build(ctx, program, tmp, trials, out.faults)
	if err != nil || len(specs) == 0 {
		return out, err
	}
	out.build = time.Since(begun)
	s := &worker.Supervisor{Binary: binary, Dir: tmp, Workers: r.workers, Limits: r.limits, Skip: r.skip, Blind: r.blind, Tried: r.tried}
	if !r.limits.Exhaustive {
		s.Limits.Few = few
	}
	if err := out.try(ctx, s, specs); err != nil {
		return out, err
	}
	if out.notes, err = r.ownTests(ctx, plan, tmp, trials, out.faults); err != nil {
		return out, err
	}
	specs, err = out.unexplained(specs)
	if len(specs) == 0 || s.Limits.Few == 0 {
		return out, err
	}
	s.Limits.Few, s.Tried = 0, nil
	return out, errors.Join(err, out.try(ctx, s, specs))
}

// few is how many runs are made with a generated fault before the package's own
// tests see it. They enter every block several times.
const few = 30

// try tries faults and notes what became of them.
func (out *sourceResult) try(ctx context.Context, s *worker.Supervisor, specs []worker.Spec) error {
	sum, err := s.Run(ctx, specs)
	if err != nil {
		return err
	}
	for n, f := range sum.Faults {
		f.Tried += out.faults[n-1].Tried
		out.faults[n-1] = f
	}
	out.runs, out.cpu = sum.Runs, out.cpu+sum.CPU
	return nil
}

// unexplained lists the generated faults that live and that nobody reviewed as
// equivalent.
func (out *sourceResult) unexplained(specs []worker.Spec) ([]worker.Spec, error) {
	all, err := Equivalents()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(specs, func(s worker.Spec) bool {
		f := out.faults[s.Number-1]
		alive := f.Verdict == result.Survived || f.Verdict == result.NoOp
		return !s.AnyRed || !alive || reviewed(all, f.ID) != ""
	}), nil
}

// build compiles the worker. Faults that cannot be in it get their verdict in
// faults; the others' specs are returned.
func (r *sourceRunner) build(ctx context.Context, program *overlay.Program, tmp string, trials []sourceTrial, faults []result.Fault) (*overlay.Plan, []worker.Spec, string, error) {
	all := make([]overlay.Fault, len(trials))
	for i, t := range trials {
		all[i] = overlay.Fault{Number: i + 1, Edits: t.edits}
	}
	plan, err := program.Plan(all)
	if err != nil {
		return nil, nil, "", err
	}
	var specs []worker.Spec
	for i, t := range trials {
		f := t.fault
		f.DetectedBy, f.Runs = []string{}, []result.FaultRun{}
		if why := plan.Invalid[i+1]; why != nil {
			f.Verdict, f.Cause, f.Reason = result.Invalid, result.DoesNotType, why.Error()
			if _, ok := errors.AsType[*overlay.NoChangeError](why); ok {
				f.Verdict, f.Cause = result.NoOp, result.SameCode
			}
			if _, ok := errors.AsType[*overlay.PlaceError](why); ok {
				f.Cause = result.DoesNotFit
			}
			faults[i] = f
			if r.tried != nil {
				r.tried(f)
			}
			continue
		}
		specs = append(specs, worker.Spec{Number: i + 1, Fault: f, Slots: plan.Slots[i+1], Blocks: plan.Blocks[i+1], AnyRed: t.anyRed})
	}
	if len(specs) == 0 {
		return nil, nil, "", nil
	}
	plan.Tested = slices.ContainsFunc(specs, func(s worker.Spec) bool { return s.AnyRed })
	binary := filepath.Join(tmp, "worker")
	return plan, specs, binary, plan.Build(ctx, binary)
}
