// Package scenario drives one subject through one scripted conversation and
// gathers the evidence. It judges nothing.
package scenario

import (
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
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
	// Connections is how many connections were opened, requests or none. It is
	// counted in scenarios that expect a refusal, else NotCounted.
	Connections int
	// Probes is what building the next request showed (subject.Builder), empty
	// where the subject can't, or its run failed or gave no state.
	Probes []subject.Probe
	// ProbeError says why a Builder could not build, "" else.
	ProbeError string
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
}
