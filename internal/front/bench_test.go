package front_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"example.com/replaycheck/internal/front"
)

// endless is a connection whose client asks the same again and again.
type endless struct {
	net.Conn // its addresses
	request  []byte
	left     int
	end      func()
}

func (c *endless) Read(p []byte) (int, error) {
	if c.left--; c.left < 0 {
		c.end()
		return 0, io.EOF
	}
	return copy(p, c.request), nil
}

func (c *endless) Write(p []byte) (int, error) { return len(p), nil }

// one is a listener with one connection.
type one struct {
	net.Listener
	conns chan net.Conn
}

func (l *one) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

// A request of 2 KiB, read and answered: what HTTP costs without the kernel.
func BenchmarkRequest(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buf := make([]byte, r.ContentLength)
		_, _ = io.ReadFull(r.Body, buf)
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Header()["Content-Length"] = []string{"300"}
		_, _ = w.Write(buf[:300])
	})
	for name, serve := range map[string]func(*http.Server, net.Listener) error{
		"front":    func(s *http.Server, ln net.Listener) error { return (&front.Server{HTTP: s}).Serve(ln) },
		"net-http": func(s *http.Server, ln net.Listener) error { return s.Serve(ln) },
	} {
		b.Run(name, func(b *testing.B) {
			under, dial := listen(b)
			inner := dial()
			defer func() { _ = inner.Close() }()
			ln := &one{under, make(chan net.Conn, 1)}
			var wg sync.WaitGroup
			wg.Add(1)
			request := post("/v1beta/models/gemini-3:generateContent", strings.Repeat("x", 2<<10), "Content-Type: application/json", "X-Goog-Api-Key: k", "User-Agent: bench")
			b.ReportAllocs()
			b.ResetTimer()
			ln.conns <- &endless{inner, []byte(request), b.N, sync.OnceFunc(wg.Done)}
			served := make(chan error, 1)
			go func() { served <- serve(&http.Server{Handler: handler}, ln) }()
			wg.Wait()
			b.StopTimer()
			close(ln.conns)
			if err := <-served; !errors.Is(err, net.ErrClosed) {
				b.Fatal(err)
			}
			_ = under.Close()
		})
	}
}
