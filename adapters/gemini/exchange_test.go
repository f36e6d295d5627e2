package gemini_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
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

// link is a transport that answers by itself and keeps what it was asked.
type link struct {
	status int
	text   string
	err    error // instead of an answer

	asked  *http.Request
	closed bool
}

func (l *link) RoundTrip(r *http.Request) (*http.Response, error) {
	l.asked = r
	if l.err != nil {
		return nil, l.err
	}
	return &http.Response{StatusCode: l.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{}, ContentLength: -1, Body: linkBody{strings.NewReader(l.text), l}}, nil
}

type linkBody struct {
	io.Reader
	l *link
}

func (b linkBody) Close() error {
	b.l.closed = true
	return nil
}

// over returns a client that asks a link.
func over(t *testing.T, l *link, change func(*gemini.Config)) *gemini.Client {
	t.Helper()
	cfg := gemini.Config{BaseURL: "http://gemini.invalid", APIKey: key, Model: "m", HTTPClient: &http.Client{Transport: l}}
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

func TestDefaultAddress(t *testing.T) {
	l := &link{status: http.StatusOK, text: reply(`{"text":"a"}`)}
	if _, err := over(t, l, func(c *gemini.Config) { c.BaseURL = "" }).Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := l.asked.URL.String(); got != "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent" {
		t.Errorf("got %s", got)
	}
}

// TestDeadline: Config.Timeout bounds what the transport may take.
func TestDeadline(t *testing.T) {
	for _, row := range []struct {
		name          string
		timeout, want time.Duration // want 0: no deadline
	}{
		{"default", 0, 10 * time.Minute},
		{"the shortest", 1, 1},
		{"an hour", time.Hour, time.Hour},
		{"none", -1, 0},
	} {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				l := &link{err: errors.New("no answer")}
				before := time.Now()
				_, _ = kind.do(over(t, l, func(c *gemini.Config) { c.Timeout = row.timeout }), context.Background(), []chat.Message{user("hi")}, chat.Options{})
				after := time.Now()
				at, ok := l.asked.Context().Deadline()
				if ok != (row.want != 0) || ok && (at.Before(before.Add(row.want)) || at.After(after.Add(row.want))) {
					t.Errorf("got %v from now, %t, want %v", at.Sub(before), ok, row.want)
				}
			})
		}
	}
}

// TestEveryExchangeIsReleased: however an exchange ends, its body is closed and
// its context has ended, so that nothing of it is left.
func TestEveryExchangeIsReleased(t *testing.T) {
	for _, row := range []struct {
		name string
		link link
	}{
		{"a reply", link{status: http.StatusOK, text: reply(`{"text":"a"}`)}},
		{"no JSON", link{status: http.StatusOK, text: "secret"}},
		{"an error answer", link{status: http.StatusBadRequest, text: "{}"}},
		{"no answer", link{err: errors.New("secret"), closed: true}},
	} {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				l := row.link
				_, err := kind.do(over(t, &l, nil), context.Background(), []chat.Message{user("hi")}, chat.Options{})
				if (err == nil) != (row.name == "a reply") {
					t.Errorf("got %v", err)
				}
				if !l.closed || l.asked.Context().Err() == nil {
					t.Errorf("body closed: %t, context: %v", l.closed, l.asked.Context().Err())
				}
			})
		}
	}
	t.Run("left", func(t *testing.T) {
		l := &link{status: http.StatusOK, text: sse(piece(`{"text":"a"}`), reply(`{"text":"b"}`))}
		for d, err := range over(t, l, nil).Stream(context.Background(), []chat.Message{user("hi")}, nil, chat.Options{}) {
			if err != nil || d.Text != "a" {
				t.Errorf("got %+v, %v", d, err)
			}
			break
		}
		if !l.closed || l.asked.Context().Err() == nil {
			t.Errorf("body closed: %t, context: %v", l.closed, l.asked.Context().Err())
		}
	})
}

// TestCauses: of what the transport says only the known kinds are shown, and
// never what it wraps around them.
func TestCauses(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
	for _, row := range []struct {
		name string
		err  error
		want string // after "gemini: send request: "
		is   error  // nil: nothing to find
	}{
		{"cancelled", fmt.Errorf("secret: %w", context.Canceled), "context canceled", context.Canceled},
		{"out of time", fmt.Errorf("secret: %w", context.DeadlineExceeded), "context deadline exceeded", context.DeadlineExceeded},
		{"cut short", fmt.Errorf("secret: %w", io.ErrUnexpectedEOF), "unexpected EOF", io.ErrUnexpectedEOF},
		{"ended", fmt.Errorf("secret: %w", io.EOF), "EOF", io.EOF},
		{"dial", fmt.Errorf("secret: %w", dial), "dial tcp: refused", dial},
		{"certificate", fmt.Errorf("secret: %w", &tls.CertificateVerificationError{Err: errors.New("expired")}), "tls: failed to verify certificate: expired", nil},
		{"host name", fmt.Errorf("secret: %w", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "gemini.invalid"}), "x509: certificate is not valid for any names, but wanted to match gemini.invalid", nil},
		{"anything else", errors.New("secret"), "the exchange failed (*errors.errorString)", nil},
	} {
		for _, kind := range kinds {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				_, err := kind.do(over(t, &link{err: row.err}, nil), context.Background(), []chat.Message{user("hi")}, chat.Options{})
				if _, ok := errors.AsType[*chat.ConnectionError](err); !ok || err.Error() != "gemini: send request: "+row.want {
					t.Errorf("got %v (%T), want %q", err, err, row.want)
				}
				if row.is != nil && !errors.Is(err, row.is) {
					t.Errorf("%v is not %v", err, row.is)
				}
			})
		}
	}
}

