// Package tests shows faults to the own tests of the package that they are in: one
// test binary with all faults compiled in, a process for each fault, in which the
// tests run that enter a block that it changes.
package tests

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/replaycheck/mutations/internal/overlay"
	"example.com/replaycheck/mutations/rt"
)

// Suite is the test binary of a package.
type Suite struct {
	binary, dir string
	tests       []test // quickest first
	// Unfit says which tests judge nothing, and why.
	Unfit []string

	seats chan *seat
	known insides
}

// test is a test function that passes alone.
type test struct {
	name  string
	took  time.Duration // in a process of its own, with its start
	slots map[int]bool  // guards and blocks that it enters
}

var listed = regexp.MustCompile(`(?m)^((?:Test|Fuzz|Example)\w*)$`)

// Open builds the tests of a package into tmp, makes sure that they pass without
// a fault, together and each alone, and notes what each of them enters. A package
// without tests has a suite of none. The suite is closed when it is of no more use.
func Open(ctx context.Context, plan *overlay.Plan, pkg, tmp string, workers int) (*Suite, error) {
	s := &Suite{
		binary: filepath.Join(tmp, "tests-"+filepath.Base(pkg)), seats: make(chan *seat, max(1, workers)),
		known: insides{took: map[string]time.Duration{}},
	}
	for range cap(s.seats) {
		s.seats <- &seat{}
	}
	var err error
	if s.dir, err = plan.BuildTest(ctx, pkg, s.binary); err != nil {
		return nil, err
	}
	if _, err := os.Stat(s.binary); errors.Is(err, os.ErrNotExist) {
		s.Unfit = []string{"there are none"}
		return s, nil
	}
	list := s.run(ctx, process{args: []string{"-test.list=."}, limit: time.Minute})
	if list.code != 0 || list.late {
		return nil, fmt.Errorf("list them: %s", list.said())
	}
	whole := s.run(ctx, process{limit: time.Minute})
	if whole.code != 0 || whole.late {
		return nil, fmt.Errorf("they fail without a fault: %s", whole.said())
	}
	names := slices.DeleteFunc(listed.FindAllString(list.text, -1), func(name string) bool { return name == overlay.ServeTest })
	s.tests = make([]test, len(names))
	why := make([]string, len(names))
	var wg sync.WaitGroup
	turn := make(chan int, len(names))
	for i := range names {
		turn <- i
	}
	close(turn)
	for range max(1, workers) {
		wg.Go(func() {
			for i := range turn {
				s.tests[i], why[i] = s.alone(ctx, names[i], filepath.Join(tmp, fmt.Sprintf("trace-%s-%d", filepath.Base(pkg), i)))
			}
		})
	}
	wg.Wait()
	s.Unfit = slices.DeleteFunc(why, func(w string) bool { return w == "" })
	s.tests = slices.DeleteFunc(s.tests, func(t test) bool { return t.name == "" })
	slices.SortStableFunc(s.tests, func(a, b test) int { return int(a.took - b.took) })
	return s, ctx.Err()
}

// alone runs one test in a process of its own and notes what it enters; why says
// that it is no use.
func (s *Suite) alone(ctx context.Context, name, trace string) (t test, why string) {
	begun := time.Now()
	o := s.run(ctx, process{args: []string{"-test.v", only(name)}, env: rt.TraceVariable + "=" + trace, limit: time.Minute})
	took := time.Since(begun)
	switch {
	case o.code != 0 || o.late:
		return test{}, name + " fails without a fault where it runs alone"
	case !strings.Contains(o.text, "--- PASS: "+name+" "):
		return test{}, name + " is skipped"
	}
	text, err := os.ReadFile(trace)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // it enters nothing
		return test{}, fmt.Sprintf("%s: %v", name, err)
	}
	t = test{name: name, took: took, slots: map[int]bool{}}
	for word := range strings.FieldsSeq(string(text)) {
		if n, err := strconv.Atoi(word); err == nil {
			t.slots[n] = true
		}
	}
	return t, ""
}

func only(names ...string) string { return "-test.run=^(" + strings.Join(names, "|") + ")$" }

// Verdict is what the tests said about a fault.
type Verdict struct {
	Lives    bool     // no test failed
	Failed   []string // tests that failed by assertion, twice
	TimedOut bool
	Crashed  bool   // it panicked
	Doubtful bool   // a test failed and then did not
	Reason   string // of what is neither alive nor failed

	times map[string]int // how often the tests failed in one process
}

