package openai_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/openai"
)

const chatHello = `{"choices":[{"message":{"content":"Hello"}}]}`

func TestNewRefuses(t *testing.T) {
	rows := []struct {
		name string
		cfg  openai.Config
		want string
	}{
		{"no key for OpenAI", openai.Config{}, "openai: api key: got none"},
		{"key with a line break", openai.Config{APIKey: "secret\nX: y"}, "openai: api key: got characters"},
		{"key with a blank", openai.Config{APIKey: "sec ret"}, "openai: api key: got characters"},
		{"no URL", openai.Config{BaseURL: "http://[::secret", APIKey: "k"}, "openai: base url: got no URL"},
		{"no scheme", openai.Config{BaseURL: "secret.example", APIKey: "k"}, "openai: base url: got no http(s) URL"},
		{"no host", openai.Config{BaseURL: "https:///secret", APIKey: "k"}, "openai: base url: got no http(s) URL"},
		{"key in the URL", openai.Config{BaseURL: "https://llm.example/?key=secret", APIKey: "k"}, "openai: base url: got a user, query or fragment"},
		{"password in the URL", openai.Config{BaseURL: "https://u:secret@llm.example", APIKey: "k"}, "openai: base url: got a user, query or fragment"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := openai.New(row.cfg)
			if _, ok := errors.AsType[*chat.ConfigError](err); !ok || !strings.HasPrefix(said(err), row.want) || strings.Contains(said(err), "secret") {
				t.Errorf("got %v, want a ConfigError that starts with %q and quotes nothing", err, row.want)
			}
		})
	}
}

// TestAtTheEdge: the last of what is allowed is.
func TestAtTheEdge(t *testing.T) {
	c, err := openai.New(openai.Config{APIKey: "~"}) // the last character that a header takes
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.BuildRequest([]chat.Message{user("Hi")}, nil, chat.Options{Model: "m", Temperature: new(math.MaxFloat64)}, false); err != nil {
		t.Errorf("the greatest temperature: %v", err)
	}
}

func TestWhereRequestsGo(t *testing.T) {
	rows := []struct {
		name, prefix, key, path, authorization string
	}{
		{"host only", "", "k-1", "/v1/chat/completions", "Bearer k-1"},
		{"path prefix", "/r/7f3a", "k-1", "/r/7f3a/v1/chat/completions", "Bearer k-1"},
		{"final x", "/r/x", "k-1", "/r/x/v1/chat/completions", "Bearer k-1"},
		{"final slash", "/r/", "k-1", "/r/v1/chat/completions", "Bearer k-1"},
		{"version already there", "/v1", "k-1", "/v1/chat/completions", "Bearer k-1"},
		{"no key", "", "", "/v1/chat/completions", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, plain(chatHello))
			c := s.client(t, func(c *openai.Config) { c.BaseURL, c.APIKey = s.URL+row.prefix, row.key })
			got, err := c.Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
			if err != nil || got.Content != "Hello" {
				t.Fatalf("got %+v, %v", got, err)
			}
			r := s.requests()[0]
			if r.path != row.path || r.query != "" || r.header.Get("Authorization") != row.authorization || r.header.Get("Content-Type") != "application/json" || r.header.Get("Accept") != "application/json" {
				t.Errorf("got %s?%s with %v, want %s with %q", r.path, r.query, r.header, row.path, row.authorization)
			}
		})
	}
}

func TestStreamsAskForEvents(t *testing.T) {
	s := serve(t, events(false, chunk(`{"content":"Hello"}`, `"stop"`), "[DONE]"))
	if _, _, err := drain(t, s.client(t, nil).Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{})); err != nil {
		t.Fatal(err)
	}
	if got := s.requests()[0].header.Get("Accept"); got != "text/event-stream" {
		t.Errorf("got Accept %q, want text/event-stream", got)
	}
}

func TestNoContext(t *testing.T) {
	s := serve(t, plain(chatHello))
	var none context.Context
	_, err := s.client(t, nil).Chat(none, []chat.Message{user("Hi")}, chat.Options{})
	_, done, streamed := drain(t, s.client(t, nil).Stream(none, []chat.Message{user("Hi")}, nil, chat.Options{}))
	for _, err := range []error{err, streamed} {
		if _, ok := errors.AsType[*chat.ConfigError](err); !ok || said(err) != "openai: context: got none, want one" {
			t.Errorf("got %v, want a ConfigError about the context", err)
		}
	}
	if done != nil || len(s.requests()) != 0 {
		t.Errorf("got %v and %d requests, want none", done, len(s.requests()))
	}
}