func TestNoContext(t *testing.T) {
	var none context.Context
	l := &link{}
	for _, kind := range kinds {
		_, err := kind.do(over(t, l, nil), none, []chat.Message{user("hi")}, chat.Options{})
		if _, ok := errors.AsType[*chat.ConfigError](err); !ok || err.Error() != "gemini: send request: no context" || l.asked != nil {
			t.Errorf("%s: got %v", kind.name, err)
		}
	}
}

// TestClose: idle connections of the client's own transport are closed, those of
// the caller's stay.
func TestClose(t *testing.T) {
	shared := &http.Client{Transport: &http.Transport{}}
	defer shared.CloseIdleConnections()
	for _, row := range []struct {
		name   string
		client *http.Client
		want   int64 // connections for two exchanges with Close between them
	}{{"own", nil, 2}, {"given", shared, 1}} {
		t.Run(row.name, func(t *testing.T) {
			var connections atomic.Int64
			server := httptest.NewUnstartedServer(plain(reply(`{"text":"a"}`)))
			server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				if s == http.StateNew {
					connections.Add(1)
				}
			}
			server.Start()
			defer server.Close()
			c, err := gemini.New(gemini.Config{BaseURL: server.URL, APIKey: key, Model: "m", HTTPClient: row.client})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := c.Chat(context.Background(), []chat.Message{user("hi")}, chat.Options{}); err != nil {
					t.Fatal(err)
				}
				c.Close()
			}
			if n := connections.Load(); n != row.want {
				t.Errorf("got %d connections, want %d", n, row.want)
			}
		})
	}
}

func TestCutErrorAnswer(t *testing.T) {
	for _, kind := range kinds {
		answer := func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			cut("text/plain", "secret")(w, r)
		}
		_, err := kind.do(client(t, newProvider(t, answer), nil), context.Background(), []chat.Message{user("hi")}, chat.Options{})
		wantResponseError(t, err, "gemini: response 500: the body of the error broke off, body cut short")
	}
}

// TestNoByteOverTheLimit: a piece that ends one byte too late is not shown.
func TestNoByteOverTheLimit(t *testing.T) {
	first := "data: " + piece(`{"text":"a"}`) + "\n\n"
	text := first + "data: " + reply() + "\n\n"
	for _, row := range []struct {
		limit int
		want  int // deltas
	}{{len(first) - 1, 0}, {len(first), 1}} {
		c, err := gemini.New(gemini.Config{
			BaseURL: "http://gemini.invalid", APIKey: key, Model: "m", MaxResponseBytes: int64(row.limit),
			HTTPClient: &http.Client{Transport: pieces{"text/event-stream", strings.Split(text, ""), io.EOF}},
		})
		if err != nil {
			t.Fatal(err)
		}
		deltas, done, err := drain(c, context.Background(), []chat.Message{user("hi")}, nil, chat.Options{})
		wantResponseError(t, err, "gemini: response 200: the reply is over the limit, body over the limit")
		if len(deltas) != row.want || done != nil {
			t.Errorf("limit %d: got %q, %v", row.limit, deltas, done)
		}
	}
}

// TestHowItIsShown: everything but the key, whatever the verb.
func TestHowItIsShown(t *testing.T) {
	cfg := gemini.Config{APIKey: key, BaseURL: "http://relay.test", Model: "m"}
	c := over(t, &link{}, func(out *gemini.Config) { out.BaseURL, out.Model = cfg.BaseURL, cfg.Model })
	for _, row := range []struct{ got, want string }{
		{cfg.String(), `gemini.Config{BaseURL:"http://relay.test" Model:"m"}`},
		{fmt.Sprintf("%#v", cfg), `gemini.Config{BaseURL:"http://relay.test" Model:"m"}`},
		{cfg.LogValue().String(), `gemini.Config{BaseURL:"http://relay.test" Model:"m"}`},
		{c.String(), `gemini.Client{base:"http://relay.test" model:"m"}`},
		{fmt.Sprintf("%#v", c), `gemini.Client{base:"http://relay.test" model:"m"}`},
		{c.LogValue().String(), `gemini.Client{base:"http://relay.test" model:"m"}`},
	} {
		if row.got != row.want {
			t.Errorf("got %s, want %s", row.got, row.want)
		}
	}
}
