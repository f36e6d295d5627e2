// Package oracles judges what a subject sent: one check per requirement, each a
// pure function of the evidence, and the doors through which users run them.
package oracles

import (
	"context"
	"io"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/subject"
)

// Subject is an adapter, SDK or framework under test.
type Subject = subject.Subject

// Builder is what a Go subject may implement as well: see REPLAY-12.
type Builder = subject.Builder

// Probe and the types after it are what a subject and the harness exchange.
// Their fields are described in docs/driver-protocol.md.
type (
	Probe        = subject.Probe       // what building a request twice showed
	Description  = subject.Description // the answer to "describe"
	SDK          = subject.SDK         // a library that the subject exercises
	Provider     = subject.Provider    // how it reaches one provider
	Task         = subject.Task        // one run
	Leg          = subject.Leg         // a stretch of it on one provider
	Tool         = subject.Tool        // a tool with its scripted results
	ToolResult   = subject.ToolResult  // one of them
	Outcome      = subject.Outcome     // how a run went
	Answer       = subject.Answer      // a final answer in it
	ToolRun      = subject.ToolRun     // an execution of a tool in it
	SubjectError = subject.Error       // a failure of the conversation
	Toolbox      = subject.Toolbox     // runs the scripted tools
)

// Evidence and the types after it are what was recorded and what is said of it.
type (
	Evidence = scenario.Evidence   // all that a drive left behind
	Run      = scenario.Run        // one run in it
	Mode     = scenario.Mode       // plain or streamed, in memory or stored
	Exchange = fakeserver.Exchange // one recorded request with its reply
	Finding  = result.Finding      // one thing that is not as it should be
	Report   = result.Report       // all of them
	Level    = result.Level        // how strictly bytes are compared
)

// NewToolbox returns the scripted tools of a task, for subjects written in Go.
func NewToolbox(task Task) *Toolbox { return subject.NewToolbox(task) }

// Serve answers one line of the driver protocol on behalf of a subject: the
// whole main of a driver written in Go. It returns when the answer is written.
func Serve(ctx context.Context, s Subject, in io.Reader, out io.Writer) error {
	return subject.Serve(ctx, s, in, out)
}
