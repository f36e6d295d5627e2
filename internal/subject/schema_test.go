package subject_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

const schemaFile = "../../docs/driver-protocol.schema.json"

// compiled returns the schema of a kind of line, "request" or "reply".
func compiled(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(schemaFile + "#/$defs/" + kind)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, kind, line string) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	return compiled(t, kind).Validate(v)
}

func TestSchemaTakesWhatTheTypesWrite(t *testing.T) {
	g := NewWithT(t)
	task, o, d := exampleTask(), exampleOutcome(), exampleDescription()
	for _, r := range []subject.Request{{Describe: true}, {Task: &task}} {
		line, err := subject.EncodeRequest(r)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(validate(t, "request", line)).To(Succeed())
	}
	for _, r := range []subject.Reply{{Outcome: &o}, {Describe: &d}, {Outcome: &subject.Outcome{V: 1}}} {
		line, err := subject.EncodeReply(r)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(validate(t, "reply", line)).To(Succeed())
	}
}

func withAgent(agent string) string {
	return strings.Replace(goodLine, `"error":null`, `"error":null,"agent":`+agent, 1)
}

// What the reader refuses the schema refuses too, and the other way round.
func TestSchemaAndReaderAgree(t *testing.T) {
	for name, row := range map[string]struct {
		line string
		ok   bool
	}{
		"the least outcome":    {goodLine, true},
		"unknown members":      {strings.Replace(goodLine, `"v":1`, `"v":1,"new":{}`, 1), true},
		"null lists":           {strings.Replace(goodLine, `[]`, `null`, 1), true},
		"another version":      {strings.Replace(goodLine, `"v":1`, `"v":2`, 1), false},
		"a missing member":     {strings.Replace(goodLine, `"stopped":"",`, ``, 1), false},
		"a number for a state": {strings.Replace(goodLine, `"state":null`, `"state":1`, 1), false},
		"an unknown kind":      {strings.Replace(goodLine, `"error":null`, `"error":{"kind":"x","message":""}`, 1), false},
		"an agent run":         {withAgent(`{"run_id":"r","status":"waiting","digest":"","steps":1}`), true},
		"no agent run":         {withAgent(`null`), true},
		"a status unknown":     {withAgent(`{"run_id":"r","status":"running","digest":"","steps":1}`), false},
		"no steps":             {withAgent(`{"run_id":"r","status":"waiting","digest":""}`), false},
		"no message":           {strings.Replace(goodLine, `"error":null`, `"error":{"kind":"stream"}`, 1), false},
		"another object":       {`{"result":{}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			reply, err := subject.ParseReply(row.line)
			if err == nil {
				err = reply.Outcome.Check(subject.Task{Agent: &subject.Agent{}})
			}
			g.Expect(err == nil).To(Equal(row.ok), "reader: %v", err)
			err = validate(t, "reply", row.line)
			g.Expect(err == nil).To(Equal(row.ok), "schema: %v", err)
		})
	}
}

// Every member of a Go type is in its definition, required unless it may be
// left out, and the other way round.
func TestSchemaHasTheMembersOfTheTypes(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	root, err := wire.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]reflect.Type{
		"description": reflect.TypeFor[subject.Description](), "sdk": reflect.TypeFor[subject.SDK](), "provider": reflect.TypeFor[subject.Provider](),
		"task": reflect.TypeFor[subject.Task](), "leg": reflect.TypeFor[subject.Leg](), "options": reflect.TypeFor[subject.Options](),
		"tool": reflect.TypeFor[subject.Tool](), "toolResult": reflect.TypeFor[subject.ToolResult](),
		"outcome": reflect.TypeFor[subject.Outcome](), "answer": reflect.TypeFor[subject.Answer](), "meta": reflect.TypeFor[subject.Meta](),
		"agent": reflect.TypeFor[subject.Agent](), "decision": reflect.TypeFor[subject.Decision](), "agentState": reflect.TypeFor[subject.AgentState](),
		"toolRun": reflect.TypeFor[subject.ToolRun](), "error": reflect.TypeFor[subject.Error](),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			def := root.At("$defs." + name)
			var members, required, wantMembers, wantRequired []string
			for m := range def.Get("properties").Members() {
				members = append(members, m)
			}
			for m := range def.Get("required").Items() {
				required = append(required, m.Text())
			}
			for f := range of.Fields() {
				tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				wantMembers = append(wantMembers, tag)
				if options == "" {
					wantRequired = append(wantRequired, tag)
				}
			}
			g.Expect(members).To(ConsistOf(wantMembers))
			g.Expect(required).To(ConsistOf(wantRequired))
		})
	}
}

func TestExamplesOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/driver-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 7 {
		t.Fatalf("got %d examples, want 7 at least", len(blocks))
	}
	for _, b := range blocks {
		v, err := wire.Parse(b[1])
		if err != nil {
			t.Fatalf("%v in %s", err, b[1])
		}
		line := wire.Compact(v)
		t.Run(line[:40], func(t *testing.T) {
			g := NewWithT(t)
			if v.Get("task").Exists() {
				g.Expect(validate(t, "request", line)).To(Succeed())
				got, err := subject.ReadRequest(strings.NewReader(line + "\n"))
				g.Expect(err).NotTo(HaveOccurred())
				again, err := subject.EncodeRequest(got)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(again).To(Equal(line+"\n"), "the document shows what is sent, member for member")
				return
			}
			g.Expect(validate(t, "reply", line)).To(Succeed())
			got, err := subject.ParseReply(line)
			g.Expect(err).NotTo(HaveOccurred())
			if got.Describe != nil {
				g.Expect(got.Describe.Check()).To(Succeed())
				return
			}
			stop := got.Outcome.Stopped
			g.Expect(got.Outcome.Check(subject.Task{StopAt: stop, Agent: &subject.Agent{}, Legs: []subject.Leg{{Prompts: make([]string, 2)}}})).To(Succeed())
		})
	}
}

// The tables of the document name what the code knows, and nothing else.
func TestDocumentNamesTheClosedLists(t *testing.T) {
	text, err := os.ReadFile("../../docs/driver-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	g := NewWithT(t)
	row := regexp.MustCompile("(?m)^\\| `capabilities` \\|.*$").FindString(string(text))
	var named []string
	for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(row, -1) {
		named = append(named, m[1])
	}
	g.Expect(slices.Equal(named, append([]string{"capabilities"}, subject.Capabilities()...))).To(BeTrue(), "got %q", named)
	for _, word := range []string{subject.Approve, subject.Reject, subject.RunWaiting, subject.RunFinished, subject.RunFailed} {
		g.Expect(string(text)).To(ContainSubstring("`" + word + "`"))
	}
	for _, kind := range []string{subject.Refused, subject.FromProvider, subject.FromStream, subject.FromSubject, subject.NotSupported} {
		g.Expect(string(text)).To(ContainSubstring("| `" + kind + "` |"))
	}
	for _, p := range []string{subject.Gemini, subject.Vertex, subject.OpenAIResponses, subject.OpenAIChat, subject.GeminiOpenAI} {
		g.Expect(string(text)).To(ContainSubstring("| `" + p + "` |"))
	}
}
