// Package rt is compiled into a package under test, through a build overlay
// only: it says which fault is in force and sees what becomes of it. Nothing
// imports it on disk but the machinery of package mutations.
package rt

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Variable names the environment variable that puts a fault in force from the
// start of a process, for faults of code that runs while packages initialise.
const Variable = "REPLAYCHECK_FAULT"

// TraceVariable names the environment variable that has a process report the
// slots that it meets from its start on: a line each, at the end of the named file.
const TraceVariable = "REPLAYCHECK_TRACE"

// Numbers that are no fault.
const (
	Early = -1 // before the first Select: guards that are met report themselves
	Trace = -2 // the code as written, and guards that are met report themselves
	None  = 0  // the code as written
)

type state struct {
	active            atomic.Int64
	entered, recovers atomic.Int64
	panicked, goexits atomic.Int64
	returned          atomic.Int64

	mu    sync.Mutex
	met   map[int]bool
	early map[int]bool
	place string // of the last copy that did not return

	blocks [1 << 14]atomic.Bool // blocks that were entered, by slot; the few above are in met
	trace  *os.File             // where slots that are met are written; nil: nowhere
}

//nolint:gochecknoglobals // the switch of the one binary; guards in edited code have nothing else to ask
var process = start()

func start() *state {
	s := &state{met: map[int]bool{}, early: map[int]bool{}}
	s.active.Store(Early)
	if n, err := strconv.Atoi(os.Getenv(Variable)); err == nil && n >= 0 {
		s.active.Store(int64(n))
	}
	if name := os.Getenv(TraceVariable); name != "" {
		if f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			s.trace = f
			s.active.Store(Trace)
		}
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
	if !process.met[slot] && process.trace != nil {
		_, _ = process.trace.WriteString(strconv.Itoa(slot) + "\n") // without it the slot is not known, no more
	}
	process.met[slot] = true
}

// Block is called where a block of the code as written begins. It notes that while the
// number is Trace.
func Block(slot int) {
	if process.active.Load() != Trace {
		return
	}
	if slot < len(process.blocks) && process.blocks[slot].Swap(true) {
		return
	}
	Met(slot)
}

// Visit is one run of a fault's copy.
type Visit struct{ left bool }

// Enter is called before a fault's copy of a function runs.
func Enter() *Visit {
	process.entered.Add(1)
	return &Visit{}
}

// Left is called when the copy has returned.
func (v *Visit) Left() { v.left = true }

// Gone is deferred. A copy that was entered and not left has panicked or ended
// its goroutine, whoever recovers from it later: the stack tells which.
func (v *Visit) Gone() {
	if v.left {
		process.returned.Add(1)
		return
	}
	stack := make([]byte, 64<<10)
	text := string(stack[:runtime.Stack(stack, false)])
	process.mu.Lock()
	defer process.mu.Unlock()
	process.place = text
	if strings.Contains(text, "runtime.Goexit(") && !strings.Contains(text, "\npanic(") {
		process.goexits.Add(1)
		return
	}
	process.panicked.Add(1)
}

// Recovered passes on what the package's own recover returned, and counts it.
func Recovered(v any) any {
	if v != nil {
		process.recovers.Add(1)
	}
	return v
}

// Counts is what guards saw since the last Select.
type Counts struct {
	Entered  int64  // runs of the fault's copies
	Open     int64  // of them still running
	Panicked int64  // of them ended by a panic
	Goexits  int64  // of them ended with their goroutine
	Recovers int64  // panics that the package itself recovered from
	Stack    string // of the last one that did not return
}

// Select puts a fault in force and forgets what was counted.
func Select(n int) {
	process.active.Store(int64(n))
	for _, c := range []*atomic.Int64{&process.entered, &process.recovers, &process.panicked, &process.goexits, &process.returned} {
		c.Store(0)
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	for slot := range process.met { // few of them; clearing all of the blocks takes longer
		if slot < len(process.blocks) {
			process.blocks[slot].Store(false)
		}
	}
	clear(process.met)
	process.place = ""
}

// Seen returns the counts.
func Seen() Counts {
	c := Counts{Panicked: process.panicked.Load(), Goexits: process.goexits.Load(), Recovers: process.recovers.Load()}
	returned := process.returned.Load()
	c.Entered = process.entered.Load() // last, so that none is open that is not
	c.Open = max(0, c.Entered-returned-c.Panicked-c.Goexits)
	process.mu.Lock()
	defer process.mu.Unlock()
	c.Stack = process.place
	return c
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
