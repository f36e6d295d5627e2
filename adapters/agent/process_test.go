package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/replaycheck/adapters/agent"
	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore"
)

// script is a run with all that can happen: two calls that run at once, one of
// two calls of the next turn that needs approval, a third turn, the answer.
func script() []chat.Completion {
	return []chat.Completion{calls(`look a1 {}`, `look a2 {}`), calls(`pay b1 {}`, `look b2 {}`), calls(`look c1 {}`), answer("Done")}
}

// process brings the run as far as it can and prints how far that is. It kills
// itself at the point that REPLAYCHECK_TEST_CRASH names, "point:nth". Each
// effect is a line of the file REPLAYCHECK_TEST_LOG.
func process() int {
	raw := strings.Repeat("k", runstore.KeySize)
	k, err := runstore.KeysOf([]byte(raw))
	if err != nil {
		return fail(err)
	}
	ctx := context.Background()
	s, err := runstore.Open(ctx, os.Getenv("REPLAYCHECK_TEST_DSN"), runstore.Options{Keys: k})
	if err != nil {
		return fail(err)
	}
	defer s.Close()
	effect := func(line string) error {
		f, err := os.OpenFile(os.Getenv("REPLAYCHECK_TEST_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = f.WriteString(line + "\n")
		return errors.Join(err, f.Close())
	}
	run := agent.Func(func(_ context.Context, call chat.ToolCall) (string, error) {
		return "ok", effect("ran " + call.ID)
	})
	m := &model{replies: script()}
	m.onAsk = func() { _ = effect("asked") }
	a, err := agent.New(agent.Config{Model: m, Store: s, At: crashAt(os.Getenv("REPLAYCHECK_TEST_CRASH")), Tools: []agent.Tool{
		{ToolSpec: chat.ToolSpec{Name: "look"}, Begin: run},
		{ToolSpec: chat.ToolSpec{Name: "pay"}, Approval: true, Begin: run},
	}})
	if err != nil {
		return fail(err)
	}
	out, err := a.Resume(ctx, "r1", "user:1")
	if errors.Is(err, chat.ErrRunNotFound) {
		out, err = a.Start(ctx, "r1", "user:1", user("Go"))
	}
	if err == nil && out.Status == chat.RunWaiting {
		if err := effect("approved"); err != nil {
			return fail(err)
		}
		out, err = a.Approve(ctx, "r1", "user:1", out.Digest)
	}
	if err != nil {
		return fail(err)
	}
	fmt.Println(out.Status, results(out.Messages))
	return 0
}

func fail(err error) int {
	fmt.Println(err)
	return 1
}

// crashAt kills this process when it comes to a point for the nth time.
func crashAt(spec string) func(string) {
	point, count, _ := strings.Cut(spec, ":")
	nth, _ := strconv.ParseInt(count, 10, 64)
	var times atomic.Int64
	return func(at string) {
		if at == point && times.Add(1) == nth {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {} // the signal takes its time
		}
	}
}

// start runs one process and returns what it printed and whether it was killed.
func start(t *testing.T, dsn, log, crash string) (text string, killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "REPLAYCHECK_TEST_DSN="+dsn, "REPLAYCHECK_TEST_LOG="+log, "REPLAYCHECK_TEST_CRASH="+crash, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	killed = cmd.ProcessState.ExitCode() == -1
	if err != nil && !killed {
		t.Fatalf("process with crash %q: %v: %s", crash, err, out)
	}
	return strings.TrimSpace(string(out)), killed
}
