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
	head *Head
	call call  // with what the body says
	held int64 // bytes of the play's budget
}

func newInflight(w http.ResponseWriter, r *http.Request, head *Head) *inflight {
	return &inflight{w: w, r: r, head: head, call: head.call}
}

// enter counts a request in; false: the play is closed.
func (p *Play) enter(in *inflight) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.add(in)
}

// enterWith is enter for a request whose body is there: it takes the budget too.
// The error is a *LimitError.
func (p *Play) enterWith(in *inflight, body int64) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.add(in) {
		return false, nil
	}
	return true, p.hold(in, body)
}

// add is enter; p.mu is locked.
func (p *Play) add(in *inflight) bool {
	if !p.closed {
		p.under = append(p.under, in)
	}
	return !p.closed
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
