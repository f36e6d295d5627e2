//go:build !linux

package worker

import "syscall"

// dieWithUs does nothing: a worker ends when its input does.
func dieWithUs() *syscall.SysProcAttr { return nil }
