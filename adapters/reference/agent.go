//go:build !replaycheck_lean

package reference

import (
	"context"
	"encoding/base64"
	"errors"

	"example.com/replaycheck/adapters/agent"
	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore"
	"example.com/replaycheck/internal/subject"
)

// asker is the model of a leg as the agent asks it.
type asker struct{ *model }

// Ask implements agent.Model. The tools are those of the leg.
func (a asker) Ask(ctx context.Context, messages []chat.Message, _ []chat.ToolSpec) (chat.Completion, error) {
	return a.ask(ctx, messages)
}

// Check implements agent.Model.
func (a asker) Check(messages []chat.Message, _ []chat.ToolSpec) error {
	_, err := a.build(a.request(messages))
	return err
}

// agentRun begins the run of a task, or goes on with it, and says in out how it
// stands.
func (s Subject) agentRun(ctx context.Context, task subject.Task, box *subject.Toolbox, out *subject.Outcome) error {
	out.State = nil // the run is in the store
	out.Agent = &subject.AgentState{RunID: task.Agent.RunID, Status: subject.RunFailed}
	if len(task.Legs) != 1 || len(task.Legs[0].Prompts) > 1 {
		return &chat.ConfigError{Message: "reference: agent run: want one leg with at most one prompt"}
	}
	keys, err := keysOf(task.Agent.Key)
	if err != nil {
		return err
	}
	m, err := open(task.Legs[0], toolSpecs(task.Tools), s.HTTP)
	if err != nil {
		return err
	}
	defer m.close()
	store, err := runstore.Open(ctx, task.Agent.Store, runstore.Options{Keys: keys})
	if err != nil {
		return err
	}
	a, err := agent.New(agent.Config{Model: asker{m}, Store: store, Tools: offered(task.Tools, box), MaxSteps: task.Agent.Budget, At: s.At})
	if err == nil {
		err = advance(ctx, a, task, out)
	}
	return errors.Join(err, store.Close())
}

// advance does what the task asks for, and tells the outcome.
func advance(ctx context.Context, a *agent.Agent, task subject.Task, out *subject.Outcome) error {
	id, actor, prompt := task.Agent.RunID, task.Agent.Actor, -1
	var got agent.Outcome
	var err error
	switch d := task.Agent.Decision; {
	case d == nil:
		got, err = goOn(ctx, a, id, actor)
		if errors.Is(err, chat.ErrRunNotFound) && len(task.Legs[0].Prompts) > 0 {
			prompt = 0
			got, err = begin(ctx, a, task)
		}
	case d.Kind == subject.Approve:
		got, err = a.Approve(ctx, id, actor, d.Digest)
	case d.Kind == subject.Reject:
		got, err = a.Reject(ctx, id, actor, d.Digest)
	default:
		err = &chat.ConfigError{Message: "reference: agent run: want a decision of kind approve or reject"}
	}
	if got.RunID != "" {
		out.Agent.RunID = got.RunID
	}
	out.Agent.Steps, out.Agent.Digest = got.Steps, got.Digest
	if err == nil {
		out.Agent.Status = string(got.Status)
	}
	if got.Answer != nil {
		out.Answers = append(out.Answers, answer(0, prompt, *got.Answer))
	}
	if got.Messages == nil {
		return err
	}
	text, encodeErr := chat.EncodeTranscript(got.Messages)
	if encodeErr == nil {
		out.State = &text
	}
	return errors.Join(err, encodeErr)
}

// goOn goes on with a run that the store has. One without an ID is new.
func goOn(ctx context.Context, a *agent.Agent, id, actor string) (agent.Outcome, error) {
	if id == "" {
		return agent.Outcome{}, chat.ErrRunNotFound
	}
	return a.Resume(ctx, id, actor)
}

// begin begins the run with the conversation of the task's state, if it has
// one, and its prompt.
func begin(ctx context.Context, a *agent.Agent, task subject.Task) (agent.Outcome, error) {
	var messages []chat.Message
	if task.State != nil {
		var err error
		if messages, err = chat.DecodeTranscript(*task.State); err != nil {
			return agent.Outcome{}, err
		}
	}
	messages = append(messages, chat.Message{Role: chat.User, Content: task.Legs[0].Prompts[0]})
	return a.Start(ctx, task.Agent.RunID, task.Agent.Actor, messages)
}

// offered are the task's tools, run by its toolbox. A call that the toolbox has
// no result for ends the run; the model is not told.
func offered(tools []subject.Tool, box *subject.Toolbox) []agent.Tool {
	var out []agent.Tool
	for i, spec := range toolSpecs(tools) {
		out = append(out, agent.Tool{ToolSpec: spec, Approval: tools[i].Approval, Begin: func(call chat.ToolCall) func(context.Context) (string, error) {
			run := box.Begin(call.Name, call.Arguments, call.ID)
			return func(ctx context.Context) (string, error) {
				text, err := run(ctx)
				if err != nil {
					return "", agent.Abort(err)
				}
				return text, nil
			}
		}})
	}
	return out
}

// keysOf reads task.agent.key. The error quotes nothing of it.
func keysOf(text string) (*runstore.Keys, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != runstore.KeySize {
		return nil, &chat.ConfigError{Message: "reference: agent run: want a key of 32 bytes in base64"}
	}
	return runstore.KeysOf(raw)
}
