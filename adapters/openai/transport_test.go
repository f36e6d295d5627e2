package openai_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/openai"
)

// answering is a transport with one answer: status 200 and an end of io.EOF
// where nothing else is said.
type answering struct {
	status     int
	kind, body string
	end, fails error
	seen       *exchange // what became of it; nil: nobody asks
}

// exchange is what a transport saw of one.
type exchange struct {
	done   func() error // the error of its context
	closed bool         // its body
	idle   bool         // idle connections were closed
}

func (a answering) client(t *testing.T) *openai.Client {
	t.Helper()
	c, err := openai.New(openai.Config{BaseURL: "http://openai.invalid", Model: "m", HTTPClient: &http.Client{Transport: a}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	if a.fails != nil {
		return nil, a.fails
	}
	seen := cmp.Or(a.seen, &exchange{})
	seen.done = r.Context().Err
	return &http.Response{
		StatusCode: cmp.Or(a.status, http.StatusOK), Request: r, Header: http.Header{"Content-Type": {a.kind}}, ContentLength: -1,
		Body: &closing{reads{left: []string{a.body}, err: cmp.Or(a.end, io.EOF)}, &seen.closed},
	}, nil
}

func (a answering) CloseIdleConnections() { a.seen.idle = true }

// closing notes that a body was closed.
type closing struct {
	reads
	closed *bool
}

func (c *closing) Close() error { *c.closed = true; return nil }

// TestEveryExchangeIsEnded: whatever the answer, its body is closed and its
// context done, else a connection and a timer stay behind.
func TestEveryExchangeIsEnded(t *testing.T) {
	const sse = "text/event-stream"
	hello := "data: " + chunk(`{"content":"Hello"}`, `"stop"`) + "\n\n"
	for _, row := range []struct {
		name   string
		answer answering
		stream bool
	}{
		{"reply", answering{body: chatHello}, false},
		{"broken reply", answering{body: "oops"}, false},
		{"error", answering{status: 500}, false},
		{"stream", answering{kind: sse, body: hello + "data: [DONE]\n\n"}, true},
		{"broken stream", answering{kind: sse, body: hello}, true},
		{"error for a stream", answering{status: 500}, true},
		{"no stream", answering{kind: "text/html", body: "oops"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.answer.seen = &exchange{}
			c := row.answer.client(t)
			if row.stream {
				_, _, _ = drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
			} else {
				_, _ = c.Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
			}
			if seen := row.answer.seen; !seen.closed || !errors.Is(seen.done(), context.Canceled) {
				t.Errorf("body closed: %v, context: %v, want it closed and cancelled", seen.closed, seen.done())
			}
		})
	}
}

// TestClose: the client's own connections are closed, others' are not.
func TestClose(t *testing.T) {
	t.Run("own", func(t *testing.T) {
		closed := make(chan struct{}, 1)
		s := httptest.NewUnstartedServer(plain(chatHello))
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				closed <- struct{}{}
			}
		}
		s.Start()
		defer s.Close()
		c := ownTransport(t, s.URL)
		wantHello(t, c)
		c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		select {
		case <-closed:
		case <-ctx.Done():
			t.Error("the idle connection is still open")
		}
	})
	t.Run("given", func(t *testing.T) {
		a := answering{body: chatHello, seen: &exchange{}}
		if a.client(t).Close(); a.seen.idle {
			t.Error("the idle connections of a transport that was given were closed")
		}
	})
}

// ownTransport is a client without Config.HTTPClient.
func ownTransport(t *testing.T, base string) *openai.Client {
	t.Helper()
	c, err := openai.New(openai.Config{BaseURL: base, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func wantHello(t *testing.T, c *openai.Client) {
	t.Helper()
	if got, err := c.Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{}); err != nil || got.Content != "Hello" {
		t.Errorf("got %q, %v, want Hello", got.Content, err)
	}
}

func TestOwnTransport(t *testing.T) {
	instead := func(t *testing.T, transport http.RoundTripper) {
		t.Helper()
		standard := &http.DefaultTransport //nolint:forbidigo // put back after the test
		before := *standard
		*standard = transport
		t.Cleanup(func() { *standard = before })
	}
	t.Run("has the settings of the default one", func(t *testing.T) {
		s := serve(t, plain(chatHello))
		instead(t, &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
		}})
		wantHello(t, ownTransport(t, "http://openai.invalid"))
	})
	t.Run("is not what took the default's place", func(t *testing.T) {
		s := serve(t, plain(chatHello))
		instead(t, answering{fails: errors.New("not this one")})
		wantHello(t, ownTransport(t, s.URL))
	})
	t.Run("keeps as many connections as it used", func(t *testing.T) {
		const width = 4
		var connections atomic.Int32
		var together sync.WaitGroup
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			together.Done()
			together.Wait()
			plain(chatHello)(w, r)
		}))
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		s.Start()
		defer s.Close()
		c := ownTransport(t, s.URL)
		for range 2 {
			together.Add(width)
			var all sync.WaitGroup
			for range width {
				all.Go(func() { wantHello(t, c) })
			}
			all.Wait()
		}
		if n := connections.Load(); n != width {
			t.Errorf("got %d connections for %d exchanges at a time, want one each", n, width)
		}
	})
}

func TestContentTypes(t *testing.T) {
	hello := "data: " + chunk(`{"content":"Hello"}`, `"stop"`) + "\n\ndata: [DONE]\n\n"
	for kind, ok := range map[string]bool{"": true, "text/event-stream": true, "Text/Event-Stream; charset=utf-8": true, "text/html": false, ";": false} {
		t.Run(strings.ReplaceAll(kind, "/", "_"), func(t *testing.T) {
			_, done, err := drain(t, answering{kind: kind, body: hello}.client(t).Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
			if (err == nil) != ok || (done != nil) != ok {
				t.Errorf("got %v, %v, want a completion: %v", done, err, ok)
			}
		})
	}
}
