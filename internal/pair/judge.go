package pair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

// The items that need programs.
const (
	completeName, completeTitle = "complete", "each decided requirement has oracle, scenario and a detected fault at the head"
	provenName, provenTitle     = "proven", "the new oracles fail by assertion on the decision commit's adapters and pass at the head"
)

// implemented builds the head, with its own adapters and with those of the
// decision commit, and lets both say what they are.
func (c *check) implemented(ctx context.Context) (err error) {
	ids := c.wanted()
	if len(ids)+len(c.pair.Removed) == 0 {
		c.item(completeName, completeTitle, result.Skipped, "no requirement is decided")
		c.item(provenName, provenTitle, result.Skipped, "no requirement is decided")
		return nil
	}
	shop, err := newWorkshop(ctx, c.repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shop.close()) }()
	c.step("build the head")
	head, err := shop.build(ctx, "head", c.head, "")
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		c.item(completeName, completeTitle, result.Error, "the head "+err.Error())
		c.item(provenName, provenTitle, result.Error, "the head "+err.Error())
		return nil
	}
	judged, err := c.complete(ctx, head, ids)
	if err != nil {
		return err
	}
	return c.proven(ctx, shop, head, ids, judged)
}

// verdict gathers what is said of one item.
type verdict struct {
	status result.Status
	good   []string
	bad    []string
}

// add says something; the worst status wins.
func (v *verdict) add(status result.Status, format string, args ...any) {
	reason := fmt.Sprintf(format, args...)
	if status == result.Pass {
		v.good = append(v.good, reason)
	} else {
		v.bad = append(v.bad, reason)
	}
	if v.status == "" {
		v.status = status
	}
	v.status = result.Worst(v.status, status)
}

// reason is what is not good, if anything is.
func (v *verdict) reason() string {
	if len(v.bad) > 0 {
		return strings.Join(v.bad, "; ")
	}
	return strings.Join(v.good, "; ")
}

// tracedItem is what the head's "list trace" says of a requirement.
type tracedItem struct {
	ID        string   `json:"id"`
	Spec      string   `json:"spec"`
	Oracle    string   `json:"oracle"`
	Scenarios []string `json:"scenarios"`
	Faults    []struct {
		ID string `json:"id"`
	} `json:"faults"`
}

// missing are the things that a requirement lacks.
func (t tracedItem) missing() []string {
	var out []string
	for _, m := range []struct {
		name string
		none bool
	}{{"no oracle", t.Oracle == ""}, {"no scenario", len(t.Scenarios) == 0}, {"no fault", len(t.Faults) == 0}} {
		if m.none {
			out = append(out, m.name)
		}
	}
	return out
}

// complete says whether all that a requirement needs is at the head, and
// returns the requirements that can be judged there.
func (c *check) complete(ctx context.Context, head program, ids []string) (judged []string, err error) {
	var v verdict
	var trace []tracedItem
	if err := head.list(ctx, "trace", &trace); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		c.item(completeName, completeTitle, result.Error, "the head's list trace: "+err.Error())
		return nil, nil
	}
	find := func(id string) tracedItem {
		if i := slices.IndexFunc(trace, func(t tracedItem) bool { return t.ID == id }); i >= 0 {
			return trace[i]
		}
		return tracedItem{ID: id}
	}
	var faulty []string
	for _, id := range ids {
		t := find(id)
		if m := t.missing(); len(m) > 0 {
			v.add(result.Fail, "%s: decided, not implemented: %s", id, strings.Join(m, ", "))
		}
		if t.Oracle != "" {
			judged = append(judged, id)
			if len(t.Faults) > 0 {
				faulty = append(faulty, id)
			}
		}
	}
	for _, id := range c.pair.Removed {
		if find(id).Oracle != "" {
			v.add(result.Fail, "%s: its spec is taken away, its oracle is still there", id)
		} else {
			v.add(result.Pass, "%s is gone", id)
		}
	}
	if len(faulty) > 0 {
		c.step("make faults at the head")
		if err := c.detected(ctx, head, faulty, &v); err != nil {
			return nil, err
		}
	}
	if v.status == "" { // only PROOF was decided
		v.add(result.Skipped, "no requirement that an adapter must meet is decided")
	}
	c.item(completeName, completeTitle, v.status, v.reason())
	return judged, nil
}

