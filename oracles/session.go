package oracles

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/scenario"
)

// Session judges a subject one scenario run at a time, for those who try many
// variations of it (package mutations). It drives and judges exactly as Judge
// does. Its runs may be driven from several goroutines unless it is alone.
type Session struct {
	j      *judge
	driver scenario.Driver
	levels map[string][]string
}

// Open plans the runs of a configuration and starts the fake server. Keep,
// Workers and Progress of the configuration have no effect. Close the session.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	j, err := newJudge(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &Session{j: j, levels: map[string][]string{}}
	s.driver = scenario.Driver{Server: j.server, Open: cfg.New, Fresh: cfg.Fresh, Deadline: cfg.Deadline, Enforce: cfg.Enforce}
	for _, spec := range j.specs {
		s.levels[spec.ID] = spec.Levels
	}
	return s, nil
}

// Alone promises that one run is driven at a time. Refusals are then counted on
// the session's own server, which is quicker.
func (s *Session) Alone() { s.driver.Alone = true }

// Close stops the fake server.
func (s *Session) Close() { s.j.server.Close() }

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
}

// Runs returns the runs in their order, which depends on the configuration
// only.
func (s *Session) Runs() []Planned {
	out := make([]Planned, len(s.j.jobs))
	for i, jb := range s.j.jobs {
		out[i] = Planned{Scenario: jb.sc.ID, Mode: jb.mode, Variant: jb.variant}
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
func (s *Session) Drive(ctx context.Context, i int, edit func(fakeserver.Incoming) fakeserver.Incoming) (Evidence, error) {
	jb := s.j.jobs[i]
	d := s.driver
	d.Edit = edit
	return d.Drive(ctx, jb.sc, jb.mode, jb.variant, s.j.desc)
}

// Judge returns what the evidence of run i violates: by requirement, the
// findings that gate at the session's level. The error is for a scenario whose
// replies cannot be read.
func (s *Session) Judge(i int, ev Evidence) (map[string][]Finding, error) {
	v, err := NewView(ev)
	if err != nil {
		return nil, err
	}
	out := map[string][]Finding{}
	for _, o := range s.j.jobs[i].oracles {
		if !slices.Contains(s.levels[o.ID], string(s.j.level)) {
			continue
		}
		for _, f := range distinct(o.Check(v)) {
			if f.Gates(s.j.level) {
				out[o.ID] = append(out[o.ID], f)
			}
		}
	}
	return out, nil
}

// Disable takes an oracle out of force, as if its check had been emptied: it
// finds nothing any more. Package mutations shows with it that its verdicts
// come from the oracles.
func (s *Session) Disable(id string) error {
	found := false
	for _, jb := range s.j.jobs {
		jb.oracles = slices.Clone(jb.oracles)
		for k := range jb.oracles {
			if jb.oracles[k].ID == id {
				jb.oracles[k].Check, found = func(*View) []Finding { return nil }, true
			}
		}
	}
	if !found {
		return fmt.Errorf("oracles: disable %s: %w", id, errNotJudged)
	}
	return nil
}

var errNotJudged = errors.New("no run judges it")

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
