package scenario

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/subject"
)

// Open returns a fresh subject, in the same process or another.
type Open func() (subject.Subject, error)

// Driver drives subjects. It may be used from several goroutines when Open may.
type Driver struct {
	// Server plays the scripts. It is not closed.
	Server *fakeserver.Server
	// Open is called once per drive in memory, once per run in stored mode, and
	// once more for a control run.
	Open Open
	// Fresh, unless nil, takes Open's place in the stored mode of scenarios
	// that ask for a fresh process.
	Fresh Open
	// Deadline bounds each run; 0: subject.DefaultDeadline.
	Deadline time.Duration
	// Edit, unless nil, changes the requests before they are recorded and
	// answered (fakeserver.Script.Edit).
	Edit func(fakeserver.Incoming) fakeserver.Incoming
	// Enforce: requests that the provider's profile would refuse are refused
	// (fakeserver.Script.Enforce).
	Enforce bool
	// Faults, unless nil, gives some replies a fault on their way
	// (fakeserver.Script.Chaos); every scenario and mode has its own. Agent runs
	// are driven without.
	Faults *fakeserver.Chaos
	// Control, unless nil, are the control runs of an earlier drive of the same
	// scenario and variant, taken instead of new ones.
	Control []Run
	// Postgres is the DSN of a PostgreSQL server on which agent runs may be kept,
	// each drive in a schema of its own; "": none.
	Postgres string
	// Crash, unless empty, takes the place of "variant" in the steps of an agent
	// scenario: "POINT:NTH".
	Crash string
	// RecordOnly: nobody looks at what the provider would refuse, and no exchange
	// says so.
	RecordOnly bool
	// NoProbes: a Builder is not asked (Run.Probes).
	NoProbes bool
	// Hurry, unless 0, is the longest that a tool waits before it answers. Which
	// tool is slower stays, by how much does not.
	Hurry time.Duration
	// HTTP, unless nil, is what a subject that can sends its requests through
	// (subject.Sender), so that no run has to connect first. Runs whose
	// connections are counted do without.
	HTTP *http.Client
	// Direct: what goes through HTTP is handed to the play without a connection.
	Direct bool
	// Memo, unless nil, remembers what was read of scenarios from drive to drive.
	Memo *Memo
	// Counters, unless nil, keeps the servers on which connections are counted.
	Counters *Counters
}

// Drive drives a scenario in one mode. variant names the stored transcript to
// put in, "" the only one, if there is any.
//
// A conversation that failed, stopped early or sent too little is in the
// evidence and no error. The error is for what makes the evidence worthless: a
// scenario that makes no sense, a subject that could not run, hung or answered
// nonsense, a recording limit that was passed, the end of ctx. The evidence so
// far comes with it.
func (d *Driver) Drive(ctx context.Context, sc *fixtures.Scenario, m Mode, variant string, desc subject.Description) (Evidence, error) {
	ev := Evidence{Scenario: sc, Mode: m, Variant: variant, Subject: desc}
	fail := func(err error) error {
		err = lineError{err}
		in := sc.ID + " (" + m.String()
		if variant != "" {
			in += ", " + variant
		}
		return fmt.Errorf("scenario: %s): %w", in, err)
	}
	if len(sc.Agent) > 0 {
		if err := d.agent(ctx, &ev); err != nil {
			return ev, fail(err)
		}
		return ev, nil
	}
	if variant != "" && !slices.Contains(sc.Variants, variant) {
		return ev, fail(fmt.Errorf("got variant %q, want one of %q", variant, sc.Variants))
	}
	tasks, err := d.Memo.readTasks(sc, m)
	if err != nil {
		return ev, fail(err)
	}
	if d.Hurry > 0 {
		hurry(tasks, int(d.Hurry.Milliseconds()))
	}
	tasks[0].State = given(sc.State(variant))
	if sc.Expect == "refused" {
		err = d.refused(ctx, &ev, tasks)
	} else {
		err = d.plain(ctx, &ev, tasks)
	}
	if err != nil {
		return ev, fail(err)
	}
	return ev, nil
}

// plain drives a conversation on the shared server.
func (d *Driver) plain(ctx context.Context, ev *Evidence, tasks []subject.Task) error {
	strays := d.Server.Strays()
	s, err := d.begin(d.Server, ev, d.HTTP)
	if err != nil {
		return err
	}
	err = s.converse(ctx, tasks)
	record := s.end()
	ev.Runs, ev.Leftover, ev.SameProcess = s.runs, record.Leftover, ev.Mode.Stored && s.inProcess
	ev.Strays = d.Server.Strays() - strays
	return errors.Join(err, record.Err)
}

