package front

import (
	"bufio"
	"net"
	"net/http"
	"time"
)

// FlushError sends what was written so far.
func (w *reply) FlushError() error {
	if w.hijacked {
		return http.ErrHijacked
	}
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.begun {
		w.begin(false, nil)
	}
	w.send()
	return w.err
}

// Flush is http.Flusher's.
func (w *reply) Flush() { _ = w.FlushError() }

// SetReadDeadline is for http.ResponseController. It may be called while the
// handler reads.
func (w *reply) SetReadDeadline(t time.Time) error {
	w.c.setReadDeadline(t)
	return nil
}

// SetWriteDeadline is for http.ResponseController. It may be called while the
// handler writes.
func (w *reply) SetWriteDeadline(t time.Time) error {
	w.c.mu.Lock()
	w.timed = true
	w.c.mu.Unlock()
	return w.c.net.SetWriteDeadline(t)
}

// Hijack is http.Hijacker's. Of what was not flushed the head is sent, and no more, as
// net/http does.
func (w *reply) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.hijacked {
		return nil, nil, http.ErrHijacked
	}
	if w.status != 0 {
		w.held = nil
		_ = w.FlushError()
	}
	w.hijacked = true
	w.c.s.drop(w.c) // whoever has it now ends it
	w.body.ctx.unwatch()
	_ = w.c.net.SetDeadline(time.Time{})
	front := w.c.buf[w.c.from:w.c.to]
	in := bufio.NewReaderSize(&handed{Conn: w.c.net, front: front}, roomy)
	_, _ = in.Peek(len(front)) // from memory
	return w.c.net, bufio.NewReadWriter(in, bufio.NewWriter(w.c.net)), nil
}
