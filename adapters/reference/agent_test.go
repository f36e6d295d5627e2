package reference_test

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/adapters/runstore"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/subject"
)

// One signed call with a native ID and one without, a member that nobody knows
// and a number that no float holds.
const signedCalls = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Let me see","thought":true},{"functionCall":{"id":"native-7","name":"fast","args":{"n": 9007199254740993,"h":"<&>"}},"thoughtSignature":"Y2FuYXJ5+/8=","nativeExtension":{}},{"functionCall":{"name":"fast","args":{}}}]},"finishReason":"STOP"}]}`

const testKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// agentTask is a task of the run "r1" whose tool "fast" needs approval.
func agentTask(url, store string, decision *subject.Decision, prompts ...string) subject.Task {
	one := task(url, prompts...)
	one.Tools[1].Approval = true
	one.Agent = &subject.Agent{RunID: "r1", Actor: "user:1", Budget: 5, Store: store, Key: testKey, Decision: decision}
	return one
}

func newStore(t *testing.T) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "runs.db")
}

func approve(digest string) *subject.Decision {
	return &subject.Decision{Kind: subject.Approve, Digest: digest}
}

func TestAgentRun(t *testing.T) {
	for _, row := range []struct {
		name, kind string
		results    []string // of both calls, in order
		runs       int
	}{
		{"approved", subject.Approve, []string{`{"id":"native-7","name":"fast","response":{"r":"fast"}}`, `{"name":"fast","response":{"r":"fast"}}`}, 2},
		{"rejected", subject.Reject, []string{`{"id":"native-7","name":"fast","response":{"error":"rejected"}}`, `{"name":"fast","response":{"error":"rejected"}}`}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			store := newStore(t)
			p := fakeserver.New(t, gemini(signedCalls, hello))
			out := play(t, agentTask(p.URL(), store, nil, "Hi"))
			if out.Error != nil || out.Agent == nil || out.Agent.Status != subject.RunWaiting || out.Agent.Steps != 1 || len(out.ToolRuns) != 0 {
				t.Fatalf("got %+v, agent %+v, error %+v, want a run that waits", out, out.Agent, out.Error)
			}
			same := play(t, agentTask(p.URL(), store, nil, "Hi"))
			if *same.Agent != *out.Agent || same.Error != nil || *same.State != *out.State {
				t.Errorf("asked again: got %+v, error %+v, want %+v", same.Agent, same.Error, out.Agent)
			}
			done := play(t, agentTask(p.URL(), store, &subject.Decision{Kind: row.kind, Digest: out.Agent.Digest}))
			if done.Error != nil || done.Agent.Status != subject.RunFinished || done.Agent.Steps != 2 || len(done.ToolRuns) != row.runs ||
				len(done.Answers) != 1 || done.Answers[0].Prompt != -1 || done.Answers[0].Content != "Hello" {
				t.Fatalf("got %+v, agent %+v, error %+v, want a finished run", done, done.Agent, done.Error)
			}
			body := p.Record().Exchanges[1].Body
			parts := signedCalls[strings.Index(signedCalls, `"parts":`):strings.Index(signedCalls, `},"finishReason"`)]
			if !strings.Contains(body, parts) {
				t.Errorf("got %s, want the native parts in it: %s", body, parts)
			}
			if want := `{"role":"user","parts":[{"functionResponse":` + row.results[0] + `},{"functionResponse":` + row.results[1] + `}]}`; !strings.Contains(body, want) {
				t.Errorf("got %s, want the results in it: %s", body, want)
			}
			twice := play(t, agentTask(p.URL(), store, &subject.Decision{Kind: row.kind, Digest: out.Agent.Digest}))
			if twice.Error == nil || twice.Error.Kind != subject.Refused || twice.Agent.Status != subject.RunFailed {
				t.Errorf("second decision: got %+v, error %+v, want a refusal", twice.Agent, twice.Error)
			}
			after := play(t, agentTask(p.URL(), store, nil))
			if after.Error != nil || after.Agent.Status != subject.RunFinished || len(after.Answers) != 0 || after.State != nil {
				t.Errorf("got %+v, error %+v, want a finished run without a state", after.Agent, after.Error)
			}
		})
	}
}

