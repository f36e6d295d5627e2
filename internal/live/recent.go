package live

import (
	"hash/maphash"
	"sync/atomic"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
)

// recent is the bodies that came last, with what was read of them: a body that
// comes again is not read again, and of one that goes on from another no more than
// what is new. Bodies are told apart by all their bytes; where two meet in a slot
// the later one stays. The methods are safe for concurrent use.
type recent struct {
	most int64 // bytes that may be held, about
	held atomic.Int64
	same [256]slot // by imprint
	last [64]slot  // long ones, by whose they are
}

type slot struct {
	p atomic.Pointer[fakeserver.Body]
}

// long is from how many bytes on it pays to look for the body that one goes on
// from.
const long = 16 << 10

// again returns the body of an imprint that is a text, nil if it is not there.
func (r *recent) again(print imprint, text string) *fakeserver.Body {
	if b := r.same[print.sum%uint64(len(r.same))].p.Load(); b != nil && b.Text() == text {
		return b
	}
	return nil
}

// read reads a body that goes on from another of the same owner's, maybe, and
// keeps it.
func (r *recent) read(print imprint, owner uint64, text string) *fakeserver.Body {
	last := &r.last[owner%uint64(len(r.last))]
	var earlier *fakeserver.Body
	if len(text) >= long {
		earlier = last.p.Load()
	}
	b := fakeserver.NewBody(text, earlier)
	size := b.Held()
	if size > r.most/4 {
		return b
	}
	r.keep(&r.same[print.sum%uint64(len(r.same))], b, size)
	if len(text) >= long {
		r.keep(last, b, size)
	}
	return b
}

func (r *recent) keep(s *slot, b *fakeserver.Body, size int64) {
	if was := s.p.Swap(b); was != nil {
		size -= was.Held()
	}
	if r.held.Add(size) <= r.most {
		return
	}
	for _, all := range [][]slot{r.same[:], r.last[:]} {
		for i := range all {
			if was := all[i].p.Swap(nil); was != nil {
				r.held.Add(-was.Held())
			}
		}
	}
}

// owner is whose body one is, as far as it matters for what it may go on from.
func (t *target) owner(seed maphash.Seed) uint64 {
	if t.named {
		return maphash.String(seed, t.key.name)
	}
	return maphash.Comparable(seed, t.key.sum)
}

// body returns a request's body, from memory where it came before: then buf is
// free to be read into again.
func (s *Server) body(t *target, buf []byte) (b *fakeserver.Body, print imprint) {
	text := frozen(buf)
	if t.api == native.API("") {
		return fakeserver.NewBody(text, nil), print
	}
	print = printOf(s.prints, t.path, text)
	if b = s.recent.again(print, text); b != nil {
		s.buffers.give(buf)
		return b, print
	}
	return s.recent.read(print, t.owner(s.prints), text), print
}
