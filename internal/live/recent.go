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
	last [64]slot  // long ones, by whose they are, and by their path
}

type slot struct {
	p atomic.Pointer[fakeserver.Body]
}

// long is from how many bytes on it pays to look for the body that one goes on
// from.
const long = 1 << 10

// again returns the body of an imprint that is a text, nil if it is not there.
func (r *recent) again(im imprint, text string) *fakeserver.Body {
	if b := r.slot(im.sum).p.Load(); b != nil && b.Text() == text {
		return b
	}
	return nil
}

// read reads a body and keeps it. Where it is long it is read beside the last one
// of its owner's, which it may go on from, else beside the last one to its path:
// an app's instructions and tools are the same for all its users.
func (r *recent) read(im imprint, owner, path uint64, text string) *fakeserver.Body {
	if len(text) < long {
		return r.keep(fakeserver.NewBody(text, nil), r.slot(im.sum))
	}
	mine, all := &r.last[owner%uint64(len(r.last))], &r.last[path%uint64(len(r.last))]
	earlier := mine.p.Load()
	if earlier == nil {
		earlier = all.p.Load()
	}
	return r.keep(fakeserver.NewBody(text, earlier), r.slot(im.sum), mine, all)
}

func (r *recent) slot(sum uint64) *slot { return &r.same[sum%uint64(len(r.same))] }

// keep puts a body into some slots, unless it is too large, and returns it.
func (r *recent) keep(b *fakeserver.Body, slots ...*slot) *fakeserver.Body {
	size := b.Held()
	if size > r.most/4 {
		return b
	}
	held := int64(0)
	for _, s := range slots {
		was := s.p.Swap(b)
		if held = r.held.Add(size); was != nil {
			held = r.held.Add(-was.Held())
		}
	}
	if held > r.most {
		r.clear()
	}
	return b
}

func (r *recent) clear() {
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
func (s *Server) body(t *target, buf []byte) (b *fakeserver.Body, im imprint) {
	text := frozen(buf)
	if t.api == native.API("") {
		return fakeserver.NewBody(text, nil), im
	}
	im = printOf(s.prints, t.path, text)
	if b = s.recent.again(im, text); b != nil {
		s.buffers.give(buf)
		return b, im
	}
	return s.recent.read(im, t.owner(s.prints), maphash.String(s.prints, t.path), text), im
}
