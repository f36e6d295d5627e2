package subject_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/subject"
)

func exampleTask() subject.Task {
	return subject.Task{
		V: 1, DeadlineMS: 30000,
		Legs: []subject.Leg{{
			Provider: "gemini", BaseURL: "http://127.0.0.1:4100/r/7f3a", APIKey: "k", Model: "gemini-3.8-flash",
			System: new("be short"), Prompts: []string{"a", "b"}, Options: &subject.Options{RawCapture: true},
		}},
		Tools: []subject.Tool{{
			Name: "weather", Schema: json.RawMessage(`{"type":"object","x":1.0}`), Approval: true,
			Results: []subject.ToolResult{{Args: json.RawMessage(`{"n":9007199254740993,"s":"\ud800<&"}`), Result: `{"c":7}`, DelayMS: 5}, {Nth: 2, Result: "r"}},
		}},
		StopAt: "tool_calls", State: new("opaque <&> \u2028 \U0001F600 \"\\"),
		Agent: &subject.Agent{RunID: "r", Actor: "user:1", Budget: 5, Store: "sqlite:x", Key: "az==", Decision: &subject.Decision{Kind: "approve", Digest: "sha256:0"}},
	}
}

func exampleOutcome() subject.Outcome {
	return subject.Outcome{
		V: 1,
		Answers: []subject.Answer{{Content: "c", Thinking: new("t"), Meta: &subject.Meta{
			Usage: json.RawMessage(`{"n":1e3}`), Model: "m",
			Metadata: map[string]json.RawMessage{"b": json.RawMessage(`"<"`), "a": json.RawMessage(`[1.0]`)},
		}}},
		ToolRuns: []subject.ToolRun{{Name: "weather", Arguments: "{}", CallID: "c", Result: "r"}},
		Stopped:  "tool_calls", State: new("s"), Error: &subject.Error{Kind: "provider", Message: "m", Status: 400},
		Agent: &subject.AgentState{RunID: "r", Status: "waiting", Digest: "sha256:0", Steps: 1},
	}
}

func exampleDescription() subject.Description {
	return subject.Description{
		V: 1, Name: "n", Version: "1", SDK: []subject.SDK{{Name: "sdk", Version: "v1"}}, Docs: "https://example.com",
		Providers: map[string]subject.Provider{"gemini": {Models: []string{}}}, Modes: []string{"plain", "stream"},
		Stops: []string{"tool_calls", "answer"}, State: "json", Capabilities: []string{"tools"}, Unsupported: map[string]string{"thinking": "no"},
	}
}

func TestRequestLines(t *testing.T) {
	g := NewWithT(t)
	line, err := subject.EncodeRequest(subject.Request{Describe: true})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(line).To(Equal("{\"describe\":{\"v\":1}}\n"))
	got, err := subject.ReadRequest(strings.NewReader(line))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Describe).To(BeTrue())

	task := exampleTask()
	line, err = subject.EncodeRequest(subject.Request{Task: &task})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Count(line, "\n")).To(Equal(1))
	g.Expect(line).To(ContainSubstring(`"args":{"n":9007199254740993,"s":"\ud800<&"}`), "raw values stay token by token")
	g.Expect(line).NotTo(ContainSubstring("\u2028"), "some line readers end a line there")
	got, err = subject.ReadRequest(strings.NewReader(line))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(*got.Task).To(Equal(task))
}

