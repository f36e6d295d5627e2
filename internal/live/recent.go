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
	p atomic.Pointer[known]
}

// known is a body that was read. Nothing in it changes.
type known struct {
	*fakeserver.Body
	path    string // that it came to
	sum     imprint
	fresh   bool   // it begins a conversation
	opening string // the user's first text, shortened
}

// newKnown reads a body, quicker where much of an earlier one is in it, which may
// be nil.
func newKnown(t *target, im imprint, text string, earlier *fakeserver.Body) *known {
	k := &known{Body: fakeserver.NewBody(text, earlier), path: t.path, sum: im}
	// One begins a conversation that holds nothing that came from the model and no
	// result. A body that was not read does not.
	if _, err := k.JSON(); err == nil {
		o := k.Outline(t.api)
		k.fresh, k.opening = o.Fresh, short(o.Opening)
	}
	return k
}

// is reports whether it is a body that came to a path.
func (k *known) is(path, text string) bool {
	return k != nil && k.Text() == text && k.path == path
}

// long is from how many bytes on it pays to look for the body that one goes on
// from.
const long = 1 << 10

// again returns what is known of a text, nil where nothing is. Mostly it is the last
// one of its owner's; the imprint is made only where it is not.
func (r *recent) again(a *asked, text string, seed maphash.Seed) (*known, imprint) {
	if k := r.mine(a).p.Load(); k.is(a.path, text) {
		return k, k.sum
	}
	im := printOf(seed, a.path, text)
	if k := r.slot(im.sum).p.Load(); k.is(a.path, text) {
		return k, im
	}
	return nil, im
}

// read reads a body and keeps it. Where it is long it is read beside the last one
// of its owner's, which it may go on from, else beside the last one to its path:
// an app's instructions and tools are the same for all its users.
func (r *recent) read(a *asked, im imprint, text string) *known {
	if len(text) < long {
		return r.keep(newKnown(&a.target, im, text, nil), r.slot(im.sum))
	}
	mine, all := r.mine(a), &r.last[a.to%uint64(len(r.last))]
	earlier := mine.p.Load()
	if earlier == nil {
		earlier = all.p.Load()
	}
	var beside *fakeserver.Body
	if earlier != nil {
		beside = earlier.Body
	}
	return r.keep(newKnown(&a.target, im, text, beside), r.slot(im.sum), mine, all)
}

func (r *recent) slot(sum uint64) *slot { return &r.same[sum%uint64(len(r.same))] }

func (r *recent) mine(a *asked) *slot { return &r.last[a.owner%uint64(len(r.last))] }

// keep puts a body into some slots, unless it is too large, and returns it.
func (r *recent) keep(k *known, slots ...*slot) *known {
	size := k.Held()
	if size > r.most/4 {
		return k
	}
	held := int64(0)
	for _, s := range slots {
		was := s.p.Swap(k)
		if held = r.held.Add(size); was != nil {
			held = r.held.Add(-was.Held())
		}
	}
	if held > r.most {
		r.clear()
	}
	return k
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

// recall returns what is known of a request's body, nil where that is nothing. text
// may be memory that is used for another body later.
func (s *Server) recall(a *asked, text string) (*known, imprint) {
	if a.api == native.API("") {
		return nil, imprint{}
	}
	return s.recent.again(a, text, s.prints)
}

// learn reads a request's body.
func (s *Server) learn(a *asked, im imprint, text string) *known {
	if a.api == native.API("") {
		return &known{Body: fakeserver.NewBody(text, nil)}
	}
	return s.recent.read(a, im, text)
}
