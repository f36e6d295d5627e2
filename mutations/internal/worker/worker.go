package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/trial"
	"example.com/replaycheck/mutations/rt"
)

// resultFD is where a worker writes its answers: standard output and standard
// error belong to the code under test.
const resultFD = 3

// Variable is set for a worker process, so that it is not started by mistake.
const Variable = "REPLAYCHECK_WORKER"

// ErrNotAWorker is returned where nobody supervises the process.
var ErrNotAWorker = errors.New("worker: this program is built and run by replaycheck mutate; it does nothing by itself")

// Serve is the whole main of a worker: it answers the supervisor until its
// input ends.
func Serve(ctx context.Context, suite trial.Suite) error {
	if os.Getenv(Variable) == "" {
		return ErrNotAWorker
	}
	pipe := os.NewFile(resultFD, "results")
	if pipe == nil {
		return errors.New("worker: got no pipe for results")
	}
	debug.SetMaxStack(32 << 20)
	w := &worker{suite: suite, runs: suite.Runs(), out: pipe, atStart: rt.Seen().Entered > 0}
	_, early := rt.Slots()
	if rt.Active() == rt.Early {
		rt.Select(rt.None)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("worker: read: %w", err)
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("worker: read: %w", err)
		}
		if done, err := w.answer(ctx, m, early); err != nil || done {
			return err
		}
	}
}

type worker struct {
	suite  trial.Suite
	runs   []trial.Run
	limits Limits
	specs  map[int]Spec
	judged map[string]bool
	skip   []bool
	bases  []trial.Base
	canary []int
	rank   []int // by run
	// atStart: a fault's code ran while packages initialised.
	atStart bool
	quiet   int // goroutines when nothing is tried

	mu   sync.Mutex // of out and dog
	out  io.Writer
	dog  watch
	once sync.Once
}

func (w *worker) say(a answer) error {
	line, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("worker: answer: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("worker: answer: %w", err)
	}
	return nil
}

// answer handles one message. done: the worker is not fit to go on.
func (w *worker) answer(ctx context.Context, m message, early []int) (done bool, err error) {
	switch m.Op {
	case "open":
		w.limits, w.specs, w.judged = m.Limits, map[int]Spec{}, map[string]bool{}
		w.suite = trial.Blind(w.suite, m.Blind)
		// Garbage is collected well before it looks like a loop that allocates.
		debug.SetMemoryLimit(m.Limits.Heap / 2)
		for _, s := range m.Specs {
			w.specs[s.Number] = s
		}
		return false, w.say(answer{Op: "opened", Runs: w.runs, Early: early})
	case "skip":
		w.skip = m.Skip
		for i, r := range w.runs {
			for _, id := range r.Requirements {
				w.judged[id] = w.judged[id] || !w.skip[i]
			}
		}
		return false, nil
	case "baseline":
		bases := w.baseline(ctx, m)
		return false, w.say(answer{Op: "baseline", Bases: bases})
	case "bases":
		w.bases, w.canary, w.rank = m.Bases, m.Canary, m.Ranks
		return false, nil
	case "try":
		spec, ok := w.specs[m.Number]
		if !ok {
			return true, fmt.Errorf("worker: got fault %d, want one of the plan", m.Number)
		}
		w.once.Do(func() {
			w.idle()
			w.quiet = w.goroutines() + 1 // the watchdog
			go w.watchdog()
		})
		cpu := cpuTime()
		f, reached := w.try(ctx, spec, m)
		a := answer{Op: "tried", Number: m.Number, Fault: &f, Reached: reached, CPU: cpuTime() - cpu}
		if !m.Fresh {
			a.Dirty = w.clean(ctx, f)
		}
		return a.Dirty != "" || m.Fresh, w.say(a)
	}
	return true, fmt.Errorf("worker: got operation %q", m.Op)
}

