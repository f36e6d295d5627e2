//go:build !unix

package subject

import (
	"os"
	"os/exec"
)

// Without process groups only the driver itself is ended, not what it started.

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) { _ = p.Kill() }

func deathSignal(*os.ProcessState) string { return "" }
