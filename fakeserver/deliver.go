package fakeserver

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"strconv"
	"time"
)

var errBroken = errors.New("fakeserver: broken off by a fault")

// deliver sends a form with the fault that it has. It returns how many bytes of
// the text went out, and an error where that is not all.
func (p *Play) deliver(in *inflight, f *form) (int, error) {
	http10 := !in.r.ProtoAtLeast(1, 1)
	if f.fault == nil {
		return send(in.w, f, http10)
	}
	if err := p.wait(in.r.Context(), f.fault.Delay); err != nil {
		return 0, err
	}
	if f.fault.Reset == BeforeHeaders {
		reset(in)
		return 0, errBroken
	}
	if f.fault.Gzip {
		f = zipped(f)
	}
	if f.fault.Reset == AfterHeaders {
		announce(in.w, f, http10)
		if _, own := f.header["Content-Length"]; !own { // the body is about to come
			delete(in.w.Header(), "Content-Length")
		}
		in.w.WriteHeader(f.status)
		_ = flush(in.w)
		reset(in)
		return 0, errBroken
	}
	if f.fault.Drip == 0 {
		return send(in.w, f, http10)
	}
	return p.drip(in, f, http10)
}

// drip sends a form in small pieces.
func (p *Play) drip(in *inflight, f *form, http10 bool) (int, error) {
	size := f.fault.Piece
	if size == 0 {
		size = onePiece
	}
	announce(in.w, f, http10)
	in.w.WriteHeader(f.status)
	for sent := 0; sent < len(f.text); {
		if sent > 0 {
			if err := p.wait(in.r.Context(), f.fault.Drip); err != nil {
				return sent, err
			}
		}
		piece := f.text[sent:min(len(f.text), sent+size)]
		if _, err := write(in.w, piece); err != nil {
			return sent, err
		}
		if err := flush(in.w); err != nil {
			return sent, err
		}
		sent += len(piece)
	}
	return len(f.text), nil
}

// wait waits, unless the client leaves or the run ends before.
func (p *Play) wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-p.stops():
		return errBroken
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// zipped is a form with its text compressed. What is cut off it was cut before.
func zipped(f *form) *form {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	pieces := f.pieces
	if pieces == nil {
		pieces = []string{f.text}
	}
	out := *f
	out.pieces, out.lines = nil, nil
	for _, piece := range pieces {
		_, _ = write(z, piece) // into memory
		if f.pieces != nil {
			_ = z.Flush() // so that each piece can be read once it is there
			out.pieces = append(out.pieces, b.String())
			b.Reset()
		}
	}
	_ = z.Close()
	if out.pieces != nil {
		out.pieces[len(out.pieces)-1] += b.String()
		out.text = ""
		for _, piece := range out.pieces {
			out.text += piece
		}
	} else {
		out.text = b.String()
	}
	out.header = maps.Clone(f.header)
	if out.header == nil {
		out.header = http.Header{}
	}
	out.header["Content-Encoding"] = []string{"gzip"}
	return &out
}

// announce sets the header of a form.
func announce(w http.ResponseWriter, f *form, http10 bool) {
	lines := f.lines
	if lines == nil || http10 {
		lines = f.headerLines(http10)
	}
	h := w.Header()
	for _, l := range lines {
		h[l.name] = l.values
	}
}

// headerLines returns the header of a form. A stream's length is not announced, as
// the providers don't. Only where the end of the connection would be a clean end
// must a cut one be.
func (f *form) headerLines(http10 bool) []line {
	out := make([]line, 0, 2+len(f.header))
	add := func(name, value string) {
		if _, own := f.header[name]; !own {
			out = append(out, line{name, []string{value}})
		}
	}
	add("Content-Type", f.kind)
	if n := len(f.text); (f.pieces == nil || f.cut && http10) && f.status != http.StatusNoContent && f.status != http.StatusNotModified {
		if f.cut {
			n++ // never sent: the end comes unexpectedly
		}
		add("Content-Length", strconv.Itoa(n))
	}
	for name, values := range f.header {
		out = append(out, line{name, values})
	}
	return out
}

// hangUp ends the connection where it is, so that net/http adds no clean end.
func hangUp(in *inflight) {
	if c, _, err := http.NewResponseController(in.w).Hijack(); err == nil {
		_ = c.Close()
		return
	}
	if c, ok := in.r.Context().Value(connKey{}).(net.Conn); ok { // HTTP/2: all of its streams
		_ = raw(c).Close()
	}
}

// reset is hangUp with an RST instead of an end.
func reset(in *inflight) {
	if c, ok := in.r.Context().Value(connKey{}).(net.Conn); ok {
		inner := raw(c)
		if own, ok := inner.(*conn); ok {
			inner = own.Conn
		}
		if tcp, ok := inner.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	}
	hangUp(in)
}

// raw is the connection below TLS, or below whoever read something of it before.
func raw(c net.Conn) net.Conn {
	for {
		over, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return c
		}
		c = over.NetConn()
	}
}
