package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/gemini"
)

func TestNew(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  gemini.Config
		want string // "" is no error
	}{
		{"defaults", gemini.Config{APIKey: key}, ""},
		{"prefix and slash", gemini.Config{APIKey: key, BaseURL: "https://relay.test/a/x/"}, ""},
		{"no key", gemini.Config{}, "gemini: configure: no API key"},
		{"key with a line break", gemini.Config{APIKey: "secret\n"}, "gemini: configure: the API key holds characters that no header can"},
		{"key with a blank", gemini.Config{APIKey: "sec ret"}, "gemini: configure: the API key holds characters that no header can"},
		{"key with the last character that a header can", gemini.Config{APIKey: "~"}, ""},
		{"no scheme", gemini.Config{APIKey: key, BaseURL: "relay.test"}, "gemini: configure: base URL: want http or https, a host and at most a path"},
		{"other scheme", gemini.Config{APIKey: key, BaseURL: "ftp://relay.test"}, "gemini: configure: base URL: want http or https, a host and at most a path"},
		{"no host", gemini.Config{APIKey: key, BaseURL: "http:///x"}, "gemini: configure: base URL: want http or https, a host and at most a path"},
		{"no URL", gemini.Config{APIKey: key, BaseURL: "http://secret\x7f"}, "gemini: configure: base URL: want http or https, a host and at most a path"},
		{"key in the query", gemini.Config{APIKey: key, BaseURL: "http://relay.test/?key=secret"}, "gemini: configure: base URL: user, query and fragment are not allowed"},
		{"password", gemini.Config{APIKey: key, BaseURL: "http://u:secret@relay.test"}, "gemini: configure: base URL: user, query and fragment are not allowed"},
		{"fragment", gemini.Config{APIKey: key, BaseURL: "http://relay.test/#"}, "gemini: configure: base URL: user, query and fragment are not allowed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := gemini.New(row.cfg)
			if row.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				c.Close()
				return
			}
			if _, ok := errors.AsType[*chat.ConfigError](err); !ok || err.Error() != row.want {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

func TestAddressAndHeaders(t *testing.T) {
	for _, row := range []struct{ name, base, model, option, want string }{
		{"prefix", "/r/1", "gemini-3.8-flash", "", "/r/1/v1beta/models/gemini-3.8-flash:generateContent"},
		{"slash", "/r/1/", "gemini-3.8-flash", "", "/r/1/v1beta/models/gemini-3.8-flash:generateContent"},
		{"slashes", "/r/x//", "gemini-3.8-flash", "", "/r/x/v1beta/models/gemini-3.8-flash:generateContent"},
		{"no prefix", "", "gemini-3.8-flash", "", "/v1beta/models/gemini-3.8-flash:generateContent"},
		{"option", "", "x", "gemini-4-argon", "/v1beta/models/gemini-4-argon:generateContent"},
		{"collection named", "", "models/gemini-4-argon", "", "/v1beta/models/gemini-4-argon:generateContent"},
		{"tuned", "", "tunedModels/mine", "", "/v1beta/tunedModels/mine:generateContent"},
		{"hostile", "", "../../x?key=1#", "", "/v1beta/models/..%2F..%2Fx%3Fkey=1%23:generateContent"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newProvider(t, plain(reply(`{"text":"a"}`)))
			c := client(t, p, func(c *gemini.Config) { c.BaseURL, c.Model = p.URL+row.base, row.model })
			if _, err := c.Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{Model: row.option}); err != nil {
				t.Fatal(err)
			}
			r := p.only(t)
			if r.method != http.MethodPost || r.uri != row.want || r.header.Get("X-Goog-Api-Key") != key || r.header.Get("Content-Type") != "application/json" {
				t.Errorf("got %s %s %v", r.method, r.uri, r.header)
			}
			if strings.Contains(r.uri+r.body, key) {
				t.Error("the key is not only in its header")
			}
		})
	}
}

// TestRefusedBeforeContact: nothing is sent and no connection is opened, in
// every kind of request (REFUSE-08, REFUSE-09).
func TestRefusedBeforeContact(t *testing.T) {
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c, err := gemini.New(gemini.Config{BaseURL: server.URL, APIKey: key, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const signedPart = `{"text":"secret","thoughtSignature":"c2ln"}`
	for _, row := range []struct {
		name string
		m    chat.Message
	}{
		{"REFUSE-01", own(`[{"type":"nrllm_gemini_generate_content","secret":1}]`)},
		{"REFUSE-02", own(`[{"type":"nrllm_gemini_generate_content","parts":"secret"}]`)},
		{"REFUSE-03", own(capsule(signedPart + `,null`))},
		{"REFUSE-04", own(strings.TrimSuffix(capsule(signedPart), "]") + "," + strings.TrimPrefix(capsule(``), "["))},
		{"REFUSE-05", own(strings.TrimSuffix(capsule(signedPart), "]") + `,{"type":"reasoning","id":"rs_secret"}]`)},
		{"REFUSE-06", own(`null`)},
		{"REFUSE-07", own(bound(signedPart, `{"tool_call_id":"p"}`))},
		{"CALLID-05", own(bound(`{"functionCall":{"id":"a","name":"w"}}`, `{"tool_call_id":"q","native_id":"a"}`), call("p", "w", `{}`))},
	} {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				_, err := kind.do(c, context.Background(), []chat.Message{user("hi"), row.m, user("more")}, chat.Options{})
				if _, ok := errors.AsType[*chat.ConfigError](err); !ok || err.Error() != chat.ReplayMessage {
					t.Errorf("got %v (%T)", err, err)
				}
			})
		}
	}
	for _, kind := range kinds {
		if _, err := kind.do(c, context.Background(), nil, chat.Options{}); err == nil {
			t.Error("an empty conversation was sent")
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections were opened", n)
	}
}

