package node_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// served is a real "replaycheck serve".
type served struct {
	cmd  *exec.Cmd
	out  *bufio.Reader
	base string
}

func startServe(t *testing.T, scenarios ...string) *served {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "replaycheck")
	if out, err := exec.CommandContext(t.Context(), "go", "-C", "../../..", "build", "-o", binary, "./cmd/replaycheck").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	s := &served{cmd: exec.CommandContext(t.Context(), binary, "serve")}
	for _, name := range scenarios {
		s.cmd.Args = append(s.cmd.Args, "--scenario", name)
	}
	s.cmd.Stderr = os.Stderr
	pipe, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(pipe)
	for !strings.HasPrefix(s.base, "http") {
		line, err := s.out.ReadString('\n')
		if err != nil {
			t.Fatalf("serve told no base URL: %v", err)
		}
		if after, ok := strings.CutPrefix(line, "base URL"); ok {
			s.base = strings.Fields(after)[0]
		}
	}
	return s
}

// end interrupts it: its verdict on what the SDKs sent is a pass.
func (s *served) end(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(s.out)
	if err != nil {
		t.Fatal(err)
	}
	err = s.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok || err != nil {
		t.Errorf("serve: got %v (%v), want a pass:\n%s", err, exit, rest)
	}
}
