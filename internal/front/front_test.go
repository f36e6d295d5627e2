package front_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/replaycheck/internal/front"
	"example.com/replaycheck/internal/front/fronttest"
)

// send sends a request and returns what reads the answers.
func send(t testing.TB, c net.Conn, request string) *bufio.Reader {
	t.Helper()
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(c)
}

// A handler that waits learns that its client left.
func TestClientLeaves(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		begun, ended := make(chan struct{}), make(chan error)
		dial := start(t, &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			left := r.Context().Done() // asked for before the body was read
			_, _ = io.Copy(io.Discard, r.Body)
			if err := r.Context().Err(); err != nil {
				t.Errorf("got %v before the client left", err)
			}
			close(begun)
			<-left
			ended <- r.Context().Err()
		})})
		c := dial()
		send(t, c, post("/", "body"))
		<-begun
		_ = c.Close()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
}

// What a client sends while its handler waits is not lost, and is no leaving.
func TestNextRequestWhileWaiting(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		begun, sent := make(chan struct{}), make(chan struct{})
		dial := start(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if string(body) == "first" {
				left := r.Context().Done()
				close(begun)
				<-sent
				select {
				case <-left:
					t.Error("the client is said to have left")
				default:
				}
			}
			_, _ = fmt.Fprintf(w, "%s, %v", body, r.Context().Err())
		})})
		c := dial()
		in := send(t, c, post("/", "first"))
		<-begun
		if _, err := io.WriteString(c, post("/", "second")+post("/", "third")); err != nil {
			t.Fatal(err)
		}
		close(sent)
		for _, want := range []string{"first, <nil>", "second, <nil>", "third, <nil>"} {
			if got, _ := answer(t, in); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// A handler that writes to nobody learns it.
func TestClientLeavesWhileWritten(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		gone := make(chan error, 1)
		dial := start(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctl := http.NewResponseController(w)
			for r.Context().Err() == nil {
				_, _ = w.Write(make([]byte, 1<<10))
				_ = ctl.Flush()
			}
			gone <- r.Context().Err()
		})})
		c := dial()
		if _, err := send(t, c, post("/", "body")).ReadByte(); err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
}

// timed is a connection that notes until when each read may take.
type timed struct {
	net.Conn
	mu    sync.Mutex
	until time.Time
	reads []time.Time
}

func (c *timed) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.until = t
	c.mu.Unlock()
	return c.Conn.SetReadDeadline(t)
}

func (c *timed) Read(p []byte) (int, error) {
	c.mu.Lock()
	c.reads = append(c.reads, c.until)
	c.mu.Unlock()
	return c.Conn.Read(p)
}

// A body may take longer than a head may, unless the handler says otherwise.
func TestSlowBody(t *testing.T) {
	inner, dial := listen(t)
	c := dial()
	far, err := inner.Accept()
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	srv := &front.Server{HTTP: &http.Server{ReadHeaderTimeout: time.Hour, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		body, err := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%d %v", len(body), err)
	})}}
	conn := &timed{Conn: far}
	ln := fronttest.One(conn)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	request := post("/", strings.Repeat("b", 10_000))
	in := send(t, c, request[:5_000])
	<-begun
	if _, err := io.WriteString(c, request[5_000:]); err != nil {
		t.Fatal(err)
	}
	if got, _ := answer(t, in); got != "10000 <nil>" {
		t.Errorf("got %q, want all of the body", got)
	}
	_ = ln.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	conn.mu.Lock()
	defer conn.mu.Unlock()
	if conn.reads[0].IsZero() || !conn.reads[1].IsZero() {
		t.Errorf("got deadlines %v, want one for the first read, of the head, and none for the second", conn.reads[:2])
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
}

// A request's context ends with its handler.
func TestContextEnds(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		kept := make(chan context.Context, 1)
		dial := start(t, &http.Server{
			ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
			Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				kept <- r.Context()
			}),
		})
		answer(t, send(t, dial(), post("/", "")))
		ctx := <-kept
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("got %v, want %v", ctx.Err(), context.Canceled)
		}
		for _, key := range []any{connKey{}, http.ServerContextKey, http.LocalAddrContextKey} {
			if ctx.Value(key) == nil {
				t.Errorf("%v is missing", key)
			}
		}
	})
}

type connKey struct{}

