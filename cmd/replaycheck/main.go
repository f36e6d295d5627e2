// Command replaycheck judges whether an LLM provider adapter keeps the opaque
// replay state of its provider, by the requests that it sends to a fake one.
package main

import (
	"context"
	"os"
)

// version is stamped by -ldflags "-X main.version=…"; empty means that the build
// information says it.
var version string

func main() {
	a := app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	// Before anything else: a signal in the first milliseconds must find it.
	ctx, stop := interruptible(context.Background())
	code := a.execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
