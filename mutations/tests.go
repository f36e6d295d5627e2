package mutations

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/overlay"
	"example.com/replaycheck/mutations/internal/tests"
)

// ownTests shows generated faults that no oracle of the suite saw to the own
// tests of the package that they are in: one test binary with all faults, a
// process for each. A binary that does not build, or whose tests fail without a
// fault, is an error: then nothing is known of what lives.
func (r *sourceRunner) ownTests(ctx context.Context, plan *overlay.Plan, tmp string, trials []sourceTrial, faults []result.Fault) ([]string, error) {
	alive := map[string][]int{}
	for i, t := range trials {
		if f := faults[i]; t.anyRed && (f.Verdict == result.NoOp && f.Cause == result.SameBytes || f.Verdict == result.Survived) {
			alive[t.edits[0].Package] = append(alive[t.edits[0].Package], i)
		}
	}
	equivalents, err := Equivalents()
	if err != nil {
		return nil, err
	}
	var notes []string
	for _, pkg := range slices.Sorted(maps.Keys(alive)) {
		suite, err := tests.Open(ctx, plan, pkg, tmp, r.workers)
		if err != nil {
			return nil, fmt.Errorf("mutations: the tests of %s: %w", pkg, err)
		}
		defer suite.Close()
		for _, why := range suite.Unfit {
			notes = append(notes, fmt.Sprintf("own tests of %s: %s", pkg, why))
		}
		s := &showing{suite: suite, plan: plan, faults: faults, equivalents: equivalents, exhaustive: r.limits.Exhaustive, killed: map[string][]int{}}
		s.all(ctx, alive[pkg], max(1, r.workers))
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		for name, why := range suite.Doubted(ctx, slices.Sorted(maps.Keys(s.killed))) {
			for _, i := range s.killed[name] {
				f := &faults[i]
				f.Verdict, f.Cause, f.Reason, f.DetectedBy, f.OwnTests = result.Errored, result.Harness, why, []string{}, false
			}
		}
	}
	return notes, context.Cause(ctx)
}

// showing shows faults to the tests of one package.
type showing struct {
	suite       *tests.Suite
	plan        *overlay.Plan
	faults      []result.Fault
	equivalents []Equivalent
	exhaustive  bool

	mu     sync.Mutex
	next   int
	killed map[string][]int // faults by the test that failed
}

func (s *showing) all(ctx context.Context, list []int, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				s.mu.Lock()
				if s.next == len(list) {
					s.mu.Unlock()
					return
				}
				i := list[s.next]
				s.next++
				s.mu.Unlock()
				s.one(ctx, i)
			}
		})
	}
	wg.Wait()
}

func (s *showing) one(ctx context.Context, i int) {
	f := &s.faults[i]
	// What is reviewed as equivalent is shown to the quick ones only: a review that
	// is wrong mostly shows there.
	quickOnly := !s.exhaustive && reviewed(s.equivalents, f.ID) != ""
	v := s.suite.Try(ctx, i+1, s.plan.Blocks[i+1], quickOnly)
	switch {
	case v.Lives:
		return
	case v.TimedOut:
		f.Verdict, f.Cause = result.TimedOut, result.Deadline
	case len(v.Failed) > 0:
		f.Verdict, f.Cause, f.OwnTests, f.DetectedBy = result.Detected, "", true, v.Failed
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, name := range v.Failed {
			s.killed[name] = append(s.killed[name], i)
		}
	case v.Crashed:
		f.Verdict, f.Cause = result.Errored, result.Crashed
	case v.Doubtful:
		f.Verdict, f.Cause = result.Errored, result.Harness
	default:
		f.Verdict, f.Cause = result.Errored, result.Exited
	}
	f.Reason = v.Reason
	if v.Reason != "" && !strings.HasPrefix(v.Reason, "the package's own tests") {
		f.Reason = "the package's own tests: " + v.Reason
	}
}