// Deadlines that a handler sets hold for reads of its body, also one under way, and
// no longer than the request.
func TestDeadlines(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		dial := start(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctl := http.NewResponseController(w)
			var err error
			switch r.URL.Path {
			case "/past":
				err = ctl.SetReadDeadline(time.Unix(1, 0))
			case "/other":
				var wg sync.WaitGroup
				defer wg.Wait()
				wg.Go(func() { _ = ctl.SetReadDeadline(time.Unix(1, 0)) })
			case "/there":
				err = errors.Join(ctl.SetReadDeadline(time.Now().Add(time.Hour)), ctl.SetWriteDeadline(time.Now().Add(time.Hour)))
			}
			body, readErr := io.ReadAll(r.Body)
			var timeout net.Error
			_, _ = fmt.Fprintf(w, "%s %v %v", body, err, errors.As(readErr, &timeout) && timeout.Timeout())
		})})
		for _, path := range []string{"/past", "/other"} {
			in := send(t, dial(), post(path, strings.Repeat("b", 10_000))[:5_000])
			if got, _ := answer(t, in); !strings.HasSuffix(got, "b <nil> true") {
				t.Errorf("%s: got …%q, want that reading takes too long", path, got[max(0, len(got)-20):])
			}
			if _, err := in.ReadByte(); err == nil {
				t.Errorf("%s: the connection goes on", path)
			}
		}
		in := send(t, dial(), post("/there", "b")+post("/there", "c"))
		for _, want := range []string{"b <nil> false", "c <nil> false"} {
			if got, _ := answer(t, in); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// Connections that say nothing end, new ones and used ones.
func TestPatience(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		dial := start(t, &http.Server{Handler: http.HandlerFunc(handle), ReadHeaderTimeout: 20 * time.Millisecond, IdleTimeout: 30 * time.Millisecond})
		for _, request := range []string{"", "POST /x HTTP/1.1\r\nHos", post("/x", "b"), post("/x", "b") + "\r", post("/x", "b") + "POST /x"} {
			in := send(t, dial(), request)
			if strings.HasPrefix(request, post("/x", "b")) {
				answer(t, in)
			}
			if got, err := io.ReadAll(in); err != nil || len(got) > 0 && !strings.HasPrefix(string(got), "HTTP/1.1 400 ") {
				t.Errorf("after %q: got %q, %v, want the end", request, got, err)
			}
		}
	})
}

// closing starts a server whose handler waits, and returns it with a connection
// that is idle and the one that waits.
func closing(t *testing.T) (srv *front.Server, served chan error, idle, busy *bufio.Reader, begun, let chan struct{}) {
	t.Helper()
	ln, dial := listen(t)
	begun, let, served = make(chan struct{}), make(chan struct{}), make(chan error, 1)
	srv = &front.Server{HTTP: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			close(begun)
			<-let
		}
		_, _ = io.WriteString(w, "done")
	})}}
	go func() { served <- srv.Serve(ln) }()
	idle = send(t, dial(), post("/", ""))
	answer(t, idle)
	busy = send(t, dial(), post("/wait", "body"))
	<-begun
	return srv, served, idle, busy, begun, let
}

// A server that shuts down ends what is idle at once, and what is not after its
// answer, which says so.
func TestShutdown(t *testing.T) {
	srv, served, idle, busy, _, let := closing(t)
	down := make(chan error)
	go func() { down <- srv.Shutdown(t.Context()) }()
	if _, err := idle.ReadByte(); err == nil {
		t.Error("an idle connection goes on")
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("got %v, want %v", err, http.ErrServerClosed)
	}
	select {
	case err := <-down:
		t.Fatalf("the server is down (%v) while a request is answered", err)
	default:
	}
	close(let)
	if got, last := answer(t, busy); got != "done" || !last {
		t.Errorf("got %q, close %v, want it done, and the end of the connection announced", got, last)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
}

// A server does not wait longer than it is told to.
func TestShutdownEnds(t *testing.T) {
	srv, _, _, busy, _, let := closing(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := srv.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
	if _, err := busy.ReadByte(); err == nil {
		t.Error("a connection goes on after Close")
	}
	close(let)
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err) // and nothing is left
	}
}

// flaky is a listener that fails now and then.
type flaky struct {
	net.Listener
	mu    sync.Mutex
	fails int
}

func (l *flaky) Accept() (net.Conn, error) {
	l.mu.Lock()
	l.fails++
	fails := l.fails%2 == 1
	l.mu.Unlock()
	if fails {
		return nil, passing{}
	}
	return l.Listener.Accept()
}

// passing is an error that passes, such as too many open files.
type passing struct{}

func (passing) Error() string   { return "it will pass" }
func (passing) Timeout() bool   { return false }
func (passing) Temporary() bool { return true }

// Errors of the listener that pass are waited out, others end the server.
func TestListenerFails(t *testing.T) {
	ln, dial := listen(t)
	srv := &front.Server{HTTP: &http.Server{Handler: http.HandlerFunc(handle), ErrorLog: quiet()}}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(&flaky{Listener: ln}) }()
	begun := time.Now()
	for range 12 { // each wait is as short as the first, since all went well meanwhile
		answer(t, send(t, dial(), post("/x", "b")))
	}
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("12 connections took %v: an error is waited for as if all had come in a row", took)
	}
	_ = ln.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want the listener's error", err)
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
}

// Many clients at once, each with requests of its own.
func TestManyClients(t *testing.T) {
	dial := fronted(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	})})
	var wg sync.WaitGroup
	for client := range 16 {
		c := dial()
		wg.Go(func() {
			in := bufio.NewReader(c)
			defer func() { _ = c.Close() }()
			for n := range 50 {
				want := fmt.Sprintf("%d of %d %s", n, client, strings.Repeat("x", n*n*client))
				go func() { _, _ = io.WriteString(c, post("/", want, fmt.Sprintf("X-Client: %d", client))) }()
				if got, _, err := read(in); got != want {
					t.Errorf("client %d got %d bytes, %v, want its own %d", client, len(got), err, len(want))
					return
				}
			}
		})
	}
	wg.Wait()
}
