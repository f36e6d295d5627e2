package fakeserver

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/replaycheck/fakeserver/gemini"
	"example.com/replaycheck/fakeserver/openai"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// Body is the body of a request, read once for all who look at it. It is not
// changed, so requests that have the same body may share one. It is safe for
// concurrent use.
type Body struct {
	text    string
	once    sync.Once
	earlier *Body // nil once it is read
	root    wire.Value
	err     error
	outline atomic.Pointer[outlined]
	said    atomic.Pointer[said]
	checked atomic.Pointer[checked]

	// What rules read of it.
	gemini    reading[gemini.Reading]
	responses reading[openai.Responses]
}

// outlined is an outline and what it was taken for.
type outlined struct {
	api native.API
	native.Outline
}

// NewBody is the body of a request as it was received. It is read once somebody
// asks, and quicker where much of an earlier one is in it, which may be nil.
func NewBody(text string, earlier *Body) *Body { return &Body{text: text, earlier: earlier} }

// Text returns the body as it was received.
func (b *Body) Text() string { return b.text }

// JSON returns the body's value; absent and an error where it is no JSON.
func (b *Body) JSON() (wire.Value, error) {
	b.once.Do(func() {
		if b.earlier == nil {
			b.root, b.err = wire.Parse(b.text)
			return
		}
		before, _ := b.earlier.JSON() // absent: of no use
		b.root, b.err = wire.ParseAfter(b.text, before)
		b.earlier = nil
	})
	return b.root, b.err
}

// Held returns how many bytes the body and what was read of it take, about: as a
// rule what rules read is not more than the tape.
func (b *Body) Held() int64 {
	root, _ := b.JSON()
	return int64(len(b.text) + 2*root.Held())
}

// Outline returns the outline of the body as a request to an API.
func (b *Body) Outline(api native.API) native.Outline {
	if o := b.outline.Load(); o != nil && native.Alike(o.api, api) {
		return o.Outline
	}
	root, _ := b.JSON()
	o := &outlined{api, native.ReadOutline(api, root)}
	b.outline.Store(o)
	return o.Outline
}

// said is whether the user's new text holds another.
type said struct {
	api    native.API
	needle string
	holds  bool
}

// says reports whether the text of the user since the model's last turn holds needle,
// in a request to an API.
func (b *Body) says(api native.API, needle string) bool {
	if s := b.said.Load(); s != nil && s.needle == needle && native.Alike(s.api, api) {
		return s.holds
	}
	s := &said{api, needle, tailSays(b.Outline(api).Tail, needle)}
	b.said.Store(s)
	return s.holds
}

func tailSays(tail []native.Sketch, needle string) bool {
	if !strings.Contains(needle, "\n") {
		return slices.ContainsFunc(tail, func(s native.Sketch) bool { return s.Says(needle) })
	}
	var prompt strings.Builder // it may go from one part to the next
	for _, s := range tail {
		for _, p := range s.Entry().Parts {
			if p.Kind == native.Text {
				prompt.WriteString(p.Text + "\n")
			}
		}
	}
	return strings.Contains(prompt.String(), needle)
}

// reading is what some rules read of a body, once.
type reading[T any] struct{ p atomic.Pointer[T] }

func (r *reading[T]) of(root wire.Value, read func(wire.Value) *T) *T {
	if was := r.p.Load(); was != nil {
		return was
	}
	now := read(root)
	r.p.Store(now)
	return now
}
