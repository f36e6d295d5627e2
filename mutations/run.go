package mutations

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/overlay"
	"example.com/replaycheck/mutations/internal/worker"
	"example.com/replaycheck/oracles"
	"example.com/replaycheck/specs"
)

// ReferenceWorker is the worker of the reference adapters.
const ReferenceWorker = "example.com/replaycheck/mutations/internal/refworker"

// Config says what to prove and how. Subject.New is required for wire faults,
// Worker for source faults.
type Config struct {
	// Subject is who is judged. Its Only, Scenarios and Level hold.
	Subject oracles.Config
	// Strict: the subject must pass every run without a fault, or nothing is
	// tried. Else faults are tried where it passes.
	Strict bool
	// Faults are tried; nil: the catalogue.
	Faults []Fault
	// Only names faults or requirements, by ID or by a pattern with *; a fault's
	// variants go with it. None: all.
	Only []string
	// Kinds are Wire and Source; none: those that can be tried.
	Kinds []string
	// Dir is where the go command runs; "" is the current folder.
	Dir string
	// Worker is the main package that judges source faults, as the go command
	// names it in Dir; "": source faults are not tried.
	Worker string
	// Package, unless "", limits source faults to those that edit it. With
	// Operators it is what faults are made from, several with commas.
	Package string
	// Operators: faults generated from the syntax of Package are tried, and
	// nothing else. They name no requirement: one that turns anything red is
	// detected. Only chooses functions then, such as "gemini.modelParts".
	Operators bool
	// Shard of Shards, 1-based, is tried; 0 of 0 is all.
	Shard, Shards int
	// Blind takes oracles out of force, as if their checks were empty. Their faults
	// must not be detected then: that is the proof of the proof.
	Blind []string
	// Timeout is how long one run of a source fault may take at least; 0: 250 ms.
	Timeout time.Duration
	// Exhaustive: a fault is tried in every run that it can change. Else runs that
	// say the same as another are left out, and the longest conversations where
	// others show the fault.
	Exhaustive bool
	// Quick: a fault is done once every requirement that it names has turned red. That
	// every other run which it changes turns red as well is then not shown. One that is
	// not detected has been tried as ever. Not with Exhaustive or Operators.
	Quick bool
	// Workers is how many faults are tried at once; 0: one per CPU.
	Workers int
	// Progress, when set, is called after each fault, from one goroutine at a
	// time.
	Progress func(done, total int, label string)
}

// attempt is one fault to be tried in one kind.
type attempt struct {
	fault  result.Fault
	source []overlay.Edit
	diff   string
	// program is what the edits were made from; nil: they are found by their text.
	program *overlay.Program
}

// Run tries every chosen fault. The error says why there is no report: a bad
// configuration, a subject that fails without a fault, or nothing to try.
func Run(ctx context.Context, cfg Config) (result.Report, error) {
	if cfg.Quick && (cfg.Exhaustive || cfg.Operators) {
		return result.Report{}, errors.New("mutations: quick: not with exhaustive, its opposite, nor with operators, which end at the first red anyway")
	}
	all, err := cfg.attempts(ctx)
	if err != nil {
		return result.Report{}, err
	}
	r := &runner{cfg: cfg, total: len(all)}
	if r.cfg.Workers <= 0 {
		r.cfg.Workers = runtime.GOMAXPROCS(0)
	}
	rep := result.Report{
		Schema: result.Schema, Kind: "mutate", Claims: result.Claims, NotJudged: []string{},
		Subject: result.Subject{SDK: []result.SDK{}, Capabilities: []string{}, Modes: []string{}}, Requirements: []result.Requirement{},
	}
	var wire, source []attempt
	for _, a := range all {
		if a.fault.Kind == Wire {
			wire = append(wire, a)
		} else {
			source = append(source, a)
		}
	}
	// Side by side: while the faults in source are compiled one core is idle.
	mutation := &result.Mutation{Verdicts: map[result.Verdict]int{}, Unchanged: true}
	onWire, inSource := rep, rep
	if err := both(ctx, func(ctx context.Context) error {
		return r.wire(ctx, &onWire, wire)
	}, func(ctx context.Context) error {
		return r.source(ctx, &inSource, mutation, source)
	}); err != nil {
		return result.Report{}, err
	}
	if len(wire) == 0 {
		onWire.Level = inSource.Level
	}
	rep = onWire
	if !cfg.Exhaustive {
		rep.NotJudged = append(rep.NotJudged, "stored and streamed runs and further variants that say the same as another run, and the longest ones, where another shows the fault (--exhaustive)")
	}
	if cfg.Quick {
		rep.NotJudged = append(rep.NotJudged, "the runs of a detected fault after those in which its requirements turned red, so it is not shown that every run which it changes turns red (--quick)")
	}
	rep.NotJudged = append(rep.NotJudged, inSource.NotJudged...)
	rep.Faults = append(rep.Faults, inSource.Faults...)
	rep.Mutation = mutation
	conclude(&rep)
	if cfg.Operators {
		if err := cfg.score(&rep); err != nil {
			return result.Report{}, err
		}
	}
	if !mutation.Unchanged {
		void(&rep)
	}
	if mutation.Faults == 0 {
		return result.Report{}, fmt.Errorf("mutations: no fault was tried: %d are unsupported: %s", len(rep.Faults), rep.Faults[0].Reason)
	}
	return rep, nil
}

