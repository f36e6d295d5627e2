//go:build !unix

package pair

import (
	"os"
	"os/exec"
)

// Without process groups only the command itself is ended, not what it started.

func ownGroup(*exec.Cmd) {}

func interruptGroup(p *os.Process) error { return p.Kill() }

func killGroup(*os.Process) {}
