package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/oracles"
)

const (
	twoCalls = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Let me look.","thought":true},{"functionCall":{"id":"fc-a","name":"slow","args":{"n":1}},"thoughtSignature":"c2lnLTE="},{"functionCall":{"id":"fc-b","name":"fast","args":{}}}]},"finishReason":"STOP"}]}`
	hello    = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Thought.","thought":true},{"text":"Hello"}]},"finishReason":"STOP"}]}`
)

func names() []string { return []string{"genai-chats", "genai-manual"} }

func script(bodies ...string) fakeserver.Script {
	var s fakeserver.Script
	for _, b := range bodies {
		s.Replies = append(s.Replies, fakeserver.Reply{Endpoint: fakeserver.Gemini, Plain: b, Stream: "data: " + b + "\n\n"})
	}
	return s
}

func taskFor(url string, stream bool) oracles.Task {
	return oracles.Task{
		V:    1,
		Legs: []oracles.Leg{{Provider: gemini, BaseURL: url, APIKey: "secret-key", Model: "gemini-3.8-flash", Stream: stream, Stateless: true, Prompts: []string{"Hi"}}},
		Tools: []oracles.Tool{
			{Name: "slow", Schema: json.RawMessage(`{"type":"object"}`), Results: []oracles.ToolResult{{Result: `{"r":"slow"}`, DelayMS: 20}}},
			{Name: "fast", Schema: json.RawMessage(`{"type":"object"}`), Results: []oracles.ToolResult{{Result: `plain text`}}},
		},
	}
}

// drive sends one line through the driver and returns the outcome in the line
// that comes back.
func drive(t *testing.T, name string, task oracles.Task) oracles.Outcome {
	t.Helper()
	line, err := json.Marshal(map[string]any{"task": task})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(context.Background(), []string{name}, strings.NewReader(string(line)+"\n"), &out); err != nil {
		t.Fatalf("run: %v", err)
	}
	var reply struct{ Outcome *oracles.Outcome }
	if err := json.Unmarshal([]byte(out.String()), &reply); err != nil || reply.Outcome == nil {
		t.Fatalf("got line %q, error %v, want an outcome", out.String(), err)
	}
	return *reply.Outcome
}

func TestDescribe(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := run(context.Background(), []string{name}, strings.NewReader(`{"describe":{"v":1}}`), &out); err != nil {
				t.Fatal(err)
			}
			var reply struct{ Describe oracles.Description }
			if err := json.Unmarshal([]byte(out.String()), &reply); err != nil {
				t.Fatal(err)
			}
			d := reply.Describe
			if d.Name != name || d.State != "json" || d.Carrier != "" || len(d.Providers) != 1 {
				t.Errorf("got %+v", d)
			}
			if len(d.SDK) != 1 || d.SDK[0].Name != modulePath {
				t.Errorf("sdk: got %+v, want %s", d.SDK, modulePath)
			}
		})
	}
}

func TestUnknownSubject(t *testing.T) {
	for _, args := range [][]string{nil, {"genai"}, {"genai-chats", "genai-manual"}} {
		err := run(context.Background(), args, strings.NewReader(""), &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), "genai-chats, genai-manual") {
			t.Errorf("%q: got error %v, want one with the names", args, err)
		}
	}
}

// TestToolLoop plays a turn with two calls, in one run and in two.
func TestToolLoop(t *testing.T) {
	for _, name := range names() {
		for _, stream := range []bool{false, true} {
			for _, stored := range []bool{false, true} {
				mode := name + map[bool]string{false: "/plain", true: "/stream"}[stream] + map[bool]string{false: "/memory", true: "/stored"}[stored]
				t.Run(mode, func(t *testing.T) { toolLoop(t, name, stream, stored) })
			}
		}
	}
}

func toolLoop(t *testing.T, name string, stream, stored bool) {
	t.Helper()
	p := fakeserver.New(t, script(twoCalls, hello))
	task, prompt := taskFor(p.URL(), stream), 0
	if stored {
		task.StopAt = stopAtToolCalls
		first := drive(t, name, task)
		if first.Stopped != stopAtToolCalls || first.State == nil || len(first.ToolRuns) != 0 || len(first.Answers) != 0 {
			t.Fatalf("got %+v, want a stop before the tools", first)
		}
		task.State, task.StopAt, task.Legs[0].Prompts, prompt = first.State, "", nil, -1
	}
	out := drive(t, name, task)
	if out.Error != nil {
		t.Fatalf("got error %+v", out.Error)
	}
	want := []oracles.Answer{{Prompt: prompt, Content: "Hello", Thinking: new("Thought.")}}
	if d := cmp.Diff(want, out.Answers); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
	runs := []oracles.ToolRun{
		{Name: "slow", Arguments: `{"n":1}`, CallID: "fc-a", Result: `{"r":"slow"}`},
		{Name: "fast", Arguments: "{}", CallID: "fc-b", Result: "plain text"},
	}
	if stored {
		runs[1].Arguments = "" // the SDK's JSON leaves empty arguments out
	}
	if d := cmp.Diff(runs, out.ToolRuns); d != "" {
		t.Errorf("tool runs (-want +got):\n%s", d)
	}
	var body struct{ Contents []json.RawMessage }
	x := p.Record().Exchanges[1]
	if err := json.Unmarshal([]byte(x.Body), &body); err != nil {
		t.Fatal(err)
	}
	const results = `{"parts":[{"functionResponse":{"id":"fc-a","name":"slow","response":{"r":"slow"}}},{"functionResponse":{"id":"fc-b","name":"fast","response":{"output":"plain text"}}}],"role":"user"}`
	if got := string(body.Contents[len(body.Contents)-1]); got != results {
		t.Errorf("results: got %s\nwant %s", got, results)
	}
	if x.Stream != stream || !strings.Contains(x.Body, `"thoughtSignature":"c2lnLTE="`) || !strings.Contains(x.Body, `"parametersJsonSchema"`) {
		t.Errorf("got stream %v and body %s", x.Stream, x.Body)
	}
}

