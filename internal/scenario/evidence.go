// Package scenario drives one subject through one scripted conversation and
// gathers the evidence. It judges nothing.
package scenario

import (
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/subject"
)

// Mode is how a scenario is driven.
type Mode struct {
	Stream bool // the provider's streamed method
	Stored bool // stop, fresh subject, go on with the state
}

// String returns the mode's name in reports: "plain/memory" and so on.
func (m Mode) String() string {
	name := "plain"
	if m.Stream {
		name = "stream"
	}
	if m.Stored {
		return name + "/stored"
	}
	return name + "/memory"
}

// NotCounted is what Run.Connections holds where nobody counted.
const NotCounted = -1

// Run is one run of the subject.
type Run struct {
	Task    subject.Task    // as the subject got it
	Outcome subject.Outcome // zero where the run itself failed
	Exit    int             // of a driver process; 0 in process
	Stderr  string          // the end of a driver's standard error; "" in process
	// Exchanges are the requests of this run, in order.
	Exchanges []fakeserver.Exchange
	// Read are the requests of Exchanges, where somebody has read them already;
	// nil: nobody has. One whose source is not the exchange's body does not count.
	Read []native.Request
	// Connections is how many connections were opened, requests or none. It is
	// counted in scenarios that expect a refusal, else NotCounted.
	Connections int
	// Probes is what building the next request showed (subject.Builder), empty
	// where the subject can't, or its run failed or gave no state.
	Probes []subject.Probe
	// ProbeError says why a Builder could not build, "" else.
	ProbeError string
	// Agent is what the harness saw of an attempt at an agent run besides; nil
	// in other scenarios.
	Agent *Attempt
}

// Attempt is one process at an agent run.
type Attempt struct {
	Step  int    // index into the scenario's Agent steps
	RunID string // the run that it was about
	Died  bool   // it killed itself where it was told to
	// Calls are the tool calls that the harness answered, in the order in which
	// they came. Unlike the outcome's they are known also of a process that died.
	Calls []ToolCall
	// Before and After are the rows of the database before and after the step;
	// those of a race's two attempts are the same.
	Before, After []Row

	number int // of the tool server
}

// ToolCall is one call as the harness's own tool server got it.
type ToolCall struct {
	subject.ToolRun
	// Recorded is how many calls of the run the database knew to have begun when
	// the call came, NotCounted where it could not be read.
	Recorded int
}

// Row is one row of a database, in no order. A column that is null is not in it;
// what it holds is text or bytes, numbers in decimal.
type Row struct {
	Table   string
	Columns map[string]string
}

// Kinds of Artifact.
const (
	DatabaseFile = "database" // a file of the database, or what the engine says is in one
	JournalFile  = "journal"  // what was written ahead
	RowsOf       = "rows"     // all columns of all rows, as the engine gives them
	ControlFile  = "control"  // a database file in which the harness stored the transcript as it is
)

// Artifact is what a run left on disk.
type Artifact struct {
	Name  string
	Kind  string
	Bytes string
}

// Evidence is what a scenario's runs showed. It belongs to the caller; nothing
// in it changes later.
type Evidence struct {
	Scenario *fixtures.Scenario
	Mode     Mode
	Variant  string // of the stored transcript put in, "" where there is one only
	Subject  subject.Description
	Runs     []Run
	Control  []Run // of a scenario that expects a refusal: the same with a good transcript
	// Leftover is how many scripted replies nobody asked for, the control run's
	// apart.
	Leftover int
	// Strays is how many requests reached the server on no run's path meanwhile:
	// a subject that drops the path of its base URL. Where several drives share
	// the server they may be another's.
	Strays int64
	// SameProcess: stored mode went on within one process.
	SameProcess bool
	// Artifacts are what the agent runs of a scenario left on disk, as it was
	// after each attempt; equal ones once.
	Artifacts []Artifact
}
