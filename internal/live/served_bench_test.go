package live_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"example.com/replaycheck/internal/live"
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

// The same as BenchmarkHistory's, with HTTP and without the kernel.
func BenchmarkServed(b *testing.B) {
	turn := func(role string) string {
		return `{"role":"` + role + `","parts":[{"text":"` + strings.Repeat(words, 8) + `"}]},`
	}
	body := `{"contents":[{"role":"user","parts":[{"text":"00000000"}]},` + strings.Repeat(turn("model")+turn("user"), 2048/(2*len(turn("user")))) + `{"role":"model","parts":[{"text":"Hm."}]},{"role":"user","parts":[{"text":"Hello"}]}]}`
	s := serve(b, live.Options{Scenarios: []live.Scenario{scenario(b, "one", "replies: [{when: {prompt: Hello}, text: Hello there.}]")}})
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1:4000\r\nContent-Type: application/json\r\nX-Goog-Api-Key: k\r\nContent-Length: %d\r\n\r\n%s", model, len(body), body)
	under, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	inner, err := net.Dial("tcp", under.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = inner.Close() }()
	ln := &one{under, make(chan net.Conn, 1)}
	var wg sync.WaitGroup
	wg.Add(1)
	b.ReportAllocs()
	b.ResetTimer()
	ln.conns <- &endless{inner, []byte(request), b.N, sync.OnceFunc(wg.Done)}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	wg.Wait()
	b.StopTimer()
	stop()
	close(ln.conns)
	<-served
}
