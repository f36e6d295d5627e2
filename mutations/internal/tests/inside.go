package tests

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.com/replaycheck/mutations/rt"
)

// floor is what a test may use of the CPU at least with a fault in a server.
const floor = 50 * time.Millisecond

// seat is where one of several that try faults has its server.
type seat struct {
	p     *server // nil: none at the moment
	dirty bool    // something may be left of a fault
}

// insides knows of each test how it does in a server without a fault.
type insides struct {
	mu   sync.Mutex
	took map[string]time.Duration // 0: it does not pass there
}

// inside makes tests with a fault in a server. ok: the verdict is one that a process
// of its own would come to: a test failed twice with the fault and passed after it
// without; the fault's code panicked; a test was at it all the time that it may take.
// All else, and most of all a fault that lives, is not known from here.
func (s *Suite) inside(ctx context.Context, number int, list []test) (v Verdict, ok bool) {
	at := <-s.seats
	defer func() { s.seats <- at }()
	for _, t := range list {
		if ctx.Err() != nil {
			return v, false
		}
		limit, fit := s.limit(ctx, at, t.name)
		if !fit {
			continue
		}
		r, h := s.ask(ctx, at, number, t.name, limit)
		switch {
		case h == busy:
			return Verdict{TimedOut: true, Reason: "they did not end"}, true
		case h == gone:
			crash, mine := crashed.FindString(at.said()), strings.Contains(at.said(), fmt.Sprintf("proofF%d_", number))
			return Verdict{Crashed: true, Reason: crash}, crash != "" && mine
		case h != answered:
			return v, false
		case !r.passed:
			return s.failed(ctx, at, number, t.name, limit)
		}
	}
	return v, false
}

// failed makes a test that failed once more, and then without the fault.
func (s *Suite) failed(ctx context.Context, at *seat, number int, name string, limit time.Duration) (v Verdict, ok bool) {
	if at.dirty { // of what is left another run may fail
		return v, false
	}
	again, h := s.ask(ctx, at, number, name, limit)
	if h != answered || again.passed || at.dirty {
		at.dirty = true
		return v, false
	}
	without, h := s.ask(ctx, at, rt.None, name, limit)
	if h != answered || !without.passed || at.dirty {
		at.dirty = true
		return v, false
	}
	return Verdict{Failed: []string{name}}, true
}

// limit is how long a test may take in a server; fit is false where it does not
// pass there without a fault.
func (s *Suite) limit(ctx context.Context, at *seat, name string) (limit time.Duration, fit bool) {
	s.known.mu.Lock()
	took, known := s.known.took[name]
	s.known.mu.Unlock()
	if !known {
		r, h := s.ask(ctx, at, rt.None, name, time.Minute)
		if h == answered && r.passed && !at.dirty {
			took = max(1, r.took)
		}
		s.known.mu.Lock()
		s.known.took[name] = took
		s.known.mu.Unlock()
	}
	return max(floor, 50*took), took > 0
}

// ask asks the seat's server, which is replaced where something may be left.
func (s *Suite) ask(ctx context.Context, at *seat, number int, name string, limit time.Duration) (reply, how) {
	if at.dirty && at.p != nil {
		at.p.stop()
		at.p = nil
	}
	if at.p == nil {
		p, err := s.start(ctx)
		if err != nil {
			return reply{}, late // nothing is known
		}
		at.p, at.dirty = p, false
	}
	r, h := at.p.ask(number, name, limit)
	at.dirty = h != answered || r.left > 0
	return r, h
}

// said is what the server wrote last.
func (at *seat) said() string {
	if at.p == nil {
		return ""
	}
	return at.p.said.String()
}

// Close ends the servers.
func (s *Suite) Close() {
	for range cap(s.seats) {
		if at := <-s.seats; at.p != nil {
			at.p.stop()
			at.p = nil
		}
	}
}
