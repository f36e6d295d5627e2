package own_test

import (
	"os"
	"testing"

	"example.com/replaycheck/mutations/testdata/own"
)

// again reports whether it was asked for the name before in this process.
func again(name string) bool {
	defer os.Setenv("OWN_"+name, "1")
	return os.Getenv("OWN_"+name) != ""
}

func TestSeen(t *testing.T) {
	if got := own.Seen(); got != "seen" {
		t.Errorf("got %q", got)
	}
}

func TestAt(t *testing.T) {
	if got := own.At(); got != 1 {
		t.Errorf("got %d", got)
	}
}

func TestCode(*testing.T) {
	if code := own.Code(); code != 0 {
		os.Exit(code)
	}
}

func TestOnce(t *testing.T) {
	if got := own.Once(); got != 1 && !again("ONCE") {
		t.Errorf("got %d", got)
	}
}

func TestNever(t *testing.T) {
	if got := own.Never(); got != 1 || again("NEVER") {
		t.Errorf("got %d", got)
	}
}

func TestLoop(t *testing.T) {
	if got := own.Loop(); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestCalled(*testing.T) { own.Called() }

func TestSkipped(t *testing.T) {
	if got := own.Skipped(); got != 1 {
		t.Errorf("got %d", got)
	}
	t.Skip("not here")
}

func TestBranch(t *testing.T) {
	if got := own.Branch(false); got != 2 {
		t.Errorf("got %d", got)
	}
}
