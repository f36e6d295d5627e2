package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/trial"
)

// Supervisor runs the workers.
type Supervisor struct {
	Binary  string
	Dir     string // where the workers run
	Workers int    // at least 1
	Limits  Limits
	Blind   []string // oracles out of force
	// Skip, unless nil, says which runs are left out.
	Skip func(trial.Run) bool
	// Tried is called after each fault, from one goroutine at a time; nil: not.
	Tried func(result.Fault)

	mu      sync.Mutex
	started time.Duration // the longest start without a fault
	out     map[int]result.Fault
	tries   map[int]int // runs made with a fault in passes that settled nothing
	cpu     time.Duration
	runs    []trial.Run
	bases   []trial.Base
	twice   []bool // by run: made twice, and the same
	canary  []int
	ranks   []int
	early   map[int]bool
}

// Summary is what the workers found.
type Summary struct {
	Faults map[int]result.Fault
	Runs   []trial.Run
	// CPU is what the tries took in the workers, in all.
	CPU time.Duration
}

// UnfitError says that the code without a fault is not what it must be: then no
// fault shows anything.
type UnfitError struct{ Lines []string }

func (e *UnfitError) Error() string {
	return "the unmutated run is not fit: " + strings.Join(e.Lines[:min(3, len(e.Lines))], "; ")
}

// Run tries every fault. The error is for what makes all verdicts worthless: no
// worker starts, the unmutated run fails or is not the same twice.
func (s *Supervisor) Run(ctx context.Context, specs []Spec) (Summary, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.out, s.early = map[int]result.Fault{}, map[int]bool{}
	hands, err := s.begin(ctx, specs)
	if err != nil {
		return Summary{}, err
	}
	defer func() {
		for _, h := range hands {
			h.close()
		}
	}()
	left := specs
	var again []Spec
	for passes := s.passes(); len(passes) > 0 && (len(left) > 0 || len(again) > 0); passes = passes[1:] {
		if err := s.unmutated(ctx, hands, left, passes[0]); err != nil {
			return Summary{}, err
		}
		last := len(passes) == 1
		more, err := s.deal(ctx, hands, left, last)
		if err != nil {
			return Summary{}, err
		}
		again = append(again, more...)
		left = slices.DeleteFunc(slices.Clone(left), func(spec Spec) bool {
			_, settled := s.out[spec.Number]
			return settled || slices.ContainsFunc(more, func(m Spec) bool { return m.Number == spec.Number })
		})
	}
	for _, h := range hands {
		h.close()
	}
	if err := s.alone(ctx, specs, again); err != nil {
		return Summary{}, err
	}
	return Summary{Faults: s.out, Runs: s.runs, CPU: s.cpu}, ctx.Err()
}

// final reports whether more runs would not change a verdict.
func final(f result.Fault) bool {
	switch f.Verdict {
	case result.Survived, result.NoOp, result.DetectedElsewhere:
		return false
	case result.Errored:
		return f.Cause != result.SetUp
	}
	return true
}

// deal has the workers try some faults, each by one of them. In a pass that is not the
// last, only what no other run could change is settled. Those to be tried again alone are returned.
func (s *Supervisor) deal(ctx context.Context, hands []*hand, specs []Spec, last bool) (again []Spec, err error) {
	var failed atomic.Bool // the workers outlive this, so it is no context that ends it
	queue := make(chan Spec, len(specs))
	for _, spec := range specs {
		queue <- spec
	}
	close(queue)
	var wg sync.WaitGroup
	errs := make([]error, len(hands))
	for i, h := range hands {
		wg.Go(func() {
			for spec := range queue {
				if failed.Load() {
					return
				}
				f, more, err := h.try(ctx, spec, message{Op: "try", Number: spec.Number, Early: !last})
				if err != nil {
					errs[i] = err
					failed.Store(true)
					return
				}
				s.mu.Lock()
				again = append(again, more...)
				switch {
				case len(more) > 0:
				case last || final(f):
					f.Tried += s.tries[spec.Number]
					s.settle(spec, f)
				default:
					s.tries[spec.Number] += f.Tried
				}
				s.mu.Unlock()
			}
		})
	}
	wg.Wait()
	return again, errors.Join(errs...)
}

