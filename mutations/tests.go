package mutations

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/overlay"
	"example.com/replaycheck/mutations/rt"
)

// ownTests shows generated faults that no oracle of the suite saw to the own
// tests of the package that they are in: one test binary with all faults, a
// process for each.
func (r *sourceRunner) ownTests(ctx context.Context, plan *overlay.Plan, tmp string, trials []sourceTrial, faults []result.Fault) error {
	alive := map[string][]int{}
	for i, t := range trials {
		if f := faults[i]; t.anyRed && (f.Verdict == result.NoOp && f.Cause == result.SameBytes || f.Verdict == result.Survived) {
			alive[t.edits[0].Package] = append(alive[t.edits[0].Package], i)
		}
	}
	for pkg, list := range alive {
		binary := filepath.Join(tmp, "tests-"+filepath.Base(pkg))
		dir, err := plan.BuildTest(ctx, pkg, binary)
		if err != nil {
			return err
		}
		if _, err := os.Stat(binary); errors.Is(err, os.ErrNotExist) {
			continue // the package has no tests
		}
		suite := &testSuite{binary: binary, dir: dir, limit: time.Minute}
		begun := time.Now()
		if v := suite.try(ctx, 0); v.Verdict != result.NoOp {
			return &unfitError{[]string{"the tests of " + pkg + ": " + v.Reason}}
		}
		suite.limit = max(5*time.Second, 20*time.Since(begun))
		r.showTests(ctx, suite, list, faults)
	}
	return context.Cause(ctx)
}

func (r *sourceRunner) showTests(ctx context.Context, suite *testSuite, list []int, faults []result.Fault) {
	var mu sync.Mutex
	next := 0
	var wg sync.WaitGroup
	for range max(1, r.workers) {
		wg.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				if next == len(list) {
					mu.Unlock()
					return
				}
				i := list[next]
				next++
				mu.Unlock()
				v := suite.try(ctx, i+1)
				if v.Verdict == result.NoOp {
					continue // they let it live too
				}
				f := &faults[i]
				f.Verdict, f.Cause, f.Reason, f.DetectedBy = v.Verdict, v.Cause, v.Reason, v.DetectedBy
			}
		})
	}
	wg.Wait()
}

// testSuite is a test binary.
type testSuite struct {
	binary, dir string
	limit       time.Duration
}

var (
	failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	crashed    = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*)$`)
)

// try runs the tests with a fault in force from the start, 0 none. No failed
// test is NoOp.
func (s *testSuite) try(ctx context.Context, number int) result.Fault {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, "-test.failfast", "-test.paniconexit0", "-test.timeout="+(2*s.limit).String())
	cmd.Dir = s.dir
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", rt.Variable+"="+strconv.Itoa(number))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	text := out.String()
	f := result.Fault{Verdict: result.NoOp, DetectedBy: []string{}}
	for _, m := range failedTest.FindAllStringSubmatch(text, -1) {
		if name, _, _ := strings.Cut(m[1], "/"); !slices.Contains(f.DetectedBy, name) {
			f.DetectedBy = append(f.DetectedBy, name)
		}
	}
	switch crash := crashed.FindString(text); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		f.Verdict, f.Cause, f.Reason = result.TimedOut, result.Deadline, "the package's own tests did not end"
	case crash != "":
		f.Verdict, f.Cause, f.Reason = result.Errored, result.Crashed, "the package's own tests: "+crash
	case len(f.DetectedBy) > 0:
		f.Verdict = result.Detected
	case err != nil:
		f.Verdict, f.Cause, f.Reason = result.Errored, result.Exited, fmt.Sprintf("the package's own tests: %v and no failed test", err)
	}
	return f
}