// The run goes to another provider while it waits: the calls are answered there.
func TestAgentRunChangesProvider(t *testing.T) {
	store := newStore(t)
	script := gemini(signedCalls)
	script.Replies = append(script.Replies, fakeserver.Reply{Endpoint: fakeserver.Chat, Plain: `{"choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`})
	p := fakeserver.New(t, script)
	out := play(t, agentTask(p.URL(), store, nil, "Hi"))
	next := agentTask(p.URL(), store, approve(out.Agent.Digest))
	next.Legs[0].Provider, next.Legs[0].Model = subject.OpenAIChat, "gpt-6-sol"
	done := play(t, next)
	if done.Error != nil || done.Agent.Status != subject.RunFinished {
		t.Fatalf("got %+v, error %+v, want a finished run", done.Agent, done.Error)
	}
	if body := p.Record().Exchanges[1].Body; strings.Contains(body, "Y2FuYXJ5") || strings.Contains(body, "native-7") {
		t.Errorf("got something native in %s", body)
	}
}

func TestAgentRunRefusals(t *testing.T) {
	rows := []struct {
		name, kind string
		edit       func(*subject.Task)
	}{
		{"no key", subject.Refused, func(t *subject.Task) { t.Agent.Key = "" }},
		{"a short key", subject.Refused, func(t *subject.Task) { t.Agent.Key = "czNjcmV0" }},
		{"another key", subject.Refused, func(t *subject.Task) {
			t.Agent.Key = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 32)))
		}},
		{"another actor", subject.Refused, func(t *subject.Task) { t.Agent.Actor = "user:2" }},
		{"another digest", subject.Refused, func(t *subject.Task) { t.Agent.Decision.Digest = "sha256:0" }},
		{"another kind of decision", subject.Refused, func(t *subject.Task) { t.Agent.Decision.Kind = "perhaps" }},
		{"budget", subject.Refused, func(t *subject.Task) { t.Agent.Budget = 1 }},
		{"tool not offered", subject.Refused, func(t *subject.Task) { t.Tools = t.Tools[:1] }},
		{"no such run", subject.Refused, func(t *subject.Task) { t.Agent.RunID = "r2" }},
		{"no such run, no decision", subject.Refused, func(t *subject.Task) { t.Agent.RunID, t.Agent.Decision = "r2", nil }},
		{"two legs", subject.Refused, func(t *subject.Task) { t.Legs = append(t.Legs, t.Legs[0]) }},
		{"two prompts", subject.Refused, func(t *subject.Task) { t.Legs[0].Prompts = []string{"a", "b"} }},
		{"no adapter", subject.NotSupported, func(t *subject.Task) { t.Legs[0].Provider = subject.GeminiOpenAI }},
		{"no such engine", subject.FromSubject, func(t *subject.Task) { t.Agent.Store = "mysql://u:s3cret@h/x" }},
		{"no result fits", subject.FromSubject, func(t *subject.Task) { t.Tools[1].Results = nil }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			store := newStore(t)
			p := fakeserver.New(t, gemini(signedCalls))
			out := play(t, agentTask(p.URL(), store, nil, "Hi"))
			next := agentTask(p.URL(), store, approve(out.Agent.Digest))
			row.edit(&next)
			got := play(t, next)
			if got.Error == nil || got.Error.Kind != row.kind || got.Agent.Status != subject.RunFailed || len(got.ToolRuns) != 0 {
				t.Errorf("got %+v, error %+v, %d tool runs, want %s and none", got.Agent, got.Error, len(got.ToolRuns), row.kind)
			}
			for _, s := range []string{"s3cret", "czNjcmV0", "Y2FuYXJ5", "canary", testKey} {
				if strings.Contains(got.Error.Message, s) {
					t.Errorf("the error quotes %s: %s", s, got.Error.Message)
				}
			}
			if n := len(p.Record().Exchanges); n != 1 {
				t.Errorf("got %d requests, want 1", n)
			}
		})
	}
}

