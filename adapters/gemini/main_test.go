package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/gemini"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// provider plays replies in order and keeps what it was asked.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	replies  []http.HandlerFunc
	requests []request
}

type request struct {
	method, uri, body string
	header            http.Header
}

func newProvider(t *testing.T, replies ...http.HandlerFunc) *provider {
	t.Helper()
	p := &provider{replies: replies}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	p.mu.Lock()
	p.requests = append(p.requests, request{r.Method, r.RequestURI, string(body), r.Header.Clone()})
	n := len(p.requests)
	p.mu.Unlock()
	if err != nil || n > len(p.replies) {
		http.Error(w, "no reply left", http.StatusTeapot)
		return
	}
	p.replies[n-1](w, r)
}

func (p *provider) seen() []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// body answers with a whole body of a type.
func body(contentType, text string) http.HandlerFunc {
	return status(http.StatusOK, contentType, text)
}

func status(code int, contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// cut answers with the beginning of a body and then breaks the connection.
func cut(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, text)
		rc := http.NewResponseController(w)
		_ = rc.Flush()
		if conn, _, err := rc.Hijack(); err == nil {
			_ = conn.Close()
		}
	}
}

func plain(text string) http.HandlerFunc { return body("application/json; charset=UTF-8", text) }

// sse writes each chunk as an event, a chunk of several lines as several data
// lines.
func sse(chunks ...string) string {
	var b strings.Builder
	for _, c := range chunks {
		b.WriteString("data: " + strings.ReplaceAll(c, "\n", "\r\ndata: ") + "\r\n\r\n")
	}
	return b.String()
}

func streamed(chunks ...string) http.HandlerFunc {
	return body("text/event-stream", sse(chunks...))
}

// reply writes a reply of the given parts, each raw.
func reply(parts ...string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + strings.Join(parts, ",") + `]},"finishReason":"STOP","index":0}]}`
}

// piece writes a chunk without a finish reason.
func piece(parts ...string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + strings.Join(parts, ",") + `]},"index":0}]}`
}

func client(t *testing.T, p *provider, change func(*gemini.Config)) *gemini.Client {
	t.Helper()
	cfg := gemini.Config{BaseURL: p.URL + "/r/7f3a", APIKey: key, Model: "gemini-3.8-flash"}
	if change != nil {
		change(&cfg)
	}
	c, err := gemini.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

const key = "AIza-top-secret"

func user(text string) chat.Message { return chat.Message{Role: chat.User, Content: text} }

func tool(id, text string) chat.Message {
	return chat.Message{Role: chat.Tool, ToolCallID: id, Content: text}
}

// own is a model turn with a carrier, raw.
func own(items string, calls ...chat.ToolCall) chat.Message {
	return chat.Message{Role: chat.Assistant, Content: "seen", ToolCalls: calls, ProviderItems: json.RawMessage(items)}
}

func capsule(parts string) string {
	return `[{"type":"nrllm_gemini_generate_content","parts":[` + parts + `]}]`
}

func bound(parts, bindings string) string {
	return `[{"type":"nrllm_gemini_generate_content","parts":[` + parts + `],"tool_call_bindings":[` + bindings + `]}]`
}

func call(id, name, args string) chat.ToolCall {
	return chat.ToolCall{ID: id, Name: name, Arguments: args}
}

// drain ranges over a stream.
func drain(c *gemini.Client, ctx context.Context, messages []chat.Message, tools []chat.ToolSpec, opts chat.Options) (deltas []string, done *chat.Completion, err error) { //nolint:revive // ctx second reads better here
	for d, e := range c.Stream(ctx, messages, tools, opts) {
		switch {
		case e != nil:
			err = errors.Join(err, e)
		case d.Completion != nil:
			done = d.Completion
		default:
			deltas = append(deltas, d.Text)
		}
	}
	return deltas, done, err
}

// kinds are the three kinds of request, which must treat a conversation alike.
var kinds = []struct {
	name   string
	stream bool
	do     func(*gemini.Client, context.Context, []chat.Message, chat.Options) (chat.Completion, error)
}{
	{"chat", false, func(c *gemini.Client, ctx context.Context, m []chat.Message, o chat.Options) (chat.Completion, error) {
		return c.Chat(ctx, m, o)
	}},
	{"chat with tools", false, func(c *gemini.Client, ctx context.Context, m []chat.Message, o chat.Options) (chat.Completion, error) {
		return c.ChatWithTools(ctx, m, tools, o)
	}},
	{"stream", true, func(c *gemini.Client, ctx context.Context, m []chat.Message, o chat.Options) (chat.Completion, error) {
		_, done, err := drain(c, ctx, m, tools, o)
		if done == nil {
			return chat.Completion{}, err
		}
		return *done, err
	}},
}

var tools = []chat.ToolSpec{{Name: "weather", Description: "Weather now", Parameters: json.RawMessage(`{"type":"object"}`)}}

func (p *provider) only(t *testing.T) request {
	t.Helper()
	seen := p.seen()
	if len(seen) != 1 {
		t.Fatalf("got %d requests, want 1", len(seen))
	}
	return seen[0]
}
