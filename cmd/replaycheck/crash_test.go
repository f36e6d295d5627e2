package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/subject"
)

// The driver dies where it is told to; the next one goes on with the run.
func TestTheDriverDiesAtAPoint(t *testing.T) {
	driver, err := exec.LookPath("replaycheck")
	if err != nil {
		t.Fatal(err)
	}
	reply := func(part string) fakeserver.Reply {
		return fakeserver.Reply{Endpoint: fakeserver.Gemini, Plain: `{"candidates":[{"content":{"role":"model","parts":[` + part + `]},"finishReason":"STOP"}]}`}
	}
	p := fakeserver.New(t, fakeserver.Script{Replies: []fakeserver.Reply{
		reply(`{"functionCall":{"name":"look","args":{}},"thoughtSignature":"c2ln"}`), reply(`{"text":"Done"}`),
	}})
	task := subject.Task{
		V: subject.Version, DeadlineMS: 30_000,
		Legs:  []subject.Leg{{Provider: subject.Gemini, BaseURL: p.URL(), APIKey: "k-1", Model: "gemini-3.8-flash", Prompts: []string{"Hi"}}},
		Tools: []subject.Tool{{Name: "look", Results: []subject.ToolResult{{Result: "{}"}}}},
		Agent: &subject.Agent{RunID: "r1", Actor: "user:1", Store: "sqlite:" + filepath.Join(t.TempDir(), "runs.db"), Key: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="},
	}
	_, err = subject.Process([]string{driver, "driver"}, subject.ProcessOptions{Pass: []string{crashVariable + "=after-call:1"}}).Run(t.Context(), task)
	if host, ok := errors.AsType[*subject.HostError](err); !ok || host.Fault != subject.FaultSignal {
		t.Fatalf("got %v, want a process that died by a signal", err)
	}
	out, err := subject.Process([]string{driver, "driver"}, subject.ProcessOptions{}).Run(t.Context(), task)
	if err != nil || out.Error != nil || out.Agent.Status != subject.RunFinished || len(out.ToolRuns) != 0 {
		t.Fatalf("got %+v, %v, want a finished run and no second tool run", out, err)
	}
	if body := p.Record().Exchanges[1].Body; !strings.Contains(body, `{"error":"interrupted"}`) || !strings.Contains(body, "c2ln") {
		t.Errorf("got %s, want an interrupted call and the signature", body)
	}
}

func TestCrashPoints(t *testing.T) {
	for _, spec := range []string{"nowhere", "after-call:0", "after-call:x", "after-call:", ":1"} {
		if _, err := crashAt(spec); err == nil || !strings.Contains(err.Error(), crashVariable) {
			t.Errorf("%q: got %v, want an error that names the variable", spec, err)
		}
	}
	at, err := crashAt("after-call:2")
	if err != nil {
		t.Fatal(err)
	}
	at("after-call") // the first time, so this test lives on
	at("before-claim")
}
