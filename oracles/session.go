package oracles

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/wire"
)

// Session judges a subject one scenario run at a time, for those who try many
// variations of it (package mutations). It drives and judges as Judge does, but
// of a subject in this process tools are never slow by more than 1 ms, one that can
// (internal/subject.Sender) keeps its connections from run to run, and findings do not say
// what the provider would refuse. Its runs may be driven from several goroutines unless it is
// alone.
type Session struct {
	j      *judge
	driver scenario.Driver
	alone  bool
	levels map[string][]string

	runs    func() []Planned
	mu      sync.Mutex
	control map[controlled][]Run
}

// Open plans the runs of a configuration and starts the fake server. Keep,
// Workers and Progress of the configuration have no effect. Close the session.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	j, err := newJudge(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &Session{j: j, levels: map[string][]string{}, control: map[controlled][]Run{}}
	s.driver = scenario.Driver{Server: j.server, Open: cfg.New, Fresh: cfg.Fresh, Deadline: cfg.Deadline, Enforce: cfg.Enforce, Postgres: cfg.Postgres, Memo: &scenario.Memo{}}
	if cfg.InProcess {
		s.driver.Hurry, s.driver.RecordOnly = time.Millisecond, !cfg.Enforce
		s.driver.Direct = true
		if j.sends { // and does nothing after a run
			s.driver.Counters = &scenario.Counters{}
		}
		s.driver.HTTP = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: runtime.GOMAXPROCS(0)}}
	}
	s.runs = sync.OnceValue(s.planned)
	for _, spec := range j.specs {
		s.levels[spec.ID] = spec.Levels
	}
	return s, nil
}

// Alone promises that one run is driven at a time. Only agent runs then go through
// fresh processes, which is quicker.
func (s *Session) Alone() { s.alone = true }

// Probe says whether runs from now on ask a Builder to build the next request
// (REPLAY-12); they do at first.
func (s *Session) Probe(on bool) { s.driver.NoProbes = !on }

// Idle closes the connections that no run uses, and the servers on which connections
// are counted: what comes late then counts nowhere.
func (s *Session) Idle() {
	if s.driver.HTTP != nil {
		s.driver.HTTP.CloseIdleConnections()
	}
	s.driver.Counters.Close()
}

// Close stops the fake server.
func (s *Session) Close() {
	s.Idle()
	s.j.server.Close()
}

// Subject is who is judged.
func (s *Session) Subject() Description { return s.j.desc }

// Level is the level that gates.
func (s *Session) Level() Level { return s.j.level }

// Planned is one run of a session.
type Planned struct {
	Scenario string
	Mode     Mode
	Variant  string
	// Requirements are those judged in it at the session's level.
	Requirements []string
	// Bytes is about how much the subject has to send: each scripted reply as
	// often as a later request brings it back.
	Bytes int
	// Partly: the contract gates only a part of what the run shows (a change to
	// Gemini in the middle of a user turn, FOREIGN), so that a run which is not
	// what it was need not turn anything red.
	Partly bool
	// Shows are the requirements that the scenario's variants are about.
	Shows []string
	// Alike: streamed or not, the scripted turns are the same.
	Alike bool
	// Process: the subject runs in processes of its own there (agent runs).
	Process bool
}

// Runs returns the runs in their order, which depends on the configuration
// only. The slice is shared: read it, don't change it.
func (s *Session) Runs() []Planned { return s.runs() }

func (s *Session) planned() []Planned {
	out := make([]Planned, len(s.j.jobs))
	for i, jb := range s.j.jobs {
		out[i] = Planned{Scenario: jb.sc.ID, Mode: jb.mode, Variant: jb.variant, Process: len(jb.sc.Agent) > 0, Shows: jb.sc.Shows}
		if slices.Contains(jb.sc.Endpoints, string(native.Responses)) && slices.Contains(jb.sc.Endpoints, string(native.Gemini)) {
			out[i].Partly = midTurn(jb, s.j.desc, s.j.memo)
		}

		replies := jb.sc.For(jb.variant)
		for n, r := range replies {
			out[i].Bytes += max(len(r.Plain), len(r.Stream)) * (len(replies) - n)
		}
		out[i].Alike = jb.mode.Stream && out[i].Bytes < 1<<20 && alikeTurns(replies, s.j.memo)
		for _, o := range jb.oracles {
			if slices.Contains(s.levels[o.ID], string(s.j.level)) {
				out[i].Requirements = append(out[i].Requirements, o.ID)
			}
		}
	}
	return out
}

