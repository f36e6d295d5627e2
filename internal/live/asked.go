package live

import (
	"hash/maphash"
	"net/http"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/front"
)

// asked is what a request's head says. Nothing in it changes.
type asked struct {
	target
	head *fakeserver.Head
	// What bodies are remembered by: whose they are, as far as it matters for what
	// they may go on from, and where they go to.
	owner, to uint64
}

// asked reads the head of a request, unless the one before on its connection had
// the same.
func (s *Server) asked(r *http.Request) (*asked, error) {
	memo := front.MemoOf(r)
	if memo != nil {
		if a, ok := memo.What.(*asked); ok {
			return a, nil
		}
	}
	t, err := s.route(r)
	if err != nil {
		return nil, err
	}
	a := &asked{target: t, head: fakeserver.ReadHead(r, t.path), to: maphash.String(s.prints, t.path)}
	if t.named {
		a.owner = maphash.String(s.prints, t.key.name)
	} else {
		a.owner = maphash.Comparable(s.prints, t.key.sum)
	}
	if memo != nil {
		memo.What = a
	}
	return a, nil
}
