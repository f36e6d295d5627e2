package subject_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/subject"
)

// bad returns this test binary as a driver that behaves as mode says.
func bad(mode string, opts subject.ProcessOptions) subject.Tracer {
	opts.Pass = append(opts.Pass, badDriver+"="+mode, "GORACE=atexit_sleep_ms=0") // the race detector sleeps a second at exit
	return subject.Process([]string{os.Args[0]}, opts)
}

func TestProcessFaults(t *testing.T) {
	const second = 1000
	for _, row := range []struct {
		name, mode string
		deadline   int
		fault      subject.Fault
		want       string
	}{
		{"prints nothing", "print:", 0, subject.FaultSilent, "printed nothing, want one line"},
		{"prints blanks", "print: \n\n", 0, subject.FaultSilent, "printed nothing, want one line"},
		{"prints two lines", "print:" + goodLine + "\n" + goodLine + "\n", 0, subject.FaultLines, "printed more than one line"},
		{"prints a log line first", "print:starting\n" + goodLine + "\n", 0, subject.FaultLines, "printed more than one line"},
		{"prints garbage", "print:Traceback", 0, subject.FaultGarbage, "printed no reply of the protocol: wire: invalid JSON at byte 0"},
		{"prints another object", `print:{"answer":42}`, 0, subject.FaultGarbage, `want an object with a member "outcome" or "describe"`},
		{
			"prints a description", `print:{"describe":{"v":1,"name":"","version":"","sdk":[],"docs":"","providers":{},"modes":[],"stops":[],"state":"","capabilities":[],"carrier":""}}`, 0,
			subject.FaultGarbage, `printed {"describe":…}, want {"outcome":…}`,
		},
		{"leaves members out", `print:{"outcome":{"v":1}}`, 0, subject.FaultGarbage, "outcome.answers is missing"},
		{"answers another version", "print:" + strings.Replace(goodLine, `"v":1`, `"v":2`, 1), 0, subject.FaultGarbage, "outcome.v: got 2, want 1"},
		{"stops unasked", "print:" + strings.Replace(goodLine, `"stopped":""`, `"stopped":"answer"`, 1), 0, subject.FaultGarbage, "outcome.stopped"},
		{"prints bytes that are not UTF-8", "invalid-utf8", 0, subject.FaultEncoding, "not UTF-8"},
		{"exits with 3", "exit:sekret-key-1", 0, subject.FaultExit, "exited with 3, want 0; its last words: fatal: [31m no key [redacted]"},
		{"exits with a stack trace", "exit-trace", 0, subject.FaultExit, "exited with 3, want 0; its last words: Error [ERR]: Cannot find package 'lib'"},
		{"dies by a signal", "signal", 0, subject.FaultSignal, `died by signal "terminated"`},
		{"hangs", "hang", second / 5, subject.FaultDeadline, "had not ended after 220ms"},
		{"floods standard output with lines", "flood-stdout", 0, subject.FaultFlood, "wrote more than 1 MiB to standard output"},
		{"floods standard output with one line", "flood-line", 0, subject.FaultFlood, "wrote more than 64 MiB to standard output"},
		{"floods standard error", "flood-stderr", 0, subject.FaultFlood, "wrote more than 16 MiB to standard error"},
		{"ignores the base URL", "network:http://api.example.com/v1?key=secret", 0, subject.FaultNetwork, "asked for api.example.com, want only the base_url"},
		{"ignores the base URL, with TLS", "network:https://api.example.com/v1", 0, subject.FaultNetwork, "asked for api.example.com:443"},
		{"ignores the base URL and fails", "network-and-exit:https://api.example.com/", 0, subject.FaultNetwork, "asked for api.example.com:443"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			task := subject.Task{V: 1, DeadlineMS: row.deadline, Legs: []subject.Leg{{APIKey: "sekret-key-1"}}}
			o, trace, err := bad(row.mode, subject.ProcessOptions{}).RunTraced(t.Context(), task)
			he, ok := errors.AsType[*subject.HostError](err)
			g.Expect(ok).To(BeTrue(), "got %v", err)
			g.Expect(he.Fault).To(Equal(row.fault), "%v", err)
			g.Expect(err.Error()).To(ContainSubstring(row.want))
			g.Expect(err.Error()).To(HavePrefix("driver: " + filepath.Base(os.Args[0]) + ": "))
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
			g.Expect(err.Error()).NotTo(ContainSubstring("\x1b"))
			g.Expect(err.Error() + trace.Stderr).NotTo(ContainSubstring("sekret"))
			g.Expect(len(trace.Stderr)).To(BeNumerically("<=", 64<<10))
			g.Expect(o).To(Equal(subject.Outcome{}))
			if row.fault == subject.FaultExit {
				g.Expect(trace.Exit).To(Equal(3))
			}
			for _, pid := range pids(trace.Stderr) {
				g.Expect(pid).To(BeGone())
			}
		})
	}
}

