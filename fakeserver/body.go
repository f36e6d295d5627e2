package fakeserver

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
	"unsafe"
)

// LimitError says which limit of the recording a request passed.
type LimitError struct {
	What   string // what is too much, with its amount where it is known
	Limit  int64
	Option string // the member of Options that raises it
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s, limit %d: raise Options.%s", e.What, e.Limit, e.Option)
}

// read returns the body to its end, exactly as received, in the one buffer it
// was read into. Its memory is taken from the play's budget first and noted in
// in.held. The error is a *LimitError or tells how the body broke off.
func (p *Play) read(in *inflight) (string, error) {
	if in.r.ContentLength < 0 {
		return p.readChunked(in)
	}
	buf, err := p.grow(in, nil, in.r.ContentLength)
	if err != nil {
		return "", err
	}
	buf = buf[:in.r.ContentLength]
	if n, err := io.ReadFull(in.r.Body, buf); err != nil {
		return "", fmt.Errorf("the request body ended after %d of %d bytes: %w", n, len(buf), err)
	}
	return frozen(buf), nil
}

func (p *Play) readChunked(in *inflight) (string, error) {
	var buf []byte
	for {
		if len(buf) == cap(buf) {
			var err error
			if buf, err = p.grow(in, buf, max(4<<10, 2*int64(len(buf)))); err != nil {
				return "", err
			}
		}
		n, err := in.r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return frozen(buf), nil
		}
		if err != nil {
			return "", fmt.Errorf("the request body ended after %d bytes: %w", len(buf), err)
		}
	}
}

// grow gives buf room for size bytes, at most for one more than the limit: a
// body that fills that is too long.
func (p *Play) grow(in *inflight, buf []byte, size int64) ([]byte, error) {
	most := p.options.MaxBody
	switch {
	case in.r.ContentLength > most:
		return nil, &LimitError{fmt.Sprintf("request body of %d bytes", size), most, "MaxBody"}
	case int64(len(buf)) > most:
		return nil, &LimitError{fmt.Sprintf("request body of more than %d bytes", most), most, "MaxBody"}
	}
	size = min(size, most+1)
	if err := p.reserve(in, size-int64(cap(buf))); err != nil {
		return nil, err
	}
	return append(make([]byte, 0, size), buf...), nil
}

// frozen is buf as a string without a copy. It is sound because the buffer was
// made for this one body and nobody writes to it or holds it any more.
func frozen(buf []byte) string { return unsafe.String(unsafe.SliceData(buf), len(buf)) }

// drain reads on for a while after a refused body, so that a client that
// writes all before it reads gets to see why.
func drain(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Expect") != "" { // it waits to be asked for the body
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(2 * time.Second))
	_, _ = io.Copy(io.Discard, r.Body)
}
