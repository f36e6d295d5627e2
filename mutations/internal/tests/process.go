package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"time"

	"example.com/replaycheck/mutations/internal/worker"
	"example.com/replaycheck/mutations/rt"
)

// process is a run of the test binary.
type process struct {
	args  []string
	env   string // "": no fault
	limit time.Duration
	// most is what it may use of the CPU; 0: no matter. What passes that was hardly
	// kept waiting by others, and is late at once.
	most time.Duration
}

// outcome is how it went.
type outcome struct {
	text string
	code int   // -1: it was killed, or did not start
	err  error // of the process
	late bool  // it passed its limit
	busy bool  // that of the CPU
}

// run runs the test binary in the package's folder, as go test does.
func (s *Suite) run(ctx context.Context, p process) outcome {
	timed, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	if p.env == "" {
		p.env = rt.Variable + "=0"
	}
	args := append([]string{"-test.paniconexit0", "-test.timeout=" + (2 * p.limit).String()}, p.args...)
	cmd := exec.CommandContext(timed, s.binary, args...)
	cmd.Dir = s.dir
	cmd.WaitDelay = time.Second
	cmd.Env = append(worker.Offline(os.Environ()), "GOMAXPROCS=1", "GOGC=400", p.env)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Start()
	busy := false
	if err == nil {
		err = wait(cmd, p.most, &busy)
	}
	o := outcome{text: out.String(), err: err, code: -1, busy: busy, late: busy || errors.Is(timed.Err(), context.DeadlineExceeded)}
	if cmd.ProcessState != nil {
		o.code = cmd.ProcessState.ExitCode()
	}
	return o
}

// wait waits for a process, and ends it when it has used most of the CPU.
func wait(cmd *exec.Cmd, most time.Duration, busy *bool) error {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-t.C:
			if most > 0 && cpuOf(cmd.Process.Pid) > most {
				*busy = true
				_ = cmd.Process.Kill() // it may have ended by itself
				return <-done
			}
		}
	}
}

// tick is how often the time that a process uses is looked at.
const tick = 10 * time.Millisecond

var (
	failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+) \(`)
	crashed    = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*)$`)
)

// failed counts how often test functions failed, by name.
func (o outcome) failed() map[string]int {
	out := map[string]int{}
	for _, m := range failedTest.FindAllStringSubmatch(o.text, -1) {
		out[m[1]]++
	}
	return out
}

// crash is the first line of a panic's trace, "" where there is none.
func (o outcome) crash() string { return crashed.FindString(o.text) }

// said is the outcome in a line.
func (o outcome) said() string {
	switch failed := o.failed(); {
	case o.late:
		return "they did not end"
	case o.crash() != "":
		return o.crash()
	case len(failed) > 0:
		return slices.Sorted(maps.Keys(failed))[0] + " failed"
	case o.err != nil:
		return o.err.Error()
	}
	return fmt.Sprintf("exit code %d", o.code)
}
