//go:build unix

package overlay

import (
	"os"
	"syscall"
)

// tryLock locks a file for this process, until it is closed; an error if another
// holds it.
func tryLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