func TestStopsAtAnswerAndGoesOn(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			p := fakeserver.New(t, script(hello, hello, hello))
			task := taskFor(p.URL(), false)
			task.StopAt, task.Legs[0].System = stopAtAnswer, new("Be short.")
			task.Legs[0].Prompts = []string{"a", "b"}
			first := drive(t, name, task)
			if first.Stopped != stopAtAnswer || len(first.Answers) != 1 {
				t.Fatalf("got %+v, want a stop after one answer", first)
			}
			task.StopAt, task.State = "", first.State
			task.Legs[0].Prompts = []string{"b"}
			task.Legs = append(task.Legs, task.Legs[0])
			task.Legs[1].Stream, task.Legs[1].Prompts = true, []string{"c"}
			out := drive(t, name, task)
			if out.Error != nil || len(out.Answers) != 2 || out.Answers[1].Leg != 1 || out.Stopped != "" {
				t.Fatalf("got %+v, error %+v, want an answer in each leg", out, out.Error)
			}
			xs := p.Record().Exchanges
			last := xs[2]
			for _, want := range []string{`{"text":"a"}`, `{"text":"b"}`, `{"text":"c"}`, "Be short."} {
				if !last.Stream || strings.Count(last.Body, want) != 1 {
					t.Errorf("got stream %v and body %s, want %s in it once", last.Stream, last.Body, want)
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	half := hello[:len(hello)/2]
	for _, row := range []struct {
		name   string
		reply  fakeserver.Reply
		stream bool
		kind   string
		status int
	}{
		{"the provider's error", fakeserver.Reply{Plain: `{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}`, Status: http.StatusBadRequest}, false, "provider", 400},
		{"the provider's error, streamed", fakeserver.Reply{Stream: `{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}`, Status: http.StatusTooManyRequests}, true, "provider", 429},
		{"an error within a stream", fakeserver.Reply{Stream: "data: {\"error\":{\"code\":503,\"message\":\"no\"}}\n\n"}, true, "provider", 503},
		{"a stream cut between chunks", fakeserver.Reply{Stream: "data: " + hello + "\n\n", Cut: true}, true, "stream", 0},
		{"a stream cut within a chunk", fakeserver.Reply{Stream: "data: " + half, Cut: true}, true, "stream", 0},
		{"a reply that is no JSON", fakeserver.Reply{Plain: "hello"}, false, "subject", 0},
		{"a reply that the SDK can't take", fakeserver.Reply{Plain: `{"candidates":[{"content":{"parts":[7]}}]}`}, false, "subject", 0},
		{"a chunk that the SDK can't take", fakeserver.Reply{Stream: "data: {\"candidates\":[{\"content\":{\"parts\":[7]}}]}\n\n"}, true, "subject", 0},
		{"a part that makes the SDK panic", fakeserver.Reply{Stream: "data: {\"candidates\":[{\"content\":{\"parts\":[null]}}]}\n\n"}, true, "subject", 0},
	} {
		for _, name := range names() {
			t.Run(row.name+"/"+name, func(t *testing.T) {
				row.reply.Endpoint = fakeserver.Gemini
				p := fakeserver.New(t, fakeserver.Script{Replies: []fakeserver.Reply{row.reply}})
				out := drive(t, name, taskFor(p.URL(), row.stream))
				if out.Error == nil || out.Error.Kind != row.kind || out.Error.Status != row.status {
					t.Fatalf("got error %+v, want kind %q, status %d", out.Error, row.kind, row.status)
				}
				for _, hidden := range []string{"secret-key", "GMT"} {
					if strings.Contains(out.Error.Message, hidden) {
						t.Errorf("%s is in the error: %s", hidden, out.Error.Message)
					}
				}
			})
		}
	}
}

func TestErrorsBeforeAnyContact(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*oracles.Task)
		kind   string
	}{
		{"another provider", func(task *oracles.Task) { task.Legs[0].Provider = "openai-chat" }, "unsupported"},
		{"a state that is none", func(task *oracles.Task) { task.State = new("{") }, "subject"},
		{"a base URL that is none", func(task *oracles.Task) { task.Legs[0].BaseURL = "http://127.0.0.1:%zz" }, "subject"},
	} {
		for _, name := range names() {
			t.Run(row.name+"/"+name, func(t *testing.T) {
				p := fakeserver.New(t, fakeserver.Script{})
				task := taskFor(p.URL(), false)
				row.change(&task)
				out := drive(t, name, task)
				if out.Error == nil || out.Error.Kind != row.kind {
					t.Fatalf("got error %+v, want kind %q", out.Error, row.kind)
				}
				if n := len(p.Record().Exchanges); n != 0 {
					t.Errorf("got %d requests, want none", n)
				}
			})
		}
	}
}