func TestReplyLimit(t *testing.T) {
	long := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 4096) + `"}}]}`
	t.Run("plain", func(t *testing.T) {
		s := serve(t, plain(long))
		c := s.client(t, func(c *openai.Config) { c.MaxResponseBytes = int64(len(long)) })
		if _, err := c.Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{}); err != nil {
			t.Errorf("at the limit: got %v, want none", err)
		}
		for _, limit := range []int64{int64(len(long)) - 1, 1} {
			c = s.client(t, func(c *openai.Config) { c.MaxResponseBytes = limit })
			_, err := c.Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
			wantTooLong(t, err)
		}
	})
	t.Run("one event", func(t *testing.T) {
		s := serve(t, events(false, long))
		c := s.client(t, func(c *openai.Config) { c.MaxResponseBytes = 1000 })
		_, _, err := drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
		wantTooLong(t, err)
	})
	t.Run("over the limit in the same read", func(t *testing.T) {
		s := serve(t, events(false, chunk(`{"content":"x"}`, `"stop"`), "[DONE]"))
		c := s.client(t, func(c *openai.Config) { c.MaxResponseBytes = 10 })
		_, done, err := drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
		if wantTooLong(t, err); done != nil {
			t.Errorf("got a completion %+v next to the error", done)
		}
	})
	t.Run("over the limit with the byte that would complete it", func(t *testing.T) {
		all := "data: " + chunk(`{"content":"x"}`, `"stop"`) + "\n\ndata: [DONE]\n"
		c, err := openai.New(openai.Config{BaseURL: "http://openai.invalid", Model: "m", MaxResponseBytes: int64(len(all)), HTTPClient: &http.Client{Transport: pieces{[]string{all, "\n"}, io.EOF}}})
		if err != nil {
			t.Fatal(err)
		}
		_, done, err := drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
		if wantTooLong(t, err); done != nil {
			t.Errorf("got a completion %+v next to the error", done)
		}
	})
	t.Run("the greatest limit", func(t *testing.T) {
		most := func(c *openai.Config) { c.MaxResponseBytes = math.MaxInt64 }
		wantHello(t, serve(t, plain(chatHello)).client(t, most))
		s := serve(t, events(false, chunk(`{"content":"Hello"}`, `"stop"`), "[DONE]"))
		_, done, err := drain(t, s.client(t, most).Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
		if err != nil || done == nil || done.Content != "Hello" {
			t.Errorf("got %v, %v, want Hello", done, err)
		}
	})
	t.Run("endless stream", func(t *testing.T) {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "data: "+chunk(`{"content":"x"}`, "null")+"\n\n"); err != nil {
					return
				}
			}
		})
		c := s.client(t, func(c *openai.Config) { c.MaxResponseBytes = 100_000 })
		_, _, err := drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
		wantTooLong(t, err)
	})
}

func wantTooLong(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*chat.ResponseError](err); !ok || said(err) != "openai: response 200: the reply is over the size limit, body over the limit" {
		t.Errorf("got %v, want a ResponseError about the size", err)
	}
}

func TestCancelAndTimeout(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w)
		<-r.Context().Done()
	}
	ask := map[string]func(context.Context, *openai.Client) error{
		"plain": func(ctx context.Context, c *openai.Client) error {
			_, err := c.Chat(ctx, []chat.Message{user("Hi")}, chat.Options{})
			return err
		},
		"stream": func(ctx context.Context, c *openai.Client) error {
			_, _, err := drain(t, c.Stream(ctx, []chat.Message{user("Hi")}, nil, chat.Options{}))
			return err
		},
	}
	for name, ask := range ask {
		t.Run(name+" cancelled", func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			s := serve(t, func(w http.ResponseWriter, r *http.Request) { cancel(); hang(w, r) })
			wantConnection(t, ask(ctx, s.client(t, nil)), context.Canceled)
		})
		t.Run(name+" too slow", func(t *testing.T) {
			s := serve(t, hang)
			wantConnection(t, ask(context.Background(), s.client(t, func(c *openai.Config) { c.Timeout = time.Millisecond })), context.DeadlineExceeded)
		})
		t.Run(name+" no time at all", func(t *testing.T) {
			s := serve(t, plain(chatHello))
			wantConnection(t, ask(context.Background(), s.client(t, func(c *openai.Config) { c.Timeout = time.Nanosecond })), context.DeadlineExceeded)
		})
	}
}

func wantConnection(t *testing.T, err, cause error) {
	t.Helper()
	if _, ok := errors.AsType[*chat.ConnectionError](err); !ok || cause != nil && !errors.Is(err, cause) {
		t.Errorf("got %v (%T), want a ConnectionError with %v", err, err, cause)
	}
}

func TestKeyIsNotPrinted(t *testing.T) {
	cfg := openai.Config{BaseURL: "http://127.0.0.1:1/r/", APIKey: "k-secret", Model: "m"}
	c, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	config, client := `openai.Config{BaseURL:"http://127.0.0.1:1/r/" Model:"m"}`, `openai.Client{base:"http://127.0.0.1:1/r" model:"m"}`
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, cfg); got != config {
			t.Errorf("%s: got %s, want %s", verb, got, config)
		}
		if got := fmt.Sprintf(verb, c); got != client {
			t.Errorf("%s: got %s, want %s", verb, got, client)
		}
	}
	if got := cfg.LogValue().String(); got != config {
		t.Errorf("logged: got %s, want %s", got, config)
	}
	if got := c.LogValue().String(); got != client {
		t.Errorf("logged: got %s, want %s", got, client)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", cfg, "client", c)
	if strings.Contains(log.String(), "secret") {
		t.Errorf("the key is logged: %s", log.String())
	}
}