// both calls two functions side by side. The first error ends the other one and
// is returned.
func both(ctx context.Context, a, b func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, f := range []func(context.Context) error{a, b} {
		wg.Go(func() {
			if err := f(ctx); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// runner is a run under way.
type runner struct {
	cfg   Config
	total int
	mu    sync.Mutex
	done  int
}

func (r *runner) tried(f result.Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.cfg.Progress != nil {
		r.cfg.Progress(r.done, r.total, f.ID+" "+f.Kind)
	}
}

func (r *runner) wire(ctx context.Context, rep *result.Report, all []attempt) error {
	if len(all) == 0 {
		return nil
	}
	s, err := oracles.Open(ctx, r.cfg.Subject)
	if err != nil {
		return err
	}
	defer s.Close()
	rep.Level, rep.Subject = s.Level(), describe(s.Subject())
	for _, line := range s.NotJudged() {
		rep.NotJudged = append(rep.NotJudged, "wire faults: "+line)
	}
	w := newWireRunner(s, r.tried)
	w.workers, w.strict, w.exhaustive, w.quick = r.cfg.Workers, r.cfg.Strict, r.cfg.Exhaustive, r.cfg.Quick
	w.blind = r.cfg.Blind
	var faults []result.Fault
	var diffs []string
	for _, a := range all {
		if why := unsupported(s, a.fault); why != "" {
			f := a.fault
			f.Verdict, f.Reason, f.DetectedBy, f.Runs = result.NotTried, why, []string{}, []result.FaultRun{}
			rep.Faults = append(rep.Faults, f)
			r.tried(f)
			continue
		}
		faults, diffs = append(faults, a.fault), append(diffs, a.diff)
	}
	if len(faults) == 0 {
		return nil
	}
	tried, err := w.run(ctx, faults)
	if err != nil {
		return err
	}
	for i, f := range tried {
		f.Diff = diffUnless(f, diffs[i])
		rep.Faults = append(rep.Faults, f)
	}
	if runs := w.unfit(); len(runs) > 0 {
		rep.NotJudged = append(rep.NotJudged, "wire faults in runs that fail without one: "+strings.Join(runs, ", "))
	}
	return nil
}

// unsupported says why a fault is not tried on a subject, "" where it is.
func unsupported(s *oracles.Session, f result.Fault) string {
	if f.Level == result.Verbatim && s.Level() == result.Provider {
		return "it violates level verbatim only, and the subject is judged at level provider"
	}
	var why []string
	for _, id := range f.Requirements {
		ok, reason := s.Judged(id)
		if ok {
			return ""
		}
		why = append(why, id+": "+reason)
	}
	return strings.Join(why, "; ")
}

func describe(d oracles.Description) result.Subject {
	out := result.Subject{
		Name: d.Name, Version: d.Version, SDK: []result.SDK{}, State: d.State, Unsupported: d.Unsupported,
		Capabilities: append([]string{}, d.Capabilities...), Modes: append([]string{}, d.Modes...),
	}
	for _, s := range d.SDK {
		out.SDK = append(out.SDK, result.SDK{Name: s.Name, Version: s.Version})
	}
	return out
}

func (r *runner) source(ctx context.Context, rep *result.Report, m *result.Mutation, all []attempt) error {
	if len(all) == 0 {
		return nil
	}
	limits := worker.DefaultLimits()
	limits.Exhaustive, limits.Quick = r.cfg.Exhaustive, r.cfg.Quick
	if r.cfg.Timeout > 0 {
		limits.Floor, limits.Busy, limits.Second = r.cfg.Timeout, r.cfg.Timeout*4/5, max(limits.Second, r.cfg.Timeout)
	}
	program, err := r.cfg.program(ctx, all)
	if err != nil {
		return err
	}
	s := &sourceRunner{program: program, workers: r.cfg.Workers, limits: limits, blind: r.cfg.Blind, tried: r.tried}
	if only := r.cfg.Subject.Scenarios; len(only) > 0 {
		s.skip = func(run SuiteRun) bool {
			return !slices.ContainsFunc(only, func(p string) bool {
				_, err := oracles.Choose("scenario", []string{run.Scenario}, []string{p})
				return err == nil
			})
		}
	}
	trials := make([]sourceTrial, len(all))
	for i, a := range all {
		trials[i] = sourceTrial{fault: a.fault, edits: a.source, anyRed: a.fault.Kind == Operator}
	}
	out, err := s.run(ctx, trials)
	if err != nil {
		return err
	}
	m.Sources, m.Unchanged = out.sources, len(out.changed) == 0
	if !m.Unchanged {
		rep.NotJudged = append(rep.NotJudged, "source files changed meanwhile, so nothing is proved of what lies there now: "+strings.Join(out.changed, ", "))
	}
	rep.NotJudged = append(rep.NotJudged, out.notes...)
	for i, f := range out.faults {
		f.Diff = diffUnless(f, all[i].diff)
		rep.Faults = append(rep.Faults, f)
	}
	if rep.Level == "" {
		rep.Level = result.Verbatim
	}
	return nil
}

func diffUnless(f result.Fault, diff string) string {
	if f.Verdict == result.Detected || f.Verdict == result.NotTried {
		return ""
	}
	return diff
}

// conclude counts the verdicts and says of each requirement whether a fault
// proved its oracle (PROOF-01).
func conclude(rep *result.Report) {
	m := rep.Mutation
	proved, named := map[string]bool{}, map[string]bool{}
	for _, f := range rep.Faults {
		m.Verdicts[f.Verdict]++
		m.Runs += f.Tried
		if f.Verdict == result.NotTried {
			continue
		}
		m.Faults++
		for _, id := range f.Requirements {
			named[id] = true
		}
		if f.Verdict == result.Detected {
			m.Detected++
			for _, id := range f.Requirements {
				proved[id] = proved[id] || slices.Contains(f.DetectedBy, id)
			}
		}
	}
	rep.Status = result.Pass
	if m.Detected < m.Faults {
		rep.Status = result.Fail
	}
	all, err := specs.All()
	if err != nil {
		return // the oracles could not have been opened
	}
	for _, s := range all {
		if !named[s.ID] {
			continue
		}
		r := result.Requirement{ID: s.ID, Title: s.Title, Strength: s.Strength, Status: result.Pass, Runs: []result.Run{}}
		if !proved[s.ID] {
			r.Status, r.Reason = result.Fail, "no fault that it forbids was detected by it"
			rep.Summary.Fail++
		} else {
			rep.Summary.Pass++
		}
		rep.Requirements = append(rep.Requirements, r)
	}
}

// void takes back what a run seemed to prove whose source files did not stay what
// they were.
func void(rep *result.Report) {
	rep.Status, rep.Mutation.Score = result.Error, nil
	for i := range rep.Requirements {
		r := &rep.Requirements[i]
		r.Status, r.Reason = result.Error, "source files changed meanwhile"
	}
	rep.Summary = result.Summary{Error: len(rep.Requirements)}
}

// ExitCode is the exit code of a report of kind "mutate": 0 where every fault
// that was tried is detected, 4 where one is not, 2 where the source files did
// not stay what they were.
func ExitCode(rep result.Report) int {
	switch rep.Status {
	case result.Pass:
		return 0
	case result.Fail:
		return 4
	}
	return 2
}
