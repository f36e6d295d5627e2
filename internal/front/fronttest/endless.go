// Package fronttest asks HTTP servers without a kernel between, for benchmarks.
package fronttest

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// Ask lets a server answer the same request n times, on one connection, and returns
// once it has. serve is the server's method; it has to end with the listener's error.
func Ask(tb testing.TB, serve func(net.Listener) error, request string, n int) {
	tb.Helper()
	ours, theirs := net.Pipe() // for its addresses
	defer func() { _, _ = ours.Close(), theirs.Close() }()
	asked := make(chan struct{})
	ln := One(&endless{Conn: theirs, request: request, left: n, end: sync.OnceFunc(func() { close(asked) })})
	served := make(chan error, 1)
	go func() { served <- serve(ln) }()
	<-asked
	_ = ln.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		tb.Error(err)
	}
}

// endless is a connection whose client asks the same again and again, and takes
// whatever comes.
type endless struct {
	net.Conn
	request string
	left    int
	end     func()
}

func (c *endless) Read(p []byte) (int, error) {
	if c.left--; c.left < 0 {
		c.end()
		return 0, io.EOF
	}
	return copy(p, c.request), nil
}

func (c *endless) Write(p []byte) (int, error) { return len(p), nil }

// One is a listener with one connection.
func One(c net.Conn) net.Listener {
	ln := &one{conns: make(chan net.Conn, 1)}
	ln.conns <- c
	return ln
}

type one struct {
	conns chan net.Conn
	close sync.Once
}

func (l *one) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l *one) Close() error {
	l.close.Do(func() { close(l.conns) })
	return nil
}

func (l *one) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
