package fakeserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
)

// Options bound what a server keeps in memory. The limits hold per play, so
// that one run never fails another. Zero values stand for the defaults.
type Options struct {
	MaxBody      int64 // bytes of one request body; 0: 64 MiB
	MaxBytes     int64 // bytes of all recorded requests, headers included; 0: 512 MiB
	MaxExchanges int   // recorded requests; 0: 100,000
	// TLS serves HTTPS, with a certificate that Server.Certificate returns, and
	// HTTP/2 to those who ask for it there.
	TLS bool
	// H2C speaks HTTP/2 in the clear to clients that begin with it. Without TLS
	// only; HTTP/1 clients must then send 14 bytes before they get an answer.
	H2C bool
}

func (o Options) withDefaults() Options {
	return Options{
		MaxBody:      cmp.Or(o.MaxBody, 64<<20),
		MaxBytes:     cmp.Or(o.MaxBytes, 512<<20),
		MaxExchanges: cmp.Or(o.MaxExchanges, 100_000),
		TLS:          o.TLS,
		H2C:          o.H2C,
	}
}

// Server is a fake provider for many runs. Its methods are safe for concurrent
// use.
type Server struct {
	options Options
	ln      *listener
	http    *httptest.Server
	plays   sync.Map // id → *Play
	strays  atomic.Int64
}

// Start listens on a free port of 127.0.0.1. The caller closes the server.
func Start(o Options) (*Server, error) {
	if o.MaxBody < 0 || o.MaxBytes < 0 || o.MaxExchanges < 0 {
		return nil, fmt.Errorf("fakeserver: start: got options %+v, want no limit below 0", o)
	}
	// httptest panics where it cannot listen; this is an error here.
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fakeserver: start: %w", err)
	}
	s := &Server{options: o.withDefaults(), ln: newListener(ln)}
	s.http = &httptest.Server{Listener: s.ln, Config: &http.Server{
		Handler:     http.HandlerFunc(s.serve),
		ConnState:   s.watch,
		ConnContext: ConnContext,
		// net/http warns here about semicolons in queries, which a released
		// client sends. Panics do not end here, see Server.serve.
		ErrorLog: log.New(io.Discard, "", 0),
	}}
	if o.TLS {
		s.http.EnableHTTP2 = true
		s.http.StartTLS()
		return s, nil
	}
	if o.H2C {
		s.http.Config.Protocols = &http.Protocols{}
		s.http.Config.Protocols.SetHTTP1(true)
		s.http.Config.Protocols.SetUnencryptedHTTP2(true)
	}
	s.http.Start()
	return s, nil
}

// Play begins a run and gives it a base URL that nothing else answers to. What
// is wrong with the script is in the record's Err.
func (s *Server) Play(script Script) *Play {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails, see its doc comment
	p := newPlay(s, hex.EncodeToString(id[:]), s.options, script)
	s.plays.Store(p.id, p)
	return p
}

// Certificate is what a client of a server with TLS has to trust, nil without.
func (s *Server) Certificate() *x509.Certificate { return s.http.Certificate() }

// Accepted returns how many connections were accepted so far, those that sent
// nothing included. Every connection that a client had opened before the call
// is counted (REFUSE-09: "no connection opened").
func (s *Server) Accepted() int64 { return s.ln.count() }

// Strays returns how many requests belonged to no play and are recorded
// nowhere: those with no or an unknown path prefix, of a play already closed or
// with a dot segment in the path were answered 404; those that were not HTTP,
// ended in their header or had one of over 1 MiB never got that far, and are
// counted when their connection ends.
func (s *Server) Strays() int64 { return s.strays.Load() }

// Close ends all connections, whatever they are doing, and waits for the
// handlers. Plays stay readable.
func (s *Server) Close() {
	s.ln.shut()
	s.http.Close()
}

const prefix = "/r/"

type connKey struct{}

// ConnContext is for the http.Server of whoever hands requests to Play.Serve: a
// fault then finds the connection that it breaks.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// watch counts what net/http refuses before any handler sees it.
func (s *Server) watch(nc net.Conn, state http.ConnState) {
	c, ok := raw(nc).(*conn)
	switch {
	case !ok || c.http2.Load(): // one connection, many requests at once
	case state == http.StateActive:
		c.begun.Add(1)
	case state == http.StateClosed:
		s.strays.Add(c.begun.Load() - c.handled.Load())
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if nc, ok := r.Context().Value(connKey{}).(net.Conn); ok {
		if c, ok := raw(nc).(*conn); ok {
			c.handled.Add(1)
			c.http2.Store(r.ProtoMajor > 1)
		}
	}
	raw := r.URL.EscapedPath()
	id, _, found := strings.Cut(strings.TrimPrefix(raw, prefix), "/")
	p := s.play(id)
	own := len(prefix) + len(id) // where the API's path begins
	if !found || p == nil || !strings.HasPrefix(raw, prefix) || dotted(r.URL.Path) {
		s.stray(w, r)
		return
	}
	// The prefix holds nothing that could be escaped, so it is as long in Path.
	if !p.serve(newInflight(w, r, readHead(r, raw[own:], r.URL.Path[own:], r.URL.RawQuery))) {
		s.stray(w, r)
	}
}

// play returns an open play, nil where there is none.
func (s *Server) play(id string) *Play {
	v, _ := s.plays.Load(id)
	p, _ := v.(*Play)
	return p
}

// dotted reports whether a path has a segment that some client or proxy on the
// way would resolve ("." or "..").
func dotted(path string) bool {
	for {
		i := strings.Index(path, "/.")
		if i < 0 {
			return false
		}
		path = path[i+2:]
		if end := strings.TrimPrefix(path, "."); end == "" || end[0] == '/' {
			return true
		}
	}
}

func (s *Server) stray(w http.ResponseWriter, r *http.Request) {
	s.strays.Add(1)
	drain(w, r)
	c := route(r.Method, r.URL.Path, "")
	_, _ = send(w, c.refusal(http.StatusNotFound, "no run answers to the path "+short(r.URL.Path)+
		"; want the base URL of a run that is still open, "+s.http.URL+prefix+"<id>, and the API's own path after it"), false)
}
