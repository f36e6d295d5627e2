package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/front"
)

// Root is where the live page is.
const Root = "/_replaycheck/"

// ServeHTTP answers the page and the providers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.unheard.heard(r)
	switch {
	case strings.HasPrefix(r.URL.Path, Root) || r.URL.Path == Root[:len(Root)-1]:
		s.page(w, r)
	case r.Method == http.MethodGet && r.URL.Path == "/":
		http.Redirect(w, r, Root, http.StatusFound)
	case r.Method == http.MethodGet && (r.URL.Path == "/favicon.ico" || r.URL.Path == "/robots.txt"):
		http.NotFound(w, r) // browsers ask; it is nobody's conversation
	default:
		s.provide(w, r)
	}
}

// provide answers as a provider.
func (s *Server) provide(w http.ResponseWriter, r *http.Request) {
	a, err := s.asked(r)
	if err != nil {
		s.refuse(w, r, http.StatusNotFound, err)
		return
	}
	body, release, err := s.body(w, r, a)
	defer release()
	if err != nil {
		s.refuse(w, r, statusOf(err), err)
		return
	}
	size := int64(len(body.Text())) + overhead
	c, err := s.place(r.Context(), &a.target, body)
	if err != nil {
		s.refuse(w, r, statusOf(err), err)
		return
	}
	defer func() {
		now := s.options.Now()
		s.journal.leave(c, size, now)
		s.judging.add(c, now)
	}()
	if !c.play.ServeRead(w, r, a.head, body.Body) {
		s.refuse(w, r, http.StatusServiceUnavailable, errors.New("the server is closing"))
	}
}

// unbounded: what a play holds is the journal's to bound, which knows all of them
// and says so in the words of the command.
const unbounded = math.MaxInt / 4

func (s *Server) play(sc *Scenario) *fakeserver.Play {
	script := sc.Play()
	script.Shared = sc.shared
	if s.options.Profile != "" {
		script.Profile = s.options.Profile
	}
	script.With = append(script.With, s.options.With...)
	script.Enforce, script.Chaos = !s.options.Observe, s.options.Chaos
	return fakeserver.NewPlay(fakeserver.Options{MaxBody: s.options.MaxBody, MaxBytes: unbounded, MaxExchanges: unbounded}, script)
}

// budget bounds the bodies that are being read.
type budget struct {
	used atomic.Int64
	most int64
}

func (b *budget) take(n int64) bool {
	for {
		used := b.used.Load()
		if used+n > b.most {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) { // never more than there is: others would see it taken
			return true
		}
	}
}

func (b *budget) give(n int64) { b.used.Add(-n) }

type sizeError struct{ most int64 }

func (e sizeError) Error() string {
	return fmt.Sprintf("the request body has more than %d bytes (--max-body)", e.most)
}

var errBusy = errors.New("too many request bodies are being read at once")

func statusOf(err error) int {
	if full, ok := errors.AsType[fullError](err); ok {
		return full.status
	}
	if _, ok := errors.AsType[sizeError](err); ok {
		return http.StatusRequestEntityTooLarge
	}
	if errors.Is(err, errBusy) {
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

// trusted is how many announced bytes get their memory before they are there.
const trusted = 1 << 20

// bodyTime is how long a client may take for a body.
const bodyTime = time.Minute

// body returns a request's body, from memory where it came before. release is to be
// called in any case, once what needs memory has it.
func (s *Server) body(w http.ResponseWriter, r *http.Request, a *asked) (k *known, release func(), err error) {
	if r.ContentLength <= s.options.MaxBody {
		if here := front.Take(r); here != nil {
			k, im := s.recall(a, frozen(here))
			if k == nil {
				k = s.learn(a, im, string(here))
			}
			return k, func() {}, nil
		}
	}
	buf, release, err := s.read(w, r)
	if err != nil {
		return nil, release, err
	}
	k, im := s.recall(a, frozen(buf))
	if k != nil {
		s.buffers.give(buf)
		return k, release, nil
	}
	return s.learn(a, im, frozen(buf)), release, nil
}

// read returns the body as it was received. release gives back what it took of
// the budget; it is to be called in any case.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (body []byte, release func(), err error) {
	held := int64(0)
	release = func() { s.reading.give(held) }
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(bodyTime))
	defer func() { _ = conn.SetReadDeadline(time.Time{}) }()
	most, announced := s.options.MaxBody, r.ContentLength
	if announced > most {
		return nil, release, sizeError{most}
	}
	// What is announced gets its memory at once, unless it may be a mere claim.
	end, first := most+1, int64(64<<10)
	if announced >= 0 {
		end, first = announced, trusted
	}
	var buf []byte
	for {
		if len(buf) == cap(buf) {
			if int64(len(buf)) == announced {
				return buf, release, nil
			}
			room := min(max(first, int64(2*len(buf))), end) - int64(len(buf))
			if held+room > s.reading.most {
				return nil, release, tooLarge(s.reading.most)
			}
			if !s.reading.take(room) {
				return nil, release, errBusy
			}
			held += room
			buf = append(s.buffers.take(int64(len(buf))+room), buf...)
		}
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > most:
			return nil, release, sizeError{most}
		case errors.Is(err, io.EOF):
			if r.ContentLength < 0 && cap(buf)-len(buf) > len(buf)/8 {
				return bytes.Clone(buf), release, nil
			}
			return buf, release, nil
		case err != nil:
			return nil, release, fmt.Errorf("the request body ended after %d bytes: %w", len(buf), err)
		}
	}
}

// apiPath is a path without what names a scenario and a conversation in front of it.
func apiPath(path string) string {
	for _, prefix := range []string{"/s/", "/c/"} {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			if i := strings.Index(rest, "/v1"); i >= 0 {
				path = rest[i:]
			}
		}
	}
	return path
}

// refuse answers a request that is recorded nowhere, in the shape of the API it
// called, and lets the page say so.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	s.journal.note(s.options.Now(), fmt.Sprintf("%s %s: %v", short(r.Method), short(r.URL.Path), err))
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	// One that broke off has no more, and who expects an answer waits for it.
	if status != http.StatusBadRequest && r.Header.Get("Expect") == "" {
		// A client that writes all before it reads gets to see why.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(2 * time.Second))
		_, _ = io.Copy(io.Discard, r.Body)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, fakeserver.ErrorBody(r.Method, apiPath(r.URL.Path), status, err.Error()))
}
