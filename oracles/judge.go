package oracles

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/specs"
)

// referenceName is what the reference adapters call themselves. They are held
// to more: see "Who must meet what".
const referenceName = "reference"

// Config says what to judge and how. Only New is required.
type Config struct {
	// New returns a fresh subject; it is called once per run, so that the stored
	// mode continues in another one.
	New func() (Subject, error)
	// Fresh returns a subject in a process of its own, for the scenarios that
	// ask for one; nil: they are driven like the others. Agent runs are judged in
	// processes only: where New's subjects are none either, they are named as not
	// judged.
	Fresh func() (Subject, error)
	// Postgres is the DSN of a PostgreSQL server on which agent runs are judged
	// too, each in a schema that is made and dropped; "": named as not judged.
	Postgres string
	// InProcess says that New's subjects share this process, which the stored
	// mode's runs then name.
	InProcess bool
	// Only names the requirements to judge, by ID or by a pattern with * such
	// as REPLAY-*. None: all.
	Only []string
	// Scenarios names the scenarios to drive, likewise. None: all.
	Scenarios []string
	// Level is the level that gates; "" means verbatim for the reference
	// adapters and provider for everybody else.
	Level Level
	// Keep is a folder for the raw requests; "" keeps none.
	Keep string
	// Deadline bounds one run; 0 means 30 s.
	Deadline time.Duration
	// Enforce lets the fake provider answer with the refusal that the provider's
	// profile would give; else it plays on, and findings say so.
	Enforce bool
	// Faults, unless nil, gives some replies a fault on their way, the same ones
	// in every run with the same seed. A subject that tries again is judged as
	// ever; one that gives up can't be. Agent runs are driven without.
	Faults *fakeserver.Chaos
	// Workers is how many scenarios are driven at once; 0 means one per CPU for
	// processes and four in this one.
	Workers int
	// Progress, when set, is called after each scenario run, from one goroutine
	// at a time.
	Progress func(done, total int, label string)
	// All replaces the scenarios that ship with the product; nil: those.
	All []*fixtures.Scenario
}

// Judge drives the subject through every scenario in every mode and judges the
// evidence. The error says why there is no report: a bad configuration, or a
// subject that cannot be described. What goes wrong in a run is in the report,
// with status error.
func Judge(ctx context.Context, cfg Config) (Report, error) {
	j, err := newJudge(ctx, cfg)
	if err != nil {
		return Report{}, err
	}
	defer j.server.Close()
	if err := j.drive(ctx); err != nil {
		return Report{}, err
	}
	return j.report(), nil
}

// job is one scenario in one mode and variant.
type job struct {
	sc      *fixtures.Scenario
	mode    Mode
	variant string
	oracles []Oracle
	note    string // what else sets the run apart

	ev  Evidence
	err error
	// findings per oracle, and how many requests the literal files matched
	findings [][]Finding
	literal  literalResult
}

// processes is 1 for a job that starts processes where others do not.
func (j *job) processes() int {
	if j.sc.Fresh && j.mode.Stored || len(j.sc.Agent) > 0 {
		return 1
	}
	return 0
}

func (j *job) label() string {
	s := j.sc.ID + " " + j.mode.String()
	if j.variant != "" {
		s += " " + j.variant
	}
	return s
}

type judge struct {
	cfg       Config
	desc      Description
	level     Level
	specs     []specs.Spec
	oracles   []Oracle
	skipped   map[string]bool // requirements that the user did not choose
	jobs      []*job
	notDriven []string          // "mode: reason" for people
	processes bool              // agent runs can be judged
	missing   map[string]string // requirement → why no scenario was driven for it
	server    *fakeserver.Server
	memo      *memo
	sends     bool // the subject sends through a client that it is given
}

