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

// read returns the body to its end, exactly as received. The buffer is
// reserved in the play before it is made. The error is a *LimitError or tells
// how the body broke off.
func (p *Play) read(r *http.Request) (string, error) {
	most := p.options.MaxBody
	if r.ContentLength > most {
		return "", &LimitError{fmt.Sprintf("request body of %d bytes", r.ContentLength), most, "MaxBody"}
	}
	if r.ContentLength >= 0 {
		if err := p.reserve(r.ContentLength); err != nil {
			return "", err
		}
		buf := make([]byte, r.ContentLength)
		n, err := io.ReadFull(r.Body, buf)
		if err != nil {
			p.release(r.ContentLength)
			return "", fmt.Errorf("request body ended after %d of %d bytes: %w", n, len(buf), err)
		}
		return frozen(buf), nil
	}
	return p.readChunked(r.Body)
}

func (p *Play) readChunked(body io.Reader) (string, error) {
	var buf []byte
	for {
		if len(buf) == cap(buf) {
			room := min(max(int64(cap(buf)), 4<<10), p.options.MaxBody+1-int64(len(buf)))
			err := p.reserve(room)
			if int64(len(buf)) > p.options.MaxBody {
				err = &LimitError{fmt.Sprintf("request body of more than %d bytes", p.options.MaxBody), p.options.MaxBody, "MaxBody"}
			}
			if err != nil {
				p.release(int64(cap(buf)))
				return "", err
			}
			buf = append(make([]byte, 0, int64(len(buf))+room), buf...)
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return frozen(buf), nil
		}
		if err != nil {
			p.release(int64(cap(buf)))
			return "", fmt.Errorf("request body ended after %d bytes: %w", len(buf), err)
		}
	}
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
