package reference_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/subject"
)

const (
	twoCalls = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"slow","args":{"n":1}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"fast","args":{}}}]},"finishReason":"STOP"}]}`
	hello    = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5}}`
	again    = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Again"}]},"finishReason":"STOP"}]}`
)

func gemini(bodies ...string) fakeserver.Script {
	var s fakeserver.Script
	for _, b := range bodies {
		s.Replies = append(s.Replies, fakeserver.Reply{Endpoint: fakeserver.Gemini, Plain: b, Stream: "data: " + b + "\n\n"})
	}
	return s
}

// tools are two tools; the one called first is the slower one.
func tools() []subject.Tool {
	return []subject.Tool{
		{Name: "slow", Results: []subject.ToolResult{{Result: `{"r":"slow"}`, DelayMS: 20}}},
		{Name: "fast", Results: []subject.ToolResult{{Result: `{"r":"fast"}`}}},
	}
}

func task(url string, prompts ...string) subject.Task {
	return subject.Task{
		V:     subject.Version,
		Legs:  []subject.Leg{{Provider: subject.Gemini, BaseURL: url, APIKey: "k-1", Model: "gemini-3.8-flash", Prompts: prompts}},
		Tools: tools(),
	}
}

func TestDescribe(t *testing.T) {
	d, err := reference.New().Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	if d.Name != "reference" || d.Version == "" || d.Carrier != "nrllm/v1" || d.State != "library" {
		t.Errorf("got %+v", d)
	}
}

func TestResultsKeepTheOrderOfTheCalls(t *testing.T) {
	p := fakeserver.New(t, gemini(twoCalls, hello))
	out := play(t, task(p.URL(), "Hi"))
	if out.Error != nil || len(out.Answers) != 1 || out.Answers[0].Content != "Hello" || out.Answers[0].Prompt != 0 {
		t.Fatalf("got %+v, error %+v", out.Answers, out.Error)
	}
	if len(out.ToolRuns) != 2 || out.ToolRuns[0].Name != "slow" || out.ToolRuns[1].Name != "fast" {
		t.Errorf("got runs %+v, want slow, fast", out.ToolRuns)
	}
	body := p.Record().Exchanges[1].Body
	if strings.Index(body, `{"r":"slow"}`) > strings.Index(body, `{"r":"fast"}`) {
		t.Errorf("got the results in another order than the calls: %s", body)
	}
	meta := out.Answers[0].Meta
	if got, want := string(meta.Usage), `{"input_tokens":3,"output_tokens":2,"thinking_tokens":0,"total_tokens":5}`; got != want {
		t.Errorf("usage: got %s, want %s", got, want)
	}
	if meta.Provider != "gemini" || meta.FinishReason != "stop" || meta.Metadata == nil {
		t.Errorf("meta: got %+v", meta)
	}
}

func TestStopAndGoOn(t *testing.T) {
	p := fakeserver.New(t, gemini(twoCalls, twoCalls, hello, again))
	first := task(p.URL(), "Hi", "And now?")
	first.StopAt = subject.StopAtToolCalls
	out := play(t, first)
	if out.Error != nil || out.Stopped != subject.StopAtToolCalls || len(out.ToolRuns) != 0 || len(out.Answers) != 0 {
		t.Fatalf("run 1: got %+v, want a stop before any tool", out)
	}
	second := task(p.URL(), "And now?")
	second.StopAt, second.State = subject.StopAtToolCalls, out.State
	out = play(t, second)
	if out.Error != nil || out.Stopped != subject.StopAtToolCalls || len(out.ToolRuns) != 2 || len(out.Answers) != 0 {
		t.Fatalf("run 2: got %+v, want the pending calls run and a stop at the next step", out)
	}
	third := task(p.URL(), "And now?")
	third.StopAt, third.State = subject.StopAtAnswer, out.State
	out = play(t, third)
	if out.Error != nil || out.Stopped != subject.StopAtAnswer || len(out.Answers) != 1 || out.Answers[0].Prompt != -1 {
		t.Fatalf("run 3: got %+v, want a stop after the answer to the pending calls", out)
	}
	fourth := task(p.URL(), "And now?")
	fourth.State = out.State
	out = play(t, fourth)
	if out.Error != nil || out.Stopped != "" || len(out.Answers) != 1 || out.Answers[0].Content != "Again" || out.Answers[0].Prompt != 0 {
		t.Fatalf("run 4: got %+v, want the last answer", out)
	}
}

func TestSystemBelongsToItsLeg(t *testing.T) {
	p := fakeserver.New(t, gemini(hello, again))
	two := task(p.URL(), "Hi")
	two.Legs = append(two.Legs, two.Legs[0])
	two.Legs[0].System = new("Be brief")
	out := play(t, two)
	if out.Error != nil || len(out.Answers) != 2 || out.Answers[1].Leg != 1 {
		t.Fatalf("got %+v, error %+v", out.Answers, out.Error)
	}
	bodies := p.Record().Exchanges
	if !strings.Contains(bodies[0].Body, "Be brief") || strings.Contains(bodies[1].Body, "Be brief") || strings.Contains(*out.State, "Be brief") {
		t.Errorf("got the system prompt elsewhere than in the first leg")
	}
}

