package mutations_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/replaycheck/mutations"
)

// killVariable makes the test binary a run that a test interrupts or kills.
const killVariable = "REPLAYCHECK_TEST_MUTATE"

func TestMain(m *testing.M) {
	if os.Getenv(killVariable) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var faults []mutations.Fault
	for _, row := range verdictRows() {
		faults = append(faults, row.fault())
	}
	_, err := mutations.Run(ctx, mutations.Config{Faults: faults, Worker: sampleWorker, Workers: 2, Progress: func(done, _ int, _ string) { fmt.Println(done) }})
	fmt.Println("ended:", err)
}

// TestSourcesStayWhateverHappens: after an interrupt and after kill -9 every
// source file is what it was, and no worker is left.
func TestSourcesStayWhateverHappens(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	before := sums(t)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			tmp := t.TempDir()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), killVariable+"=1", "TMPDIR="+tmp)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			last := ""
			for lines.Scan() { // the workers are busy from about the tenth on
				if last = lines.Text(); last == "14" {
					if err := cmd.Process.Signal(sig); err != nil {
						t.Fatal(err)
					}
				}
			}
			_ = cmd.Wait() // it was told to end
			if sig == os.Interrupt && !strings.Contains(last, "interrupt") {
				t.Errorf("got %q at the end, want the interrupt", last)
			}
			deadline := time.NewTimer(10 * time.Second)
			defer deadline.Stop()
			poll := time.NewTicker(20 * time.Millisecond)
			defer poll.Stop()
			for left := workersBelow(tmp); left > 0; left = workersBelow(tmp) {
				select {
				case <-deadline.C:
					t.Fatalf("%d workers are left", left)
				case <-poll.C:
				}
			}
			if after := sums(t); after != before {
				t.Error("source files changed")
			}
		})
	}
}

// sums is a hash over the sample's files and those of the runner.
func sums(t *testing.T) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir("testdata/sample", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintln(h, path, len(text))
		h.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// workersBelow counts the processes whose program lies below a folder.
func workersBelow(dir string) int {
	n := 0
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, l := range links {
		if exe, err := os.Readlink(l); err == nil && strings.HasPrefix(exe, dir+string(os.PathSeparator)) {
			n++
		}
	}
	return n
}
