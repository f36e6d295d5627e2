// Package reference is the reference adapters as a subject under test: a plain
// tool loop over package gemini and package openai, the way an application
// would write it.
package reference

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/subject"
)

// Name and Version of the subject, as it describes itself.
const (
	Name    = "reference"
	Version = "1"
)

// Subject runs conversations on the reference adapters. It keeps nothing
// between runs and is safe for concurrent use; the zero value is ready.
type Subject struct {
	// At is called at each point of an agent run (agent.Points); nil: nobody
	// listens. Drivers that are to die half-way do so in it.
	At func(point string)
	// HTTP sends the requests; nil: each adapter's own client.
	HTTP *http.Client
}

var (
	_ subject.Subject = Subject{}
	_ subject.Builder = Subject{}
	_ subject.Sender  = Subject{}
)

// New returns the reference adapters as a subject.
func New() Subject { return Subject{} }

// Through returns the subject with another HTTP client.
func (s Subject) Through(c *http.Client) subject.Subject {
	s.HTTP = c
	return s
}

// Describe says what the reference adapters do. It never fails.
func (Subject) Describe(context.Context) (subject.Description, error) {
	models := subject.Provider{Models: []string{}} // any
	return subject.Description{
		V:       subject.Version,
		Name:    Name,
		Version: Version,
		SDK:     []subject.SDK{},
		Providers: map[string]subject.Provider{
			subject.Gemini: models, subject.OpenAIResponses: models, subject.OpenAIChat: models,
		},
		Modes:        []string{"plain", "stream"},
		Stops:        []string{subject.StopAtToolCalls, subject.StopAtAnswer},
		State:        "library",
		Capabilities: []string{subject.Tools, subject.Parallel, subject.Sequential, subject.Thinking, subject.CrossProvider, subject.AgentRuns},
		Carrier:      subject.Carrier,
	}, nil
}

// Run plays the task. Every failure of the conversation is in Outcome.Error,
// with the answers and the state up to it; the returned error is always nil.
func (s Subject) Run(ctx context.Context, task subject.Task) (subject.Outcome, error) {
	if task.DeadlineMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(task.DeadlineMS)*time.Millisecond)
		defer cancel()
	}
	box := subject.NewToolbox(task)
	out := subject.Outcome{V: subject.Version, Answers: []subject.Answer{}, State: task.State}
	var err error
	if task.Agent != nil {
		err = s.agentRun(ctx, task, box, &out)
	} else {
		r := &run{box: box, stopAt: task.StopAt, http: s.HTTP, out: &out}
		err = r.play(ctx, task)
	}
	out.ToolRuns = box.Runs()
	if err != nil {
		out.Error = outcomeError(ctx, err)
	}
	return out, nil
}

// run is one task under way.
type run struct {
	box      *subject.Toolbox
	stopAt   string
	http     *http.Client
	messages []chat.Message
	out      *subject.Outcome
}

func (r *run) play(ctx context.Context, task subject.Task) (err error) {
	if task.State != nil {
		if r.messages, err = chat.DecodeTranscript(*task.State); err != nil {
			return err
		}
	}
	defer func() {
		text, encodeErr := chat.EncodeTranscript(r.messages)
		if err == nil {
			err = encodeErr
		}
		if encodeErr == nil {
			r.out.State = &text
		}
	}()
	for i, l := range task.Legs {
		if r.out.Stopped != "" {
			break
		}
		if err := r.leg(ctx, i, l, toolSpecs(task.Tools)); err != nil {
			return err
		}
	}
	return nil
}

// leg plays one leg: first what the conversation still waits for, then the
// prompts.
func (r *run) leg(ctx context.Context, index int, l subject.Leg, tools []chat.ToolSpec) error {
	m, err := open(l, tools, r.http)
	if err != nil {
		return err
	}
	defer m.close()
	if r.waiting() {
		if err := r.turn(ctx, m, index, -1); err != nil || r.out.Stopped != "" {
			return err
		}
	}
	for i, prompt := range l.Prompts {
		r.messages = append(r.messages, chat.Message{Role: chat.User, Content: prompt})
		if err := r.turn(ctx, m, index, i); err != nil || r.out.Stopped != "" {
			return err
		}
	}
	return nil
}

// waiting reports whether the conversation waits for the model or for tools:
// it does unless it is new or ends with an answer.
func (r *run) waiting() bool {
	if len(r.messages) == 0 {
		return false
	}
	last := r.messages[len(r.messages)-1]
	return last.Role == chat.User || last.Role == chat.Tool || len(last.ToolCalls) > 0
}

// maxSteps ends a turn whose model never stops calling tools.
const maxSteps = 1000

// turn goes on until the model answers, or until the run has to stop.
func (r *run) turn(ctx context.Context, m *model, leg, prompt int) error {
	for range maxSteps {
		if err := r.runTools(ctx); err != nil {
			return err
		}
		reply, err := m.ask(ctx, r.messages)
		if err != nil {
			return err
		}
		r.messages = append(r.messages, reply.Message())
		if len(reply.ToolCalls) == 0 {
			r.out.Answers = append(r.out.Answers, answer(leg, prompt, reply))
			r.stop(subject.StopAtAnswer)
			return nil
		}
		if r.stop(subject.StopAtToolCalls) {
			return nil
		}
	}
	return fmt.Errorf("reference: no answer after %d steps", maxSteps)
}

// stop ends the run if this is where the task wants it to stop.
func (r *run) stop(at string) bool {
	if r.stopAt != at {
		return false
	}
	r.out.Stopped = at
	return true
}
