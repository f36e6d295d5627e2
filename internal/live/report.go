package live

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// Report is what was found so far, of the conversations that left the journal
// too. Times are in it; see result.Report.
func (s *Server) Report() result.Report {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	now := s.options.Now()
	rep := result.Report{
		Schema: result.Schema, Kind: "serve", Tool: result.Tool{Name: "replaycheck", Version: s.options.Version},
		Subject: result.Subject{Name: "observed client", SDK: []result.SDK{}, Capabilities: []string{}, Modes: []string{}},
		Level:   result.Provider, Claims: result.Claims, NotJudged: []string{},
		Started: s.started.UTC().Format(time.RFC3339), DurationMS: now.Sub(s.started).Milliseconds(),
	}
	runs := map[string][]result.Run{}
	troubled := false
	for _, c := range j.list {
		v := c.seen()
		if v == nil {
			rep.NotJudged = append(rep.NotJudged, "conversation "+c.name()+": not judged yet")
			continue
		}
		for id, run := range s.runsOf(c, v) {
			runs[id] = append(runs[id], run)
		}
		troubled = troubled || v.trouble != ""
		rep.NotJudged = append(rep.NotJudged, notJudged(c, v)...)
	}
	for id, gone := range j.gone.runs {
		runs[id] = append(slices.Clone(gone), runs[id]...)
	}
	if n := j.gone.Conversations; n > 0 {
		rep.NotJudged = append(rep.NotJudged, fmt.Sprintf("%d finished conversations left the journal with their %d requests; their verdicts are counted", n, j.gone.requests))
	}
	if j.strays > 0 {
		rep.NotJudged = append(rep.NotJudged, fmt.Sprintf("%d requests were refused before they reached a conversation, the last: %s", j.strays, j.refused[len(j.refused)-1].What))
	}
	s.conclude(&rep, runs)
	if troubled {
		rep.Status = result.Worst(rep.Status, result.Error)
	}
	return rep
}

// conclude adds the requirements and the status.
func (s *Server) conclude(rep *result.Report, runs map[string][]result.Run) {
	var statuses []result.Status
	add := func(r result.Requirement) {
		r.Runs = append([]result.Run{}, runs[r.ID]...)
		if n := s.journal.gone.passed[r.ID]; n > 0 {
			r.Runs = append(r.Runs, result.Run{Scenario: "any", Mode: "plain/live", Variant: fmt.Sprintf("%d conversations that left the journal", n), Status: result.Pass, Findings: []result.Finding{}})
		}
		if n := s.journal.gone.more[r.ID]; n > 0 {
			r.Runs = append(r.Runs, result.Run{
				Scenario: "any", Mode: "plain/live", Variant: fmt.Sprintf("%d conversations that left the journal", n), Status: result.Fail,
				Reason: "their findings are not kept", Findings: []result.Finding{},
			})
		}
		var of []result.Status
		for _, run := range r.Runs {
			of = append(of, run.Status)
		}
		if len(of) > 0 {
			status := result.Worst(of...)
			r.Status, r.Reason, r.Levels.Provider = status, "", &status
		}
		switch r.Status {
		case result.Pass:
			rep.Summary.Pass++
		case result.Fail:
			rep.Summary.Fail++
		default:
			rep.Summary.Unsupported++
		}
		rep.Requirements = append(rep.Requirements, r)
		if r.Status != result.Unsupported {
			statuses = append(statuses, r.Status)
		}
	}
	add(result.Requirement{ID: rulesID, Title: rulesTitle, Strength: "MUST", Status: result.Unsupported, Reason: noEvidence})
	add(result.Requirement{ID: stateID, Title: stateTitle, Strength: "MUST", Status: result.Unsupported, Reason: noEvidence})
	contract := len(runs[stateID]) > 0 || s.journal.gone.passed[stateID] > 0
	for _, o := range s.oracles {
		spec := s.specs()[o.ID]
		r := result.Requirement{ID: o.ID, Title: spec.Title, Strength: spec.Strength, Status: result.Unsupported, Reason: noEvidence}
		if why := oracles.NotObservable(o); why != "" {
			r.Reason = why
		} else if !slices.Contains(spec.Levels, string(result.Provider)) {
			r.Reason = "not asked at level provider"
		}
		add(r)
		contract = contract || len(runs[o.ID]) > 0 || s.journal.gone.passed[o.ID] > 0
	}
	rep.Status = result.Worst(statuses...)
	if !contract && rep.Status == result.Pass {
		rep.Status = result.Error // that requests break no rule shows no replay
	}
}

const noEvidence = "no conversation held evidence for it"

// runsOf are the runs that a conversation stands for, by requirement.
func (s *Server) runsOf(c *conversation, v *verdict) map[string]result.Run {
	out := map[string]result.Run{}
	mode := "plain/live"
	if v.stream {
		mode = "stream/live"
	}
	add := func(id string, findings []oracles.Finding, fails bool) {
		run := result.Run{Scenario: c.scenario.ID, Mode: mode, Variant: c.name(), Status: result.Pass, Findings: append([]result.Finding{}, findings...)}
		if fails {
			run.Status = result.Fail
		}
		out[id] = run
	}
	for _, j := range v.judged {
		add(j.id, j.findings, j.fails)
	}
	if v.ruled {
		add(rulesID, v.rules, len(v.rules) > 0)
	}
	return s.withFiles(c, out)
}

// notJudged says what of a conversation could not be judged, a line each.
func notJudged(c *conversation, v *verdict) []string {
	var out []string
	add := func(what string) { out = append(out, "conversation "+c.name()+": "+what) }
	switch {
	case v.trouble != "":
		add(v.trouble)
	case len(v.judged) == 0:
		add("no request that brings back a turn of the model came")
	}
	for _, n := range v.notes {
		add(n)
	}
	if v.left > 0 && len(v.requests) > 0 {
		add(plural(v.left, "reply of its scenario was", "replies of its scenario were") + " not asked for")
	}
	if len(v.others) > 0 {
		var paths []string
		for _, x := range v.others {
			if p := x.Method + " " + short(x.Path); !slices.Contains(paths, p) && len(paths) < 5 {
				paths = append(paths, p)
			}
		}
		add("requests that are none of the scripted APIs': " + strings.Join(paths, ", "))
	}
	return out
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
