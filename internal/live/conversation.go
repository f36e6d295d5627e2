package live

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/result"
)

// conversation is one conversation of a client.
type conversation struct {
	number   int    // in the order of their beginnings
	group    *group // that it is one of
	nth      int    // of its group, from 1
	scenario *Scenario
	play     *fakeserver.Play
	begun    time.Time

	// Guarded by the journal.
	opening  string // the user's first text
	requests int    // to an API
	entered  int    // all
	under    int    // being answered
	last     time.Time
	finished bool
	left     bool    // the journal
	bytes    int64   // what it holds, about
	pending  int64   // of them, of requests being answered
	print    imprint // of the last request that is compared
	repeats  int     // how often that came since
	// printGiven is how many replies were given when it first came.
	printGiven int
	why        string // why it began, "" where that is plain

	kept   bool // its files are written; guarded by Server.keeping
	queued bool // to be judged; guarded by judging.mu

	changes atomic.Int64            // goes up when something came
	verdict atomic.Pointer[verdict] // the newest; nil: none yet
	gave    atomic.Pointer[given]   // as far as somebody asked; nil: nobody did
}

// id is the conversation's in addresses.
func (c *conversation) id() string { return "c" + strconv.Itoa(c.number) }

// name is the conversation's for people.
func (c *conversation) name() string {
	if c.nth > 1 {
		return c.group.name + " (" + strconv.Itoa(c.nth) + ")"
	}
	return c.group.name
}

// judged reports whether the verdict is about all that came.
func (c *conversation) judged() bool {
	v := c.seen()
	return v != nil && v.at == c.changes.Load()
}

// seen returns the newest verdict, nil if there is none yet.
func (c *conversation) seen() *verdict {
	return c.verdict.Load()
}

// over reports whether the scenario came to its end: its last reply is given,
// and it was no call that still wants an answer.
func (c *conversation) over() bool { return c.ended(c.play.Peek().Exchanges) }

// ended is over by the exchanges so far.
func (c *conversation) ended(exchanges []fakeserver.Exchange) bool {
	given := 0
	var last *fakeserver.Exchange
	for i := range exchanges {
		if exchanges[i].Step > 0 {
			given++
			last = &exchanges[i]
		}
	}
	if given == 0 || c.scenario.Left(given) > 0 {
		return false
	}
	return !c.scenario.gist(last.Endpoint, last.Reply).asks
}

// journal is all conversations that are kept.
type journal struct {
	mu      sync.Mutex
	list    []*conversation // by beginning, so by number
	groups  map[key]*group
	keys    int // groups told apart by an API key
	next    int
	bytes   int64
	gone    tally
	changes atomic.Int64
	refused []refusal
	strays  int // requests that belong to no conversation
	// runsOf are the runs that a conversation stands for.
	runsOf func(*conversation, *verdict) map[string]result.Run
}

// group is the conversations that are told apart by nothing but their course.
type group struct {
	key   key
	name  string
	count int             // begun so far
	kept  int             // of them in the journal
	open  []*conversation // newest last
}

// maxOpen is how many conversations of one group may go on side by side.
const maxOpen = 16

// refusal is a request that was recorded nowhere.
type refusal struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

func (j *journal) init() {
	j.groups = map[key]*group{}
	j.gone.init()
}

func (j *journal) all() []*conversation {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]*conversation(nil), j.list...)
}

// get returns the conversation with an ID, nil if the journal has none.
func (j *journal) get(id string) *conversation {
	number, err := strconv.Atoi(strings.TrimPrefix(id, "c"))
	if err != nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	i, found := slices.BinarySearchFunc(j.list, number, func(c *conversation, n int) int { return c.number - n })
	if !found || j.list[i].id() != id { // "c1" has no other form
		return nil
	}
	return j.list[i]
}

// note keeps the last few requests that could not be taken in.
func (j *journal) note(at time.Time, what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.strays++
	if j.refused = append(j.refused, refusal{at, what}); len(j.refused) > 20 {
		j.refused = j.refused[1:]
	}
	j.changes.Add(1)
}

