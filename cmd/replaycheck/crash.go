package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"example.com/replaycheck/adapters/agent"
	"example.com/replaycheck/internal/subject"
)

// crashVariable holds the point at which the driver kills itself, "POINT" or
// "POINT:NTH" (agent.Points).
const crashVariable = subject.CrashVariable

// crashAt returns what the driver does at each point; nil where spec is empty.
// The process dies by SIGKILL where there are signals: nothing is flushed,
// closed or rolled back.
func crashAt(spec string) (func(point string), error) {
	if spec == "" {
		return nil, nil
	}
	point, count, given := strings.Cut(spec, ":")
	nth := int64(1)
	if given {
		var err error
		if nth, err = strconv.ParseInt(count, 10, 32); err != nil || nth < 1 {
			return nil, fmt.Errorf("%s: got %q, want POINT or POINT:NTH, counted from 1", crashVariable, spec)
		}
	}
	if !slices.Contains(agent.Points(), point) {
		return nil, fmt.Errorf("%s: got point %q, want one of %s", crashVariable, point, strings.Join(agent.Points(), " "))
	}
	var times atomic.Int64
	return func(at string) {
		if at != point || times.Add(1) != nth {
			return
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Kill() == nil {
			select {} // the signal takes its time
		}
	}, nil
}
