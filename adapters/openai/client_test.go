package openai_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
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
		{"no URL", openai.Config{BaseURL: "http://[::secret", APIKey: "k"}, "openai: base url: got no URL"},
		{"no scheme", openai.Config{BaseURL: "secret.example", APIKey: "k"}, "openai: base url: got no http(s) URL"},
		{"key in the URL", openai.Config{BaseURL: "https://llm.example/?key=secret", APIKey: "k"}, "openai: base url: got a user, query or fragment"},
		{"password in the URL", openai.Config{BaseURL: "https://u:secret@llm.example", APIKey: "k"}, "openai: base url: got a user, query or fragment"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := openai.New(row.cfg)
			if _, ok := errors.AsType[*chat.ConfigError](err); !ok || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want a ConfigError that starts with %q and quotes nothing", err, row.want)
			}
		})
	}
}

func TestWhereRequestsGo(t *testing.T) {
	rows := []struct{ name, prefix, key, path, authorization string }{
		{"host only", "", "k-1", "/v1/chat/completions", "Bearer k-1"},
		{"path prefix", "/r/7f3a", "k-1", "/r/7f3a/v1/chat/completions", "Bearer k-1"},
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
			if r.path != row.path || r.query != "" || r.header.Get("Authorization") != row.authorization || r.header.Get("Content-Type") != "application/json" {
				t.Errorf("got %s?%s with %v, want %s with %q", r.path, r.query, r.header, row.path, row.authorization)
			}
		})
	}
}

func TestErrorAnswers(t *testing.T) {
	rows := []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{
			"known wording", 400, `{"error":{"message":"Item 'rs_c2VjcmV0' of type 'reasoning' was provided without its required following item.","type":"invalid_request_error","param":"input","code":null}}`,
			"openai: response 400 (invalid_request_error): a reasoning item came without the item that followed it, body {error{message,type,param,code}}",
		},
		{
			"code before type", 400, `{"error":{"message":"The encrypted content gAAA could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}`,
			"openai: response 400 (invalid_encrypted_content): encrypted content was not accepted, body {error{message,type,code}}",
		},
		{"in a list", 401, `[{"error":{"code":"no_key"}}]`, "openai: response 401 (no_key), body [{error{code}}]"},
		{"code that is content", 400, `{"error":{"code":"c2VjcmV0 and more"}}`, "openai: response 400, body {error{code}}"},
		{"text", 502, "c2VjcmV0", "openai: response 502, body text"},
		{"nothing", 500, "", "openai: response 500, body empty"},
		{"redirect", 307, "", "openai: response 307: the reply is a redirect, and those are not followed, body empty"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, row.body)
			})
			for _, stream := range []bool{false, true} {
				c := s.client(t, nil)
				var err error
				if !stream {
					_, err = c.Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
				} else {
					_, _, err = drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
				}
				if got, ok := errors.AsType[*chat.ResponseError](err); !ok || got.Status != row.status || err.Error() != row.want {
					t.Errorf("stream %v: got %v, want %q", stream, err, row.want)
				}
			}
			if n := len(s.requests()); n != 2 {
				t.Errorf("got %d requests, want 2: none is repeated", n)
			}
		})
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
		c = s.client(t, func(c *openai.Config) { c.MaxResponseBytes = int64(len(long)) - 1 })
		_, err := c.Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
		wantTooLong(t, err)
	})
	t.Run("one event", func(t *testing.T) {
		s := serve(t, events(false, long))
		c := s.client(t, func(c *openai.Config) { c.MaxResponseBytes = 1000 })
		_, _, err := drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
		wantTooLong(t, err)
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
	if got, ok := errors.AsType[*chat.ResponseError](err); !ok || got.Reason != "the reply is over the size limit" {
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
	}
}

func wantConnection(t *testing.T, err, cause error) {
	t.Helper()
	if _, ok := errors.AsType[*chat.ConnectionError](err); !ok || cause != nil && !errors.Is(err, cause) {
		t.Errorf("got %v (%T), want a ConnectionError with %v", err, err, cause)
	}
}

func TestConnectionErrorsQuoteNothing(t *testing.T) {
	t.Run("nobody listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr().String()
		_ = l.Close()
		c, err := openai.New(openai.Config{BaseURL: "http://" + addr, APIKey: "k-1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = c.Chat(context.Background(), []chat.Message{user("c2VjcmV0")}, chat.Options{})
		wantConnection(t, err, nil)
		if strings.Contains(err.Error(), "k-1") || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("the error quotes the request: %v", err)
		}
	})
	t.Run("the answer is no HTTP", func(t *testing.T) {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, "c2VjcmV0\r\n\r\n")
			_ = conn.Close()
		})
		_, err := s.client(t, nil).Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
		wantConnection(t, err, nil)
		if strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("the error quotes the answer: %v", err)
		}
	})
}

func TestKeyIsNotPrinted(t *testing.T) {
	cfg := openai.Config{BaseURL: "http://127.0.0.1:1", APIKey: "k-secret", Model: "m"}
	c, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", cfg, "client", c)
	got := fmt.Sprintf("%v %+v %#v %v %+v %#v %s", cfg, cfg, cfg, c, c, c, log.String())
	if strings.Contains(got, "secret") {
		t.Errorf("the key is printed: %s", got)
	}
}