// Transcripts written by hand, in the words of the contract, resume or are
// refused before any tool runs.
func TestAgentRunOfAHandMadeTranscript(t *testing.T) {
	const part = `{"functionCall":{"id":"n-1","name":"fast","args":{"0":[],"x":1.0}},"thoughtSignature":"c2ln","more":1e3}`
	capsule := func(rest string) string {
		return `[{"type":"nrllm_gemini_generate_content","parts":[` + part + `]` + rest + `}]`
	}
	for _, row := range []struct{ name, items, want string }{
		{"bindings", capsule(`,"tool_call_bindings":[{"tool_call_id":"call-a","native_id":"n-1"}]`), `"id":"n-1","name":"fast"`},
		{"older state without bindings", capsule(``), `"id":"n-1","name":"fast"`},
		{"binding of another call", capsule(`,"tool_call_bindings":[{"tool_call_id":"call-b","native_id":"n-1"}]`), ""},
		{"two capsules", `[{"type":"nrllm_gemini_generate_content","parts":[]},{"type":"nrllm_gemini_generate_content","parts":[]}]`, ""},
		{"null", `null`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			dsn := newStore(t)
			keys, err := runstore.KeysOf([]byte("0123456789abcdef0123456789abcdef"))
			if err != nil {
				t.Fatal(err)
			}
			store, err := runstore.Open(t.Context(), dsn, runstore.Options{Keys: keys})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			run := chat.Run{
				ID: "r1", Actor: "user:1", Status: chat.RunWaiting, Steps: 1,
				Pending: []chat.ToolCall{{ID: "call-a", Name: "fast", Arguments: `{"x":1,"0":[]}`}},
				Transcript: `{"schema":"nrllm/v1","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[` +
					`{"id":"call-a","type":"function","function":{"name":"fast","arguments":"{\"x\":1,\"0\":[]}"}}],"provider_items":` + row.items + `}]}`,
			}
			if _, err := store.Create(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			script := gemini(hello)
			if row.want == "" {
				script = gemini()
			}
			p := fakeserver.New(t, script)
			out := play(t, agentTask(p.URL(), dsn, approve(run.Digest())))
			if row.want == "" {
				if out.Error == nil || out.Error.Kind != subject.Refused || out.Error.Message != chat.ReplayMessage || len(out.ToolRuns) != 0 {
					t.Errorf("got error %+v and %d tool runs, want the constant refusal and none", out.Error, len(out.ToolRuns))
				}
				if again, err := store.Look(t.Context(), "r1", "user:1"); err != nil || again.Status != chat.RunWaiting || again.Fence != 1 {
					t.Errorf("got %+v, %v, want the run as it was", again, err)
				}
				return
			}
			if out.Error != nil || out.Agent.Status != subject.RunFinished {
				t.Fatalf("got %+v, error %+v, want a finished run", out.Agent, out.Error)
			}
			if body := p.Record().Exchanges[0].Body; !strings.Contains(body, part) || !strings.Contains(body, row.want) {
				t.Errorf("got %s, want %s and %s in it", body, part, row.want)
			}
		})
	}
}

func TestAgentRunNamesItsPoints(t *testing.T) {
	p := fakeserver.New(t, gemini(hello))
	var points []string
	one := agentTask(p.URL(), newStore(t), nil, "Hi")
	one.Agent.RunID = ""
	out, err := reference.Subject{At: func(point string) { points = append(points, point) }}.Run(t.Context(), one)
	if err != nil || out.Error != nil || !strings.HasPrefix(out.Agent.RunID, "run_") || out.Answers[0].Prompt != 0 {
		t.Fatalf("got %+v, %v, want a finished run with an ID", out, err)
	}
	if got := strings.Join(points, " "); got != "before-create after-create before-request after-reply before-finish after-finish" {
		t.Errorf("got points %s", got)
	}
}