// Try runs the tests that enter one of the blocks with a fault in force, the quick
// ones first and of them those that enter little else. One that fails must do so
// twice. Most faults are settled one after the other in one process; what is not is
// tried in a process of its own, with the fault in force from the start.
func (s *Suite) Try(ctx context.Context, number int, blocks []int, quickOnly bool) Verdict {
	var quick, slow []test
	for _, t := range s.tests {
		switch {
		case !slices.ContainsFunc(blocks, func(slot int) bool { return t.slots[slot] }):
		case t.took <= 5*s.tests[0].took:
			quick = append(quick, t)
		default:
			slow = append(slow, t)
		}
	}
	slices.SortStableFunc(quick, func(a, b test) int { return len(a.slots) - len(b.slots) })
	if !quickOnly { // those mostly live
		if v, ok := s.inside(ctx, number, slices.Concat(quick, slow)); ok {
			return v
		}
	}
	first := min(3, len(quick))
	if v := s.twice(ctx, number, quick[:first]); !v.Lives {
		return v
	}
	v := s.stage(ctx, number, quick[first:], "-test.failfast")
	if v.Lives && !quickOnly {
		v = s.stage(ctx, number, slow, "-test.failfast")
	}
	if len(v.Failed) == 0 {
		return v
	}
	again := s.twice(ctx, number, slices.DeleteFunc(slices.Concat(quick, slow), func(t test) bool { return !slices.Contains(v.Failed, t.name) }))
	if again.Lives {
		return doubtful(v.Failed)
	}
	return again
}

func doubtful(names []string) Verdict {
	return Verdict{Doubtful: true, Reason: strings.Join(names, ", ") + " failed once and passed once"}
}

// twice runs some tests two times in one process.
func (s *Suite) twice(ctx context.Context, number int, list []test) Verdict {
	v := s.stage(ctx, number, list, "-test.count=2")
	if len(v.Failed) == 0 {
		return v
	}
	var both []string
	for _, name := range v.Failed {
		if v.times[name] > 1 {
			both = append(both, name)
		}
	}
	if len(both) == 0 {
		return doubtful(v.Failed)
	}
	v.Failed = both
	return v
}

// stage runs some tests.
func (s *Suite) stage(ctx context.Context, number int, list []test, args ...string) Verdict {
	if len(list) == 0 {
		return Verdict{Lives: true}
	}
	p := process{env: rt.Variable + "=" + strconv.Itoa(number)}
	var names []string
	for _, t := range list {
		names = append(names, t.name)
		p.limit += 5 * t.took
	}
	p.args = slices.Concat(args, []string{only(names...)})
	p.limit += time.Second
	p.most = p.limit / 2
	o := s.run(ctx, p)
	if o.late && !o.busy { // it may have been kept waiting by others
		p.limit *= 4
		o = s.run(ctx, p)
	}
	times := o.failed()
	failed := slices.DeleteFunc(slices.Sorted(maps.Keys(times)), func(name string) bool { return !slices.Contains(names, name) })
	crash := o.crash()
	switch {
	case o.late:
		return Verdict{TimedOut: true, Reason: "they did not end"}
	case crash != "":
		return Verdict{Crashed: true, Reason: crash}
	case o.code == 0:
		return Verdict{Lives: true}
	case o.code == 1 && len(failed) > 0:
		return Verdict{Failed: failed, times: times}
	}
	return Verdict{Reason: o.said() + " and no failed test"}
}

// Doubted runs tests without a fault, several times, and says of those that fail
// that they prove nothing.
func (s *Suite) Doubted(ctx context.Context, names []string) map[string]string {
	out := map[string]string{}
	if len(names) == 0 {
		return out
	}
	o := s.run(ctx, process{args: []string{"-test.count=2", only(names...)}, limit: time.Minute})
	for name := range o.failed() {
		out[name] = "the package's own tests: " + name + " also fails now and then without a fault"
	}
	if len(out) == 0 && (o.code != 0 || o.late) && ctx.Err() == nil {
		for _, name := range names {
			out[name] = "the package's own tests: without a fault: " + o.said()
		}
	}
	return out
}
