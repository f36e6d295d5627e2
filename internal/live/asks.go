package live

import (
	"sync"
	"sync/atomic"

	"example.com/replaycheck/internal/native"
)

// asked remembers which replies of a scenario hold a call: conversation after
// conversation ends with the same few. The zero asked knows none.
type asked struct {
	mu    sync.Mutex               // for those who add one
	known atomic.Pointer[[]asking] // nothing in it changes
}

// asking is whether a reply to an endpoint wants an answer.
type asking struct {
	endpoint, reply string
	asks            bool
}

// So many replies are remembered, of so many bytes together: a script may make
// new ones for each model, whose name is the client's to choose.
const (
	maxAsked      = 16
	maxAskedBytes = 1 << 20
)

// asks reports whether a reply of the scenario holds a call that wants an answer.
// One that can't be read holds those before it breaks off.
func (sc *Scenario) asks(endpoint, reply string) bool {
	if known := sc.asked.find(endpoint, reply); known != nil {
		return known.asks
	}
	read, _ := native.ParseReply(native.API(endpoint), reply)
	a := asking{endpoint, reply, len(read.Calls()) > 0}
	sc.asked.add(a)
	return a.asks
}

func (as *asked) find(endpoint, reply string) *asking {
	known := as.known.Load()
	if known == nil {
		return nil
	}
	for i := range *known {
		// Quick: replies are given out as they are, so equal ones are mostly one.
		if a := &(*known)[i]; a.reply == reply && a.endpoint == endpoint {
			return a
		}
	}
	return nil
}

// add remembers one more, in the place of all others where there are too many.
func (as *asked) add(a asking) {
	as.mu.Lock()
	defer as.mu.Unlock()
	bytes := len(a.reply)
	if bytes > maxAskedBytes {
		return
	}
	next := []asking{a}
	if known := as.known.Load(); known != nil && len(*known) < maxAsked {
		for _, k := range *known {
			bytes += len(k.reply)
		}
		if bytes <= maxAskedBytes {
			next = append(next, *known...)
		}
	}
	as.known.Store(&next)
}