func (s *Supervisor) settle(spec Spec, f result.Fault) {
	s.out[spec.Number] = f
	if s.Tried != nil {
		s.Tried(f)
	}
}

// alone tries again, one at a time, what timed out beside others or what was in
// force too late: a fault of code that runs while packages initialise.
func (s *Supervisor) alone(ctx context.Context, specs, again []Spec) error {
	if len(again) == 0 {
		return nil
	}
	h := &hand{s: s, specs: specs}
	defer h.close()
	for _, spec := range again {
		m := message{Op: "try", Number: spec.Number, Second: true, Fresh: s.initTime(spec)}
		if m.Fresh {
			h.close()
		}
		f, _, err := h.try(ctx, spec, m)
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.settle(spec, f)
		s.mu.Unlock()
	}
	return nil
}

// initTime reports whether a guard of the fault is met before anything can be
// selected.
func (s *Supervisor) initTime(spec Spec) bool {
	return slices.ContainsFunc(spec.Slots, func(slot int) bool { return s.early[slot] })
}

// begin starts the workers.
func (s *Supervisor) begin(ctx context.Context, specs []Spec) ([]*hand, error) {
	s.tries = map[int]int{}
	hands := make([]*hand, max(1, s.Workers))
	for i := range hands {
		hands[i] = &hand{s: s, specs: specs}
	}
	err := each(hands, func(i int) error {
		p, runs, err := s.opened(ctx, specs, 0)
		if err != nil {
			return err
		}
		hands[i].p = p
		s.mu.Lock()
		defer s.mu.Unlock()
		s.runs = runs
		for _, slot := range p.early {
			s.early[slot] = true
		}
		return nil
	})
	if err != nil {
		for _, h := range hands {
			h.close()
		}
		return nil, err
	}
	s.bases, s.twice = make([]trial.Base, len(s.runs)), make([]bool, len(s.runs))
	return hands, nil
}

