package pair

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/replaycheck/internal/result"
)

// compareRuns says of each requirement whether it is red on the old adapters,
// by assertion, and green on the new ones.
func compareRuns(ids []string, old, head result.Report, v *verdict) {
	for _, id := range ids {
		now, ok := find(head, id)
		if !ok {
			v.add(result.Error, "%s: the head's report does not have it", id)
			continue
		}
		if now.Status != result.Pass {
			status := result.Fail
			if now.Status == result.Error {
				status = result.Error
			}
			v.add(status, "%s: it is %s at the head%s", id, now.Status, because(now, head.Level))
			continue
		}
		before, ok := find(old, id)
		if !ok {
			v.add(result.Error, "%s: the report about the decision commit's adapters does not have it", id)
			continue
		}
		compareRequirement(id, before, now, old.Level, v)
	}
	if head.Literal != nil && head.Literal.Status != result.Pass {
		v.add(result.Fail, "at the head, %s differ from the literal expected ones", count(len(head.Literal.Findings), "request"))
	}
}

func compareRequirement(id string, before, now result.Requirement, level result.Level, v *verdict) {
	switch before.Status {
	case result.Pass:
		v.add(result.Fail, "%s: it passes on the decision commit's adapters too, so its oracle shows nothing", id)
		return
	case result.Fail:
	case result.Error:
		v.add(result.Error, "%s: on the decision commit's adapters it is in error%s; that proves nothing", id, because(before, level))
		return
	default:
		v.add(result.Fail, "%s: it is %s on the decision commit's adapters%s, so its oracle shows nothing", id, before.Status, because(before, level))
		return
	}
	failed, judged := 0, 0
	var first *result.Finding
	scenario := ""
	for _, run := range before.Runs {
		if run.Status != result.Pass && run.Status != result.Fail {
			continue
		}
		judged++
		if f := assertion(run, level); f != nil {
			failed++
			if first == nil {
				first, scenario = f, run.Scenario
			}
		}
	}
	if first == nil {
		v.add(result.Error, "%s: the decision commit's adapters send nothing at all; that proves nothing", id)
		return
	}
	v.add(result.Pass, "%s: %d of %d runs fail on the decision commit's adapters (%s, %s: %s), %s pass at the head",
		id, failed, judged, scenario, first.Where, first.Change, fmt.Sprint(len(now.Runs)))
}

// assertion is the finding by which a run fails, nil where it does not. That the
// first request never came is no such finding: it is what a subject that can't
// be set up looks like.
func assertion(run result.Run, level result.Level) *result.Finding {
	if run.Status != result.Fail {
		return nil
	}
	i := slices.IndexFunc(run.Findings, func(f result.Finding) bool {
		return f.Gates(level) && (f.Change != result.Shrunk || f.Where != "request 1")
	})
	if i < 0 {
		return nil
	}
	return &run.Findings[i]
}

func find(rep result.Report, id string) (result.Requirement, bool) {
	i := slices.IndexFunc(rep.Requirements, func(r result.Requirement) bool { return r.ID == id })
	if i < 0 {
		return result.Requirement{}, false
	}
	return rep.Requirements[i], true
}

// because is a requirement's reason, or that of its first run with one, or the
// first finding.
func because(r result.Requirement, level result.Level) string {
	reason := r.Reason
	for _, run := range r.Runs {
		reason = cmp.Or(reason, run.Reason)
	}
	for _, run := range r.Runs {
		if f := assertion(run, level); f != nil && reason == "" {
			reason = fmt.Sprintf("%s, %s: %s", run.Scenario, f.Where, f.Change)
		}
	}
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}
