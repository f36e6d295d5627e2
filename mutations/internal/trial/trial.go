// Package trial tries one fault against a suite of runs and decides what became
// of it, from the oracles' own findings and from what the code did.
package trial

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/result"
)

// Edit changes a request on its way to the fake server; nil changes nothing.
type Edit func(fakeserver.Incoming) fakeserver.Incoming

// Run is one run of a suite.
type Run struct {
	Scenario string
	Mode     string
	Variant  string
	// Requirements are those judged in it.
	Requirements []string
	// Same is the run that shows the same in another way, such as the memory
	// mode of a stored one; -1 none. This one is made only with faults that the
	// other does not meet, or whose requirements it does not judge.
	Same int
	// Apart are requirements for which it does not show the same.
	Apart []string
	// Heavy runs are made only with faults that no other run shows.
	Heavy bool
	// Partly: only a part of what the run shows is judged, so that a fault may
	// change it and turn nothing red.
	Partly bool
	// Process: the subject runs in processes of its own, so that what it runs
	// is not seen and what it shows is never the same twice. Such runs are made
	// with faults that name one of their requirements, until all are red.
	Process bool
}

func (r Run) String() string {
	return strings.TrimSpace(r.Scenario + " " + r.Mode + " " + r.Variant)
}

// Literal stands for the comparison with literal expectations. No fault names it;
// generated ones are seen by it too.
const Literal = "PROOF-03"

// Suite judges a subject, one run at a time. Runs are the same, in the same
// order, in every process.
type Suite interface {
	Runs() []Run
	// Try makes run i. The error is for a run that shows nothing: a subject that
	// panicked, a harness that failed.
	Try(ctx context.Context, i int, edit Edit) (Observation, error)
}

// Preparer is a suite that has something to do before a run is tried for the
// first time.
type Preparer interface {
	Prepare(ctx context.Context, i int) error
}

// Quickener is a suite that can leave out what shows nothing but whether certain
// requirements are kept. It says nothing else in a run.
type Quickener interface {
	// Quick says for which requirements runs are made from now on; none: all.
	Quick(requirements []string)
}

// Idler is a suite that keeps something between its runs, such as connections,
// and can give it up, so that goroutines can be counted.
type Idler interface{ Idle() }

// Blind is a suite with some oracles out of force, as if their checks had been
// emptied.
func Blind(s Suite, ids []string) Suite {
	if len(ids) == 0 {
		return s
	}
	return blind{s, ids}
}

type blind struct {
	Suite
	ids []string
}

// Prepare prepares the suite beneath.
func (b blind) Prepare(ctx context.Context, i int) error {
	if p, ok := b.Suite.(Preparer); ok {
		return p.Prepare(ctx, i)
	}
	return nil
}

// Quick quickens the suite beneath.
func (b blind) Quick(requirements []string) {
	if q, ok := b.Suite.(Quickener); ok {
		q.Quick(requirements)
	}
}

// Idle is that of the suite beneath.
func (b blind) Idle() {
	if s, ok := b.Suite.(Idler); ok {
		s.Idle()
	}
}

func (b blind) Try(ctx context.Context, i int, edit Edit) (Observation, error) {
	o, err := b.Suite.Try(ctx, i, edit)
	judge := o.Judge
	o.Judge = func(id string) (string, error) {
		if slices.Contains(b.ids, id) {
			return "", nil
		}
		return judge(id)
	}
	return o, err
}

// Attempt is a run as it went.
type Attempt struct {
	Observation
	Err      error
	Panic    string // a panic that reached us, with its place
	Finished bool   // the run returned; else it ended its goroutine
}

// Do makes a run in a goroutine of its own, so that one that ends its goroutine
// ends nothing else.
func Do(ctx context.Context, s Suite, i int, edit Edit) Attempt {
	var a Attempt
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				a.Panic = fmt.Sprintf("%v (%s)", p, Place(string(debug.Stack())))
			}
		}()
		roomy()
		a.Observation, a.Err = s.Try(ctx, i, edit)
		a.Finished = true
	}()
	<-done
	return a
}

// roomy makes room on a new goroutine's stack while there is nothing on it that would
// have to be moved: a run goes deep.
//
//go:noinline
func roomy() byte {
	var room [16 << 10]byte
	return room[time.Now().Nanosecond()&1]
}

// Place returns where a panic came from, by the stack of its goroutine: the
// first frame below the runtime's own.
func Place(stack string) string {
	lines := strings.Split(stack, "\n")
	for i, line := range lines {
		if (strings.HasPrefix(line, "panic(") || strings.HasPrefix(line, "runtime.gopanic")) && i+3 < len(lines) {
			place, _, _ := strings.Cut(strings.TrimSpace(lines[i+3]), " ")
			return place[strings.LastIndexByte(place, '/')+1:]
		}
	}
	return "at an unknown place"
}

