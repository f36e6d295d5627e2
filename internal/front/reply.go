package front

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// undecided is how many bytes of a reply are held before its head is sent
	// without its length: as many as in net/http.
	undecided = 2 << 10
	// together is how many bytes are copied so that they are sent at once.
	together = 8 << 10
	// leftover is how much of a body that the handler left is read, so that the
	// connection can be used again: as much as in net/http.
	leftover = 256 << 10
	// linger is how long a client that still writes may take to read the answer
	// before the connection ends: as long as in net/http.
	linger = 500 * time.Millisecond
)

var errStatus = errors.New("front: no status")

// reply is the http.ResponseWriter of a plain request. Beside that it can flush, be
// hijacked and have deadlines (http.ResponseController). Trailers and a
// Transfer-Encoding of the handler's own are not sent.
type reply struct {
	c      *conn
	body   *body
	header http.Header
	status int   // 0: not said yet
	said   said  // of the header, when the status was said
	length int64 // announced; -1: not
	wrote  int64 // bytes of the body so far
	held   []byte
	begun  bool // the head is decided
	chunks bool
	ends   bool // the connection ends with the reply
	slowly bool // and the client may still be writing
	err    error

	hijacked bool
	timed    bool // a write deadline was set
}

// Header is http.ResponseWriter's.
func (w *reply) Header() http.Header { return w.header }

// WriteHeader is http.ResponseWriter's.
func (w *reply) WriteHeader(status int) {
	switch {
	case w.hijacked || w.status != 0:
		w.c.s.logf("front: the status %d comes too late", status)
		return
	case status < 100 || status > 999:
		w.c.s.logf("front: %d is no status", status)
		w.err = errStatus // net/http panics: nothing is sent, and the connection ends
		return
	case status < 200 && status != http.StatusSwitchingProtocols:
		w.c.out, _ = appendHeader(appendStatus(w.c.out, status), w.header, status)
		w.c.out = append(w.c.out, "\r\n"...)
		w.send()
		return
	}
	w.status = status
	if last := &w.c.said; last.is(status, w.header) {
		w.c.out, w.said, w.length = append(w.c.out, last.text...), last.said, last.length
		return
	}
	if text := w.header.Get("Content-Length"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err == nil && n >= 0 {
			w.length = n
		} else {
			w.header.Del("Content-Length")
		}
	}
	from := len(w.c.out)
	w.c.out, w.said = appendHeader(appendStatus(w.c.out, status), w.header, status)
	w.c.said.set(status, w.header, w.c.out[from:], w.said, w.length)
}

// Write is http.ResponseWriter's.
func (w *reply) Write(p []byte) (int, error) {
	if w.hijacked {
		return 0, http.ErrHijacked
	}
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if !hasBody(w.status) {
		return 0, http.ErrBodyNotAllowed
	}
	w.wrote += int64(len(p))
	if w.length >= 0 && w.wrote > w.length {
		return 0, http.ErrContentLength
	}
	if !w.begun {
		if w.length < 0 && len(w.held)+len(p) <= undecided {
			w.held = append(w.held, p...)
			return len(p), nil
		}
		w.begin(false, p)
	}
	w.put(p)
	return len(p), w.err
}

// begin decides how the body is sent and completes the head. first is what is
// written now, after what is held; last: nothing comes after it.
func (w *reply) begin(last bool, first []byte) {
	w.begun = true
	if len(w.held) > 0 {
		first = w.held
	}
	closes := strings.EqualFold(w.said.connection, "close")
	w.ends = closes || isClosed(w.c.stop)
	if !w.ends {
		w.skip()
	}
	counted := -1
	if last && w.length < 0 && hasBody(w.status) {
		counted = len(first)
		w.length = int64(counted)
	}
	w.chunks = w.length < 0 && hasBody(w.status)
	out := w.c.out
	if !w.said.date {
		out = w.c.date.append(out)
	}
	if counted >= 0 {
		out = append(strconv.AppendInt(append(out, "Content-Length: "...), int64(counted), 10), "\r\n"...)
	}
	if !w.said.kind && len(first) > 0 {
		out = append(append(append(out, "Content-Type: "...), http.DetectContentType(first)...), "\r\n"...)
	}
	switch {
	case w.ends:
		out = append(out, "Connection: close\r\n"...)
	case w.said.connection != "":
		out = appendField(out, "Connection", w.said.connection)
	}
	if w.chunks {
		out = append(out, "Transfer-Encoding: chunked\r\n"...)
	}
	out = append(out, "\r\n"...)
	w.c.out = out
	if len(w.held) > 0 {
		w.put(w.held)
		w.held = nil
	}
}

// skip reads what the handler left of the body, so that a client which writes all
// before it reads gets its answer. Where that is too much the connection ends.
func (w *reply) skip() {
	left := w.body.left
	if left == 0 {
		return
	}
	if left >= leftover {
		w.ends, w.slowly = true, true
		return
	}
	if _, err := io.Copy(io.Discard, w.body); err != nil {
		w.ends = true
	}
}

// put adds bytes of the body to what is to be sent, and sends that where it is much.
func (w *reply) put(p []byte) {
	end := ""
	if w.chunks {
		end = "\r\n"
		w.c.out = append(strconv.AppendInt(w.c.out, int64(len(p)), 16), end...)
	}
	if len(w.c.out)+len(p) > together {
		w.send(p, []byte(end))
		return
	}
	w.c.out = append(append(w.c.out, p...), end...)
}

// send sends what is to be sent, and more after it.
func (w *reply) send(more ...[]byte) {
	switch {
	case w.err != nil:
	case len(more) > 0:
		all := append(net.Buffers{w.c.out}, more...)
		_, w.err = all.WriteTo(w.c.net)
	case len(w.c.out) > 0:
		_, w.err = w.c.net.Write(w.c.out)
	}
	w.c.out = w.c.out[:0]
	if w.err != nil {
		w.body.ctx.fail()
	}
}

// finish completes the reply; false: the connection can't be used again.
func (w *reply) finish() bool {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.begun {
		w.begin(true, nil)
	}
	if w.chunks {
		w.c.out = append(w.c.out, "0\r\n\r\n"...)
	}
	w.send()
	if w.body.left > leftover {
		w.ends, w.slowly = true, w.slowly || !errors.Is(w.body.err, io.EOF)
	} else if w.body.left > 0 {
		_, _ = io.Copy(io.Discard, w.body) // it ends with the reply in any case
	}
	if w.timed {
		_ = w.c.net.SetWriteDeadline(time.Time{})
	}
	if w.slowly {
		w.c.lingers()
	}
	short := w.length >= 0 && hasBody(w.status) && w.wrote != w.length
	return !w.ends && !short && w.err == nil && w.body.left == 0 && !isClosed(w.c.stop)
}

// lingers gives the client a moment to read the answer: it is lost where the
// connection is closed with bytes that nobody read.
func (c *conn) lingers() {
	_ = closeWrite(c.net)
	t := time.NewTimer(linger)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.stop:
	}
}
