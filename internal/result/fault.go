package result

// Verdict is what became of a fault that was made on purpose.
type Verdict string

// The verdicts. Only Detected counts; all but NotTried are in the denominator.
const (
	Detected          Verdict = "detected"           // by assertion: each named requirement turned red
	DetectedElsewhere Verdict = "detected-elsewhere" // red, but not every named requirement ever was
	Survived          Verdict = "survived"           // it changed a run in which nothing turned red, or was never reached
	NoOp              Verdict = "no-op"              // it changed nothing in any run
	Invalid           Verdict = "invalid"            // it does not compile, or its place is not there
	TimedOut          Verdict = "timed-out"          // a run did not end
	Errored           Verdict = "error"              // a panic, a crash, a set-up that failed: it proves nothing
	NotTried          Verdict = "unsupported"        // the subject is not judged on any of its requirements
)

// Cause says more of a verdict, one word of a closed list.
type Cause string

// The causes.
const (
	Panicked    Cause = "panic"            // the fault's code panicked
	Masked      Cause = "recovered-panic"  // it did, and the subject recovered from it
	Goexit      Cause = "goexit"           // it ended its goroutine
	Exited      Cause = "exit"             // it ended the process
	Crashed     Cause = "crash"            // the process died: another goroutine's panic, a fatal error, a full stack
	SetUp       Cause = "set-up"           // nothing was ever sent where something should have been
	Harness     Cause = "harness"          // the run failed outside the conversation
	Deadline    Cause = "deadline"         // a run passed its deadline
	Memory      Cause = "memory"           // a run passed the limit of the heap
	NotReached  Cause = "not-reached"      // the code was never run
	NoPlace     Cause = "no-place"         // nowhere did the edit find its place
	SameBytes   Cause = "same-bytes"       // it ran, and nothing that can be observed changed
	SameCode    Cause = "same-code"        // the code is the same but for comments and layout
	DoesNotFit  Cause = "does-not-fit"     // the text to edit is not there exactly once
	DoesNotType Cause = "does-not-compile" // the edited function does not compile
)

// Fault is one fault that was tried.
type Fault struct {
	ID           string   `json:"id"`   // with its variant: "signature-moved.neighbour"
	Kind         string   `json:"kind"` // "wire", "source" or "operator"
	Requirements []string `json:"requirements"`
	Level        Level    `json:"level"`
	Verdict      Verdict  `json:"verdict"`
	Cause        Cause    `json:"cause,omitempty"`
	Reason       string   `json:"reason,omitempty"` // one line for people
	DetectedBy   []string `json:"detected_by"`      // the requirements that turned red, in the contract's order
	// Runs are those that the fault changed, or in which it failed.
	Runs []FaultRun `json:"runs"`
	// Tried is how many runs were made with it.
	Tried int `json:"tried"`
	// Diff shows the edit of a fault that was not detected.
	Diff string `json:"diff,omitempty"`
	// OwnTests: no oracle of the suite saw it. DetectedBy are tests of the package
	// that it is in.
	OwnTests bool `json:"own_tests,omitempty"`
	// Equivalent is the reviewed reason why an operator's fault changes nothing
	// that matters.
	Equivalent string `json:"equivalent,omitempty"`
}

// FaultRun is one run of a fault.
type FaultRun struct {
	Scenario string   `json:"scenario"`
	Mode     string   `json:"mode"`
	Variant  string   `json:"variant"`
	Red      []string `json:"red"` // requirements that turned red
}

// Mutation sums up a report of kind "mutate".
type Mutation struct {
	Faults     int             `json:"faults"`   // tried
	Detected   int             `json:"detected"` // of them
	Verdicts   map[Verdict]int `json:"verdicts"`
	Baseline   int             `json:"baseline"` // runs without a fault that passed
	Runs       int             `json:"runs"`     // runs with a fault
	Sources    string          `json:"sources,omitempty"`
	Unchanged  bool            `json:"sources_unchanged"`
	Equivalent int             `json:"equivalent,omitempty"`
	// OwnTests is how many of the detected only the package's own tests saw.
	OwnTests int `json:"detected_by_own_tests,omitempty"`
	// Stale are entries of the reviewed list that no longer hold.
	Stale []string `json:"stale_reviews,omitempty"`
	// Score is detected / (faults − invalid − error − timed-out − equivalent),
	// of operators only.
	Score *float64 `json:"score,omitempty"`
}
