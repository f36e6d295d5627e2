package live

import (
	"context"
	"sync"
	"time"
)

// quiet is how long a conversation waits until it is judged again: what comes
// meanwhile is judged together, and the answers come first. One that took long is
// judged the more seldom, but within a second of what came.
const (
	quiet    = 50 * time.Millisecond
	maxQuiet = 900 * time.Millisecond
)

// judging is the queue of conversations to be judged.
type judging struct {
	mu       sync.Mutex
	queue    []due
	first    int           // of the queue; those before it are done
	wake     chan struct{} // has room for one
	progress chan struct{} // closed when one is judged or comes to the queue; nil: nobody waits
}

// due is a conversation and when it is to be judged.
type due struct {
	c  *conversation
	at time.Time
}

func (q *judging) init() {
	q.wake = make(chan struct{}, 1)
}

func (q *judging) add(c *conversation, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !c.queued {
		c.queued = true
		q.queue = append(q.queue, due{c, now.Add(min(max(quiet, 10*c.took()), maxQuiet))})
	}
	q.moved()
	if len(q.queue)-q.first == 1 {
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
}

// moved tells those who wait that there is something new; q.mu is locked.
func (q *judging) moved() {
	if q.progress != nil {
		close(q.progress)
		q.progress = nil
	}
}

func (q *judging) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.moved()
}

// moves returns what is closed once one more is judged or comes to the queue.
func (q *judging) moves() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.progress == nil {
		q.progress = make(chan struct{})
	}
	return q.progress
}

// take returns the next conversation, whether it is due or not, nil where there
// is none.
func (q *judging) take() *conversation {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == q.first {
		return nil
	}
	return q.pop()
}

// next returns the next conversation if it is due at a time; else nil and how
// long that is yet, 0 where there is none.
func (q *judging) next(now time.Time) (*conversation, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == q.first {
		return nil, 0
	}
	if left := q.queue[q.first].at.Sub(now); left > 0 {
		return nil, left
	}
	return q.pop(), 0
}

// pop takes the first of the queue, which is not empty; q.mu is locked.
func (q *judging) pop() *conversation {
	c := q.queue[q.first].c
	q.queue[q.first] = due{}
	q.first++
	if q.first >= len(q.queue)/2 { // their room is used again
		rest := copy(q.queue, q.queue[q.first:])
		clear(q.queue[rest:])
		q.queue, q.first = q.queue[:rest], 0
	}
	c.queued = false
	return c
}

// judge judges conversations as they change, one after another: it must not
// take the machine from the client that is tested.
func (s *Server) judge(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		c, left := s.judging.next(s.options.Now())
		if c != nil {
			s.judgeOne(c)
			continue
		}
		if left > 0 {
			timer.Reset(left)
		} else {
			timer.Reset(time.Hour)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.judging.wake:
		case <-timer.C:
		}
	}
}

// judgeSome judges a few conversations of the queue, so that they can leave the
// journal; false: there is none.
func (s *Server) judgeSome() bool {
	var room [128]*conversation // finding out who may leave costs more than judging one
	judged := room[:0]
	found := false
	begun := time.Now()
	for now := begun; len(judged) < cap(judged) && now.Sub(begun) < 2*time.Millisecond; {
		c := s.judging.take()
		if c == nil {
			break
		}
		if found = true; s.update(c, &now) {
			judged = append(judged, c)
		}
	}
	s.weigh(judged...)
	return found
}

// judgeOne brings a conversation's verdict up to date.
func (s *Server) judgeOne(c *conversation) {
	now := time.Now()
	if s.update(c, &now) {
		s.weigh(c)
	}
}

// update makes a conversation's verdict anew if something came since; false:
// nothing did. Whoever does it for several may weigh them together afterwards. now
// is the time, before and after.
func (s *Server) update(c *conversation, now *time.Time) bool {
	if c.judged() {
		return false
	}
	at := c.changes.Load() // before the record, so that it is never too new
	v := s.look(c)
	v.at = at
	if !v.first || v.bytes > 64<<10 { // else it took hardly more than to ask for the time
		end := time.Now()
		v.took, *now = end.Sub(*now), end
	}
	c.verdict.Store(v)
	return true
}

// weigh lets the journal know what conversations hold that were judged, and those
// who wait for room that they were.
func (s *Server) weigh(judged ...*conversation) {
	if len(judged) == 0 {
		return
	}
	s.journal.weigh(judged)
	s.journal.changes.Add(1)
	s.judging.done()
}

// took is how long the newest verdict took, 0 if there is none.
func (c *conversation) took() time.Duration {
	if v := c.seen(); v != nil {
		return v.took
	}
	return 0
}
