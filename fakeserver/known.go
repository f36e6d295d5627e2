package fakeserver

import (
	"cmp"
	"sync"
)

// known is what a script that chooses its replies by the request may give out:
// it grows with each endpoint and model that is asked for.
type known struct {
	ask     func(Asked) []Reply
	seed    string
	mu      sync.Mutex
	asked   map[[2]string]bool
	replies []Reply
	now     func() *minted
}

// knows returns what of the play's opaque values is known when a request comes.
func (p *Play) knows(in *inflight, body string) *minted {
	k := p.known
	if k == nil {
		return p.minted()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	a := in.call.asked(in.path, body)
	if key := [2]string{a.Endpoint, a.Model}; !k.asked[key] {
		k.asked[key] = true
		k.replies = append(k.replies, k.ask(a)...)
		k.now = mint(k.seed, k.replies, nil) // a new one: others may still read the old
	}
	return k.now()
}

// asked is the request as a script sees it.
func (c call) asked(path, body string) Asked {
	return Asked{
		Endpoint: c.endpoint, Stream: c.stream, Path: path, Body: body,
		Model: cmp.Or(c.model, c.root.Get("model").Text()),
	}
}
