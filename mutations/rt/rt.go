// Package rt is compiled into a package under test, through a build overlay
// only: it says which fault is in force and sees what becomes of it. Nothing
// imports it on disk but the machinery of package mutations.
package rt

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// Variable names the environment variable that puts a fault in force from the
// start of a process, for faults of code that runs while packages initialise.
const Variable = "REPLAYCHECK_FAULT"

// Numbers that are no fault.
const (
	Early = -1 // before the first Select: guards that are met report themselves
	Trace = -2 // the code as written, and guards that are met report themselves
	None  = 0  // the code as written
)

type state struct {
	active                  atomic.Int64
	entered, left, recovers atomic.Int64

	mu    sync.Mutex
	met   map[int]bool
	early map[int]bool
}

//nolint:gochecknoglobals // the switch of the one binary; guards in edited code have nothing else to ask
var process = start()

func start() *state {
	s := &state{met: map[int]bool{}, early: map[int]bool{}}
	s.active.Store(Early)
	if n, err := strconv.Atoi(os.Getenv(Variable)); err == nil && n > 0 {
		s.active.Store(int64(n))
	}
	return s
}

// Active returns the number of the fault in force.
func Active() int { return int(process.active.Load()) }

// Met is called by a guard with its slot while the number is Early or Trace.
func Met(slot int) {
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.active.Load() == Early {
		process.early[slot] = true
		return
	}
	process.met[slot] = true
}

// Enter is called before a fault's copy of a function runs.
func Enter() { process.entered.Add(1) }

// Leave is called when the copy has returned. A copy that was entered and not
// left has panicked or ended its goroutine, whoever recovered from it.
func Leave() { process.left.Add(1) }

// Recovered passes on what the package's own recover returned, and counts it.
func Recovered(v any) any {
	if v != nil {
		process.recovers.Add(1)
	}
	return v
}

// Counts is what guards saw since the last Select.
type Counts struct {
	Entered  int64 // runs of the fault's copies
	Open     int64 // of them not returned
	Recovers int64 // panics that the package itself recovered from
}

// Select puts a fault in force and forgets what was counted.
func Select(n int) {
	process.active.Store(int64(n))
	process.entered.Store(0)
	process.left.Store(0)
	process.recovers.Store(0)
	process.mu.Lock()
	defer process.mu.Unlock()
	process.met = map[int]bool{}
}

// Seen returns the counts.
func Seen() Counts {
	// In this order, so that a copy that returns meanwhile is not counted open.
	left := process.left.Load()
	entered := process.entered.Load()
	return Counts{Entered: entered, Open: entered - left, Recovers: process.recovers.Load()}
}

// Slots returns the slots that were met since the last Select, and those met
// before the first one.
func Slots() (met, early []int) {
	process.mu.Lock()
	defer process.mu.Unlock()
	return keys(process.met), keys(process.early)
}

func keys(m map[int]bool) []int {
	out := make([]int, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	return out
}
