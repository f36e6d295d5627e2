//go:build unix

package subject

import (
	"os"
	"syscall"
)

// deathSignal returns the name of the signal that a process died by, "" if by
// none.
func deathSignal(s *os.ProcessState) string {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() { //nolint:misspell // the name is the library's
		return ws.Signal().String()
	}
	return ""
}
