//go:build unix

package overlay

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a process group of its own, so that
// what it starts, such as compilers, can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptGroup asks every process of the group that p leads to end.
func interruptGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGINT) }

// killGroup ends what is left of the group that p led.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// tryLock locks a file for this process, until it is closed; an error if another
// holds it.
func tryLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
