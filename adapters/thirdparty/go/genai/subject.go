package main

import (
	"context"
	"runtime/debug"
	"time"

	"google.golang.org/genai"

	"example.com/replaycheck/oracles"
)

// modulePath is the SDK under test.
const modulePath = "google.golang.org/genai"

// way is one way to hold a conversation with the SDK, as a subject.
type way struct {
	name string
	// open goes on with a history, which is empty for a new conversation.
	open func(context.Context, *genai.Client, string, *genai.GenerateContentConfig, []*genai.Content) (conversation, error)
}

var _ oracles.Subject = way{}

// Describe says what the SDK can be asked to do. It never fails.
func (w way) Describe(context.Context) (oracles.Description, error) {
	return oracles.Description{
		Name: w.name, Version: "1",
		SDK:          []oracles.SDK{{Name: modulePath, Version: sdkVersion()}},
		Docs:         "https://pkg.go.dev/" + modulePath,
		Providers:    map[string]oracles.Provider{gemini: {Models: []string{}}},
		Modes:        []string{"plain", "stream"},
		Stops:        []string{stopAtToolCalls, stopAtAnswer},
		State:        "json", // the SDK documents no form to keep a history in
		Capabilities: []string{"tools", "parallel", "sequential", "thinking"},
		Unsupported: map[string]string{
			"cross-provider": "the SDK talks to Gemini only",
			"agent":          "the SDK has no runs that wait for an approval",
		},
	}, nil
}

// sdkVersion is the version that this program was really built with.
func sdkVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == modulePath {
				return m.Version
			}
		}
	}
	return "unknown"
}

// Run plays the task. Every failure of the conversation is in Outcome.Error,
// with the answers and the state up to it; the returned error is always nil.
func (w way) Run(ctx context.Context, task oracles.Task) (oracles.Outcome, error) {
	if task.DeadlineMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(task.DeadlineMS)*time.Millisecond)
		defer cancel()
	}
	s := &session{way: w, task: task, box: oracles.NewToolbox(task)}
	err := s.play(ctx)
	out := oracles.Outcome{Answers: s.answers, ToolRuns: s.box.Runs(), Stopped: s.stopped, State: task.State}
	if s.talk != nil {
		state, encodeErr := encodeHistory(s.talk.history())
		if encodeErr == nil {
			out.State = &state
		}
		if err == nil {
			err = encodeErr
		}
	}
	if err != nil {
		out.Error = outcomeError(ctx, err)
	}
	return out, nil
}
