package scenario

import (
	"sync"

	"example.com/replaycheck/fakeserver"
)

// Counters are servers on which the connections of runs are counted, one run at a time
// on each, kept from run to run: a listener for each run takes longer than the run, and
// asking how many connections came costs one. They are for subjects that do nothing
// after a run: what came late would count for the next. The zero value is ready and
// safe for concurrent use; a nil one keeps nothing.
type Counters struct {
	mu   sync.Mutex
	free []counter
}

// counter is a server, and how many connections it had accepted by the end of its last
// run.
type counter struct {
	server   *fakeserver.Server
	accepted int64
}

// take returns a server that nobody else uses.
func (c *Counters) take() (counter, error) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if n := len(c.free); n > 0 {
			out := c.free[n-1]
			c.free = c.free[:n-1]
			return out, nil
		}
	}
	server, err := fakeserver.Start(fakeserver.Options{})
	return counter{server: server}, err // none was accepted by it
}

// give takes a server back. One whose run came to no good end is closed.
func (c *Counters) give(used counter, good bool) {
	if c == nil || !good {
		used.server.Close()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = append(c.free, used)
}

// Close stops the servers that no run uses.
func (c *Counters) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.free {
		f.server.Close()
	}
	c.free = nil
}
