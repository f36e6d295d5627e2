package mutations

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/inject"
	"example.com/replaycheck/mutations/internal/trial"
	"example.com/replaycheck/oracles"
)

// wireRunner tries wire faults on one subject.
type wireRunner struct {
	c       *contract
	workers int
	tried   func(result.Fault)
}

// baseline drives every run without a fault. All must pass.
func (w *wireRunner) baseline(ctx context.Context) error {
	var mu sync.Mutex
	var bad []string
	w.parallel(ctx, len(w.c.runs), func(i int) {
		ev, err := w.c.s.Drive(ctx, i, nil)
		line := ""
		if err != nil {
			line = err.Error()
		} else {
			w.c.keep(i, ev)
			red, err := w.c.s.Judge(i, ev)
			if err != nil {
				line = err.Error()
			}
			for id, findings := range red {
				line = fmt.Sprintf("%s: %s %s", id, findings[0].Where, findings[0].Change)
				break
			}
		}
		if line != "" {
			mu.Lock()
			defer mu.Unlock()
			bad = append(bad, w.c.runs[i].String()+": "+line)
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(bad) > 0 {
		return &unfitError{bad}
	}
	return nil
}

// parallel calls f for 0 to n-1, a few at a time.
func (w *wireRunner) parallel(ctx context.Context, n int, f func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, max(1, w.workers)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
}

// try tries one fault in every run in which its edit finds a place.
func (w *wireRunner) try(ctx context.Context, f result.Fault, known map[string]bool) result.Fault {
	book := trial.NewBook(f, known)
	edit := inject.Named(f.ID)
	if edit == nil {
		book.End(result.Invalid, result.DoesNotFit, "there is no edit of this name on the wire")
		return book.Close()
	}
	finds := func(i int) bool { return w.c.finds(i, edit) }
	for _, i := range trial.Order(w.c.runs, f.Requirements, finds) {
		if ctx.Err() != nil {
			book.End(result.Errored, result.Harness, "interrupted")
			break
		}
		var changed atomic.Bool
		a := trial.Do(ctx, w.c, i, func(in fakeserver.Incoming) fakeserver.Incoming {
			out := edit(in)
			if out.Body != in.Body || out.Path != in.Path || out.Query != in.Query {
				changed.Store(true)
			}
			return out
		})
		book.Fault.Tried++
		book.Reached = book.Reached || changed.Load()
		w.note(book, i, a, changed.Load())
		if book.Ended() {
			break
		}
	}
	return book.Close()
}

func (w *wireRunner) note(book *trial.Book, i int, a trial.Attempt, changed bool) {
	in := " in " + w.c.runs[i].String()
	switch {
	case a.Panic != "":
		book.End(result.Errored, result.Panicked, "panic: "+a.Panic+in)
	case a.Err != nil && strings.Contains(a.Err.Error(), "had not ended"):
		book.End(result.TimedOut, result.Deadline, a.Err.Error()+in)
	case a.Err != nil && strings.Contains(a.Err.Error(), "panicked"):
		book.End(result.Errored, result.Panicked, a.Err.Error()+in)
	case a.Err != nil || !a.Finished:
		book.End(result.Errored, result.Harness, fmt.Sprint(a.Err)+in)
	case changed:
		red, err := a.Judge()
		if err != nil {
			book.End(result.Errored, result.Harness, err.Error()+in)
			return
		}
		book.Changed(w.c.runs[i], red)
	}
}

// run tries all faults, a few at a time.
func (w *wireRunner) run(ctx context.Context, faults []result.Fault) ([]result.Fault, error) {
	if err := w.baseline(ctx); err != nil {
		return nil, err
	}
	known := judged(w.c.runs)
	out := make([]result.Fault, len(faults))
	var mu sync.Mutex
	w.parallel(ctx, len(faults), func(i int) {
		out[i] = w.try(ctx, faults[i], known)
		if w.tried != nil {
			mu.Lock()
			defer mu.Unlock()
			w.tried(out[i])
		}
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, nil
}

func newWireRunner(s *oracles.Session, tried func(result.Fault)) *wireRunner {
	return &wireRunner{c: newContract(s), workers: runtime.GOMAXPROCS(0), tried: tried}
}

// unfitError says that the subject without a fault fails: then no fault shows
// anything.
type unfitError struct{ lines []string }

func (e *unfitError) Error() string {
	return fmt.Sprintf("mutations: the unmutated run fails in %d runs, so no fault would show anything: %s", len(e.lines), strings.Join(e.lines[:min(3, len(e.lines))], "; "))
}
