// Command replaycheck judges whether an LLM provider adapter keeps the opaque
// replay state of its provider, by the requests that it sends to a fake one.
package main

import (
	"context"
	"os"
	"runtime/debug"
)

// version is stamped by -ldflags "-X main.version=…"; empty means that the build
// information says it.
var version string

func main() {
	a := app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	// A run is short and its garbage small: collecting less often saves a tenth
	// of it. GOGC, where it is set, still decides.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	// Before anything is played: a signal in the first milliseconds must find it.
	ctx, stop := interruptible(context.Background())
	code := a.execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
