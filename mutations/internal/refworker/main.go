// Command refworker tries source faults of the reference adapters. It is built
// by replaycheck mutate with the faults compiled in, and does nothing by itself.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/mutations/internal/contract"
	"example.com/replaycheck/mutations/internal/worker"
	"example.com/replaycheck/mutations/rt"
	"example.com/replaycheck/oracles"
)

// driver is the argument that makes it a driver: agent runs are judged in
// processes of their own, with the same fault in force.
const driver = "driver"

func main() {
	ctx := context.Background()
	err := func() error {
		if len(os.Args) > 1 && os.Args[1] == driver {
			return subject.Serve(ctx, reference.Subject{At: dieAt(os.Getenv(subject.CrashVariable))}, os.Stdin, os.Stdout)
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		suite, err := contract.Open(oracles.Config{
			New:       func() (oracles.Subject, error) { return reference.New(), nil },
			InProcess: true,
			Fresh: func() (oracles.Subject, error) {
				var opts subject.ProcessOptions
				if n := rt.Active(); n > 0 {
					opts.Pass = []string{rt.Variable + "=" + strconv.Itoa(n)}
				}
				return subject.Process([]string{self, driver}, opts), nil
			},
		})(ctx)
		if err != nil {
			return err
		}
		return worker.Serve(ctx, suite)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// dieAt ends the process where POINT:NTH says, as a power cut would; nil: never.
func dieAt(spec string) func(string) {
	point, count, _ := strings.Cut(spec, ":")
	nth, err := strconv.ParseInt(count, 10, 32)
	if spec == "" || err != nil {
		return nil
	}
	var times atomic.Int64
	return func(at string) {
		if at != point || times.Add(1) != nth {
			return
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Kill() == nil {
			select {} // the signal takes its time
		}
	}
}
