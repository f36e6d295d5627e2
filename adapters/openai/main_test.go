package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sent is what the server saw of one request.
type sent struct {
	path, query string
	header      http.Header
	body        string
}

// server answers every request with the handler and records the requests.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	seen []sent
}

func serve(t *testing.T, answer http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		s.mu.Lock()
		s.seen = append(s.seen, sent{r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(body)})
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() []sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]sent(nil), s.seen...)
}

// client returns a client of the server; edit may change the config.
func (s *server) client(t *testing.T, edit func(*openai.Config)) *openai.Client {
	t.Helper()
	cfg := openai.Config{BaseURL: s.URL, APIKey: "k-1", Model: "gpt-6-sol", TreatAsOpenAI: true, HTTPClient: s.Client(), Timeout: 10 * time.Second}
	if edit != nil {
		edit(&cfg)
	}
	c, err := openai.New(cfg)
	if err != nil {
		t.Fatalf("new client: %v", err)
	}
	return c
}

// flush sends what was written. A client that is gone is no failure.
func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// plain answers with a JSON body.
func plain(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// events answers with an event stream; cut breaks the connection after it.
func events(cut bool, data ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, d := range data {
			_, _ = io.WriteString(w, "data: "+d+"\n\n")
			flush(w)
		}
		if cut {
			panic(http.ErrAbortHandler) //nolint:forbidigo // how a handler breaks its connection
		}
	}
}

func user(text string) chat.Message { return chat.Message{Role: chat.User, Content: text} }

func weather() []chat.ToolSpec {
	return []chat.ToolSpec{{Name: "weather", Description: "Tells the weather", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}}
}

// said is the text of an error, "" without one.
func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func raw(m map[string]json.RawMessage, key string) string { return string(m[key]) }