func TestNoModel(t *testing.T) {
	p := newProvider(t)
	_, err := client(t, p, func(c *gemini.Config) { c.Model = "" }).Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{})
	if _, ok := errors.AsType[*chat.ConfigError](err); !ok || err.Error() != "gemini: send request: no model" || len(p.seen()) != 0 {
		t.Errorf("got %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	p := newProvider(t)
	p.Close()
	for _, kind := range kinds {
		_, err := kind.do(client(t, p, nil), context.Background(), []chat.Message{user("hi")}, chat.Options{})
		if _, ok := errors.AsType[*chat.ConnectionError](err); !ok || !strings.HasPrefix(err.Error(), "gemini: send request: dial tcp ") || strings.Contains(err.Error(), "/r/7f3a") || strings.Contains(err.Error(), key) {
			t.Errorf("%s: got %v (%T)", kind.name, err, err)
		}
	}
}

// stuck answers nothing until the client goes away.
func stuck(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// half sends a head and the beginning of a body, then nothing.
func half(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func TestTimeoutAndCancellation(t *testing.T) {
	for _, answer := range []struct {
		name string
		do   http.HandlerFunc
	}{{"no head", stuck}, {"no body", half}} {
		for _, kind := range kinds {
			t.Run(answer.name+"/"+kind.name, func(t *testing.T) {
				p := newProvider(t, answer.do, answer.do)
				_, err := kind.do(client(t, p, func(c *gemini.Config) { c.Timeout = 20 * time.Millisecond }), context.Background(), []chat.Message{user("hi")}, chat.Options{})
				if _, ok := errors.AsType[*chat.ConnectionError](err); !ok || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("time-out: got %v (%T)", err, err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				defer cancel()
				_, err = kind.do(client(t, p, func(c *gemini.Config) { c.Timeout = -1 }), ctx, []chat.Message{user("hi")}, chat.Options{})
				if _, ok := errors.AsType[*chat.ConnectionError](err); !ok || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("context: got %v (%T)", err, err)
				}
			})
		}
	}
}

func TestResponseLimit(t *testing.T) {
	text := reply(`{"text":"secret ` + strings.Repeat("x", 1000) + `"}`)
	for _, row := range []struct {
		name   string
		limit  int
		answer http.HandlerFunc
		want   string
	}{
		{"one byte", 1, plain(text), "gemini: response 200: the reply is over the limit, body over the limit"},
		{"over", len(text) - 1, plain(text), "gemini: response 200: the reply is over the limit, body over the limit"},
		{"at the limit", len(text), plain(text), ""},
		{"error over", 10, status(500, "text/plain", text), "gemini: response 500, body over the limit"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := client(t, newProvider(t, row.answer), func(c *gemini.Config) { c.MaxResponseBytes = int64(row.limit) }).Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{})
			if row.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantResponseError(t, err, row.want)
		})
	}
}

func TestCutReply(t *testing.T) {
	c := client(t, newProvider(t, cut("application/json", reply(`{"text":"a"}`))), nil)
	_, err := c.Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{})
	if _, ok := errors.AsType[*chat.ConnectionError](err); !ok {
		t.Errorf("got %v (%T)", err, err)
	}
}

// TestRedirectsKeepTheKey: a redirect would take the key to another host.
func TestRedirectsKeepTheKey(t *testing.T) {
	elsewhere := newProvider(t, plain(reply(`{"text":"a"}`)))
	p := newProvider(t, http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect).ServeHTTP)
	own := &http.Client{Transport: &http.Transport{}}
	defer own.CloseIdleConnections()
	_, err := client(t, p, func(c *gemini.Config) { c.HTTPClient = own }).Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{})
	if e, ok := errors.AsType[*chat.ResponseError](err); !ok || e.Status != http.StatusTemporaryRedirect {
		t.Errorf("got %v", err)
	}
	if len(elsewhere.seen()) != 0 {
		t.Error("the redirect was followed")
	}
	if own.CheckRedirect != nil {
		t.Error("the caller's client was changed")
	}
}

func TestTheKeyIsNeverShown(t *testing.T) {
	cfg := gemini.Config{APIKey: key, BaseURL: "http://relay.test"}
	c, err := gemini.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	logger.Info("x", "cfg", cfg, "client", c)
	logger = slog.New(slog.NewJSONHandler(&log, nil))
	logger.Info("x", "cfg", cfg, "client", c)
	text := log.String() + fmt.Sprintf("%v %+v %#v %s %v %+v %#v %s", cfg, cfg, cfg, cfg, c, c, c, c)
	if strings.Contains(text, key) || !strings.Contains(text, "relay.test") {
		t.Errorf("got %s", text)
	}
	data, err := json.Marshal(cfg)
	if err != nil || strings.Contains(string(data), key) {
		t.Errorf("got %s, %v", data, err)
	}
}
