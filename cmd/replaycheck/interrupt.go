package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible ends the context at the first interrupt. From then on signals do
// what they do by default, so a second one ends the process.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
