package front

import (
	"errors"
	"net"
	"sync"
	"time"
)

// intake is the listener that net/http sees: it brings the connections that are
// given to it, and the error of the real one that ends it.
type intake struct {
	ln     net.Listener
	given  chan net.Conn
	failed chan error
	done   chan struct{}
	once   sync.Once
}

func newIntake(ln net.Listener) *intake {
	return &intake{ln: ln, given: make(chan net.Conn), failed: make(chan error), done: make(chan struct{})}
}

// accept takes connections until the listener is closed. Errors that pass, such as
// too many open files, are waited out here as net/http does, which would never learn
// that connections came meanwhile and wait longer each time.
func (in *intake) accept(take func(net.Conn), logf func(string, ...any)) {
	var delay time.Duration
	for {
		c, err := in.ln.Accept()
		if err == nil {
			delay = 0
			take(c)
			continue
		}
		if !passes(err) {
			select {
			case in.failed <- err:
			case <-in.done:
			}
			return
		}
		delay = min(max(2*delay, 5*time.Millisecond), time.Second)
		logf("http: Accept error: %v; retrying in %v", err, delay)
		if !in.wait(delay) {
			return
		}
	}
}

// wait waits; false: the listener was closed.
func (in *intake) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-in.done:
		return false
	}
}

// passes reports whether a listener's error is one after which it goes on.
func passes(err error) bool {
	passing, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](err)
	return ok && passing.Temporary()
}

// give hands a connection to net/http.
func (in *intake) give(c net.Conn) {
	select {
	case in.given <- c:
	case <-in.done:
		_ = c.Close()
	}
}

// Accept is net/http's.
func (in *intake) Accept() (net.Conn, error) {
	select {
	case c := <-in.given:
		return c, nil
	case err := <-in.failed:
		return nil, err
	case <-in.done:
		return nil, net.ErrClosed
	}
}

// Close closes the real listener.
func (in *intake) Close() error {
	err := net.ErrClosed
	in.once.Do(func() {
		close(in.done)
		err = in.ln.Close()
	})
	return err
}

// Addr is the real listener's.
func (in *intake) Addr() net.Addr { return in.ln.Addr() }

// handed is a connection of which something was read already.
type handed struct {
	net.Conn
	front []byte // what was read, and not by whoever has the connection now
}

// Read reads what was read already first.
func (c *handed) Read(p []byte) (int, error) {
	if len(c.front) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.front)
	if c.front = c.front[n:]; len(c.front) == 0 {
		c.front = nil
	}
	return n, nil
}

// NetConn is the connection below.
func (c *handed) NetConn() net.Conn { return c.Conn }

// CloseWrite ends the writing side, so that a last answer is read before the end.
func (c *handed) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
