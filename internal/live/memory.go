package live

import "runtime/debug"

// LimitMemory makes a process that is there for one server collect its garbage
// before it holds much more than the journal: by default a process may hold as
// much garbage as it holds of anything else, and several times as much where
// GOGC says so. The function returned undoes it. bound is Options.MaxBytes, as
// given; what is given by GOMEMLIMIT stays unless it is more.
func LimitMemory(bound int64) func() {
	bound = Options{MaxBytes: bound}.withDefaults().MaxBytes
	// Beside the journal: verdicts, requests on their way, the program itself,
	// and room to work between two collections.
	limit := bound + bound/8 + 64<<20
	was := debug.SetMemoryLimit(-1)
	if limit < was {
		debug.SetMemoryLimit(limit)
	}
	return func() { debug.SetMemoryLimit(was) }
}
