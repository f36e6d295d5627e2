package main

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/genai"

	"example.com/replaycheck/oracles"
)

// Words of the protocol.
const (
	gemini          = "gemini"
	stopAtToolCalls = "tool_calls"
	stopAtAnswer    = "answer"
)

// maxSteps ends a turn whose model never stops calling tools.
const maxSteps = 1000

// session is one task under way.
type session struct {
	way  way
	task oracles.Task
	box  *oracles.Toolbox

	talk    conversation // nil before the first leg
	talking setting      // of talk

	answers []oracles.Answer
	stopped string
}

// setting is what a leg asks of a client and its conversation.
type setting struct{ baseURL, apiKey, model, system string }

func (s *session) play(ctx context.Context) error {
	var history []*genai.Content
	if s.task.State != nil {
		var err error
		if history, err = decodeHistory(*s.task.State); err != nil {
			return err
		}
	}
	for i, leg := range s.task.Legs {
		if s.talk != nil {
			history = s.talk.history()
		}
		if err := s.begin(ctx, leg, history); err != nil {
			return err
		}
		if err := s.leg(ctx, i, leg); err != nil || s.stopped != "" {
			return err
		}
	}
	return nil
}

// begin opens the conversation for a leg. A leg that differs only in whether it
// streams goes on in the open one, since the SDK's chats do both.
func (s *session) begin(ctx context.Context, leg oracles.Leg, history []*genai.Content) error {
	if leg.Provider != gemini {
		return &unsupportedError{leg.Provider}
	}
	want := setting{baseURL: leg.BaseURL, apiKey: leg.APIKey, model: leg.Model}
	if leg.System != nil {
		want.system = *leg.System
	}
	if s.talk != nil && s.talking == want {
		return nil
	}
	config, err := configOf(leg.System, s.task.Tools)
	if err != nil {
		return err
	}
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:      want.apiKey,
		Backend:     genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: want.baseURL},
	})
	if err != nil {
		return fmt.Errorf("genai: make a client: %w", redact(err, want.apiKey))
	}
	talk, err := s.way.open(ctx, client, want.model, config, history)
	if err != nil {
		return fmt.Errorf("genai: open the conversation: %w", err)
	}
	s.talk, s.talking = talk, want
	return nil
}

// leg plays one leg: first the calls that an earlier run or leg left pending,
// then the prompts.
func (s *session) leg(ctx context.Context, index int, leg oracles.Leg) error {
	if calls := pending(s.talk.history()); len(calls) > 0 {
		parts, err := s.runTools(ctx, calls)
		if err != nil {
			return err
		}
		if err := s.turn(ctx, index, -1, leg.Stream, parts); err != nil || s.stopped != "" {
			return err
		}
	}
	for i, prompt := range leg.Prompts {
		if err := s.turn(ctx, index, i, leg.Stream, []genai.Part{{Text: prompt}}); err != nil || s.stopped != "" {
			return err
		}
	}
	return nil
}

// turn goes on until the model answers, or until the run has to stop.
func (s *session) turn(ctx context.Context, leg, prompt int, stream bool, parts []genai.Part) error {
	for range maxSteps {
		r, err := s.ask(ctx, stream, parts)
		if err != nil {
			return err
		}
		if len(r.calls) == 0 {
			s.answers = append(s.answers, oracles.Answer{Leg: leg, Prompt: prompt, Content: r.text, Thinking: r.thinking()})
			if s.task.StopAt == stopAtAnswer {
				s.stopped = stopAtAnswer
			}
			return nil
		}
		if s.task.StopAt == stopAtToolCalls {
			s.stopped = stopAtToolCalls
			return nil
		}
		if parts, err = s.runTools(ctx, r.calls); err != nil {
			return err
		}
	}
	return errors.New("genai: the model still called tools after 1000 steps")
}

// ask sends the parts. The SDK panics on replies that it did not foresee; that
// is a failure of the conversation and no end of the driver.
func (s *session) ask(ctx context.Context, stream bool, parts []genai.Part) (r reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("genai: the SDK panicked: %v", p)
		}
	}()
	if stream {
		return s.talk.stream(ctx, parts)
	}
	return s.talk.send(ctx, parts)
}