func TestRequestOfAnEmptyTaskHasListsAndNulls(t *testing.T) {
	g := NewWithT(t)
	line, err := subject.EncodeRequest(subject.Request{Task: &subject.Task{V: 1, Legs: []subject.Leg{{}}}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(line).To(Equal(`{"task":{"v":1,"deadline_ms":0,"legs":[{"provider":"","base_url":"","api_key":"","model":"","stream":false,"stateless":false,"system":null,"prompts":[]}],"tools":[],"tool_url":null,"stop_at":"","state":null,"agent":null}}` + "\n"))
}

func TestEncodeRefusesBrokenRawValues(t *testing.T) {
	g := NewWithT(t)
	task := subject.Task{V: 1, Tools: []subject.Tool{{Schema: json.RawMessage("{")}}}
	_, err := subject.EncodeRequest(subject.Request{Task: &task})
	g.Expect(err).To(MatchError(ContainSubstring("task.tools[0].schema: wire: invalid JSON at byte 1")))
	task.Tools[0].Schema = json.RawMessage("\"\xff\"")
	_, err = subject.EncodeRequest(subject.Request{Task: &task})
	g.Expect(err).To(MatchError(ContainSubstring("not UTF-8")))
}

func TestReadRequestErrors(t *testing.T) {
	for _, row := range []struct{ name, line, want string }{
		{"nothing", "", "got nothing, want one line"},
		{"no JSON", "hello\n", "invalid JSON at byte 0"},
		{"neither", "{}\n", `member "task" or "describe"`},
		{"another version", `{"task":{"v":2}}`, "task.v: got 2, want 1"},
		{"no version", `{"task":{}}`, "task.v: got 0, want 1"},
		{"wrong kinds", `{"task":{"v":"1","legs":{},"stop_at":null}}`, "task.v: got string, want whole number; task.legs: got object, want list; task.stop_at: got null, want string"},
		{"a fraction", `{"task":{"v":1.5}}`, "task.v: got number, want whole number"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := subject.ReadRequest(strings.NewReader(row.line))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(row.want)))
		})
	}
}

func TestParseTask(t *testing.T) {
	g := NewWithT(t)
	task, err := subject.ParseTask(`{"legs":[{"provider":"gemini","model":"m","prompts":["p"]}],"agent":null}`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(task.V).To(Equal(1))
	g.Expect(task.Legs[0].Prompts).To(Equal([]string{"p"}))
	_, err = subject.ParseTask(`{"legs":[{"promts":["p"]}]}`)
	g.Expect(err).To(MatchError(ContainSubstring(`task.legs[0] has no member "promts", want one of provider base_url`)))
	_, err = subject.ParseTask(`{"v":3}`)
	g.Expect(err).To(MatchError(ContainSubstring("task.v: got 3, want 1")))
	_, err = subject.ParseTask(`{`)
	g.Expect(err).To(HaveOccurred())
}

func TestReplyLines(t *testing.T) {
	g := NewWithT(t)
	o := exampleOutcome()
	line, err := subject.EncodeReply(subject.Reply{Outcome: &o})
	g.Expect(err).NotTo(HaveOccurred())
	got, err := subject.ParseReply(line)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(*got.Outcome).To(Equal(o))

	d := exampleDescription()
	line, err = subject.EncodeReply(subject.Reply{Describe: &d})
	g.Expect(err).NotTo(HaveOccurred())
	got, err = subject.ParseReply(line)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(*got.Describe).To(Equal(d))

	_, err = subject.EncodeReply(subject.Reply{})
	g.Expect(err).To(HaveOccurred())
}

func TestStateSurvives(t *testing.T) {
	for name, state := range map[string]string{
		"lone surrogates":  "a\xed\xa0\x80b\xed\xbf\xbf",
		"html":             "<&>\u2028\u2029",
		"controls":         "\x00\x1f\x7f\n\r\t",
		"the replacement":  "\ufffd",
		"nested JSON text": `{"parts":[{"text":"\ud800 \u00e9 \\/","n":1e400}]}`,
		"astral":           "\U0001F600\U0010FFFF",
		"next to each":     "\xed\x9f\xbf\xed\xa0\x80\u2028\xee\x80\x80",
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			line, err := subject.EncodeReply(subject.Reply{Outcome: &subject.Outcome{V: 1, State: &state}})
			g.Expect(err).NotTo(HaveOccurred())
			got, err := subject.ParseReply(line)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(*got.Outcome.State).To(Equal(state))
		})
	}
	_, err := subject.EncodeReply(subject.Reply{Outcome: &subject.Outcome{V: 1, State: new("\xff")}})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("outcome.state: got bytes that are not UTF-8")))
}

