package worker

import "syscall"

// dieWithUs has the kernel end a worker whose supervisor was killed.
func dieWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
