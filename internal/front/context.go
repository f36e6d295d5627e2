package front

import (
	"context"
	"sync"
	"time"
)

// requestContext is a request's: it ends when the client leaves or the handler is
// done. The client is watched only once somebody asks, which few do.
type requestContext struct {
	context.Context // the connection's
	c               *conn
	memo            *Memo

	mu    sync.Mutex
	done  chan struct{}
	err   error
	over  bool // nothing is watched any more
	read  bool // the body was read to its end
	watch chan struct{}
	last  [1]byte // what the watch read, of the next request
	had   int
}

// Value is context.Context's.
func (x *requestContext) Value(key any) any {
	if key == (memoKey{}) {
		return x.memo
	}
	return x.Context.Value(key)
}

// Done is context.Context's.
func (x *requestContext) Done() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done == nil {
		x.done = make(chan struct{})
		if x.err != nil {
			close(x.done)
		}
		x.look()
	}
	return x.done
}

// Err is context.Context's.
func (x *requestContext) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// bodyRead notes that nothing more of the request comes, so that what is read now
// is the client's leaving or the next request, which may take its time.
func (x *requestContext) bodyRead() {
	x.c.setReadDeadline(time.Time{})
	x.mu.Lock()
	defer x.mu.Unlock()
	x.read = true
	x.look()
}

// look begins to watch the client where that is asked for and can be done; x.mu is
// locked.
func (x *requestContext) look() {
	if x.done == nil || x.over || x.watch != nil || !x.read {
		return
	}
	watch := make(chan struct{})
	x.watch = watch
	go func() {
		defer close(watch)
		n, err := x.c.receive(x.last[:])
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.had = n; n == 0 && err != nil && !x.over {
			x.cancel()
		}
	}()
}

// cancel ends the context; x.mu is locked.
func (x *requestContext) cancel() {
	if x.err == nil {
		x.err = context.Canceled
		if x.done != nil {
			close(x.done)
		}
	}
}

// fail ends the context, while the handler goes on where the client can't be written
// to or read from.
func (x *requestContext) fail() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cancel()
}

// end ends the context and the watch.
func (x *requestContext) end() {
	x.mu.Lock()
	watch := x.stop()
	x.cancel()
	x.mu.Unlock()
	x.wait(watch)
}

// unwatch ends the watch.
func (x *requestContext) unwatch() {
	x.mu.Lock()
	watch := x.stop()
	x.mu.Unlock()
	x.wait(watch)
}

// stop says that nothing is watched any more, and returns what is closed once that
// is so, nil where it is; x.mu is locked.
func (x *requestContext) stop() (watch chan struct{}) {
	x.over = true
	watch, x.watch = x.watch, nil
	return watch
}

// wait waits for the end of a watch, and puts back what it read.
func (x *requestContext) wait(watch chan struct{}) {
	if watch == nil {
		return
	}
	x.c.setReadDeadline(time.Unix(1, 0)) // the past: a read under way ends
	<-watch
	if x.had > 0 { // of its own: the watch is over
		x.c.putBack(x.last[0])
	}
}

// putBack adds a byte to what was read and not used.
func (c *conn) putBack(b byte) {
	if c.to == len(c.buf) {
		c.to = copy(c.buf, c.buf[c.from:c.to])
		c.from = 0
	}
	c.buf[c.to] = b
	c.to++
}