// A state comes back as it was or is refused, whatever its bytes.
func FuzzStateSurvives(f *testing.F) {
	for _, seed := range []string{"", "a\xed\xa0\x80\xed\xb0\x80", "\u2028\ufffd", "\xed\xa0", "\xe2\x80", `{"a":"\ud800"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, state string) {
		line, err := subject.EncodeReply(subject.Reply{Outcome: &subject.Outcome{V: 1, State: &state}})
		if err != nil {
			if utf8.ValidString(state) {
				t.Fatalf("refused %q: %v", state, err)
			}
			return
		}
		if !utf8.ValidString(line) || strings.Count(line, "\n") != 1 {
			t.Fatalf("got the line %q", line)
		}
		got, err := subject.ParseReply(line)
		if err != nil {
			t.Fatal(err)
		}
		if *got.Outcome.State != state {
			t.Fatalf("got %q, want %q", *got.Outcome.State, state)
		}
	})
}

func TestLargeState(t *testing.T) {
	g := NewWithT(t)
	state := strings.Repeat("\u2028\xed\xa0\x80 signature+/= ", 1<<14)
	line, err := subject.EncodeReply(subject.Reply{Outcome: &subject.Outcome{V: 1, State: &state}})
	g.Expect(err).NotTo(HaveOccurred())
	got, err := subject.ParseReply(line)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Compare(*got.Outcome.State, state)).To(BeZero(), "printing it would take pages")

	state = strings.Repeat("x", subject.MaxLine)
	_, err = subject.EncodeReply(subject.Reply{Outcome: &subject.Outcome{V: 1, State: &state}})
	g.Expect(err).To(MatchError(ContainSubstring("want at most 67108864")))
}

func TestParseReplyErrors(t *testing.T) {
	for _, row := range []struct{ name, line, want string }{
		{"no JSON", "hello", "invalid JSON at byte 0"},
		{"neither", `{"out":1}`, `want an object with a member "outcome" or "describe"`},
		{"not an object", `[1]`, `got list`},
		{"missing members", `{"outcome":{"v":1}}`, "outcome.answers is missing; outcome.tool_runs is missing; outcome.stopped is missing; outcome.state is missing; outcome.error is missing"},
		{"more than five", `{"describe":{}}`, "and 6 more"},
		{
			"missing inside", `{"outcome":{"v":1,"answers":[{"leg":0,"prompt":0,"thinking":null}],"tool_runs":[],"stopped":"","state":null,"error":{"kind":"subject"}}}`,
			"outcome.answers[0].content is missing; outcome.error.message is missing",
		},
		{
			"wrong kind inside", `{"outcome":{"v":1,"answers":null,"tool_runs":[{"name":1,"arguments":{},"call_id":null,"result":""}],"stopped":"","state":null,"error":null}}`,
			"outcome.tool_runs[0].name: got number, want string; outcome.tool_runs[0].arguments: got object, want string; outcome.tool_runs[0].call_id: got null, want string",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := subject.ParseReply(row.line)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(row.want)))
		})
	}
}

func TestParseReplyTakesUnknownMembersAndNullLists(t *testing.T) {
	g := NewWithT(t)
	got, err := subject.ParseReply(`{"x":1,"outcome":{"v":1.0,"new":{},"answers":null,"tool_runs":null,"stopped":"","state":null,"error":null}}`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Outcome.Answers).To(BeEmpty())
	g.Expect(got.Outcome.Check(subject.Task{})).To(Succeed())
}

func TestDescriptionCheck(t *testing.T) {
	NewWithT(t).Expect(exampleDescription().Check()).To(Succeed())
	for _, row := range []struct {
		name string
		edit func(*subject.Description)
		want string
	}{
		{"version", func(d *subject.Description) { d.V = 2 }, "describe.v: got 2, want 1"},
		{"no name", func(d *subject.Description) { d.Name = "" }, "describe.name is empty"},
		{"no providers", func(d *subject.Description) { d.Providers = nil }, "describe.providers is empty"},
		{"unknown provider", func(d *subject.Description) { d.Providers["openai"] = subject.Provider{} }, `describe.providers: got "openai", want one of "gemini"`},
		{"no modes", func(d *subject.Description) { d.Modes = nil }, "describe.modes is empty"},
		{"unknown mode", func(d *subject.Description) { d.Modes = []string{"streaming"} }, `describe.modes[0]: got "streaming", want one of "plain" "stream"`},
		{"unknown stop", func(d *subject.Description) { d.Stops = []string{"x"} }, "describe.stops[0]"},
		{"unknown state", func(d *subject.Description) { d.State = "" }, "describe.state"},
		{"unknown capability", func(d *subject.Description) { d.Capabilities = []string{"tool"} }, `describe.capabilities[0]: got "tool"`},
		{"no reason", func(d *subject.Description) { d.Unsupported["thinking"] = " " }, "describe.unsupported.thinking: got no reason"},
		{"both", func(d *subject.Description) { d.Unsupported["tools"] = "why" }, "declared as well"},
		{"unknown carrier", func(d *subject.Description) { d.Carrier = "v2" }, "describe.carrier"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := exampleDescription()
			row.edit(&d)
			NewWithT(t).Expect(d.Check()).To(MatchError(ContainSubstring(row.want)))
		})
	}
}

func TestOutcomeCheck(t *testing.T) {
	NewWithT(t).Expect(exampleOutcome().Check(exampleTask())).To(Succeed())
	for _, row := range []struct {
		name string
		edit func(*subject.Outcome)
		want string
	}{
		{"version", func(o *subject.Outcome) { o.V = 0 }, "outcome.v: got 0, want 1"},
		{"stopped where none was asked", func(o *subject.Outcome) { o.Stopped = "answer" }, `outcome.stopped: got "answer", want "" or the task's stop_at, "tool_calls"`},
		{"unknown kind", func(o *subject.Outcome) { o.Error.Kind = "oops" }, "outcome.error.kind"},
		{"leg out of range", func(o *subject.Outcome) { o.Answers[0].Leg = 1 }, "outcome.answers[0].leg: got 1"},
		{"prompt out of range", func(o *subject.Outcome) { o.Answers[0].Prompt = 2 }, "outcome.answers[0].prompt: got 2"},
		{"twice the same", func(o *subject.Outcome) { o.Answers = append(o.Answers, o.Answers[0]) }, "want the order in which they were asked"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := exampleOutcome()
			row.edit(&o)
			NewWithT(t).Expect(o.Check(exampleTask())).To(MatchError(ContainSubstring(row.want)))
		})
	}
}