// refused drives a conversation that must not touch the network, and its
// control run, each on a server of its own: its connections are counted.
func (d *Driver) refused(ctx context.Context, ev *Evidence, tasks []subject.Task) error {
	runs, leftover, err := d.counted(ctx, ev, tasks)
	ev.Runs, ev.Leftover = runs, leftover
	if err != nil {
		return err
	}
	if d.Control != nil {
		ev.Control = d.Control
		return nil
	}
	tasks[0].State = given(ev.Scenario.State("control"))
	ev.Control, _, err = d.counted(ctx, ev, tasks)
	if err != nil {
		return fmt.Errorf("control run: %w", err)
	}
	return nil
}

func (d *Driver) counted(ctx context.Context, ev *Evidence, tasks []subject.Task) (runs []Run, leftover int, err error) {
	on, err := d.Counters.take()
	if err != nil {
		return nil, 0, err
	}
	defer func() { d.Counters.give(on, err == nil) }()
	strays := on.server.Strays()
	s, err := d.begin(on.server, ev, nil)
	if err != nil {
		return nil, 0, err
	}
	s.counting, s.accepted = true, on.accepted
	err = s.converse(ctx, tasks)
	record := s.end()
	on.accepted = s.accepted
	ev.Strays += on.server.Strays() - strays
	return s.runs, record.Leftover, errors.Join(err, record.Err)
}

// session is one conversation with one play.
type session struct {
	driver    *Driver
	scenario  *fixtures.Scenario
	mode      Mode
	variant   string
	desc      subject.Description
	open      Open
	memory    subject.Subject // the one subject of a drive in memory
	inProcess bool
	server    *fakeserver.Server
	play      *fakeserver.Play
	key       string
	counting  bool
	accepted  int64
	runs      []Run
	ends      []int // per run: how many exchanges there were when it ended
	given     int   // scripted replies given so far
}

func (d *Driver) begin(server *fakeserver.Server, ev *Evidence, through *http.Client) (*session, error) {
	s := &session{
		driver: d, scenario: ev.Scenario, mode: ev.Mode, variant: ev.Variant, desc: ev.Subject, open: d.Open, server: server,
		// Random, so that a message that shows it is known by it.
		key: "key-" + rand.Text(),
	}
	if ev.Mode.Stored && (ev.Scenario.Fresh || len(ev.Scenario.Agent) > 0) && d.Fresh != nil {
		s.open = d.Fresh
	}
	script := d.Memo.script(ev.Scenario, ev.Variant, d.RecordOnly)
	script.Edit, script.Enforce, script.Chaos = d.Edit, d.Enforce, d.faultsOf(ev)
	s.play = server.Play(script)
	if through != nil {
		if d.Direct && d.Faults == nil {
			through = &http.Client{Transport: &direct{s.play, s.play.URL(), through.Transport}}
		}
		s.open = sending(s.open, through)
	}
	if !ev.Mode.Stored {
		var err error
		if s.memory, err = s.open(); err != nil {
			s.play.Close()
			return nil, fmt.Errorf("open the subject: %w", err)
		}
	}
	return s, nil
}

// sending opens subjects that send through a client where they can.
func sending(open Open, through *http.Client) Open {
	return func() (subject.Subject, error) {
		sub, err := open()
		if s, ok := sub.(subject.Sender); ok && err == nil {
			sub = s.Through(through)
		}
		return sub, err
	}
}

// faultsOf are the faults of one drive: the same ones each time.
func (d *Driver) faultsOf(ev *Evidence) *fakeserver.Chaos {
	if d.Faults == nil || len(ev.Scenario.Agent) > 0 {
		return nil
	}
	own := *d.Faults
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s %s %s", own.Seed, ev.Scenario.ID, ev.Mode, ev.Variant) // a hash takes anything
	own.Seed = h.Sum64()
	return &own
}

// end closes the play and deals its final exchanges out to the runs: a reply
// may still have been under way when its run ended.
func (s *session) end() fakeserver.Record {
	record := s.play.Close()
	from := 0
	for i := range s.runs {
		to := min(s.ends[i], len(record.Exchanges))
		if i == len(s.runs)-1 {
			to = len(record.Exchanges)
		}
		s.runs[i].Exchanges = slices.Clip(record.Exchanges[from:to])
		from = to
	}
	return record
}

// recordOnly is the profile without rules.
const recordOnly = "record-only"

func hurry(tasks []subject.Task, most int) {
	for _, t := range tasks {
		for _, tool := range t.Tools {
			for i := range tool.Results {
				tool.Results[i].DelayMS = min(tool.Results[i].DelayMS, most)
			}
		}
	}
}

func given(state string) *string {
	if state == "" {
		return nil
	}
	return &state
}

// nextHoldsCalls reports whether the next scripted reply asks for tools.
func (s *session) nextHoldsCalls() bool {
	if s.given >= len(s.scenario.Replies) {
		return false
	}
	return s.driver.Memo.holdsCalls(s.scenario.For(s.variant)[s.given])
}

// lineError is an error whose message is one line, joined errors or not.
type lineError struct{ error }

func (e lineError) Error() string { return strings.ReplaceAll(e.error.Error(), "\n", "; ") }

func (e lineError) Unwrap() error { return e.error }
