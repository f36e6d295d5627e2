package front

import (
	"errors"
	"io"
	"net/http"
)

// body is a request's body.
type body struct {
	c    *conn
	ctx  *requestContext
	left int64 // bytes that were not read yet
	err  error // why it broke off
}

// Take returns what is left of a request's body where all of it came with the head,
// and takes it: nothing is left to be read. It is the connection's memory, so nobody
// may write to it or look at it once the handler is done. nil: it has to be read.
func Take(r *http.Request) []byte {
	b, ok := r.Body.(*body)
	if !ok || b.left == 0 || b.left > int64(b.c.to-b.c.from) || b.err != nil {
		return nil
	}
	end := b.c.from + int(b.left)
	here := b.c.buf[b.c.from:end:end]
	b.c.from, b.left = end, 0
	b.ctx.bodyRead()
	return here
}

// Read returns io.EOF with the last bytes, io.ErrUnexpectedEOF where the client
// leaves before.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), b.left)]
	if len(p) == 0 {
		return 0, nil
	}
	var n int
	var err error
	if c := b.c; c.from < c.to {
		n = copy(p, c.buf[c.from:c.to])
		c.from += n
	} else {
		n, err = b.receive(p)
	}
	b.left -= int64(n)
	switch {
	case b.left == 0:
		b.ctx.bodyRead()
		return n, io.EOF
	case err == nil:
		return n, nil
	}
	b.ctx.fail()
	if errors.Is(err, io.EOF) {
		// As net/http has it: nothing is left to be read, unless it would be too much.
		if b.err = io.EOF; b.left < leftover {
			b.left = 0
		}
		err = io.ErrUnexpectedEOF
	} else {
		b.err = err
	}
	return n, err
}

// receive reads more of the body: a small rest by way of buf, so that what follows
// it in the same packet is read with it.
func (b *body) receive(p []byte) (int, error) {
	c := b.c
	if len(p) >= len(c.buf) {
		return c.receive(p)
	}
	n, err := c.receive(c.buf)
	used := copy(p, c.buf[:n])
	c.from, c.to = used, n
	return used, err
}

// Close has nothing to do: what is left is read, or not, once the handler is done.
func (b *body) Close() error { return nil }
