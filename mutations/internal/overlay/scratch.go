package overlay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	scratchName = "replaycheck-mutate-"
	lockName    = ".lock" // held while somebody uses the folder
	settled     = time.Minute
)

// Scratch makes a temporary folder and returns what removes it. It first removes
// those that runs left behind that were killed: nobody holds their lock.
func Scratch() (dir string, remove func() error, err error) {
	sweep(os.TempDir())
	if dir, err = os.MkdirTemp("", scratchName); err != nil {
		return "", nil, fmt.Errorf("overlay: temporary folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = tryLock(lock)
	}
	if err != nil {
		return "", nil, fmt.Errorf("overlay: temporary folder: %w", errors.Join(err, os.RemoveAll(dir)))
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), lock.Close()) }, nil
}

// sweep removes the folders in temp that nobody uses any more. One that is quite
// new may not have its lock yet. What can't be removed is somebody else's.
func sweep(temp string) {
	left, err := filepath.Glob(filepath.Join(temp, scratchName+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		lock, err := os.Open(filepath.Join(dir, lockName))
		if err != nil {
			continue
		}
		if info, err := lock.Stat(); err == nil && time.Since(info.ModTime()) > settled && tryLock(lock) == nil {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
	}
}
