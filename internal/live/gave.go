package live

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// marks are what tells whose turn something is: ids, opaque values and texts of
// the model, each by its beginning, so that what was cut at its end is known too.
type marks map[string]bool

func (m marks) add(parts []native.Part) {
	for mark := range marksOf(parts) {
		m[mark] = true
	}
}

// marksOf yields the marks of parts.
func marksOf(parts []native.Part) iter.Seq[string] {
	const most = 32
	return func(yield func(string) bool) {
		for _, p := range parts {
			of := [...]string{p.ID, p.Value.Get("id").Text(), p.Sig.Text(), p.Text}
			for _, texts := range [][]string{of[:], p.Minted} {
				for _, text := range texts {
					if text = strings.TrimSpace(text); text != "" && !yield(text[:min(most, len(text))]) {
						return
					}
				}
			}
		}
	}
}

// marksIn yields those of a request's history.
func marksIn(api native.API, root wire.Value) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s := range native.Sketches(api, root) {
			parts := s.Entry().Parts
			if !s.Model {
				parts = idsOf(parts)
			}
			for mark := range marksOf(parts) {
				if !yield(mark) {
					return
				}
			}
		}
	}
}

// idsOf are the results of parts, of which a client has nothing but the ID from
// the model.
func idsOf(parts []native.Part) (out []native.Part) {
	for _, p := range parts {
		if p.Kind == native.Result {
			out = append(out, native.Part{ID: p.ID})
		}
	}
	return out
}

// given are the marks of a conversation's first replies.
type given struct {
	replies int
	from    *gist // the reply, where it is only one
	marks   marks
}

// gaveOut returns the marks of what a conversation gave out.
func (c *conversation) gaveOut() *given {
	n := c.play.Given()
	if last := c.gave.Load(); last != nil && last.replies == n {
		return last
	}
	now, replies := &given{replies: n}, 0
	c.play.Each(func(x *fakeserver.Exchange) bool {
		if x.Step == 0 {
			return true
		}
		of := c.scenario.gist(x.Endpoint, x.Reply)
		switch replies++; replies {
		case 1:
			now.from, now.marks = of, of.marks
		case 2: // another conversation may look at that one
			now.from, now.marks = nil, maps.Clone(now.marks)
			fallthrough
		default:
			maps.Copy(now.marks, of.marks)
		}
		return true
	})
	c.gave.Store(now)
	return now
}

// gave returns the newest of some conversations that gave out something of a
// request's history, nil if there is none.
func gave(some []*conversation, api native.API, root wire.Value) *conversation {
	// Of those that gave out the same, the newest.
	var from []*given
	var whose []*conversation
	for _, c := range slices.Backward(some) {
		g := c.gaveOut()
		if len(g.marks) > 0 && (g.from == nil || !slices.ContainsFunc(from, func(o *given) bool { return o.from == g.from })) {
			from, whose = append(from, g), append(whose, c)
		}
	}
	if len(from) == 0 {
		return nil
	}
	best := len(from)
	for mark := range marksIn(api, root) {
		if i := slices.IndexFunc(from[:best], func(g *given) bool { return g.marks[mark] }); i >= 0 {
			best = i
		}
		if best == 0 {
			break
		}
	}
	if best == len(from) {
		return nil
	}
	return whose[best]
}