// listedFault is what the head's "list faults" says of a fault.
type listedFault struct {
	Requirements []string `json:"requirements"`
}

// detected lets the head's mutate try the faults of the requirements. Where it
// has none, the faults are only known by name, which the item says.
func (c *check) detected(ctx context.Context, head program, ids []string, v *verdict) error {
	var catalogue []listedFault
	if err := head.list(ctx, "faults", &catalogue); err != nil {
		if ctx.Err() != nil {
			return err
		}
		if strings.Contains(err.Error(), "unknown command") {
			v.add(result.Partial, "%s: faults are named by the spec; whether one is detected was not tried, the head has no mutate", strings.Join(ids, ", "))
			return nil
		}
		v.add(result.Error, "the head's list faults: %s", err)
		return nil
	}
	var known []string
	for _, id := range ids {
		if slices.ContainsFunc(catalogue, func(f listedFault) bool { return slices.Contains(f.Requirements, id) }) {
			known = append(known, id)
		} else {
			v.add(result.Fail, "%s: its spec names a fault, the catalogue has none for it", id)
		}
	}
	if len(known) == 0 {
		return nil
	}
	rep, _, err := head.report(ctx, "mutate", "--only", strings.Join(known, ","))
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		v.add(result.Error, "the head's mutate: %s", err)
		return nil
	}
	c.faults = rep.Faults
	for _, id := range known {
		judgeFaults(id, rep.Faults, v)
	}
	return nil
}

// judgeFaults says whether a fault turned the requirement red by assertion.
func judgeFaults(id string, all []result.Fault, v *verdict) {
	tried, detected := 0, 0
	var others []string
	for _, f := range all {
		if f.Verdict == result.NotTried || !slices.Contains(f.Requirements, id) {
			continue
		}
		tried++
		if f.Verdict == result.Detected && slices.Contains(f.DetectedBy, id) {
			detected++
		} else {
			others = append(others, f.ID+" "+string(f.Verdict))
		}
	}
	switch {
	case tried == 0:
		v.add(result.Fail, "%s: none of its faults could be made", id)
	case detected == 0:
		v.add(result.Fail, "%s: no fault is detected: %s", id, some(others))
	case len(others) > 0:
		v.add(result.Pass, "%s: oracle, scenario, %d of %d faults detected (not: %s)", id, detected, tried, some(others))
	default:
		v.add(result.Pass, "%s: oracle, scenario, %d of %d faults detected", id, detected, tried)
	}
}

// proven runs the same oracles at the head and on the decision commit's
// adapters: only what fails there by assertion, and passes here, tells the two
// apart.
func (c *check) proven(ctx context.Context, shop workshop, head program, ids, judged []string) error {
	var v verdict
	for _, id := range ids {
		if !slices.Contains(judged, id) {
			v.add(result.Fail, "%s: there is no oracle to run", id)
		}
	}
	if len(judged) == 0 {
		if v.status == "" {
			v.add(result.Skipped, "no requirement that an adapter must meet is decided")
		}
		c.item(provenName, provenTitle, v.status, v.reason())
		return nil
	}
	only := strings.Join(judged, ",")
	c.step("judge the head")
	var err error
	if c.atHead, _, err = head.report(ctx, "run", "--only", only); err != nil {
		if ctx.Err() != nil {
			return err
		}
		v.add(result.Error, "the head's run: %s", err)
	}
	c.step("build with the decision commit's adapters")
	before, err := shop.build(ctx, "decision", c.head, c.decision)
	var old result.Report
	if err == nil {
		c.step("judge the decision commit's adapters")
		old, _, err = before.report(ctx, "run", "--only", only)
	}
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		v.add(result.Error, "the head with the decision commit's adapters: %s; that proves nothing", err)
	}
	if v.status != result.Error {
		compareRuns(judged, old, c.atHead, &v)
		c.pair.AtDecision = chosen(old.Requirements, judged)
	}
	c.atHead.Requirements = chosen(c.atHead.Requirements, judged)
	c.item(provenName, provenTitle, v.status, v.reason())
	return nil
}

// chosen are the requirements that were asked for.
func chosen(all []result.Requirement, ids []string) []result.Requirement {
	out := []result.Requirement{}
	for _, r := range all {
		if slices.Contains(ids, r.ID) {
			out = append(out, r)
		}
	}
	return out
}
