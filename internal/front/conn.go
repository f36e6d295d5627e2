package front

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"
)

// roomy is how many bytes are read at once where it is not known how many come:
// as many as net/http's. A head that has more is not plain.
const roomy = 4 << 10

// forgiven is how many bytes of empty lines may stand between requests.
const forgiven = 4

// conn is a connection whose requests were plain so far.
type conn struct {
	s      *Server
	in     *intake
	net    net.Conn
	stop   <-chan struct{}
	remote string
	ctx    context.Context

	buf      []byte // what was read: buf[from:to] is not used yet
	from, to int
	last     *head  // the last request's; nil: it is too long to be kept
	later    bool   // a request came before
	number   uint64 // of the last request, among those of all connections
	out      []byte // a reply's bytes that are not sent yet; memory only between replies
	date     date
	header   http.Header // a reply's; memory only between replies
	said     written     // the last reply's head

	mu     sync.Mutex // guards what follows, which others may ask for meanwhile
	busy   bool       // a request came and is being answered, or given away
	closed bool       // because nothing was, at the server's end
	read   deadline
}

// serve answers requests until one is not plain or the connection ends.
func (c *conn) serve(base context.Context) {
	defer c.s.drop(c)
	c.remote = c.net.RemoteAddr().String()
	c.ctx = context.WithValue(base, http.LocalAddrContextKey, c.net.LocalAddr())
	if with := c.s.HTTP.ConnContext; with != nil {
		c.ctx = with(c.ctx, c.net)
	}
	c.buf = make([]byte, roomy)
	patience := c.s.HTTP.ReadHeaderTimeout // a new connection is to say something
	for {
		begun, err := c.await(patience)
		if err != nil || isClosed(c.stop) {
			_ = c.net.Close()
			return
		}
		h := c.head(begun)
		if h == nil {
			c.handOver(begun)
			return
		}
		if !c.answer(h) {
			return
		}
		patience = c.s.HTTP.IdleTimeout
	}
}

// await waits for the next request and returns where in buf it begins.
func (c *conn) await(patience time.Duration) (int, error) {
	// A client may send a line too much after a body, and net/http forgives it.
	enough := 1
	if c.later {
		enough = forgiven
	}
	var until time.Time
	if patience > 0 {
		until = time.Now().Add(patience)
	}
	if c.to-c.from >= enough { // it came with the one before, whose deadline is not its own
		c.setReadDeadline(time.Time{})
	}
	for c.to-c.from < enough {
		if c.from > 0 {
			c.to = copy(c.buf, c.buf[c.from:c.to])
			c.from = 0
		}
		n, err := c.idle(c.buf[c.to:], until)
		c.to += n
		if n == 0 {
			return 0, err
		}
	}
	for i := 0; i < enough && enough > 1 && (c.buf[c.from] == '\r' || c.buf[c.from] == '\n'); i++ {
		c.from++
	}
	return c.from, nil
}

// head takes the head of the request that begins at a place, nil where it is not
// plain: then nothing was taken.
func (c *conn) head(begun int) *head {
	had := c.buf[begun:c.to]
	n := bytes.Index(had, []byte("\r\n\r\n"))
	if n < 0 {
		return nil
	}
	text := had[:n+2]
	h := c.last
	if h == nil || h.text != string(text) {
		if h = parse(string(text)); h == nil {
			return nil
		}
		if c.last = h; len(text) > apart {
			c.last = nil
		}
	}
	c.from, c.later = begun+n+4, true
	return h
}

// handOver gives the connection to net/http, from a place in buf on.
func (c *conn) handOver(from int) {
	_ = c.net.SetReadDeadline(time.Time{})
	c.in.give(&handed{Conn: c.net, front: c.buf[from:c.to]})
}

// idle reads from the connection until a time; meanwhile it may be closed, since no
// request is being answered.
func (c *conn) idle(p []byte, until time.Time) (int, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return 0, net.ErrClosed
	}
	c.busy, c.read.want = false, until
	c.applyRead()
	c.read.reading = true
	c.mu.Unlock()
	if c.later {
		c.yield()
	}
	n, err := c.net.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	// A body may take as long as the handler lets it.
	c.read.reading, c.read.want = false, time.Time{}
	if c.closed {
		return 0, net.ErrClosed
	}
	c.busy = true
	return n, err
}

// closeIdle closes the connection, unless a request is being answered.
func (c *conn) closeIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.busy {
		c.closed = true
		_ = c.net.Close()
	}
}

// answer lets the handler answer a request; false: the connection is done with.
func (c *conn) answer(h *head) (again bool) {
	x := &exchange{}
	x.body = body{c: c, left: h.length}
	x.ctx = requestContext{Context: c.ctx, c: c, memo: &h.memo, read: h.length == 0}
	x.body.ctx = &x.ctx
	r := (&http.Request{
		Method: http.MethodPost, URL: h.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h.fields, Body: http.NoBody, ContentLength: h.length, Host: h.host, RemoteAddr: c.remote, RequestURI: h.target,
	}).WithContext(&x.ctx)
	if h.length > 0 {
		r.Body = &x.body
	}
	w := &x.reply
	if c.header == nil {
		c.header = http.Header{}
	}
	*w = reply{c: c, body: &x.body, header: c.header, length: -1}
	defer func() {
		if v := recover(); v != nil {
			again = false
			c.panicked(v)
			if w.begun {
				w.send()
			}
		}
		x.ctx.end()
		if !w.hijacked && !again {
			_ = c.net.Close()
		}
	}()
	c.s.HTTP.Handler.ServeHTTP(w, r)
	if w.hijacked {
		return false
	}
	if !w.finish() {
		return false
	}
	clear(c.header)
	return true
}

// exchange is what a request needs: one piece of memory.
type exchange struct {
	ctx   requestContext
	body  body
	reply reply
}

// panicked tells of a panic of the handler, as net/http does.
func (c *conn) panicked(v any) {
	if v == http.ErrAbortHandler { //nolint:errorlint // a value of panic, as net/http compares it
		return
	}
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	c.s.logf("http: panic serving %v: %v\n%s", c.remote, v, stack)
}