func TestRawCapture(t *testing.T) {
	p := fakeserver.New(t, gemini(hello))
	one := task(p.URL(), "Hi")
	one.Legs[0].Options = &subject.Options{RawCapture: true}
	out := play(t, one)
	if out.Error != nil || string(out.Answers[0].Meta.Metadata[chat.RawKey]) != hello {
		t.Errorf("got %+v, error %+v, want the reply", out.Answers, out.Error)
	}
}

func TestErrorKinds(t *testing.T) {
	cut := gemini(hello)
	cut.Replies[0].Cut = true
	rows := []struct {
		name   string
		script fakeserver.Script
		edit   func(*subject.Task)
		kind   string
		status int
	}{
		{"no key", gemini(), func(t *subject.Task) { t.Legs[0].APIKey = "" }, subject.Refused, 0},
		{"state that is no transcript", gemini(), func(t *subject.Task) { t.State = new("{}") }, subject.Refused, 0},
		{"no adapter", gemini(), func(t *subject.Task) { t.Legs[0].Provider = subject.Vertex }, subject.NotSupported, 0},
		{"error answer", fakeserver.Script{Replies: []fakeserver.Reply{{Endpoint: fakeserver.Gemini, Plain: `{"error":{"status":"X"}}`, Status: http.StatusTooManyRequests}}}, nil, subject.FromProvider, 429},
		{"rejected reply", gemini(`{"candidates":7}`), nil, subject.FromProvider, 200},
		{"broken stream", cut, func(t *subject.Task) { t.Legs[0].Stream = true }, subject.FromStream, 0},
		{"broken plain reply", cut, nil, subject.FromSubject, 0},
		{"tool without result", gemini(twoCalls), func(t *subject.Task) { t.Tools[1].Results = nil }, subject.FromSubject, 0},
		{"tool slower than the deadline", gemini(twoCalls), func(t *subject.Task) { t.DeadlineMS, t.Tools[0].Results[0].DelayMS = 200, 60_000 }, subject.FromSubject, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := fakeserver.New(t, row.script)
			one := task(p.URL(), "Hi")
			if row.edit != nil {
				row.edit(&one)
			}
			out := play(t, one)
			if out.Error == nil || out.Error.Kind != row.kind || out.Error.Status != row.status || out.Error.Message == "" {
				t.Errorf("got %+v, want kind %s and status %d", out.Error, row.kind, row.status)
			}
			if len(out.Answers) != 0 {
				t.Errorf("got answers %+v next to the error", out.Answers)
			}
		})
	}
}

func TestAnswersComeWithALaterError(t *testing.T) {
	script := gemini(hello)
	script.Replies = append(script.Replies, fakeserver.Reply{Endpoint: fakeserver.Gemini, Plain: `{}`, Status: http.StatusInternalServerError})
	p := fakeserver.New(t, script)
	out := play(t, task(p.URL(), "Hi", "And?"))
	if out.Error == nil || out.Error.Status != http.StatusInternalServerError || len(out.Answers) != 1 || out.State == nil || !strings.Contains(*out.State, "Hello") {
		t.Errorf("got %+v, error %+v, want the first answer, the state and the error", out, out.Error)
	}
}

func TestBuild(t *testing.T) {
	state := `{"schema":"nrllm/v1","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[{"id":"call_1","type":"function","function":{"name":"slow","arguments":"{}"}}],"provider_items":[{"type":"reasoning","n": 1.0},{"type":"function_call","call_id":"call_1"}]},{"role":"tool","content":"r","tool_call_id":"call_1"}]}`
	leg := subject.Leg{Provider: subject.OpenAIResponses, BaseURL: "http://127.0.0.1:1", APIKey: "k", Model: "gpt-6-sol", Stream: true, System: new("S")}
	got, err := reference.New().Build(context.Background(), leg, tools()[:1], state)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"gpt-6-sol","store":false,"include":["reasoning.encrypted_content"],"input":[{"role":"system","content":"S"},{"role":"user","content":"Hi"},{"type":"reasoning","n": 1.0},{"type":"function_call","call_id":"call_1"},{"type":"function_call_output","call_id":"call_1","output":"r"}],"tools":[{"type":"function","name":"slow","parameters":{"type":"object","properties":{}},"strict":false}],"stream":true}`
	if d := cmp.Diff(subject.Probe{Before: state, After: state, Body: body, Body2: body}, got); d != "" {
		t.Errorf("probe (-want +got):\n%s", d)
	}
	t.Run("refused", func(t *testing.T) {
		_, err := reference.New().Build(context.Background(), leg, tools()[:1], strings.Replace(state, `{"type":"reasoning","n": 1.0}`, "7", 1))
		if err == nil || err.Error() != chat.ReplayMessage {
			t.Errorf("got %v, want the constant refusal", err)
		}
	})
}

func TestAnsweredCallsAreNotRunAgain(t *testing.T) {
	p := fakeserver.New(t, gemini(hello))
	one := task(p.URL())
	one.State = new(`{"schema":"nrllm/v1","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"slow","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"fast","arguments":"{}"}}]},{"role":"tool","content":"{}","tool_call_id":"a"}]}`)
	out := play(t, one)
	if out.Error != nil || len(out.ToolRuns) != 1 || out.ToolRuns[0].CallID != "b" || len(out.Answers) != 1 {
		t.Errorf("got runs %+v, error %+v, want only call b run", out.ToolRuns, out.Error)
	}
}
