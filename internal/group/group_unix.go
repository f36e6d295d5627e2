//go:build unix

package group

import (
	"os"
	"os/exec"
	"syscall"
)

// Own makes a command that is not started yet the leader of a group of its own.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Interrupt asks every process of the group that p leads to end.
func Interrupt(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGINT) }

// Kill ends every process of the group that p leads or led. What left the group
// stays.
func Kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
