package fakeserver

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// listener counts connections exactly and can end all of them.
type listener struct {
	net.Listener
	fencing  sync.Mutex // one fence at a time
	mu       sync.Mutex
	arrived  *sync.Cond
	conns    map[string]*conn // by the client's address
	accepted int64
	closed   bool
	// The connection that count opened: whether it is being opened, its address as
	// its client, and whether it came through.
	opening bool
	fence   string
	passed  bool
}

func newListener(ln net.Listener) *listener {
	l := &listener{Listener: ln, conns: map[string]*conn{}}
	l.arrived = sync.NewCond(&l.mu)
	return l
}

// conn knows its listener, and how many requests began on it and reached the
// handler.
type conn struct {
	net.Conn
	from           string
	l              *listener
	begun, handled atomic.Int64
	http2          atomic.Bool
}

func (c *conn) Close() error {
	c.l.mu.Lock()
	delete(c.l.conns, c.from)
	c.l.mu.Unlock()
	return c.Conn.Close()
}

// Accept returns the next connection; those after shut are ended at once, and so
// is count's own.
func (l *listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: inner, from: inner.RemoteAddr().String(), l: l}
		if l.admit(c) {
			return c, nil
		}
		_ = inner.Close()
	}
}

func (l *listener) admit(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.opening { // it may be this one
		l.arrived.Wait()
	}
	if c.from == l.fence {
		l.passed = true
		l.arrived.Broadcast()
		return false
	}
	l.accepted++
	if !l.closed {
		l.conns[c.from] = c
	}
	l.arrived.Broadcast()
	return !l.closed
}

// count returns the number of connections accepted. The kernel completes a
// connection before Accept sees it, so a client's connection may still wait
// there. Connections are accepted in their order: once one opened by count
// itself has come through, all earlier ones have.
func (l *listener) count() int64 {
	l.fencing.Lock()
	defer l.fencing.Unlock()
	l.mu.Lock()
	l.opening = true
	l.mu.Unlock()
	// Where very many wait there is no room for one more until some are accepted.
	hurry := time.AfterFunc(20*time.Millisecond, l.opened)
	own, err := net.DialTimeout("tcp4", l.Addr().String(), time.Second)
	hurry.Stop()
	l.opened()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil { // closed: nothing waits any more
		return l.accepted
	}
	defer func() { _ = own.Close() }()
	l.fence = own.LocalAddr().String()
	for !l.closed && !l.passed && l.conns[l.fence] == nil {
		l.arrived.Wait()
	}
	if !l.passed && l.conns[l.fence] != nil { // it came through before its address was known
		l.accepted--
	}
	l.fence, l.passed = "", false
	return l.accepted
}

// opened lets connections pass that came while count opened its own.
func (l *listener) opened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opening = false
	l.arrived.Broadcast()
}

// shut stops listening and ends every connection, busy or not.
func (l *listener) shut() {
	l.mu.Lock()
	l.closed = true
	l.arrived.Broadcast()
	conns := l.conns
	l.conns = map[string]*conn{}
	l.mu.Unlock()
	_ = l.Listener.Close()
	for _, c := range conns {
		_ = c.Conn.Close()
	}
}
