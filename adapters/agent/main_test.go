package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"example.com/replaycheck/adapters/agent"
	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore"
)

// TestMain also plays the processes that tests start and kill.
func TestMain(m *testing.M) {
	if os.Getenv("REPLAYCHECK_TEST_DSN") != "" {
		os.Exit(process())
	}
	goleak.VerifyTestMain(m)
}

// model answers with the reply that comes after as many turns as the
// conversation has; so a request that is repeated gets the same reply.
type model struct {
	replies []chat.Completion
	check   error
	mu      sync.Mutex
	asked   [][]chat.Message
	onAsk   func()
}

func (m *model) Ask(_ context.Context, messages []chat.Message, _ []chat.ToolSpec) (chat.Completion, error) {
	m.mu.Lock()
	m.asked = append(m.asked, messages)
	m.mu.Unlock()
	if m.onAsk != nil {
		m.onAsk()
	}
	turns := 0
	for _, message := range messages {
		if message.Role == chat.Assistant {
			turns++
		}
	}
	if turns >= len(m.replies) {
		return chat.Completion{}, errors.New("the script has no more replies")
	}
	return m.replies[turns], nil
}

func (m *model) Check([]chat.Message, []chat.ToolSpec) error { return m.check }

func (m *model) requests() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// calls is a reply with calls, each "name id arguments", and a carrier.
func calls(texts ...string) chat.Completion {
	c := chat.Completion{FinishReason: "tool_calls", Usage: chat.Usage{TotalTokens: 10}}
	for _, text := range texts {
		part := strings.SplitN(text, " ", 3)
		c.ToolCalls = append(c.ToolCalls, chat.ToolCall{ID: part[1], Name: part[0], Arguments: part[2]})
	}
	c.Metadata = carrier(`[{"type":"nrllm_gemini_generate_content","parts":[{"thoughtSignature":"` + secret + c.ToolCalls[0].ID + `","n": 1.0}]}]`)
	return c
}

const secret = "c2lnbmF0dXJlLSDFkKz+/Q7+"

func answer(text string) chat.Completion {
	return chat.Completion{Content: text, FinishReason: "stop", Usage: chat.Usage{InputTokens: 3, OutputTokens: 4}}
}

func carrier(text string) map[string]json.RawMessage {
	return map[string]json.RawMessage{chat.ItemsKey: json.RawMessage(text)}
}

// tools records what ran.
type tools struct {
	mu  sync.Mutex
	ran []string // call IDs
}

func (t *tools) run(_ context.Context, call chat.ToolCall) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ran = append(t.ran, call.ID)
	return `{"of":"` + call.ID + `"}`, nil
}

func (t *tools) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.ran)
}

// offered are a tool that runs at once and one that needs approval.
func (t *tools) offered() []agent.Tool {
	return []agent.Tool{
		{ToolSpec: chat.ToolSpec{Name: "look"}, Begin: agent.Func(t.run)},
		{ToolSpec: chat.ToolSpec{Name: "pay"}, Approval: true, Begin: agent.Func(t.run)},
	}
}

func keys(t testing.TB) *runstore.Keys {
	t.Helper()
	k, err := runstore.KeysOf([]byte(strings.Repeat("k", runstore.KeySize)))
	must(t, err)
	return k
}

func open(t testing.TB, dsn string) *runstore.Store {
	t.Helper()
	s, err := runstore.Open(context.Background(), dsn, runstore.Options{Keys: keys(t)})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func newAgent(t testing.TB, cfg agent.Config) *agent.Agent {
	t.Helper()
	a, err := agent.New(cfg)
	must(t, err)
	return a
}

func user(text string) []chat.Message { return []chat.Message{{Role: chat.User, Content: text}} }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

// results are the results of a conversation, "id=text".
func results(messages []chat.Message) string {
	var out []string
	for _, m := range messages {
		if m.Role == chat.Tool {
			out = append(out, fmt.Sprintf("%s=%s", m.ToolCallID, m.Content))
		}
	}
	return strings.Join(out, " ")
}
