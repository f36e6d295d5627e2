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
	"example.com/replaycheck/mutations/internal/contract"
	"example.com/replaycheck/mutations/internal/inject"
	"example.com/replaycheck/mutations/internal/trial"
	"example.com/replaycheck/oracles"
)

// wireRunner tries wire faults on one subject.
type wireRunner struct {
	c          *contract.Contract
	workers    int
	strict     bool     // the subject must pass everywhere without a fault
	exhaustive bool     // every run is made in which a fault finds a place
	quick      bool     // a fault is done once its requirements have turned red
	blind      []string // oracles out of force
	tried      func(result.Fault)
	bases      []func() trial.Base

	mu   sync.Mutex
	bad  []string // runs that fail without a fault, and why
	good int      // runs that pass
}

// baseline drives the runs without a fault that every fault is looked for in,
// and the others when they are needed. A subject that is held to it must pass in
// all; of another, faults are tried where it passes.
func (w *wireRunner) baseline(ctx context.Context) error {
	w.bases = make([]func() trial.Base, len(w.c.Runs()))
	for i := range w.bases {
		w.bases[i] = sync.OnceValue(func() trial.Base { return w.base(ctx, i) })
	}
	w.parallel(ctx, len(w.c.Runs()), func(i int) {
		if r := w.c.Runs()[i]; r.Same < 0 && !r.Heavy {
			w.fit(i)
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.strict && len(w.bad) > 0 || len(w.bad) > 0 && w.good == 0 {
		return &unfitError{w.bad}
	}
	return nil
}

// base makes one run without a fault.
func (w *wireRunner) base(ctx context.Context, i int) trial.Base {
	var b trial.Base
	ev, err := w.c.Drive(ctx, i, nil)
	if err != nil {
		b.Err = err.Error()
	} else {
		w.c.Keep(i, ev)
		b.Sent = contract.Sent(ev)
		b.Judge(w.c.Runs()[i], w.c.Observation(i, ev))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case b.Err != "":
		w.bad = append(w.bad, w.c.Runs()[i].String()+": "+b.Err)
	case len(b.Red) > 0:
		id := slices.Sorted(maps.Keys(b.Red))[0]
		w.bad = append(w.bad, fmt.Sprintf("%s: %s: %s", w.c.Runs()[i], id, b.Red[id]))
	default:
		w.good++
	}
	return b
}

// passing are the runs in which the subject passes, as far as was tried.
func (w *wireRunner) passing() []trial.Run {
	var out []trial.Run
	for i, r := range w.c.Runs() {
		if r.Same >= 0 || r.Heavy || w.fit(i) {
			out = append(out, r)
		}
	}
	return out
}

// unfit are the runs in which no fault was tried because the subject fails
// without one: each scenario once, with the modes in brackets.
func (w *wireRunner) unfit() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	modes := map[string][]string{}
	for _, line := range w.bad {
		run, _, _ := strings.Cut(line, ": ")
		scenario, mode, _ := strings.Cut(run, " ")
		modes[scenario] = append(modes[scenario], mode)
	}
	var out []string
	for _, scenario := range slices.Sorted(maps.Keys(modes)) {
		slices.Sort(modes[scenario])
		out = append(out, scenario+" ("+strings.Join(modes[scenario], ", ")+")")
	}
	return out
}

func (w *wireRunner) fit(i int) bool {
	b := w.bases[i]()
	return b.Err == "" && len(b.Red) == 0
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
	book.Foreign = !w.strict
	edit := inject.Named(f.ID)
	if edit == nil {
		book.End(result.Invalid, result.DoesNotFit, "there is no edit of this name on the wire")
		return book.Close()
	}
	light, heavy := trial.Order(w.c.Runs(), f.Requirements, w.exhaustive, func(i int) bool { return w.finds(i, edit) })
	w.each(ctx, book, edit, light)
	if !book.Ended() && !book.Shown() {
		w.each(ctx, book, edit, heavy)
	}
	return book.Close()
}

// finds reports whether a run passes without the fault and has a place for it.
func (w *wireRunner) finds(i int, edit trial.Edit) bool { return w.fit(i) && w.c.Finds(i, edit) }

// each tries a fault in some runs. The first is driven with the edit between
// subject and fake provider. What the provider answers depends on no request, so
// the others are judged on the record of the run without the fault, edited in
// the same way; that the first would have come out the same is checked.
func (w *wireRunner) each(ctx context.Context, book *trial.Book, edit trial.Edit, runs []int) {
	replay := false
	for n, i := range runs {
		if ctx.Err() != nil {
			book.End(result.Errored, result.Harness, "interrupted")
			return
		}
		if !w.finds(i, edit) {
			continue
		}
		var a trial.Attempt
		changed := true
		ev, same := w.c.Replayed(i, edit)
		if replay && same && n > 0 {
			a = trial.Attempt{Observation: w.c.Observation(i, ev), Finished: true}
		} else {
			a, changed = w.live(ctx, i, edit)
			replay = !w.exhaustive && same && a.Err == nil && a.Exact() == w.c.Observation(i, ev).Exact()
		}
		a.Observation = w.unseen(a.Observation)
		book.Fault.Tried++
		book.Reached = book.Reached || changed
		w.note(book, i, a, changed)
		if book.Ended() || w.quick && book.Shown() {
			return
		}
	}
}

// live makes a run with the edit between subject and fake provider.
func (w *wireRunner) live(ctx context.Context, i int, edit trial.Edit) (trial.Attempt, bool) {
	var changed atomic.Bool
	a := trial.Do(ctx, w.c, i, func(in fakeserver.Incoming) fakeserver.Incoming {
		out := edit(in)
		if out.Body != in.Body || out.Path != in.Path || out.Query != in.Query {
			changed.Store(true)
		}
		return out
	})
	return a, changed.Load()
}

// unseen is an observation that the oracles out of force do not see.
func (w *wireRunner) unseen(o trial.Observation) trial.Observation {
	if judge := o.Judge; len(w.blind) > 0 && judge != nil {
		o.Judge = func(id string) (string, error) {
			if slices.Contains(w.blind, id) {
				return "", nil
			}
			return judge(id)
		}
	}
	return o
}

func (w *wireRunner) note(book *trial.Book, i int, a trial.Attempt, changed bool) {
	in := " in " + w.c.Runs()[i].String()
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
		if err := book.Judge(w.c.Runs()[i], a.Judge); err != nil {
			book.End(result.Errored, result.Harness, err.Error()+in)
		}
	}
}

// run tries all faults, a few at a time.
func (w *wireRunner) run(ctx context.Context, faults []result.Fault) ([]result.Fault, error) {
	if err := w.baseline(ctx); err != nil {
		return nil, err
	}
	known := contract.Judged(w.passing())
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
	return &wireRunner{c: contract.New(s), workers: runtime.GOMAXPROCS(0), tried: tried}
}

// unfitError says that the subject without a fault fails: then no fault shows
// anything.
type unfitError struct{ lines []string }

func (e *unfitError) Error() string {
	return fmt.Sprintf("mutations: the unmutated run fails in %d runs, so no fault would show anything: %s", len(e.lines), strings.Join(e.lines[:min(3, len(e.lines))], "; "))
}
