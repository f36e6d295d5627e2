package reference_test

import (
	"strings"
	"testing"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore"
	"example.com/replaycheck/adapters/runstore/runstoretest"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/subject"
)

const (
	handSigned = `{"functionCall":{"id":"n-1","name":"fast","args":{"0":[],"x":1.0}},"thoughtSignature":"c2ln+/8=","more":1e3}`
	handCalls  = `"tool_calls":[{"id":"call-a","type":"function","function":{"name":"fast","arguments":"{\"x\":1,\"0\":[]}"}}]`
	handBound  = `,"tool_call_bindings":[{"tool_call_id":"call-a","native_id":"n-1"}]`
)

// handMade are stored transcripts written from the words of the contract, with
// what the next request must hold, nothing where the state must be refused.
var handMade = []struct{ name, messages, want string }{
	{"capsule with bindings", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"type":"nrllm_gemini_generate_content","parts":[` + handSigned + `]` + handBound + `}]}`, handSigned + `]},{"role":"user","parts":[{"functionResponse":{"id":"n-1","name":"fast"`},
	{"older capsule without bindings", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"type":"nrllm_gemini_generate_content","parts":[` + handSigned + `]}]}`, handSigned + `]},{"role":"user","parts":[{"functionResponse":{"id":"n-1","name":"fast"`},
	{"unknown members of the capsule", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"since":"v9","type":"nrllm_gemini_generate_content","parts":[{},` + handSigned + `],"x":{"y":[]}}]}`, `"parts":[{},` + handSigned + `]}`},
	{"a carrier on another role", `{"role":"user","content":"Hi","provider_items":7},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"type":"nrllm_gemini_generate_content","parts":[` + handSigned + `]` + handBound + `}]}`, handSigned},
	{"no carrier", `{"role":"user","content":"Hi"},{"role":"assistant","content":"One moment.",` + handCalls + `}`, `{"role":"model","parts":[{"text":"One moment."},{"functionCall":{"name":"fast","args":{"x":1,"0":[]}}}]}`},
	{"an empty carrier", `{"role":"user","content":"Hi"},{"role":"assistant","content":"One moment.",` + handCalls + `,"provider_items":[]}`, `{"role":"model","parts":[{"text":"One moment."},{"functionCall":{"name":"fast","args":{"x":1,"0":[]}}}]}`},
	{"a list as the root of args", `{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[{"id":"call-a","type":"function","function":{"name":"fast","arguments":"[[],1.0]"}}],"provider_items":[{"type":"nrllm_gemini_generate_content","parts":[{"functionCall":{"name":"fast","args":[[],1.0]},"thoughtSignature":"c2ln"}]}]}`, `{"functionCall":{"name":"fast","args":{"0":[],"1":1.0}},"thoughtSignature":"c2ln"}`},
	{"another provider's items", `{"role":"user","content":"Hi"},{"role":"assistant","content":"One moment.",` + handCalls + `,"provider_items":[{"type":"reasoning","id":"rs_1","encrypted_content":"secret"},{"type":"function_call","call_id":"call-a","name":"fast","arguments":"{}"}]}`, `{"role":"model","parts":[{"text":"One moment."},{"functionCall":{"name":"fast","args":{"x":1,"0":[]}}}]}`},
	{"no parts", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"type":"nrllm_gemini_generate_content"}]}`, ""},
	{"parts that are no list", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"type":"nrllm_gemini_generate_content","parts":{}}]}`, ""},
	{"a part that is no object", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"type":"nrllm_gemini_generate_content","parts":["x"]}]}`, ""},
	{"a member twice", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"type":"nrllm_gemini_generate_content","parts":[],"parts":[` + handSigned + `]}]}`, ""},
	{"mixed", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"type":"nrllm_gemini_generate_content","parts":[]},{"type":"reasoning"}]}`, ""},
	{"null", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":null}`, ""},
	{"a native ID bound to another call", `{"role":"user","content":"Hi"},{"role":"assistant","content":"",` + handCalls + `,"provider_items":[{"type":"nrllm_gemini_generate_content","parts":[` + handSigned + `],"tool_call_bindings":[{"tool_call_id":"call-b","native_id":"n-1"}]}]}`, ""},
}

// Each is sealed with the public call, put in the place of what the store had,
// and approved; a running one is gone on with by its ID.
func TestHandMadeStates(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			keys, err := runstore.KeysOf([]byte("0123456789abcdef0123456789abcdef"))
			if err != nil {
				t.Fatal(err)
			}
			store, err := runstore.Open(t.Context(), dsn, runstore.Options{Keys: keys})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			db := runstoretest.DB(t, dsn)
			for _, row := range handMade {
				for _, status := range []chat.RunStatus{chat.RunWaiting, chat.RunRunning} {
					t.Run(row.name+"/"+string(status), func(t *testing.T) {
						arguments := `{"x":1,"0":[]}`
						if strings.Contains(row.messages, `"arguments":"[[],1.0]"`) {
							arguments = "[[],1.0]"
						}
						run := chat.Run{
							ID: row.name + string(status), Actor: "user:1", Status: status, Steps: 1, Approved: status == chat.RunRunning,
							Pending:    []chat.ToolCall{{ID: "call-a", Name: "fast", Arguments: arguments}},
							Transcript: `{"schema":"nrllm/v1","messages":[{"role":"user","content":"placeholder"}]}`,
						}
						if _, err := store.Create(t.Context(), run); err != nil {
							t.Fatal(err)
						}
						run.Transcript = `{"schema":"nrllm/v1","messages":[` + row.messages + `]}`
						sealed, err := keys.Seal(run)
						if err != nil {
							t.Fatal(err)
						}
						if _, err := db.ExecContext(t.Context(), `UPDATE agent_run SET sealed = $1 WHERE run_id = $2`, sealed, run.ID); err != nil {
							t.Fatal(err)
						}
						script := gemini(hello)
						if row.want == "" {
							script = gemini()
						}
						p := fakeserver.New(t, script)
						task := agentTask(p.URL(), dsn, nil)
						task.Agent.RunID = run.ID
						if status == chat.RunWaiting {
							task.Agent.Decision = approve(run.Digest())
						}
						out := play(t, task)
						if row.want == "" {
							if out.Error == nil || out.Error.Kind != subject.Refused || out.Error.Message != chat.ReplayMessage || len(out.ToolRuns) != 0 {
								t.Errorf("got error %+v and %d tool runs, want the constant refusal and none", out.Error, len(out.ToolRuns))
							}
							if again, err := store.Look(t.Context(), run.ID, "user:1"); err != nil || again.Status != status || again.Fence != 1 || again.Transcript != run.Transcript {
								t.Errorf("got %+v, %v, want the run as it was", again, err)
							}
							return
						}
						if out.Error != nil || out.Agent.Status != subject.RunFinished || len(out.ToolRuns) != 1 {
							t.Fatalf("got %+v, %d tool runs, error %+v, want a finished run", out.Agent, len(out.ToolRuns), out.Error)
						}
						body := p.Record().Exchanges[0].Body
						if !strings.Contains(body, row.want) {
							t.Errorf("got %s, want %s in it", body, row.want)
						}
						for _, not := range []string{"secret", "provider_items", "nrllm_", "tool_call_bindings"} {
							if strings.Contains(body, not) {
								t.Errorf("got %s, want no %s in it", body, not)
							}
						}
					})
				}
			}
		})
	}
}
