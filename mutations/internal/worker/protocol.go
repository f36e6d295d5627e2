// Package worker tries source faults in processes of their own: one worker per
// core with every fault compiled in, and a supervisor that hands out one fault
// at a time and outlives whatever the faults do to the workers.
package worker

import (
	"time"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/trial"
)

// Spec is a fault as a worker needs to know it.
type Spec struct {
	Number int          `json:"number"`
	Fault  result.Fault `json:"fault"`
	Slots  []int        `json:"slots"`            // of its guards
	Blocks []int        `json:"blocks,omitempty"` // of the blocks that it changes
	// AnyRed: a run in which something turns red settles it (operators).
	AnyRed bool `json:"any_red,omitempty"`
}

// Limits bound one run of a fault.
type Limits struct {
	Floor  time.Duration `json:"floor"`  // a run may take this long at least, and 50 times as long as without a fault
	Second time.Duration `json:"second"` // the floor when it is tried once more, alone
	// Busy is what a run may use of the CPU at least, and else most of what it may take:
	// a loop is known as one however long others keep it waiting.
	Busy time.Duration `json:"busy"`
	Heap int64         `json:"heap"` // bytes on the heap
	// Few, unless 0, is how many runs at most are made with a generated fault, those
	// that show most; heavy ones are not among them.
	Few int `json:"few,omitempty"`
	// Exhaustive: every run is made that meets a fault's code.
	Exhaustive bool `json:"exhaustive,omitempty"`
	// Quick: a fault is done once every requirement that it names has turned red. One
	// that is not detected so has been tried in every run.
	Quick bool `json:"quick,omitempty"`
}

// DefaultLimits are generous for a loaded machine; a hang costs the two floors.
func DefaultLimits() Limits {
	return Limits{Floor: 250 * time.Millisecond, Busy: 100 * time.Millisecond, Second: 2 * time.Second, Heap: 256 << 20}
}

// message is one line to a worker.
type message struct {
	Op     string       `json:"op"` // "open", "skip", "baseline", "bases", "try"
	Limits Limits       `json:"limits,omitzero"`
	Specs  []Spec       `json:"specs,omitempty"`
	Blind  []string     `json:"blind,omitempty"` // oracles out of force
	Skip   []bool       `json:"skip,omitempty"`  // runs that are left out
	Bases  []trial.Base `json:"bases,omitempty"`
	Canary []int        `json:"canary,omitempty"`
	Ranks  []int        `json:"ranks,omitempty"` // of the runs, by run
	Judge  bool         `json:"judge,omitempty"`
	Make   []bool       `json:"make,omitempty"` // the unmutated runs to make, by run
	Number int          `json:"number,omitempty"`
	Early  bool         `json:"early,omitempty"`  // not the last pass: heavy runs are left to that
	Second bool         `json:"second,omitempty"` // the second try of a fault that timed out
	Fresh  bool         `json:"fresh,omitempty"`  // the fault is in force since the process began
}

// answer is one line from a worker.
type answer struct {
	Op     string        `json:"op"` // "opened", "baseline", "tried", "alive"
	Error  string        `json:"error,omitempty"`
	Runs   []trial.Run   `json:"runs,omitempty"`
	Early  []int         `json:"early,omitempty"`
	Bases  []trial.Base  `json:"bases,omitempty"`
	Number int           `json:"number,omitempty"`
	Fault  *result.Fault `json:"fault,omitempty"`
	// Reached: the fault's code was run. Dirty: it left something behind, so
	// that the worker ends.
	Reached bool          `json:"reached,omitempty"`
	Dirty   string        `json:"dirty,omitempty"`
	CPU     time.Duration `json:"cpu,omitempty"` // that the tries took so far
	// Busy: the run that timed out was not kept waiting, it used all the CPU time
	// that it may. Another try would end in the same way.
	Busy bool `json:"busy,omitempty"`
}
