// Package front is an HTTP/1.1 server for plain requests, in front of net/http's.
//
// An HTTP server is asked for the same few things nearly always: a POST with a
// length, whose head comes in one piece. Such a request is read here, which costs
// less than in net/http (BenchmarkRequest, without the kernel); with the first that
// is anything else (another method, a chunked body, Expect, HTTP/2, a head in pieces,
// a fault of any kind) its connection is given to net/http, with all bytes that were
// read of it, and stays there. So there is one place only that says what HTTP is, and
// clients and handlers find here what they find there; the tests hold the two side
// by side, and reply says what is left out. What a handler must not do with net/http
// it really must not do here: requests with the same head share their URL and Header.
package front

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Server serves plain requests itself and all others by HTTP. A zero Server with
// HTTP set is ready; it must not be copied.
type Server struct {
	// HTTP has the handler, and answers what is not plain. Handler (not nil),
	// ReadHeaderTimeout, IdleTimeout, BaseContext, ConnContext and ErrorLog hold for
	// plain requests too; ReadTimeout, WriteTimeout and ConnState do not.
	HTTP *http.Server

	requests atomic.Uint64 // plain ones so far

	mu    sync.Mutex
	conns map[*conn]struct{}
	stop  chan struct{} // closed when the server ends
	wg    sync.WaitGroup
}

// Serve answers what comes to ln until Shutdown or Close, then returns
// http.ErrServerClosed; another error is the listener's. It closes ln.
func (s *Server) Serve(ln net.Listener) error {
	base := context.Background()
	if s.HTTP.BaseContext != nil {
		base = s.HTTP.BaseContext(ln)
	}
	base = context.WithValue(base, http.ServerContextKey, s.HTTP)
	in := newIntake(ln)
	var accepting sync.WaitGroup
	accepting.Go(func() {
		in.accept(func(c net.Conn) { s.take(base, in, c) }, s.logf)
	})
	err := s.HTTP.Serve(in) // closes it
	accepting.Wait()
	return err
}

// stopped is closed once the server ends; s.mu is locked.
func (s *Server) stopped() chan struct{} {
	if s.stop == nil {
		s.stop = make(chan struct{})
	}
	return s.stop
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// take begins to serve a connection, or closes it where the server has ended.
func (s *Server) take(base context.Context, in *intake, nc net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isClosed(s.stopped()) {
		_ = nc.Close()
		return
	}
	c := &conn{s: s, in: in, net: nc, stop: s.stopped()}
	if s.conns == nil {
		s.conns = map[*conn]struct{}{}
	}
	s.conns[c] = struct{}{}
	s.wg.Go(func() { c.serve(base) })
}

// drop forgets a connection.
func (s *Server) drop(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// end says that no more requests are wanted, and returns the connections that are
// open.
func (s *Server) end() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.stopped(); !isClosed(stop) {
		close(stop)
	}
	open := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		open = append(open, c)
	}
	return open
}

// Shutdown ends the server once all requests that have begun are answered. The
// error is the context's where it ends before that.
func (s *Server) Shutdown(ctx context.Context) error {
	for _, c := range s.end() {
		c.closeIdle()
	}
	if err := s.HTTP.Shutdown(ctx); err != nil {
		return err
	}
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		s.wg.Wait()
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the server and all connections, whatever they are doing.
func (s *Server) Close() error {
	for _, c := range s.end() {
		_ = c.net.Close()
	}
	return s.HTTP.Close()
}