// Order returns the runs to try a fault in: first those that judge one of its
// requirements; heavy ones apart. Exhaustive leaves none out.
func Order(runs []Run, requirements []string, exhaustive bool, reached func(i int) bool) (light, heavy []int) {
	var then []int
	for i, r := range runs {
		named := r.names(requirements) > 0
		switch {
		case r.Process:
			if named {
				heavy = append(heavy, i)
			}
		case r.Heavy && !exhaustive: // whether it is reached is worth asking only when it is needed
			heavy = append(heavy, i)
		case !exhaustive && r.likeItsSame(runs, requirements) && reached(r.Same), !reached(i):
		case named:
			light = append(light, i)
		default:
			then = append(then, i)
		}
	}
	return append(light, then...), heavy
}

// likeItsSame reports whether another run shows the same for a fault that names
// the requirements.
func (r Run) likeItsSame(runs []Run, requirements []string) bool {
	return r.Same >= 0 && r.names(requirements) == runs[r.Same].names(requirements) &&
		!slices.ContainsFunc(requirements, func(id string) bool { return slices.Contains(r.Apart, id) })
}

// names returns how many of the requirements are judged in the run.
func (r Run) names(requirements []string) (n int) {
	for _, id := range requirements {
		if slices.Contains(r.Requirements, id) {
			n++
		}
	}
	return n
}

// Book keeps what a fault did, run by run, and decides.
type Book struct {
	Fault   result.Fault
	Reached bool // its code was run, or its place was there
	// Foreign: the subject is not held to send what the fault looks for, so a
	// requirement must turn red only where a changed run judges it.
	Foreign bool
	judged  map[string]bool // of its requirements, those that some run judges
	asked   map[string]bool // of those, the ones that a changed run judges
	green   []string        // changed runs in which nothing turned red
	setUp   []string        // runs in which nothing was sent any more
	red     map[string]bool
	ended   bool
}

// NewBook opens the book of a fault. judged are the requirements that some run
// of the suite judges.
func NewBook(f result.Fault, judged map[string]bool) *Book {
	b := &Book{Fault: f, judged: map[string]bool{}, asked: map[string]bool{}, red: map[string]bool{}}
	for _, id := range f.Requirements {
		if judged[id] {
			b.judged[id] = true
		}
	}
	if b.Fault.DetectedBy = []string{}; b.Fault.Runs == nil {
		b.Fault.Runs = []result.FaultRun{}
	}
	return b
}

// Lenient lets one run with something red settle it: the fault names no
// requirement, and green runs beside the red ones are no finding.
func (b *Book) Lenient() {
	if len(b.red) > 0 {
		b.green = nil
	}
}

// End gives the verdict at once.
func (b *Book) End(v result.Verdict, c result.Cause, reason string) {
	if !b.ended {
		b.Fault.Verdict, b.Fault.Cause, b.Fault.Reason, b.ended = v, c, reason, true
	}
}

// Ended reports whether the verdict is given.
func (b *Book) Ended() bool { return b.ended }

// Judge judges a run that the fault changed: first the named requirements that
// have not turned red yet, then others until one does.
func (b *Book) Judge(r Run, judge func(string) (string, error)) error {
	run := result.FaultRun{Scenario: r.Scenario, Mode: r.Mode, Variant: r.Variant, Red: []string{}}
	check := func(id string) error {
		text, err := judge(id)
		if text != "" {
			b.red[id] = true
			run.Red = append(run.Red, id)
		}
		return err
	}
	var named, others []string
	for _, id := range r.Requirements {
		if slices.Contains(b.Fault.Requirements, id) {
			named = append(named, id)
			b.asked[id] = true
		} else {
			others = append(others, id)
		}
	}
	if len(b.Fault.Requirements) == 0 {
		others = append(others, Literal)
	}
	slices.SortStableFunc(named, func(x, y string) int { return order(b.red[x]) - order(b.red[y]) })
	for _, id := range named {
		if len(run.Red) > 0 && b.red[id] {
			continue
		}
		if err := check(id); err != nil {
			return err
		}
	}
	for _, id := range others {
		if len(run.Red) > 0 {
			break
		}
		if err := check(id); err != nil {
			return err
		}
	}
	if r.Process && len(run.Red) == 0 {
		return nil // nobody can say that it changed anything
	}
	b.Reached = true
	slices.Sort(run.Red)
	b.Fault.Runs = append(b.Fault.Runs, run)
	if len(run.Red) == 0 && !r.Partly {
		b.green = append(b.green, r.String())
	}
	return nil
}

func order(late bool) int {
	if late {
		return 1
	}
	return 0
}

// NothingSent notes a run in which the fault let nothing be sent. It shows
// nothing: every oracle is red there, whatever it looks for.
func (b *Book) NothingSent(r Run) {
	b.Reached = true
	b.setUp = append(b.setUp, r.String())
}

// Shown reports whether the runs so far show all that the fault is to show: it
// changed something, and every named requirement that is judged turned red.
func (b *Book) Shown() bool {
	if len(b.Fault.Runs) == 0 {
		return false
	}
	for id := range b.judged {
		if !b.red[id] {
			return false
		}
	}
	return len(b.red) > 0
}