// each has all workers do something at a time.
func each(hands []*hand, f func(i int) error) error {
	errs := make([]error, len(hands))
	var wg sync.WaitGroup
	for i := range hands {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// known tells a worker what the unmutated runs showed.
func (s *Supervisor) known() message {
	return message{Op: "bases", Bases: s.bases, Canary: s.canary, Ranks: s.ranks}
}

// unmutated has the workers make runs without a fault, each by one of them, as far as
// they are not made yet; they must pass. Those that faults are tried in are made by
// the others too, twice by a single worker, and must be the same. Then the workers
// know what they showed.
func (s *Supervisor) unmutated(ctx context.Context, hands []*hand, specs []Spec, p pass) error {
	for _, h := range hands { // one whose worker ended gets another
		if err := h.ready(ctx, message{}); err != nil {
			return err
		}
	}
	made := make([][]trial.Base, len(hands))
	mine := func(run, worker int) bool { return run%len(hands) == worker }
	for chosen := range s.rounds(specs, p) {
		if err := each(hands, func(i int) (err error) {
			made[i], err = s.baseline(hands[i].p, true, len(s.runs), func(run int) bool { return chosen(run) && s.bases[run].Sum == "" && mine(run, i) })
			return err
		}); err != nil {
			return err
		}
		for run := range s.bases {
			if b := made[run%len(hands)][run]; b.Sum != "" || b.Err != "" {
				s.bases[run] = b
			}
		}
	}
	if slices.ContainsFunc(specs, func(spec Spec) bool { return spec.AnyRed }) { // nobody else looks at them
		s.ranks = trial.Ranks(s.bases)
	}
	used := s.used(specs)
	again := func(run int) bool { return !s.twice[run] && used(run) && len(s.bases[run].Slots) > 0 }
	if err := each(hands, func(i int) (err error) {
		made[i], err = s.baseline(hands[i].p, false, len(s.runs), func(run int) bool {
			return again(run) && (len(hands) == 1 || !mine(run, i))
		})
		return err
	}); err != nil {
		return err
	}
	if err := s.fit(made); err != nil {
		return err
	}
	for run := range s.twice {
		s.twice[run] = s.twice[run] || again(run)
	}
	s.canary = canaries(s.bases)
	return each(hands, func(i int) error { return hands[i].p.send(s.known()) })
}

// opened starts a worker that knows the faults, with one of them in force from the
// beginning or with none. The error is an *unreadyError where it did not get so far.
func (s *Supervisor) opened(ctx context.Context, specs []Spec, active int) (*process, []trial.Run, error) {
	begun := time.Now()
	p, err := s.start(ctx, active)
	if err != nil {
		return nil, nil, err
	}
	// It reads this once it has started, however long the plan is.
	go func() { _ = p.send(message{Op: "open", Limits: s.Limits, Specs: specs, Blind: s.Blind}) }()
	limit := s.startLimit(active > 0)
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case a, ok := <-p.lines:
		if !ok {
			e := p.died()
			return nil, nil, &unreadyError{e, fmt.Sprintf("it gave no answer: %s; %s", e.reason, firstLines(p.stderr.String()))}
		}
		p.early = a.Early
		skip := make([]bool, len(a.Runs))
		for i, r := range a.Runs {
			skip[i] = s.Skip != nil && s.Skip(r)
		}
		if err := p.send(message{Op: "skip", Skip: skip}); err != nil {
			e := p.died()
			return nil, nil, &unreadyError{e, e.reason}
		}
		if active == 0 {
			s.noteStart(time.Since(begun))
		}
		return p, a.Runs, nil
	case <-t.C:
		p.stop()
		return nil, nil, &unreadyError{end{hung: true}, fmt.Sprintf("it was not ready within %s", limit)}
	case <-ctx.Done():
		p.stop()
		return nil, nil, context.Cause(ctx)
	}
}

// startLimit is how long a worker may take until it is ready: long without a fault,
// with one not much longer than others took without.
func (s *Supervisor) startLimit(faulty bool) time.Duration {
	const most = 30 * time.Second
	if !faulty {
		return most
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(most, s.Limits.Second+4*s.started)
}

func (s *Supervisor) noteStart(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = max(s.started, took)
}

// unreadyError says how a worker ended before it was ready.
type unreadyError struct {
	end  end
	text string
}

func (e *unreadyError) Error() string { return "worker: " + e.text }

func firstLines(s string) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", 4)
	return strings.Join(lines[:min(3, len(lines))], "; ")
}

// baseline has a worker make the unmutated runs that are chosen; what it shows of
// others is empty.
func (s *Supervisor) baseline(p *process, judge bool, runs int, chosen func(run int) bool) ([]trial.Base, error) {
	m := message{Op: "baseline", Judge: judge, Make: make([]bool, runs)}
	for i := range m.Make {
		m.Make[i] = chosen(i)
	}
	if err := p.send(m); err != nil {
		return nil, err
	}
	a, ok := <-p.lines
	if !ok {
		return nil, fmt.Errorf("worker: the unmutated run: %s; %s", p.died().reason, firstLines(p.stderr.String()))
	}
	return a.Bases, nil
}

// fit judges the unmutated runs and compares them with what others made of them.
func (s *Supervisor) fit(others [][]trial.Base) error {
	var bad []string
	for i, b := range s.bases {
		switch {
		case b.Err != "":
			bad = append(bad, fmt.Sprintf("%s: %s", s.runs[i], b.Err))
		case len(b.Red) > 0:
			id := slices.Sorted(maps.Keys(b.Red))[0]
			bad = append(bad, fmt.Sprintf("%s: %s: %s", s.runs[i], id, b.Red[id]))
		}
		for _, other := range others {
			switch {
			case other[i].Err != "":
				bad = append(bad, fmt.Sprintf("%s, the second time: %s", s.runs[i], other[i].Err))
			case other[i].Sum != "" && b.Err == "" && other[i].Sum != b.Sum:
				bad = append(bad, fmt.Sprintf("%s: it is not the same twice", s.runs[i]))
			}
			s.bases[i].Took = max(s.bases[i].Took, other[i].Took)
		}
	}
	if len(bad) > 0 {
		return &UnfitError{bad}
	}
	return nil
}
