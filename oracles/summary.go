package oracles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/specs"
)

// report gathers what the jobs found into the report.
func (j *judge) report() Report {
	rep := Report{
		Schema: result.Schema, Kind: "run", Level: j.level, Claims: result.Claims, NotJudged: []string{},
		Subject: result.Subject{Name: j.desc.Name, Version: j.desc.Version, Capabilities: notNil(j.desc.Capabilities), State: j.desc.State, Modes: notNil(j.desc.Modes), Unsupported: j.desc.Unsupported, SDK: []result.SDK{}},
	}
	for _, s := range j.desc.SDK {
		rep.Subject.SDK = append(rep.Subject.SDK, result.SDK{Name: s.Name, Version: s.Version})
	}
	rep.NotJudged = append(rep.NotJudged, j.notDriven...)
	rep.NotJudged = append(rep.NotJudged, j.faultless()...)
	if n := j.server.Strays(); n > 0 {
		rep.NotJudged = append(rep.NotJudged, count(int(n), "request")+" without the path of the base URL that the subject was given")
	}
	var statuses []result.Status
	for _, o := range j.oracles {
		spec, _ := findSpec(j.specs, o.ID) // newJudge saw to it
		r := j.requirement(o, spec)
		rep.Requirements = append(rep.Requirements, r)
		switch r.Status {
		case result.Pass:
			rep.Summary.Pass++
		case result.Fail:
			rep.Summary.Fail++
		case result.Unsupported:
			rep.Summary.Unsupported++
		case result.Skipped:
			rep.Summary.Skipped++
			statuses = append(statuses, result.Partial)
		default:
			rep.Summary.Error++
		}
		if r.Status != result.Unsupported && r.Status != result.Skipped {
			statuses = append(statuses, r.Status)
		}
	}
	if len(j.cfg.Scenarios) > 0 {
		statuses = append(statuses, result.Partial)
	}
	rep.Literal = j.literalSection()
	if rep.Literal != nil {
		statuses = append(statuses, rep.Literal.Status)
	}
	rep.Status = result.Worst(statuses...)
	if rep.Summary.Pass+rep.Summary.Fail+rep.Summary.Error == 0 || j.untried() {
		rep.Status = result.Error // nothing was judged
	}
	return rep
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func findSpec(all []specs.Spec, id string) (specs.Spec, bool) {
	for _, s := range all {
		if s.ID == id {
			return s, true
		}
	}
	return specs.Spec{}, false
}

// requirement gathers the runs of one requirement.
func (j *judge) requirement(o Oracle, spec specs.Spec) result.Requirement {
	r := result.Requirement{ID: o.ID, Title: spec.Title, Strength: spec.Strength, Runs: []result.Run{}}
	if j.skipped[o.ID] {
		r.Status, r.Reason = result.Skipped, "not chosen"
		return r
	}
	provider, verbatim := []result.Status{}, []result.Status{}
	for _, jb := range j.jobs {
		i := slices.IndexFunc(jb.oracles, func(x Oracle) bool { return x.ID == o.ID })
		if i < 0 {
			continue
		}
		run := result.Run{Scenario: jb.sc.ID, Mode: jb.mode.String(), Variant: jb.note, Findings: []Finding{}}
		if jb.err != nil {
			run.Status, run.Reason = result.Error, jb.err.Error()
			provider, verbatim = append(provider, result.Error), append(verbatim, result.Error)
			r.Runs = append(r.Runs, run)
			continue
		}
		run.Findings = append(run.Findings, jb.findings[i]...)
		for k := range run.Findings {
			run.Findings[k].Raw = j.rawFile(jb, run.Findings[k].Where)
		}
		p, v := statusAt(run.Findings, result.Provider), statusAt(run.Findings, result.Verbatim)
		provider, verbatim = append(provider, p), append(verbatim, v)
		if run.Status = v; j.level == result.Provider {
			run.Status = p
		}
		if !asked(spec.Levels, j.level) {
			run.Status, run.Reason = result.Unsupported, notAtLevel(j.level)
		}
		r.Runs = append(r.Runs, run)
	}
	j.conclude(&r, spec, provider, verbatim)
	return r
}

func notAtLevel(l Level) string { return fmt.Sprintf("not asked at level %s", l) }

func statusAt(findings []Finding, l result.Level) result.Status {
	for _, f := range findings {
		if f.Gates(l) {
			return result.Fail
		}
	}
	return result.Pass
}

// conclude sets the status of a requirement from those of its runs.
func (j *judge) conclude(r *result.Requirement, spec specs.Spec, provider, verbatim []result.Status) {
	if len(r.Runs) == 0 {
		r.Status, r.Reason = result.Unsupported, j.missing[r.ID]
		if r.Reason == "" {
			r.Status, r.Reason = result.Error, "no scenario holds evidence for it"
			if len(j.cfg.Scenarios) > 0 {
				r.Status, r.Reason = result.Skipped, "none of the chosen scenarios holds evidence for it"
			}
		}
		return
	}
	if asked(spec.Levels, result.Provider) {
		s := result.Worst(provider...)
		r.Levels.Provider = &s
	}
	if asked(spec.Levels, result.Verbatim) {
		s := result.Worst(verbatim...)
		r.Levels.Verbatim = &s
	}
	gate := r.Levels.Provider
	if j.level == result.Verbatim {
		gate = r.Levels.Verbatim
	}
	if gate == nil {
		r.Status, r.Reason = result.Unsupported, notAtLevel(j.level)
		return
	}
	r.Status = *gate
	if spec.Strength != "MUST" && r.Status == result.Fail {
		r.Status = result.Pass // reported, gates nothing
	}
}

var requestNumber = regexp.MustCompile(`^request (\d+)`)

// folder is where a job's raw requests are kept, below Config.Keep.
func (j *job) folder() string {
	dir := filepath.Join(filepath.FromSlash(j.sc.ID), filepath.FromSlash(j.mode.String()))
	if j.variant != "" {
		dir = filepath.Join(dir, j.variant)
	}
	return dir
}

// rawFile names the file with the request that a finding is about.
func (j *judge) rawFile(jb *job, where string) string {
	m := requestNumber.FindStringSubmatch(where)
	if j.cfg.Keep == "" || m == nil {
		return ""
	}
	name := filepath.Join(j.cfg.Keep, jb.folder(), "request-"+m[1]+".json")
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return filepath.ToSlash(name)
}

// keep writes the raw requests.
func (j *judge) keep() error {
	if j.cfg.Keep == "" {
		return nil
	}
	for _, jb := range j.jobs {
		dir := filepath.Join(j.cfg.Keep, jb.folder())
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("oracles: keep requests: %w", err)
		}
		n := 0
		for _, run := range jb.ev.Runs {
			for _, x := range run.Exchanges {
				if x.Endpoint == "" {
					continue
				}
				n++
				if err := writeWhole(filepath.Join(dir, fmt.Sprintf("request-%d.json", n)), x.Body); err != nil {
					return fmt.Errorf("oracles: keep requests: %w", err)
				}
			}
		}
	}
	return nil
}

// writeWhole writes a file that has its name only when it is complete.
func writeWhole(name, text string) error {
	part := name + ".part"
	if err := os.WriteFile(part, []byte(text), 0o644); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, name)
}

// literalSection sums up the comparison with the literal files (PROOF-03).
func (j *judge) literalSection() *result.Literal {
	if j.desc.Name != referenceName {
		return nil
	}
	out := &result.Literal{Status: result.Pass, Findings: []result.LiteralFinding{}}
	for _, jb := range j.jobs {
		out.Compared += jb.literal.compared
		for _, f := range jb.literal.findings {
			f.Raw = j.rawFile(jb, f.Where)
			out.Status = result.Fail
			out.Findings = append(out.Findings, result.LiteralFinding{Scenario: jb.sc.ID, Mode: jb.mode.String(), Variant: strings.TrimSpace(jb.note), Finding: f})
		}
	}
	if out.Compared == 0 {
		return nil
	}
	return out
}
