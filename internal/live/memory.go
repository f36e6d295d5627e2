package live

import (
	"os"
	"runtime/debug"
)

// garbage is how much garbage there may be below the limit, in percent of what is
// held: a server that holds little would otherwise look for it all the time.
const garbage = 400

// LimitMemory makes a process that is there for one server collect its garbage
// before it holds much more than the journal, and not much more often than that
// needs. The function returned undoes it. bound is Options.MaxBytes, as given; what
// is given by GOMEMLIMIT stays unless it is more, and what GOGC says does.
func LimitMemory(bound int64) func() {
	bound = Options{MaxBytes: bound}.withDefaults().MaxBytes
	// Beside the journal: verdicts, requests on their way, the program itself,
	// and room to work between two collections.
	limit := bound + bound/8 + 64<<20
	was := debug.SetMemoryLimit(-1)
	if limit < was {
		debug.SetMemoryLimit(limit)
	}
	if os.Getenv("GOGC") != "" {
		return func() { debug.SetMemoryLimit(was) }
	}
	percent := debug.SetGCPercent(garbage)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(was)
	}
}
