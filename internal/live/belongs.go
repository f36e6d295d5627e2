package live

import (
	"hash/maphash"
	"slices"
)

// Why a conversation began though its first request has a history.
const (
	whyStrange  = "its first request has a history that none of the conversations under its key holds, so nothing was there to compare it with; if it goes on from one of them, give your conversations names"
	whyRepeated = "its first request had come several times already: repetitions of it begin conversations of their own"
)

// belongs returns the open conversation that a request belongs to, nil if it
// begins one, and why where that is for people to know.
func (g *group) belongs(t arrival) (*conversation, string) {
	if len(g.open) == 0 {
		return nil, ""
	}
	newest := g.open[len(g.open)-1]
	switch {
	case t.api == "" && newest.entered >= maxBeside: // it belongs to none; somebody asks for something else all the time
		return nil, ""
	case t.api == "" || newest.requests == 0:
		return newest, ""
	case t.named && t.fresh && newest.over():
		return nil, ""
	case t.named:
		return newest, ""
	case t.fresh:
		return g.retried(t), ""
	}
	switch c := g.continued(t); {
	case c == nil:
		return nil, whyStrange
	case c.exhausted(t):
		return nil, whyRepeated
	default:
		return c, ""
	}
}

// maxBeside is how many requests to no API a conversation takes in.
const maxBeside = 512

// continued returns the conversation that a request with a history goes on with,
// nil if there is none: the newest that began with the same words of the user,
// else the one that gave out something of it. Its history may have been cut or
// edited; that is what people want to see.
func (g *group) continued(t arrival) *conversation {
	for _, c := range slices.Backward(g.open) {
		if c.opening == t.opening {
			return c
		}
	}
	if t.given != nil && slices.Contains(g.open, t.given) {
		return t.given
	}
	return nil
}

// Of a request that comes again and again, so many repetitions belong to its
// conversation, as those of a client that tries again do. One that got its reply,
// or is getting it, is hardly tried again; a fault may ask for more patience.
const (
	maxAnswered   = 2
	maxUnanswered = 64
)

// exhausted reports whether a request is one repetition too many.
func (c *conversation) exhausted(t arrival) bool {
	if c.print != t.print {
		return false
	}
	if c.under > 0 || c.play.Given() > c.printGiven {
		return c.repeats >= maxAnswered
	}
	return c.repeats >= maxUnanswered
}

// count notes a request that a conversation takes in.
func (c *conversation) count(t arrival) {
	switch {
	case t.print == imprint{}:
	case t.print == c.print:
		c.repeats++
	default:
		c.print, c.repeats, c.printGiven = t.print, 0, c.play.Given()
	}
}

// repeated is how often a request came already where it begins a conversation.
func (g *group) repeated(t arrival) int {
	if len(g.open) == 0 || t.print == (imprint{}) {
		return 0
	}
	if c := g.continued(t); c != nil && c.print == t.print {
		return c.repeats
	}
	return 0
}

// imprint tells requests apart: what goes on changes at its end. The zero one is
// for those that nobody compares.
type imprint struct {
	size int
	sum  uint64
}

// printed is how much of a body's end its print is made of.
const printed = 4 << 10

func printOf(seed maphash.Seed, path, body string) imprint {
	return imprint{len(body) + 1, maphash.String(seed, path) ^ maphash.String(seed, body[max(0, len(body)-printed):])}
}

// others are the open conversations of the group, none if one of them began as the
// request does.
func (g *group) others(t arrival) []*conversation {
	if slices.ContainsFunc(g.open, func(c *conversation) bool { return c.opening == t.opening }) {
		return nil
	}
	return slices.Clone(g.open)
}
