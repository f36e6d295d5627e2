package front

import "time"

// deadline is until when a read may take. It is set on the connection only where a
// read has to wait for it: most requests are there as a whole.
type deadline struct {
	want    time.Time // zero: none
	applied time.Time
	reading bool
}

// setReadDeadline sets until when reads may take, also one under way.
func (c *conn) setReadDeadline(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read.want = t
	if c.read.reading {
		c.applyRead()
	}
}

// applyRead sets the read deadline on the connection; c.mu is locked. One that is
// earlier by less than an eighth of the time left is left as it is.
func (c *conn) applyRead() {
	d := &c.read
	if d.applied.Equal(d.want) {
		return
	}
	if !d.applied.IsZero() && !d.want.IsZero() {
		if early := d.want.Sub(d.applied); early > 0 && early < time.Until(d.want)/8 {
			return
		}
	}
	d.applied = d.want
	_ = c.net.SetReadDeadline(d.want)
}

// receive reads from the connection.
func (c *conn) receive(p []byte) (int, error) {
	c.mu.Lock()
	c.applyRead()
	c.read.reading = true
	c.mu.Unlock()
	n, err := c.net.Read(p)
	c.mu.Lock()
	c.read.reading = false
	c.mu.Unlock()
	return n, err
}
