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

// read returns the body to its end, exactly as received; where its length was
// announced, in the one buffer that it was read into. Its memory is taken from the play's budget first and noted in
// in.held. The error is a *LimitError or tells how the body broke off.
func (p *Play) read(in *inflight) (string, error) {
	size, most := in.r.ContentLength, p.options.MaxBody
	if size > most {
		return "", &LimitError{fmt.Sprintf("request body of %d bytes", size), most, "MaxBody"}
	}
	if size < 0 || size > trusted {
		return p.readGrowing(in)
	}
	if err := p.reserve(in, size); err != nil {
		return "", err
	}
	buf := make([]byte, size)
	if n, err := io.ReadFull(in.r.Body, buf); err != nil {
		return "", fmt.Errorf("the request body ended after %d of %d bytes: %w", n, size, err)
	}
	return frozen(buf), nil
}

// trusted is how many announced bytes get their memory before they are there.
const trusted = 1 << 20

// readGrowing reads a body of unknown length, or of one that may be a mere
// claim, into a buffer that grows with what comes.
func (p *Play) readGrowing(in *inflight) (string, error) {
	most, announced := p.options.MaxBody, in.r.ContentLength
	// One more than the limit: a body that needs it is too long.
	end, first := most+1, int64(4<<10)
	if announced >= 0 {
		end, first = announced, trusted
	}
	var buf []byte
	for {
		if len(buf) == cap(buf) {
			if int64(len(buf)) == announced {
				return frozen(buf), nil
			}
			size := min(max(first, 2*int64(len(buf))), end)
			room, err := p.reserveSome(in, size-int64(len(buf)))
			if err != nil {
				return "", err
			}
			buf = append(make([]byte, 0, int64(len(buf))+room), buf...)
		}
		n, err := in.r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > most:
			return "", &LimitError{fmt.Sprintf("request body of more than %d bytes", most), most, "MaxBody"}
		case errors.Is(err, io.EOF):
			p.release(in, int64(cap(buf)-len(buf)))
			// A buffer much too large is not worth keeping for the copy saved.
			if cap(buf)-len(buf) > len(buf)/4 {
				return string(buf), nil
			}
			return frozen(buf), nil
		case err != nil:
			return "", fmt.Errorf("the request body ended after %d bytes: %w", len(buf), err)
		}
	}
}

// frozen is buf as a string without a copy. It is sound because the buffer was
// made for this one body and nobody writes to it or holds it any more.
func frozen(buf []byte) string { return unsafe.String(unsafe.SliceData(buf), len(buf)) }

// drain reads a body that is refused for a while, so that a client that writes
// all before it reads gets to see why.
func drain(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 || r.Header.Get("Expect") != "" { // waits to be asked for the body
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(2 * time.Second))
	_, _ = io.Copy(io.Discard, r.Body)
}
