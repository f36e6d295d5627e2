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

// The types that a subject and the harness exchange. Their fields are described
// in docs/driver-protocol.md.
type (
	Subject      = subject.Subject
	Builder      = subject.Builder
	Probe        = subject.Probe
	Description  = subject.Description
	SDK          = subject.SDK
	Provider     = subject.Provider
	Task         = subject.Task
	Leg          = subject.Leg
	Tool         = subject.Tool
	ToolResult   = subject.ToolResult
	Outcome      = subject.Outcome
	Answer       = subject.Answer
	ToolRun      = subject.ToolRun
	SubjectError = subject.Error
	Toolbox      = subject.Toolbox
)

// What was recorded, and what is said about it.
type (
	Evidence = scenario.Evidence
	Run      = scenario.Run
	Mode     = scenario.Mode
	Exchange = fakeserver.Exchange
	Finding  = result.Finding
	Report   = result.Report
	Level    = result.Level
)

// NewToolbox returns the scripted tools of a task, for subjects written in Go.
func NewToolbox(task Task) *Toolbox { return subject.NewToolbox(task) }

// Serve answers one line of the driver protocol on behalf of a subject: the
// whole main of a driver written in Go. It returns when the answer is written.
func Serve(ctx context.Context, s Subject, in io.Reader, out io.Writer) error {
	return subject.Serve(ctx, s, in, out)
}
