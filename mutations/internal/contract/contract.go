// Package contract makes a session of the oracles a suite that faults are tried in.
package contract

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/mutations/internal/trial"
	"example.com/replaycheck/oracles"
)

// Open returns the suite of the product's own oracles for a subject.
func Open(cfg oracles.Config) func(context.Context) (trial.Suite, error) {
	return func(ctx context.Context) (trial.Suite, error) {
		s, err := oracles.Open(ctx, cfg)
		if err != nil {
			return nil, err
		}
		s.Alone()
		return New(s), nil
	}
}

// Contract is a session of the oracles as a suite.
type Contract struct {
	s    *oracles.Session
	runs []trial.Run

	mu   sync.Mutex
	base map[int]oracles.Evidence // what runs showed without a fault
	text map[int]summed           // by run: what had a sum that was asked for
}

// New makes a suite of a session.
func New(s *oracles.Session) *Contract {
	c := &Contract{s: s, base: map[int]oracles.Evidence{}, text: map[int]summed{}}
	planned := s.Runs()
	for i, r := range planned {
		same, apart := sameRun(planned, i)
		c.runs = append(c.runs, trial.Run{
			Scenario: r.Scenario, Mode: r.Mode.String(), Variant: r.Variant, Requirements: r.Requirements,
			Same: same, Apart: apart, Heavy: r.Bytes > heavy, Partly: r.Partly, Process: r.Process,
		})
	}
	return c
}

// heavy is from how many bytes of scripted replies on, added up over the
// requests that bring them back, a run is left to faults that need it.
const heavy = 256 << 10

// sameRun returns the run that shows the same: the one in memory of a stored
// conversation, the plain one of a streamed conversation whose turns are the
// same, the first variant of a scenario that has some; -1 where there is none.
// A variant still is apart for the requirements that the variants are about.
func sameRun(all []oracles.Planned, i int) (same int, apart []string) {
	r := all[i]
	mode, variant := r.Mode, r.Variant
	switch {
	case mode.Stored:
		mode.Stored = false
	case mode.Stream && r.Alike:
		mode.Stream = false
	case variant != "":
		first := slices.IndexFunc(all, func(o oracles.Planned) bool { return o.Scenario == r.Scenario && o.Mode == mode })
		if first == i {
			return -1, nil
		}
		return first, r.Shows
	default:
		return -1, nil
	}
	return slices.IndexFunc(all, func(o oracles.Planned) bool {
		return o.Scenario == r.Scenario && o.Variant == variant && o.Mode == mode
	}), nil
}

// Runs are the runs of the session.
func (c *Contract) Runs() []trial.Run { return c.runs }

// Prepare makes the control run of a scenario that expects a refusal, so that
// what comes after is the run itself.
func (c *Contract) Prepare(ctx context.Context, i int) error { return c.s.Prepare(ctx, i) }

// Quick leaves out what is only there to show that one of the requirements is
// kept: the building of requests without sending them (REPLAY-12).
func (c *Contract) Quick(requirements []string) {
	c.s.Probe(len(requirements) == 0 || slices.Contains(requirements, "REPLAY-12"))
}

// Idle closes the connections and servers that the runs before have left open.
func (c *Contract) Idle() { c.s.Idle() }

// Try makes run i.
func (c *Contract) Try(ctx context.Context, i int, edit trial.Edit) (trial.Observation, error) {
	ev, err := c.Drive(ctx, i, edit)
	if err != nil {
		return trial.Observation{}, err
	}
	return c.Observation(i, ev), nil
}

// Drive makes run i and returns its evidence.
func (c *Contract) Drive(ctx context.Context, i int, edit trial.Edit) (oracles.Evidence, error) {
	return c.s.Drive(ctx, i, edit)
}

// Observation is what the evidence of run i shows.
func (c *Contract) Observation(i int, ev oracles.Evidence) trial.Observation {
	judge := sync.OnceValues(func() (*oracles.Verdict, error) { return c.s.Judge(i, ev) })
	return trial.Observation{
		Sum: func() string { return sum(ev) }, Exact: func() string { return observed(ev) }, Sent: Sent(ev),
		SameAs: func(want string) bool { return c.same(i, ev, want) },
		Judge: func(id string) (string, error) {
			v, err := judge()
			if err != nil {
				return "", err
			}
			findings := v.Findings(id)
			if id == trial.Literal {
				findings = v.Literal()
			}
			if len(findings) == 0 {
				return "", nil
			}
			f := findings[0]
			return fmt.Sprintf("%s: %s, want %s, got %s", f.Where, f.Change, f.Want, f.Got), nil
		},
	}
}

// Sent counts the requests of a run that should send some; 0 where it should
// not.
func Sent(ev oracles.Evidence) int {
	n := 0
	for _, r := range ev.Runs {
		n += len(r.Exchanges)
	}
	return n
}

// Judged are the requirements that some run of a suite judges.
func Judged(runs []trial.Run) map[string]bool {
	out := map[string]bool{}
	for _, r := range runs {
		for _, id := range r.Requirements {
			out[id] = true
		}
	}
	return out
}

// Keep remembers what a run showed without a fault.
func (c *Contract) Keep(i int, ev oracles.Evidence) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base[i] = ev
}

// Finds reports whether an edit finds a place in the requests that run i sent
// without it. It looks without driving: where it finds none, driving shows
// nothing.
func (c *Contract) Finds(i int, edit trial.Edit) bool {
	c.mu.Lock()
	ev, ok := c.base[i]
	c.mu.Unlock()
	if !ok {
		return true
	}
	// A request holds those before it to the same API: the last ones tell.
	var earlier []fakeserver.Exchange
	last := map[string]int{}
	for _, r := range ev.Runs {
		for _, x := range r.Exchanges {
			last[x.Endpoint] = len(earlier)
			earlier = append(earlier, x)
		}
	}
	for _, i := range last {
		x := earlier[i]
		in := fakeserver.Incoming{Method: x.Method, Path: x.Path, Query: x.Query, Body: x.Body, Earlier: earlier[:i]}
		out := edit(in)
		if out.Body != in.Body || out.Path != in.Path || out.Query != in.Query {
			return true
		}
	}
	return false
}

// Replayed is what run i showed without a fault, with an edit applied to its
// requests; false where the edit changes more than bodies.
func (c *Contract) Replayed(i int, edit trial.Edit) (oracles.Evidence, bool) {
	c.mu.Lock()
	ev := c.base[i]
	c.mu.Unlock()
	ev.Runs = slices.Clone(ev.Runs)
	var earlier []fakeserver.Exchange
	for k := range ev.Runs {
		r := &ev.Runs[k]
		r.Exchanges = slices.Clone(r.Exchanges)
		for j := range r.Exchanges {
			x := &r.Exchanges[j]
			in := fakeserver.Incoming{Method: x.Method, Path: x.Path, Query: x.Query, Body: x.Body, Earlier: earlier}
			out := edit(in)
			if out.Path != in.Path || out.Query != in.Query {
				return ev, false
			}
			x.Body = out.Body
			earlier = append(earlier, *x)
		}
	}
	return ev, true
}
