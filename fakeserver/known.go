package fakeserver

import (
	"slices"
	"sync"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// known is what a script that chooses its replies by the request may give out:
// it grows with each endpoint, host and model that is asked for.
type known struct {
	basis  *basis
	shared *Shared // nil: nothing
	mu     sync.Mutex
	asked  []Asked // the first for each endpoint, host and model, without bodies
	room   [1]Asked
	now    func() *minted
}

// knows returns what of the play's opaque values is known when a request comes.
func (p *Play) knows(in *inflight) *minted {
	if p.known == nil {
		return p.basis.minted()
	}
	return p.known.to(in.call.asked(in.head.path))()
}

func (k *known) to(a Asked) func() *minted {
	k.mu.Lock()
	defer k.mu.Unlock()
	if slices.ContainsFunc(k.asked, func(b Asked) bool { return a.Endpoint == b.Endpoint && a.Model == b.Model && a.Vertex() == b.Vertex() }) {
		return k.now
	}
	if k.asked == nil {
		k.asked = k.room[:0]
	}
	k.asked = append(k.asked, Asked{Endpoint: a.Endpoint, Stream: a.Stream, Model: a.Model, Path: a.Path})
	if len(k.asked) == 1 {
		if now := k.shared.minted(a.key(), func() func() *minted { return k.mint(a) }); now != nil {
			k.now = now
			return now
		}
	}
	k.now = k.mint(k.asked...) // a new one: others may still read the old
	return k.now
}

// mint makes what is known to requests like some.
func (k *known) mint(asked ...Asked) func() *minted {
	replies := slices.Clone(k.basis.given)
	for _, a := range asked {
		replies = append(replies, k.basis.ask(a)...)
	}
	return mint(k.basis.seed, replies)
}

// asked is the request as a script sees it.
func (c call) asked(path string) Asked {
	return Asked{Endpoint: c.endpoint, Stream: c.stream, Path: path, Body: c.body.text, Model: c.model, read: c.body}
}

// Vertex reports whether an endpoint of Google's was asked on Vertex's paths.
func (a Asked) Vertex() bool {
	return a.Endpoint == Vertex || a.Endpoint == GeminiOpenAI && isVertexChat(unescapedPath(a.Path))
}

// key is what replies are kept by.
func (a Asked) key() [3]string {
	host := ""
	if a.Vertex() {
		host = Vertex
	}
	return [3]string{a.Endpoint, a.Model, host}
}

// JSON returns the body as it was read by the server, or reads that of an Asked
// made by hand. The error is for one that is no JSON.
func (a Asked) JSON() (wire.Value, error) { return a.body().JSON() }

// Outline returns the outline of the request; that of an empty one where the body
// is no JSON.
func (a Asked) Outline() native.Outline { return a.body().Outline(native.API(a.Endpoint)) }

// Says reports whether the text of the user since the model's last turn holds needle.
func (a Asked) Says(needle string) bool { return a.body().says(native.API(a.Endpoint), needle) }

func (a Asked) body() *Body {
	if a.read != nil {
		return a.read
	}
	return NewBody(a.Body, nil)
}
