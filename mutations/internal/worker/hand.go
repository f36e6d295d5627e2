package worker

import (
	"context"
	"errors"
	"time"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/trial"
)

// hand deals faults to one worker and replaces it when it ends.
type hand struct {
	s     *Supervisor
	p     *process // nil: none at the moment
	specs []Spec
}

func (h *hand) close() {
	if h.p != nil {
		h.p.stop()
		h.p = nil
	}
}

// silence is how long a worker may say nothing while it tries a fault. Its own
// watchdog speaks up before.
const silence = 10 * time.Second

// try has a worker try one fault. more are faults to be tried again alone: this
// one, where it timed out beside others or was in force too late.
func (h *hand) try(ctx context.Context, spec Spec, m message) (f result.Fault, more []Spec, err error) {
	for attempt := 0; ; attempt++ {
		if ctx.Err() != nil {
			return f, nil, context.Cause(ctx)
		}
		err := h.ready(ctx, m)
		if un, ok := errors.AsType[*unreadyError](err); ok && m.Fresh {
			return ended(spec, un.end), nil, nil // others did start, without the fault
		}
		if err != nil {
			return f, nil, err
		}
		a, e := h.ask(ctx, m)
		switch {
		case ctx.Err() != nil:
			return f, nil, context.Cause(ctx)
		case a == nil && e.number != 0 && e.number != spec.Number && attempt == 0:
			// A late crash of an earlier fault. That one is at fault, and this
			// one is tried again.
			h.blame(e)
			continue
		case a == nil:
			return ended(spec, e), nil, nil
		}
		h.s.mu.Lock()
		h.s.cpu += a.CPU
		h.s.mu.Unlock()
		f = *a.Fault
		timedOut := f.Verdict == result.TimedOut && f.Cause == result.Deadline && !a.Busy
		if !m.Second && (timedOut || !a.Reached && h.s.initTime(spec)) {
			return f, []Spec{spec}, nil
		}
		return f, nil, nil
	}
}

// ready sees that there is a worker that knows the plan.
func (h *hand) ready(ctx context.Context, m message) error {
	if h.p != nil {
		return nil
	}
	active := 0
	if m.Fresh {
		active = m.Number
	}
	p, _, err := h.s.opened(ctx, h.specs, active)
	if err != nil {
		return err
	}
	if err := p.send(h.s.known()); err != nil {
		e := p.died()
		return &unreadyError{e, e.reason}
	}
	h.p = p
	return nil
}

// ask sends a fault and waits for its answer; nil: the worker ended without one.
func (h *hand) ask(ctx context.Context, m message) (*answer, end) {
	p := h.p
	if err := p.send(m); err != nil {
		h.p = nil
		return nil, p.died()
	}
	t := time.NewTimer(silence)
	defer t.Stop()
	for {
		select {
		case got, ok := <-p.lines:
			switch {
			case !ok:
				h.p = nil
				return nil, p.died()
			case got.Op == "tried":
				if got.Dirty != "" || m.Fresh {
					h.close()
				}
				return &got, end{}
			}
			t.Reset(silence)
		case <-t.C:
			h.close()
			f := h.spec(m.Number).Fault
			f.Verdict, f.Cause, f.Reason = result.TimedOut, result.Deadline, "the worker did not answer any more"
			f.DetectedBy, f.Runs = []string{}, []result.FaultRun{}
			return &answer{Fault: &f, Reached: true}, end{}
		case <-ctx.Done():
			h.close()
			return nil, end{}
		}
	}
}

func (h *hand) spec(number int) Spec {
	for _, s := range h.specs {
		if s.Number == number {
			return s
		}
	}
	return Spec{Number: number}
}

// ended is the fault that ended its worker.
func ended(spec Spec, e end) result.Fault {
	book := trial.NewBook(spec.Fault, nil)
	switch {
	case e.hung:
		book.End(result.TimedOut, result.Deadline, "the process did not get ready as it started with the fault")
	case e.exited:
		book.End(result.Errored, result.Exited, e.reason)
	default:
		book.End(result.Errored, result.Crashed, e.reason)
	}
	return book.Close()
}

// blame changes the verdict of a fault whose crash came late.
func (h *hand) blame(e end) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	e.reason += ", after its own runs"
	h.s.out[e.number] = ended(h.spec(e.number), e)
}
