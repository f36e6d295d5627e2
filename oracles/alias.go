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

// What a subject and the harness exchange; fields are described in
// docs/driver-protocol.md.

// Probe is what building a request twice showed.
type Probe = subject.Probe

// Description is the answer to "describe".
type Description = subject.Description

// SDK is a library that the subject exercises.
type SDK = subject.SDK

// Provider is how it reaches one provider.
type Provider = subject.Provider

// Task is one run.
type Task = subject.Task

// Leg is a stretch of it on one provider.
type Leg = subject.Leg

// Tool is a tool with its scripted results.
type Tool = subject.Tool

// ToolResult is one of them.
type ToolResult = subject.ToolResult

// Outcome is how a run went.
type Outcome = subject.Outcome

// Answer is a final answer in it.
type Answer = subject.Answer

// Meta is what else a completion of a carrier subject holds.
type Meta = subject.Meta

// ToolRun is an execution of a tool in it.
type ToolRun = subject.ToolRun

// SubjectError is a failure of the conversation.
type SubjectError = subject.Error

// Agent makes a task a run of an agent.
type Agent = subject.Agent

// Decision is what somebody says to its calls.
type Decision = subject.Decision

// AgentState says how such a run stands.
type AgentState = subject.AgentState

// Toolbox is runs the scripted tools.
type Toolbox = subject.Toolbox

// What was recorded and what is said of it.

// Evidence is all that a drive left behind.
type Evidence = scenario.Evidence

// Run is one run in it.
type Run = scenario.Run

// Attempt is what the harness saw of a process at an agent run.
type Attempt = scenario.Attempt

// ToolCall is a call as the harness's tool server got it.
type ToolCall = scenario.ToolCall

// Row is a row of the database that such runs are kept in.
type Row = scenario.Row

// Artifact is what they left on disk.
type Artifact = scenario.Artifact

// Mode is plain or streamed, in memory or stored.
type Mode = scenario.Mode

// Exchange is one recorded request with its reply.
type Exchange = fakeserver.Exchange

// Finding is one thing that is not as it should be.
type Finding = result.Finding

// Report is all of them.
type Report = result.Report

// Level is how strictly bytes are compared.
type Level = result.Level

// Providers that a leg may name.
const (
	Gemini          = subject.Gemini
	Vertex          = subject.Vertex
	OpenAIResponses = subject.OpenAIResponses
	OpenAIChat      = subject.OpenAIChat
)

// Capabilities that a description may name.
const (
	Tools         = subject.Tools
	Parallel      = subject.Parallel
	Sequential    = subject.Sequential
	Thinking      = subject.Thinking
	CrossProvider = subject.CrossProvider
	AgentRuns     = subject.AgentRuns
)

// Places where a task may end a run, as Task.StopAt and Outcome.Stopped say.
const (
	StopAtToolCalls = subject.StopAtToolCalls
	StopAtAnswer    = subject.StopAtAnswer
)

// Kinds of SubjectError.
const (
	Refused      = subject.Refused
	FromProvider = subject.FromProvider
	FromStream   = subject.FromStream
	FromSubject  = subject.FromSubject
	NotSupported = subject.NotSupported
)

// The levels.
const (
	LevelProvider = result.Provider
	LevelVerbatim = result.Verbatim
)

// NewToolbox returns the scripted tools of a task, for subjects written in Go.
func NewToolbox(task Task) *Toolbox { return subject.NewToolbox(task) }

// Serve answers one line of the driver protocol on behalf of a subject: the
// whole main of a driver written in Go. It returns when the answer is written.
func Serve(ctx context.Context, s Subject, in io.Reader, out io.Writer) error {
	return subject.Serve(ctx, s, in, out)
}
