package front

import "runtime"

// crowd is how many requests of others come between two of a connection where many
// clients ask at once.
const crowd = 8

// yield lets other connections go first where many ask at once: by the time that it is
// this one's turn again its next request is there mostly, and need not be waited for.
// With few that would only cost the client time.
func (c *conn) yield() {
	n := c.s.requests.Add(1)
	others := n - c.number
	if c.number = n; others > crowd {
		runtime.Gosched()
	}
}
