package scenario_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

const driverVariable = "REPLAYCHECK_TEST_DRIVER"

func TestMain(m *testing.M) {
	switch os.Getenv(driverVariable) {
	case "":
		goleak.VerifyTestMain(m)
	case "good":
		if err := subject.Serve(context.Background(), &tiny{}, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "garbage":
		fmt.Fprintln(os.Stdout, "garbage")
	}
}

// tiny is a small Gemini client that keeps its history as native entries.
type tiny struct {
	before func(context.Context, *subject.Task) (*subject.Outcome, error) // takes Run's place unless both are nil
	builds bool
}

func (t *tiny) Describe(context.Context) (subject.Description, error) { return describe(), nil }

func describe() subject.Description {
	return subject.Description{
		V: 1, Name: "tiny", Providers: map[string]subject.Provider{"gemini": {}}, Modes: []string{"plain", "stream"},
		Stops: []string{subject.StopAtToolCalls, subject.StopAtAnswer}, State: "json", Capabilities: []string{subject.Tools},
	}
}

// talk is a run of tiny. Pending are the calls that are not answered yet.
type talk struct {
	History []json.RawMessage `json:"history"`
	Pending []pendingCall     `json:"pending"`
}

type pendingCall struct{ Name, Args string }

func (t *tiny) Run(ctx context.Context, task subject.Task) (subject.Outcome, error) {
	if t.before != nil {
		if o, err := t.before(ctx, &task); o != nil || err != nil {
			return *o, err
		}
	}
	var c talk
	if task.State != nil {
		if err := json.Unmarshal([]byte(*task.State), &c); err != nil {
			return subject.Outcome{Error: &subject.Error{Kind: subject.Refused, Message: "malformed state"}}, nil //nolint:nilerr // the outcome tells
		}
	}
	box := subject.NewToolbox(task)
	o := subject.Outcome{Answers: []subject.Answer{}}
	var err error
legs:
	for i, leg := range task.Legs {
		prompts := append([]string{}, leg.Prompts...)
		first := 0
		if len(c.Pending) > 0 {
			prompts, first = append([]string{""}, prompts...), -1
		}
		for j, prompt := range prompts {
			if prompt != "" {
				c.add("user", `{"text":`+wire.Quote(prompt)+`}`)
			}
			var text string
			if text, err = c.turn(ctx, leg, box, task.StopAt == subject.StopAtToolCalls); err != nil {
				break legs
			}
			if len(c.Pending) > 0 {
				o.Stopped = subject.StopAtToolCalls
				break legs
			}
			o.Answers = append(o.Answers, subject.Answer{Leg: i, Prompt: j + first, Content: text})
			if task.StopAt == subject.StopAtAnswer {
				o.Stopped = subject.StopAtAnswer
				break legs
			}
		}
	}
	if err != nil {
		o.Error = &subject.Error{Kind: subject.FromProvider, Message: err.Error()}
		if te, ok := errors.AsType[*subject.ToolError](err); ok {
			o.Error = te.Outcome()
		}
	}
	o.ToolRuns = box.Runs()
	state, _ := json.Marshal(c)
	text := string(state)
	o.State = &text
	return o, nil
}

func (c *talk) add(role string, parts ...string) {
	c.History = append(c.History, json.RawMessage(`{"role":"`+role+`","parts":[`+strings.Join(parts, ",")+`]}`))
}

func (c *talk) turn(ctx context.Context, leg subject.Leg, box *subject.Toolbox, stop bool) (string, error) {
	for {
		var results []string
		for _, call := range c.Pending {
			r, err := box.Begin(call.Name, call.Args, "")(ctx)
			if err != nil {
				return "", err
			}
			results = append(results, `{"functionResponse":{"name":"`+call.Name+`","response":`+r+`}}`)
		}
		if c.Pending = nil; results != nil {
			c.add("user", results...)
		}
		reply, err := post(ctx, leg, c.body())
		if err != nil {
			return "", err
		}
		var parts []string
		var text strings.Builder
		for _, p := range reply.Parts {
			parts = append(parts, p.Value.Raw())
			if p.Kind == native.Text {
				text.WriteString(p.Text)
			}
			if p.Kind == native.Call {
				c.Pending = append(c.Pending, pendingCall{p.Name, p.Args})
			}
		}
		c.add("model", parts...)
		if len(c.Pending) == 0 || stop {
			return text.String(), nil
		}
	}
}

func (c *talk) body() string {
	var all []string
	for _, h := range c.History {
		all = append(all, string(h))
	}
	return `{"contents":[` + strings.Join(all, ",") + `]}`
}

func post(ctx context.Context, leg subject.Leg, body string) (native.Reply, error) {
	method := ":generateContent"
	if leg.Stream {
		method = ":streamGenerateContent?alt=sse"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, leg.BaseURL+"/v1beta/models/"+leg.Model+method, strings.NewReader(body))
	if err != nil {
		return native.Reply{}, err
	}
	req.Header.Set("x-goog-api-key", leg.APIKey)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return native.Reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return native.Reply{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return native.Reply{}, fmt.Errorf("status %d: %s", resp.StatusCode, text)
	}
	return native.ParseReply(native.Gemini, string(text))
}

// building is tiny with a Builder.
type building struct{ tiny }

func (b *building) Build(_ context.Context, _ subject.Leg, _ []subject.Tool, state string) (subject.Probe, error) {
	if b.builds {
		return subject.Probe{Before: state, After: state, Body: "b", Body2: "b"}, nil
	}
	return subject.Probe{}, errors.New("can't build")
}
