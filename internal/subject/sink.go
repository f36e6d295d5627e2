package subject

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Sink stands where a driver's proxy variables point: on loopback, it lets
// nothing through and notes which host each connection asked for. A subject
// that ignores the base URL it is given shows up here instead of on the
// network. It is safe for concurrent use.
type Sink struct {
	listener net.Listener
	hit      func(host string)
	wg       sync.WaitGroup
	mu       sync.Mutex
	hosts    []string
	conns    map[net.Conn]bool
	last     string // where Close's own connection comes from
	closed   bool
}

// StartSink starts a sink on a free port of 127.0.0.1. hit, unless nil, is
// called with each host as it is noted, from the sink's goroutines. The caller
// closes it.
func StartSink(hit func(host string)) (*Sink, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("subject: start the sink: %w", err)
	}
	s := &Sink{listener: l, hit: hit, conns: map[net.Conn]bool{}}
	s.wg.Go(s.accept)
	return s, nil
}

// URL is the value of a proxy variable that points here.
func (s *Sink) URL() string { return "http://" + s.listener.Addr().String() }

// Hosts returns the hosts asked for so far, each once, in order.
func (s *Sink) Hosts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.hosts)
}

// Close notes what the connections so far still have to say, ends them and
// waits until nothing of the sink is left. What a driver that has exited asked
// for is in Hosts then.
func (s *Sink) Close() {
	// Connections are accepted in their order: once this one is, all are.
	c, err := net.DialTimeout("tcp", s.listener.Addr().String(), time.Second)
	if err == nil {
		s.mu.Lock()
		s.last = c.LocalAddr().String()
		s.mu.Unlock()
		_, _ = io.WriteString(c, "\n") // the address is set before this can be read
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = c.Read(make([]byte, 1))
		_ = c.Close()
	}
	_ = s.listener.Close()
	s.mu.Lock()
	for c := range s.conns {
		_ = c.SetDeadline(time.Now().Add(200 * time.Millisecond))
	}
	s.closed = true
	s.mu.Unlock()
	s.wg.Wait()
}

func (s *Sink) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			_ = c.Close()
			return
		}
		s.conns[c] = true
		s.wg.Go(func() { s.serve(c) })
		s.mu.Unlock()
	}
}

func (s *Sink) serve(c net.Conn) {
	defer func() {
		_ = c.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, c)
	}()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	r := bufio.NewReaderSize(io.LimitReader(c, 64<<10), 4<<10)
	line, _ := r.ReadString('\n')
	if line == "" || s.isLast(c) {
		return // a connection that asked for nothing
	}
	s.note(askedHost(line))
	// The rest of the head is read, so that the answer is not lost to a reset.
	for {
		if line, err := r.ReadString('\n'); err != nil || strings.TrimSpace(line) == "" {
			break
		}
	}
	// 403 and not 5xx: clients would try again.
	_, _ = io.WriteString(c, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

func (s *Sink) isLast(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.RemoteAddr().String() == s.last
}

func (s *Sink) note(host string) {
	s.mu.Lock()
	if !slices.Contains(s.hosts, host) && len(s.hosts) < 100 {
		s.hosts = append(s.hosts, host)
	}
	s.mu.Unlock()
	if s.hit != nil {
		s.hit(host)
	}
}

// askedHost reads the host out of the first line of a proxied request.
func askedHost(line string) string {
	method, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	target, _, _ := strings.Cut(rest, " ")
	if method == "CONNECT" && target != "" {
		return printable(target, 200)
	}
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		return printable(u.Host, 200) // without the path: it may hold a key
	}
	return "an unknown host"
}
