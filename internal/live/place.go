package live

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// patience is how long a request waits for room.
const patience = 2 * time.Second

// overhead is what a request holds besides its body, about.
const overhead = 2 << 10

// arrival is a request that looks for its conversation.
type arrival struct {
	*target
	fresh   bool // it begins one
	opening string
	size    int64
	print   imprint
	// given: the conversation that gave out something of its history, where no
	// one begins as it does. nil: there is none.
	given *conversation
	asked bool // given was looked for, or nobody has to
}

// place returns the conversation that a request belongs to, entered. Others leave
// for it; where none may because they are not judged yet, whoever brings more has
// to help. The error is a fullError: the journal has no room.
func (s *Server) place(ctx context.Context, t *target, body *known) (*conversation, error) {
	a := arrival{target: t, fresh: body.fresh, opening: body.opening, size: int64(len(body.Text())) + overhead, asked: true}
	if t.api != "" && !a.fresh && !t.named {
		a.print, a.asked = body.sum, false
	}
	var late <-chan time.Time
	for {
		c, others := s.find(a)
		if c != nil {
			return c, nil
		}
		if len(others) > 0 {
			root, _ := body.JSON()
			a.given, a.asked = gave(others, t.api, root), true
			continue
		}
		progress := s.judging.moves()
		if left := s.journal.evict(a.size, s.options.MaxBytes, s.options.MaxConversations); len(left) > 0 {
			s.keep(left...)
			continue
		}
		if s.judgeSome() {
			continue
		}
		if s.journal.stuck() {
			return nil, s.full(a)
		}
		if late == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-progress:
		case <-ctx.Done():
			return nil, s.full(a)
		case <-late:
			return nil, s.full(a)
		}
	}
}

// find returns the conversation that a request belongs to, entered. One begins
// where there is none, and where the request does: a client that names its
// conversations does so only once the one before came to its end, else it has
// lost its history, which is to be seen. nil: the journal is full, or it has to be
// found out first which of others gave out something of the request's history.
func (s *Server) find(t arrival) (c *conversation, others []*conversation) {
	now := s.options.Now()
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.bytes+t.size > s.options.MaxBytes {
		return nil, nil
	}
	g, begun := j.groups[t.key]
	if !begun {
		g = &group{key: t.key, name: t.name}
		if g.name == "" {
			g.name = "key " + strconv.Itoa(j.keys+1)
		}
	}
	if !t.asked {
		if others = g.others(t); len(others) > 0 {
			return nil, others
		}
	}
	c, why := g.belongs(t)
	if c == nil {
		if len(j.list) >= s.options.MaxConversations {
			return nil, nil
		}
		if !begun {
			if t.name == "" {
				j.keys++
			}
			j.groups[t.key] = g
		}
		before := g.repeated(t)
		c = j.begin(g, t.scenario, s.play(t.scenario), now)
		c.why, c.print, c.repeats = why, t.print, before
	} else {
		c.count(t)
	}
	if c.opening == "" {
		c.opening = t.opening
	}
	j.enter(c, t.api != "", t.size, now)
	return c, nil
}

// fullError says that the journal has no room for a request.
type fullError struct {
	status int
	text   string
}

func (e fullError) Error() string { return e.text }

// tooLarge is for a request that has no room in a journal that is empty.
func tooLarge(most int64) error {
	return fullError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more bytes than the journal may hold, which are %d (--max-journal)", most)}
}

// full says why there is no room. A client that tries again later is right to do
// so only where others may have left by then.
func (s *Server) full(t arrival) error {
	j, most := &s.journal, s.options.MaxBytes
	j.mu.Lock()
	defer j.mu.Unlock()
	if t.size > most {
		return tooLarge(most)
	}
	if g := j.groups[t.key]; g != nil {
		if c, _ := g.belongs(t); c != nil && c.bytes+t.size > most-most/8 {
			return fullError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the conversation %q holds %d bytes, and with this request it has no room in the journal of %d: begin another one, or raise --max-journal", c.name(), c.bytes, most)}
		}
	}
	return fullError{http.StatusServiceUnavailable, fmt.Sprintf("the journal is full: it holds %d of %d conversations (--max-conversations) and %d of %d bytes (--max-journal), and none of them is over and judged", len(j.list), s.options.MaxConversations, j.bytes, most)}
}
