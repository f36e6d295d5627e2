package oracles

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
)

// plan lists the jobs: every scenario, mode and variant that holds evidence for
// a chosen requirement and that the subject can be driven through.
func (j *judge) plan(scenarios []*fixtures.Scenario) error {
	for _, sc := range scenarios {
		variants := sc.Variants
		if len(variants) == 0 {
			variants = []string{""}
		}
		if len(sc.Agent) > 0 {
			variants = j.engines(variants)
		}
		for _, mode := range []Mode{{}, {Stored: true}, {Stream: true}, {Stream: true, Stored: true}} {
			if !applies(sc, mode) {
				continue
			}
			for _, variant := range variants {
				if err := j.add(sc, mode, variant); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// engines returns each variant of a scenario about agent runs on each database
// that there is.
func (j *judge) engines(variants []string) []string {
	var out []string
	for _, engine := range []string{scenario.SQLite, scenario.Postgres} {
		for _, v := range variants {
			if engine == scenario.SQLite || j.cfg.Postgres != "" {
				out = append(out, scenario.Variant(engine, v))
			}
		}
	}
	return out
}

// applies reports whether a scenario has a mode.
func applies(sc *fixtures.Scenario, m Mode) bool {
	if len(sc.Agent) > 0 && !m.Stored {
		return false
	}
	if !sc.HasMode(m.Stream) || m.Stored && sc.MemoryOnly {
		return false
	}
	return m.Stored || len(sc.Tasks) == 1 // several tasks are stored by nature
}

func (j *judge) add(sc *fixtures.Scenario, mode Mode, variant string) error {
	before, err := newView(Evidence{Scenario: sc, Mode: mode, Variant: variant, Subject: j.desc}, j.memo)
	if err != nil {
		return fmt.Errorf("oracles: scenario %s: %w", sc.ID, err)
	}
	var in []Oracle
	for _, o := range j.oracles {
		if !j.skipped[o.ID] && o.Scope(before) {
			in = append(in, o)
		}
	}
	if len(in) == 0 {
		return nil
	}
	if why := cannotDrive(sc, mode, j.desc, j.memo); why != "" {
		for _, o := range in {
			j.lacking(o, why)
		}
		j.notJudged(mode, why)
		return nil
	}
	if len(sc.Agent) > 0 {
		if !j.processes {
			why := scenario.ErrNoProcess.Error()
			for _, o := range in {
				j.lacking(o, why)
			}
			j.notJudged(mode, why)
			return nil
		}
		if j.cfg.Postgres == "" {
			j.notJudged(mode, noPostgres)
		}
	}
	jb := &job{sc: sc, mode: mode, variant: variant, note: variant}
	for _, o := range in {
		if notAsked(o, j.desc) != "" {
			j.lacking(o, "")
			continue
		}
		jb.oracles = append(jb.oracles, o)
	}
	if len(jb.oracles) == 0 || !jb.wanted() {
		return nil
	}
	if mode.Stored && variant == "" {
		switch {
		case sc.Fresh && j.cfg.Fresh != nil:
			jb.note = "fresh process"
		case j.cfg.InProcess:
			jb.note = "same process"
		}
	}
	j.jobs = append(j.jobs, jb)
	return nil
}

// noPostgres says which of the two engines agent runs were not judged on.
const noPostgres = "postgres: no REPLAYCHECK_POSTGRES"

// wanted reports whether anything that is judged in the job is what its
// scenario is about: a reply that must be rejected says nothing about a subject
// of which no rejection is asked.
func (j *job) wanted() bool {
	if j.sc.Expect != "rejected" {
		return true
	}
	return slices.ContainsFunc(j.oracles, func(o Oracle) bool { return slices.Contains(j.sc.Shows, o.ID) })
}

// lacking notes why nothing was driven for a requirement: that it is not asked
// of the subject, else why the first of its scenarios could not be driven.
func (j *judge) lacking(o Oracle, why string) {
	if na := notAsked(o, j.desc); na != "" {
		j.missing[o.ID] = na
	} else if j.missing[o.ID] == "" {
		j.missing[o.ID] = strings.TrimPrefix(why, aboutMode)
	}
}

// nothing says why there is no job.
func (j *judge) nothing() error {
	why := "the chosen scenarios hold no evidence for the chosen requirements"
	if len(j.notDriven) > 0 {
		why = fmt.Sprintf("what %q declares leaves none to drive: %s", j.desc.Name, strings.Join(j.notDriven, "; "))
	}
	return fmt.Errorf("oracles: nothing to run: %s", why)
}

func (j *judge) notJudged(mode Mode, why string) {
	line := why
	if rest, ok := strings.CutPrefix(why, aboutMode); ok {
		line = mode.String() + ": " + rest
	}
	if !slices.Contains(j.notDriven, line) {
		j.notDriven = append(j.notDriven, line)
	}
}
