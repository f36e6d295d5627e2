//go:build unix

package overlay_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/replaycheck/mutations/internal/overlay"
)

// What a run left that was killed goes with the next one; what is in use, or may
// be, stays.
func TestScratchIsSwept(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	old := time.Now().Add(-time.Hour)
	left := func(name string, when time.Time) string {
		dir := filepath.Join(temp, name)
		lock := filepath.Join(dir, ".lock")
		if err := os.MkdirAll(filepath.Join(dir, "go-build1"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(lock, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(lock, when, when); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	killed, fresh, other := left("replaycheck-mutate-1", old), left("replaycheck-mutate-2", time.Now()), left("somebody-else-1", old)
	used, remove, err := overlay.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(used, ".lock"), old, old); err != nil {
		t.Fatal(err)
	}
	_, removeSecond, err := overlay.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{killed: false, fresh: true, other: true, used: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: got %v, want it to be there: %t", filepath.Base(dir), err, want)
		}
	}
	for _, remove := range []func() error{remove, removeSecond} {
		if err := remove(); err != nil {
			t.Error(err)
		}
	}
	if list, err := os.ReadDir(temp); err != nil || len(list) != 2 {
		t.Errorf("got %v, %v, want two folders", list, err)
	}
}
