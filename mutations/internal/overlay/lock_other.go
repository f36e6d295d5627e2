//go:build !unix

package overlay

import (
	"errors"
	"os"
	"time"
)

// tryLock fails on files of others: without locks nobody knows whether they are in use.
func tryLock(f *os.File) error {
	if info, err := f.Stat(); err != nil || time.Since(info.ModTime()) > settled {
		return errors.New("no locks here")
	}
	return nil
}
