//go:build !linux

package tests

import "time"

// cpuOf is what a process has used so far; 0: it is not known.
func cpuOf(int) time.Duration { return 0 }
