package fakeserver

import (
	"net/http"
	"slices"
	"time"
)

// inflight is one request on its way through.
type inflight struct {
	w    http.ResponseWriter
	r    *http.Request
	path string // as received, without prefix
	call call
	held int64 // bytes of the play's budget
}

func (p *Play) enter(in *inflight) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.under = append(p.under, in)
	return true
}

func (p *Play) leave(in *inflight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.under, in)
	p.under = slices.Delete(p.under, i, i+1)
	if p.closed && len(p.under) == 0 {
		close(p.idle)
	}
}

// stops returns what is closed when requests under way must end.
func (p *Play) stops() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop == nil {
		p.stop = make(chan struct{})
	}
	return p.stop
}

// breakOff ends the connections of requests under way.
func (p *Play) breakOff() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.halted {
		p.halted = true
		if p.stop == nil {
			p.stop = make(chan struct{})
		}
		close(p.stop)
	}
	for _, in := range p.under { // their handlers cannot return meanwhile, see leave
		out := http.NewResponseController(in.w)
		_ = out.SetReadDeadline(time.Unix(1, 0))
		_ = out.SetWriteDeadline(time.Unix(1, 0))
	}
}