// baseline makes runs without a fault and notes which guards they meet.
func (w *worker) baseline(ctx context.Context, m message) []trial.Base {
	out := make([]trial.Base, len(w.runs))
	if q, ok := w.suite.(trial.Quickener); ok && !m.Judge {
		q.Quick([]string{trial.Literal}) // the second time it is compared alone
		defer q.Quick(nil)
	}
	for i, r := range w.runs {
		if m.Make[i] && !r.Heavy && !r.Process && !w.skip[i] { // those only when a fault needs them
			out[i] = w.base(ctx, i, m.Judge)
		}
	}
	return out
}

func (w *worker) base(ctx context.Context, i int, judge bool) trial.Base {
	if p, ok := w.suite.(trial.Preparer); ok {
		if err := p.Prepare(ctx, i); err != nil {
			return trial.Base{Err: err.Error()}
		}
	}
	begun := time.Now()
	rt.Select(rt.Trace)
	a := trial.Do(ctx, w.suite, i, nil)
	out := trial.Base{Took: time.Since(begun), Recs: rt.Seen().Recovers}
	out.Note(a.Observation)
	out.Slots, _ = rt.Slots()
	slices.Sort(out.Slots)
	rt.Select(rt.None)
	switch {
	case a.Err != nil:
		out.Err = a.Err.Error()
	case a.Panic != "":
		out.Err = "panic: " + a.Panic
	case !a.Finished:
		out.Err = "the run ended its goroutine"
	case judge:
		out.Judge(w.runs[i], a.Observation)
	}
	return out
}

// try tries one fault in every run that reaches its code.
func (w *worker) try(ctx context.Context, spec Spec, m message) (result.Fault, bool) {
	book := trial.NewBook(spec.Fault, w.judged)
	book.Reached = m.Fresh && w.atStart
	if named := spec.Fault.Requirements; len(named) > 0 && !slices.ContainsFunc(named, func(id string) bool { return w.judged[id] }) {
		book.End(result.NotTried, "", "none of its requirements is judged in the chosen runs")
		return book.Close(), true
	}
	if q, ok := w.suite.(trial.Quickener); ok {
		q.Quick(spec.Fault.Requirements)
	}
	light, heavy := trial.Order(w.runs, spec.Fault.Requirements, w.limits.Exhaustive, func(i int) bool { return w.meets(spec, m, i) })
	if spec.AnyRed { // the first red settles it, so those that show most come first
		slices.SortStableFunc(light, func(a, b int) int { return w.rank[a] - w.rank[b] })
		if few := w.limits.Few; few > 0 {
			light, heavy = leading(light, w.bases, w.rank, few), nil
		}
	}
	if w.limits.Quick {
		w.cheapestFirst(light, spec.Fault.Requirements)
	}
	if m.Early {
		heavy = slices.DeleteFunc(heavy, func(i int) bool { return !w.runs[i].Process })
	}
	w.each(ctx, spec, m, book, light)
	if !book.Ended() && !book.Shown() {
		w.each(ctx, spec, m, book, heavy)
	}
	if spec.AnyRed {
		book.Lenient()
	}
	return book.Close(), book.Reached
}

// meets reports whether a run enters a block that the fault changes.
func (w *worker) meets(spec Spec, m message, i int) bool {
	return !w.skip[i] && (m.Fresh || spec.enters(&w.bases[i]))
}

// each makes some runs with a fault.
func (w *worker) each(ctx context.Context, spec Spec, m message, book *trial.Book, runs []int) {
	for _, i := range runs {
		if w.skip[i] {
			continue
		}
		if w.bases[i].Sum == "" {
			if w.bases[i] = w.base(ctx, i, true); w.bases[i].Err != "" || len(w.bases[i].Red) > 0 {
				book.End(result.Errored, result.Harness, w.runs[i].String()+" fails without a fault: "+w.bases[i].Err)
				return
			}
		}
		if !w.runs[i].Process && !w.meets(spec, m, i) {
			continue
		}
		floor := w.limits.Floor
		if m.Second {
			floor = w.limits.Second
		}
		if w.runs[i].Process {
			floor = max(floor, processFloor)
		}
		w.begin(spec, i, max(floor, 50*w.bases[i].Took))
		rt.Select(spec.Number)
		a := trial.Do(ctx, w.suite, i, nil)
		seen := settled()
		if !m.Fresh {
			rt.Select(rt.None)
		}
		book.Fault.Tried++
		book.Reached = book.Reached || seen.Entered > 0
		w.note(book, i, a, seen)
		w.end()
		if book.Ended() || (spec.AnyRed || w.limits.Quick || w.runs[i].Process) && book.Shown() {
			return
		}
	}
}

