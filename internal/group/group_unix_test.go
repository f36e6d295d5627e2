//go:build unix

package group_test

import (
	"bufio"
	"io"
	"os/exec"
	"testing"

	"example.com/replaycheck/internal/group"
)

// started runs a shell whose child holds the pipe open that is returned.
func started(t *testing.T) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "trap 'echo asked' INT; (echo up; exec sleep 60) & wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	group.Own(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("got %q, %v, want the child up", line, err)
	}
	return cmd, r
}

func TestKillEndsWhatWasStarted(t *testing.T) {
	cmd, out := started(t)
	group.Kill(cmd.Process)
	if _, err := io.ReadAll(out); err != nil { // ends when the child does
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("got no error of a command that was killed")
	}
}

func TestInterruptReachesTheGroup(t *testing.T) {
	cmd, out := started(t)
	if err := group.Interrupt(cmd.Process); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); err != nil || line != "asked\n" {
		t.Errorf("got %q, %v, want the shell to say that it was asked to end", line, err)
	}
	group.Kill(cmd.Process) // a shell has its children in the background ignore interrupts
	if _, err := io.ReadAll(out); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
}
