//go:build !unix

package group

import (
	"os"
	"os/exec"
)

// Own does nothing here: without process groups only the command itself is ended,
// not what it started.
func Own(*exec.Cmd) {}

// Interrupt ends the command.
func Interrupt(p *os.Process) error { return p.Kill() }

// Kill ends the command.
func Kill(p *os.Process) { _ = p.Kill() }