// processFloor is the floor of a run in processes of its own.
const processFloor = 20 * time.Second

// settled waits a moment for copies that still run in the background.
func settled() rt.Counts {
	seen := rt.Seen()
	for range 50 {
		if seen.Open == 0 {
			break
		}
		pause(time.Millisecond)
		seen = rt.Seen()
	}
	return seen
}

// note enters one run into the book.
func (w *worker) note(book *trial.Book, i int, a trial.Attempt, seen rt.Counts) {
	in := " in " + w.runs[i].String()
	base := w.bases[i]
	switch {
	case a.Panic != "":
		book.End(result.Errored, result.Panicked, "panic: "+a.Panic+in)
	case !a.Finished || seen.Goexits > 0:
		book.End(result.Errored, result.Goexit, "the fault's code ended its goroutine"+in)
	case seen.Panicked > 0 && a.Err != nil:
		book.End(result.Errored, result.Panicked, a.Err.Error()+in)
	case seen.Panicked > 0 || seen.Recovers != base.Recs:
		book.End(result.Errored, result.Masked, "the fault's code panicked and the subject recovered from it ("+trial.Place(seen.Stack)+")"+in)
	case a.Err != nil && strings.Contains(a.Err.Error(), "panicked"):
		book.End(result.Errored, result.Panicked, a.Err.Error()+in)
	case a.Err != nil:
		book.End(result.Errored, result.Harness, a.Err.Error()+in)
	case seen.Open > 0:
		book.End(result.TimedOut, result.Deadline, "the fault's code still runs in the background"+in)
	case !w.runs[i].Process && base.Same(a.Observation):
	case base.Sent > 0 && a.Sent == 0 && !w.runs[i].Process:
		book.NothingSent(w.runs[i])
	default:
		if err := book.Judge(w.runs[i], a.Judge); err != nil {
			book.End(result.Errored, result.Harness, err.Error()+in)
		}
	}
}

// clean reports what a fault left behind, "" for nothing: the code as written
// must do what it did before, and no goroutine may be left.
func (w *worker) clean(ctx context.Context, f result.Fault) string {
	canary := slices.Clone(w.canary)
	if q, ok := w.suite.(trial.Quickener); ok {
		q.Quick([]string{trial.Literal}) // requests that are built and not sent show nothing here
	}
	if len(f.Runs) > 0 {
		for i, r := range w.runs {
			if r.Scenario == f.Runs[0].Scenario && r.Mode == f.Runs[0].Mode && r.Variant == f.Runs[0].Variant && !r.Process && !slices.Contains(canary, i) {
				canary = append(canary, i)
			}
		}
	}
	for _, i := range canary {
		w.begin(Spec{}, i, max(w.limits.Second, 50*w.bases[i].Took))
		a := trial.Do(ctx, w.suite, i, nil)
		w.end()
		if a.Err != nil || a.Panic != "" || !a.Finished || !w.bases[i].Same(a.Observation) {
			return w.runs[i].String() + " is not what it was"
		}
	}
	w.idle()
	for range 200 {
		if runtime.NumGoroutine() <= w.quiet {
			return ""
		}
		pause(time.Millisecond)
	}
	return fmt.Sprintf("%d goroutines, %d before", runtime.NumGoroutine(), w.quiet)
}

// idle has the suite give up what it keeps between runs.
func (w *worker) idle() {
	if s, ok := w.suite.(trial.Idler); ok {
		s.Idle()
	}
}

// goroutines counts them once their number has stopped to fall: those of closed
// connections end a moment later.
func (w *worker) goroutines() int {
	n := runtime.NumGoroutine()
	for range 20 {
		pause(time.Millisecond)
		if m := runtime.NumGoroutine(); m < n {
			n = m
		}
	}
	return n
}

// pause waits for other goroutines to get on.
func pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	<-t.C
}
