package mutations

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
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
	strict  bool // the subject must pass everywhere without a fault
	tried   func(result.Fault)
	bases   []trial.Base
}

// baseline drives every run without a fault. A subject that is held to it must
// pass in all; of another, faults are tried where it passes.
func (w *wireRunner) baseline(ctx context.Context) error {
	w.bases = make([]trial.Base, len(w.c.runs))
	w.parallel(ctx, len(w.c.runs), func(i int) {
		ev, err := w.c.s.Drive(ctx, i, nil)
		if err != nil {
			w.bases[i].Err = err.Error()
			return
		}
		w.c.keep(i, ev)
		w.bases[i].Sent = sent(ev)
		w.bases[i].Judge(w.c.runs[i], w.c.observation(i, ev))
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var bad []string
	for i, b := range w.bases {
		if b.Err != "" {
			bad = append(bad, w.c.runs[i].String()+": "+b.Err)
		}
		for _, id := range slices.Sorted(maps.Keys(b.Red)) {
			bad = append(bad, fmt.Sprintf("%s: %s: %s", w.c.runs[i], id, b.Red[id]))
		}
	}
	if w.strict && len(bad) > 0 || len(bad) > 0 && len(w.passing()) == 0 {
		return &unfitError{bad}
	}
	return nil
}

// passing are the runs in which the subject passes without a fault.
func (w *wireRunner) passing() []trial.Run {
	var out []trial.Run
	for i, r := range w.c.runs {
		if w.fit(i) {
			out = append(out, r)
		}
	}
	return out
}

// unfit says where no fault was tried because the subject fails without one.
func (w *wireRunner) unfit() []string {
	var out []string
	for i := range w.c.runs {
		if !w.fit(i) {
			out = append(out, w.c.runs[i].String()+": it fails without a fault")
		}
	}
	return out
}

func (w *wireRunner) fit(i int) bool { return w.bases[i].Err == "" && len(w.bases[i].Red) == 0 }

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
	light, heavy := trial.Order(w.c.runs, f.Requirements, func(i int) bool { return w.fit(i) && w.c.finds(i, edit) })
	w.each(ctx, book, edit, light)
	if !book.Ended() && !book.Shown() {
		w.each(ctx, book, edit, heavy)
	}
	return book.Close()
}

func (w *wireRunner) each(ctx context.Context, book *trial.Book, edit trial.Edit, runs []int) {
	for _, i := range runs {
		if ctx.Err() != nil {
			book.End(result.Errored, result.Harness, "interrupted")
			return
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
			return
		}
	}
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
		if err := book.Judge(w.c.runs[i], a.Judge); err != nil {
			book.End(result.Errored, result.Harness, err.Error()+in)
		}
	}
}

// run tries all faults, a few at a time.
func (w *wireRunner) run(ctx context.Context, faults []result.Fault) ([]result.Fault, error) {
	if err := w.baseline(ctx); err != nil {
		return nil, err
	}
	known := judged(w.passing())
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