func newJudge(ctx context.Context, cfg Config) (*judge, error) {
	if cfg.New == nil {
		return nil, errors.New("oracles: config: New is nil, want a function that returns the subject")
	}
	j := &judge{cfg: cfg, oracles: All(), memo: &memo{}, missing: map[string]string{}}
	var err error
	if j.specs, err = specs.All(); err != nil {
		return nil, err
	}
	for _, o := range j.oracles {
		if _, ok := findSpec(j.specs, o.ID); !ok {
			return nil, fmt.Errorf("oracles: oracle %s has no spec", o.ID)
		}
	}
	if j.skipped, err = j.choose(cfg.Only); err != nil {
		return nil, err
	}
	scenarios := cfg.All
	if scenarios == nil {
		if scenarios, err = fixtures.All(); err != nil {
			return nil, err
		}
	}
	if scenarios, err = chooseScenarios(scenarios, cfg.Scenarios); err != nil {
		return nil, err
	}
	s, err := cfg.New()
	if err != nil {
		return nil, fmt.Errorf("oracles: open subject: %w", err)
	}
	_, own := s.(subject.Tracer)
	_, j.sends = s.(subject.Sender)
	j.processes = own || cfg.Fresh != nil
	if j.desc, err = s.Describe(ctx); err != nil {
		return nil, fmt.Errorf("oracles: describe subject: %w", err)
	}
	if err := j.desc.Check(); err != nil {
		return nil, fmt.Errorf("oracles: describe subject: %w", err)
	}
	if j.level = cfg.Level; j.level == "" {
		j.level = result.Provider
		if j.desc.Name == referenceName {
			j.level = result.Verbatim
		}
	}
	if j.level != result.Provider && j.level != result.Verbatim {
		return nil, fmt.Errorf("oracles: config: level is %q, want %q or %q", j.level, result.Provider, result.Verbatim)
	}
	if err := j.plan(scenarios); err != nil {
		return nil, err
	}
	if len(j.jobs) == 0 {
		return nil, j.nothing()
	}
	j.server, err = fakeserver.Start(fakeserver.Options{})
	return j, err
}

// drive runs the jobs, a few at a time.
func (j *judge) drive(ctx context.Context) error {
	workers := j.cfg.Workers
	if workers <= 0 {
		if workers = runtime.GOMAXPROCS(0); j.cfg.InProcess {
			workers *= 4 // most of a run in process is waiting for a slow tool
		}
	}
	d := &scenario.Driver{Server: j.server, Open: j.cfg.New, Fresh: j.cfg.Fresh, Deadline: j.cfg.Deadline, Enforce: j.cfg.Enforce, Postgres: j.cfg.Postgres, Faults: j.cfg.Faults}
	next := make(chan *job)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range min(workers, len(j.jobs)) {
		wg.Go(func() {
			for jb := range next {
				j.one(ctx, d, jb)
				mu.Lock()
				done++
				if j.cfg.Progress != nil {
					j.cfg.Progress(done, len(j.jobs), jb.label())
				}
				mu.Unlock()
			}
		})
	}
	// Those in processes of their own take longest: begun last, they would run
	// on alone.
	order := slices.Clone(j.jobs)
	slices.SortStableFunc(order, func(a, b *job) int { return b.processes() - a.processes() })
	for _, jb := range order {
		if ctx.Err() != nil {
			break
		}
		next <- jb
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("oracles: interrupted: %w", err)
	}
	return j.keep()
}

// one drives a job and judges its evidence.
func (j *judge) one(ctx context.Context, d *scenario.Driver, jb *job) {
	jb.ev, jb.err = d.Drive(ctx, jb.sc, jb.mode, jb.variant, j.desc)
	if jb.err != nil {
		return
	}
	if why := givenUp(jb.ev); why != "" {
		jb.err = errors.New(why)
		return
	}
	v, err := NewView(jb.ev)
	if err != nil {
		jb.err = err
		return
	}
	for _, o := range jb.oracles {
		jb.findings = append(jb.findings, distinct(o.Check(v)))
	}
	if j.desc.Name == referenceName {
		jb.literal = checkLiteral(v)
	}
}

// distinct drops findings that say the same of the same place.
func distinct(in []Finding) []Finding {
	type key struct {
		where  string
		change result.Change
		level  Level
		basis  result.Basis
		want   string
	}
	seen := map[key]bool{}
	var out []Finding
	for _, f := range in {
		k := key{f.Where, f.Change, f.Level, f.Basis, f.Want}
		if !seen[k] {
			seen[k] = true
			out = append(out, f)
		}
	}
	return out
}