func TestProcessGoodRuns(t *testing.T) {
	for _, mode := range []string{"good", "deaf"} {
		t.Run(mode, func(t *testing.T) {
			g := NewWithT(t)
			large := strings.Repeat("x", 1<<20)
			o, trace, err := bad(mode, subject.ProcessOptions{}).RunTraced(t.Context(), subject.Task{V: 1, State: &large})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(o.V).To(Equal(1))
			g.Expect(trace).To(Equal(subject.Trace{}))
		})
	}
}

func TestProcessServesAGoSubject(t *testing.T) {
	g := NewWithT(t)
	o, err := bad("serve", subject.ProcessOptions{}).Run(t.Context(), exampleTask())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(*o.State).To(Equal(*exampleTask().State))
}

func TestProcessDescribe(t *testing.T) {
	g := NewWithT(t)
	d := exampleDescription()
	line, err := subject.EncodeReply(subject.Reply{Describe: &d})
	g.Expect(err).NotTo(HaveOccurred())
	got, err := bad("print:"+line, subject.ProcessOptions{}).Describe(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(d))

	_, err = bad("print:"+goodLine, subject.ProcessOptions{}).Describe(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring(`printed {"outcome":…}, want {"describe":…}`)))
	_, err = bad("print:"+strings.Replace(line, `"tools"`, `"toolz"`, 1), subject.ProcessOptions{}).Describe(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring(`describe.capabilities[0]: got "toolz"`)))
	_, err = bad("sleep", subject.ProcessOptions{Deadline: 100 * time.Millisecond}).Describe(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring("had not ended after 100ms")))
	g.Expect(err).To(MatchError(context.DeadlineExceeded))
}

func TestProcessThatCannotStart(t *testing.T) {
	for name, command := range map[string][]string{
		"not found":      {"replaycheck-no-such-command"},
		"not executable": {"process_test.go"},
		"a folder":       {"."},
		"empty":          nil,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, trace, err := subject.Process(command, subject.ProcessOptions{}).RunTraced(t.Context(), subject.Task{V: 1})
			he, ok := errors.AsType[*subject.HostError](err)
			g.Expect(ok).To(BeTrue(), "got %v", err)
			g.Expect(he.Fault).To(Equal(subject.FaultStart))
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
			g.Expect(trace.Exit).To(Equal(-1))
		})
	}
}

func TestProcessCancelled(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("interrupted")
	time.AfterFunc(200*time.Millisecond, func() { cancel(stop) })
	_, trace, err := bad("hang", subject.ProcessOptions{}).RunTraced(ctx, subject.Task{V: 1})
	g.Expect(err).To(MatchError(stop))
	for _, pid := range pids(trace.Stderr) {
		g.Expect(pid).To(BeGone())
	}
	_, err = bad("good", subject.ProcessOptions{}).Run(ctx, subject.Task{V: 1})
	g.Expect(err).To(MatchError(stop))
}

