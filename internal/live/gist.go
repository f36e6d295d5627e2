package live

import (
	"sync"
	"sync/atomic"

	"example.com/replaycheck/internal/native"
)

// gist is what matters of a reply to an endpoint. Nothing in it changes.
type gist struct {
	endpoint, reply string
	asks            bool // it holds a call that wants an answer
	marks           marks
}

// gists remember the replies of a scenario: conversation after conversation gets
// the same few. The zero gists know none.
type gists struct {
	mu    sync.Mutex              // for those who add one
	known atomic.Pointer[[]*gist] // nothing in it changes
}

// So many replies are remembered, of so many bytes together: a script may make
// new ones for each model, whose name is the client's to choose.
const (
	maxGists     = 16
	maxGistBytes = 1 << 20
)

// gist returns what matters of a reply of the scenario. Of one that can't be read
// that is what comes before it breaks off.
func (sc *Scenario) gist(endpoint, reply string) *gist {
	known := sc.gists.known.Load()
	if known != nil {
		for _, g := range *known {
			// Quick: replies are given out as they are, so equal ones are mostly one.
			if g.reply == reply && g.endpoint == endpoint {
				return g
			}
		}
	}
	read, _ := native.ParseReply(native.API(endpoint), reply)
	g := &gist{endpoint: endpoint, reply: reply, asks: len(read.Calls()) > 0, marks: marks{}}
	g.marks.add(read.Parts)
	sc.gists.add(g)
	return g
}

// add remembers one more, in the place of all others where there are too many.
func (gs *gists) add(g *gist) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	bytes := len(g.reply)
	if bytes > maxGistBytes {
		return
	}
	next := []*gist{g}
	if known := gs.known.Load(); known != nil && len(*known) < maxGists {
		for _, k := range *known {
			bytes += len(k.reply)
		}
		if bytes <= maxGistBytes {
			next = append(next, *known...)
		}
	}
	gs.known.Store(&next)
}