// Drive makes run i. edit, unless nil, changes each request before it is
// recorded and answered. The error is for what makes the evidence worthless.
// What a control run shows is the same whatever is tried, so that of the first
// drive is kept.
func (s *Session) Drive(ctx context.Context, i int, edit func(fakeserver.Incoming) fakeserver.Incoming) (Evidence, error) {
	jb := s.j.jobs[i]
	d := s.driver
	d.Edit = edit
	if s.alone && len(jb.sc.Agent) == 0 {
		d.Fresh = nil // a stored conversation goes on in this process
	}
	s.mu.Lock()
	d.Control = s.control[jb.controlled()]
	s.mu.Unlock()
	ev, err := d.Drive(ctx, jb.sc, jb.mode, jb.variant, s.j.desc)
	if err == nil && d.Control == nil && ev.Control != nil {
		s.mu.Lock()
		s.control[jb.controlled()] = ev.Control
		s.mu.Unlock()
	}
	return ev, err
}

// controlled says what a control run is of. Variants differ in the state that must be
// refused; the good one, and as a rule the replies to it, are the same.
type controlled struct {
	scenario *fixtures.Scenario
	mode     Mode
	variant  string // "": it has the scenario's own replies
}

func (j *job) controlled() controlled {
	c := controlled{j.sc, j.mode, j.variant}
	if slices.Equal(j.sc.For(j.variant), j.sc.Replies) {
		c.variant = ""
	}
	return c
}

// alikeTurns reports whether the replies say the same in both their forms, part
// by part.
func alikeTurns(replies []fixtures.Reply, m *memo) bool {
	for _, r := range replies {
		plain, err := m.reply(native.API(r.Endpoint), r.Plain)
		stream, err2 := m.reply(native.API(r.Endpoint), r.Stream)
		if err != nil || err2 != nil || len(plain.Parts) != len(stream.Parts) {
			return false
		}
		for i, p := range plain.Parts {
			q := stream.Parts[i]
			if p.Kind != q.Kind || p.Text != q.Text || p.Args != q.Args || p.ID != q.ID || wire.Compact(p.Value) != wire.Compact(q.Value) {
				return false
			}
		}
	}
	return true
}

// midTurn reports whether a run changes to Gemini in the middle of a user turn.
func midTurn(jb *job, d Description, m *memo) bool {
	v, err := newView(Evidence{Scenario: jb.sc, Mode: jb.mode, Variant: jb.variant, Subject: d}, m)
	return err == nil && crosses(native.Responses, native.Gemini)(v) && !betweenTurns(v)
}

// Literal returns how the requests of the run differ from the literal ones that
// are expected of the reference adapters (PROOF-03); nothing for other subjects.
func (v *Verdict) Literal() []Finding {
	if v.s.j.desc.Name != referenceName {
		return nil
	}
	return checkLiteral(v.view).findings
}

// Prepare makes the control run of a scenario that expects a refusal.
func (s *Session) Prepare(ctx context.Context, i int) error {
	s.mu.Lock()
	known := s.control[s.j.jobs[i].controlled()] != nil || s.j.jobs[i].sc.Expect != "refused"
	s.mu.Unlock()
	if known {
		return nil
	}
	_, err := s.Drive(ctx, i, nil)
	return err
}

// Verdict judges the evidence of a run, one requirement at a time.
type Verdict struct {
	s    *Session
	i    int
	view *View
}

// Judge reads the evidence of run i. The error is for a scenario whose replies
// cannot be read.
func (s *Session) Judge(i int, ev Evidence) (*Verdict, error) {
	v, err := newView(ev, s.j.memo)
	if err != nil {
		return nil, err
	}
	return &Verdict{s, i, v}, nil
}

// Findings returns what violates a requirement at the session's level; none for
// one that is not judged in the run.
func (v *Verdict) Findings(id string) []Finding {
	if !slices.Contains(v.s.levels[id], string(v.s.j.level)) {
		return nil
	}
	var out []Finding
	for _, o := range v.s.j.jobs[v.i].oracles {
		if o.ID != id {
			continue
		}
		for _, f := range distinct(o.Check(v.view)) {
			if f.Gates(v.s.j.level) {
				out = append(out, f)
			}
		}
	}
	return out
}

// NotJudged says what of the contract no run of the session covers, one line
// each: modes and scenarios that the subject cannot be driven through.
func (s *Session) NotJudged() []string { return slices.Clone(s.j.notDriven) }

// Judged reports whether a requirement is judged at the session's level in at
// least one run, and if not, why.
func (s *Session) Judged(id string) (bool, string) {
	for _, r := range s.Runs() {
		if slices.Contains(r.Requirements, id) {
			return true, ""
		}
	}
	if why := s.j.missing[id]; why != "" {
		return false, why
	}
	if levels, ok := s.levels[id]; ok && !slices.Contains(levels, string(s.j.level)) {
		return false, fmt.Sprintf("not asked at level %s", s.j.level)
	}
	return false, "no scenario holds evidence for it"
}

// Choose returns the names that fit a pattern, as Config.Only reads them; with
// no pattern, all. The error for a pattern that fits none is an *UnknownError.
func Choose(what string, names, patterns []string) ([]string, error) {
	return match(what, names, patterns)
}
