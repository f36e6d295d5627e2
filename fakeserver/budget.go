package fakeserver

import "fmt"

func (p *Play) reserve(in *inflight, n int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hold(in, n)
}

// reserveSome takes up to n bytes of the budget, but at least one.
func (p *Play) reserveSome(in *inflight, n int64) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = max(1, min(n, p.options.MaxBytes-p.bytes))
	return n, p.hold(in, n)
}

// hold takes n bytes of the budget; p.mu is locked.
func (p *Play) hold(in *inflight, n int64) error {
	if p.bytes+n > p.options.MaxBytes {
		return &LimitError{fmt.Sprintf("recording of %d bytes", p.bytes+n), p.options.MaxBytes, "MaxBytes"}
	}
	p.bytes += n
	in.held += n
	return nil
}

// release gives n bytes of what a request holds back to the budget.
func (p *Play) release(in *inflight, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes -= n
	in.held -= n
}