// echo is a subject that hands the prompt back.
type echo struct{ err error }

func (e echo) Describe(context.Context) (subject.Description, error) {
	return exampleDescription(), e.err
}

func (e echo) Run(_ context.Context, task subject.Task) (subject.Outcome, error) {
	return subject.Outcome{Answers: []subject.Answer{{Content: task.Legs[0].Prompts[0]}}, State: task.State}, e.err
}

func TestServe(t *testing.T) {
	g := NewWithT(t)
	task := exampleTask()
	in, err := subject.EncodeRequest(subject.Request{Task: &task})
	g.Expect(err).NotTo(HaveOccurred())
	var out strings.Builder
	g.Expect(subject.Serve(t.Context(), echo{}, strings.NewReader(in), &out)).To(Succeed())
	reply, err := subject.ParseReply(out.String())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(reply.Outcome.V).To(Equal(1))
	g.Expect(reply.Outcome.Answers[0].Content).To(Equal("a"))
	g.Expect(*reply.Outcome.State).To(Equal(*task.State))

	out.Reset()
	g.Expect(subject.Serve(t.Context(), echo{}, strings.NewReader("{\"describe\":{\"v\":1}}"), &out)).To(Succeed())
	g.Expect(out.String()).To(HavePrefix(`{"describe":{"v":1,"name":"n"`))

	out.Reset()
	g.Expect(subject.Serve(t.Context(), echo{errors.New("boom")}, strings.NewReader(in), &out)).To(MatchError("subject: run: boom"))
	g.Expect(subject.Serve(t.Context(), echo{}, strings.NewReader("?"), &out)).To(HaveOccurred())
	g.Expect(out.String()).To(BeEmpty())
}
