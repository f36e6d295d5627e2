package live

import (
	"context"
	"math"
	"net"
	"net/http"
	"sync"

	"example.com/replaycheck/internal/front"
)

// unheard counts what clients began to say and no handler got to hear: a head that is
// no HTTP, is too long or has no end. net/http answers it, or ends the connection, and
// tells nobody. Not counted is a head that breaks off after a request that net/http
// has answered, and what goes wrong on a connection with HTTP/2 after its first
// request. The zero unheard is ready.
type unheard struct {
	mu    sync.Mutex
	begun map[net.Conn]int // requests that are not heard yet
}

type unheardKey struct{}

// context is for http.Server.ConnContext.
func (u *unheard) context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, unheardKey{}, c)
}

// heard notes that a request came to its handler.
func (u *unheard) heard(r *http.Request) {
	if front.MemoOf(r) != nil {
		return
	}
	c, ok := r.Context().Value(unheardKey{}).(net.Conn)
	if !ok {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.begun == nil {
		u.begun = map[net.Conn]int{}
	}
	if u.begun[c]--; r.ProtoMajor > 1 { // active and idle mean something else there
		u.begun[c] = math.MinInt / 2
	}
}

// state is for http.Server.ConnState. It reports whether a connection ended with
// something unheard.
func (u *unheard) state(c net.Conn, state http.ConnState) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch state {
	case http.StateActive:
		if u.begun == nil {
			u.begun = map[net.Conn]int{}
		}
		u.begun[c]++
	case http.StateClosed:
		n := u.begun[c]
		delete(u.begun, c)
		return n > 0
	case http.StateHijacked:
		delete(u.begun, c)
	}
	return false
}