// finish ends a conversation.
func (j *journal) finish(c *conversation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.close(c)
}

func (j *journal) close(c *conversation) {
	if c.finished {
		return
	}
	c.finished = true
	j.changes.Add(1)
	if i := slices.Index(c.group.open, c); i >= 0 {
		c.group.open = slices.Delete(c.group.open, i, i+1)
	}
}

// idle returns the open conversations that nothing came to since a time.
func (j *journal) idle(since time.Time) []*conversation {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []*conversation
	for _, c := range j.list {
		if !c.finished && c.under == 0 && c.last.Before(since) {
			out = append(out, c)
		}
	}
	return out
}

// begin adds a conversation to a group.
func (j *journal) begin(g *group, sc *Scenario, play *fakeserver.Play, now time.Time) *conversation {
	j.next++
	g.count++
	g.kept++
	c := &conversation{number: j.next, group: g, nth: g.count, scenario: sc, play: play, begun: now, last: now}
	j.list = append(j.list, c)
	if g.open = append(g.open, c); len(g.open) > maxOpen {
		j.close(g.open[0])
	}
	return c
}

// enter counts a request in; leave counts it out. Between them the conversation
// stays.
func (j *journal) enter(c *conversation, api bool, size int64, now time.Time) {
	c.under++
	c.entered++
	c.last = now
	c.bytes += size
	c.pending += size
	j.bytes += size
	if api {
		c.requests++
	}
}

func (j *journal) leave(c *conversation, size int64, now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c.under--
	c.pending -= size
	c.last = now
	c.changes.Add(1)
	j.changes.Add(1)
}

// weigh sets what conversations hold by what was recorded of them; requests being
// answered may be recorded or not.
func (j *journal) weigh(judged []*conversation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range judged {
		if c.left {
			continue
		}
		holds := c.seen().bytes + c.pending
		j.bytes += holds - c.bytes
		c.bytes = holds
	}
}

// evict lets conversations leave that are over and judged, oldest first, until
// there is room for one more with so many bytes; more than is needed, so that
// not every request has to ask. It returns those that left.
func (j *journal) evict(room, maxBytes int64, maxCount int) (left []*conversation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.bytes+room <= maxBytes && len(j.list) < maxCount {
		return nil
	}
	// Those that a newer one of their group has come after leave only where the
	// others are not enough: somebody may still go on with them.
	later := true
	for superseded := false; later; superseded = true {
		later = false
		count := len(j.list)
		kept := j.list[:0]
		for i, c := range j.list {
			if j.bytes+room <= maxBytes*3/4 && count < maxCount-maxCount/10 {
				kept = append(kept, j.list[i:]...)
				break
			}
			if !c.mayLeave(superseded) {
				later = later || !superseded && c.mayLeave(true)
				kept = append(kept, c)
				continue
			}
			count--
			left = append(left, c)
			j.drop(c)
		}
		clear(j.list[len(kept):])
		j.list = kept
		if j.bytes+room <= maxBytes && len(j.list) < maxCount {
			break
		}
	}
	j.changes.Add(1)
	return left
}

// mayLeave reports whether a conversation is judged and nothing more is to be
// expected of it.
func (c *conversation) mayLeave(superseded bool) bool {
	if c.under > 0 || !c.judged() {
		return false
	}
	if open := c.group.open; superseded && len(open) > 0 && open[len(open)-1] != c {
		return true
	}
	return c.finished || c.seen().over
}

// drop takes a conversation out of the journal; its verdict stays in the
// tally.
func (j *journal) drop(c *conversation) {
	j.bytes -= c.bytes
	j.close(c)
	c.left = true
	if c.group.kept--; c.group.kept == 0 {
		delete(j.groups, c.group.key)
	}
	j.gone.add(c, j.runsOf)
}

// stuck reports whether waiting makes no room: nothing is being answered or
// judged.
func (j *journal) stuck() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return !slices.ContainsFunc(j.list, func(c *conversation) bool { return c.under > 0 || !c.judged() || c.mayLeave(true) })
}