// A driver may leave a process behind that holds its outputs open.
func TestProcessLeavesNothingBehind(t *testing.T) {
	g := NewWithT(t)
	_, trace, err := bad("orphan", subject.ProcessOptions{}).RunTraced(t.Context(), subject.Task{V: 1})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pids(trace.Stderr)).To(HaveLen(2))
	for _, pid := range pids(trace.Stderr) {
		g.Expect(pid).To(BeGone())
	}
}

// One that left the group can't be found, but must not keep the host waiting.
func TestProcessDoesNotWaitForADetachedChild(t *testing.T) {
	g := NewWithT(t)
	begun := time.Now()
	_, trace, err := bad("orphan:detached", subject.ProcessOptions{}).RunTraced(t.Context(), subject.Task{V: 1})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(time.Since(begun)).To(BeNumerically("<", 10*time.Second))
	g.Expect(pids(trace.Stderr)).To(HaveLen(2))
	g.Expect(syscall.Kill(pids(trace.Stderr)[1], syscall.SIGKILL)).To(Succeed())
}

func TestProcessEnvironment(t *testing.T) {
	g := NewWithT(t)
	for _, name := range []string{"GEMINI_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_SETTING", "GOOGLE_APPLICATION_CREDENTIALS"} {
		t.Setenv(name, "inherited-"+name)
	}
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("WANTED", "yes")
	t.Setenv("WANTED_TOKEN", "passed-secret")
	sub := bad("environ", subject.ProcessOptions{Pass: []string{"WANTED", "WANTED_TOKEN", "SET=by us", "HOME=/nowhere", "https_proxy=http://elsewhere"}})
	_, trace, err := sub.RunTraced(t.Context(), subject.Task{V: 1})
	g.Expect(err).NotTo(HaveOccurred())
	got := map[string]string{}
	for line := range strings.Lines(trace.Stderr) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		got[name] = value
	}
	g.Expect(trace.Stderr).NotTo(ContainSubstring("inherited-"))
	g.Expect(got).To(HaveKeyWithValue("PATH", os.Getenv("PATH")))
	g.Expect(got).To(HaveKeyWithValue("LC_ALL", "C.UTF-8"))
	g.Expect(got).To(HaveKeyWithValue("WANTED", "yes"))
	g.Expect(got).To(HaveKeyWithValue("WANTED_TOKEN", "[redacted]"))
	g.Expect(got).To(HaveKeyWithValue("SET", "by us"))
	g.Expect(got).To(HaveKeyWithValue("NO_PROXY", "127.0.0.1,localhost"))
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		g.Expect(got[name]).To(HavePrefix("http://127.0.0.1:"))
		g.Expect(got[strings.ToLower(name)]).To(Equal(got[name]))
	}
	g.Expect(got["HOME"]).NotTo(Equal("/nowhere"))
	for _, name := range []string{"HOME", "TMPDIR"} {
		g.Expect(got[name]).NotTo(BeEmpty())
		g.Expect(got[name]).NotTo(BeADirectory(), "it is removed, read-only folders too")
	}
	g.Expect(filepath.Dir(got["HOME"])).NotTo(BeADirectory())
}

func TestProcessFloodIsBounded(t *testing.T) {
	g := NewWithT(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err := bad("flood-stderr", subject.ProcessOptions{}).Run(t.Context(), subject.Task{V: 1})
	runtime.ReadMemStats(&after)
	g.Expect(err).To(HaveOccurred())
	g.Expect(after.TotalAlloc - before.TotalAlloc).To(BeNumerically("<", 8<<20))
}

// pids reads the process IDs that a test driver wrote.
func pids(stderr string) []int {
	var out []int
	for line := range strings.Lines(stderr) {
		var a, b int
		if n, _ := fmt.Sscanf(line, "pids %d %d", &a, &b); n == 2 {
			out = append(out, a, b)
		}
	}
	return out
}

// BeGone matches the ID of a process that is not running any more. A zombie
// that nobody reaps has ended too.
func BeGone() OmegaMatcher {
	return WithTransform(func(pid int) string {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return "gone"
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return "gone"
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		return strings.NewReplacer("Z", "gone", "X", "gone").Replace(after[:1])
	}, Equal("gone"))
}
