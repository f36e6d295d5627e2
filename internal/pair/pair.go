// Package pair holds a decision commit against its implementation (PROOF-05):
// what was decided is signed, alone in its commit and untouched, and the
// implementation's oracles can tell the code before it from the code after it.
package pair

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

// Options says which pair to check. Decision and Head are required.
type Options struct {
	Dir              string // a folder of the repository; "" is the current one
	Decision         string // the decision commit, by any name that Git knows
	Head             string // the implementation's last commit, likewise
	RequireSignature bool   // an unsigned decision fails
	// Progress, when set, is called before each step that takes long.
	Progress func(done, total int, label string)
}

// steps is how often Progress is called.
const steps = 6

// check is a pair under check.
type check struct {
	opts           Options
	repo           repo
	decision, head string
	parent         string // of the decision; "" where it has none, or several
	parents        int
	signature      bool
	decided        []change // all that the decision commit changes
	pair           *result.Pair
	faults         []result.Fault
	atHead         result.Report // of the decided requirements
	done           int
}

// Check checks a pair. The error says why there is no report: a commit that is
// not there, no repository, an interrupt. What cannot be shown is an item with
// status error.
//
// It builds and runs the head's code with the decision commit's adapters, in
// temporary folders that are gone when it returns.
func Check(ctx context.Context, opts Options) (result.Report, error) {
	if opts.Dir == "" {
		opts.Dir = "."
	}
	c := &check{opts: opts}
	var err error
	if c.repo, err = openRepo(ctx, opts.Dir); err != nil {
		return result.Report{}, err
	}
	if c.decision, err = c.repo.commit(ctx, opts.Decision); err != nil {
		return result.Report{}, fmt.Errorf("pair: find decision: %w", err)
	}
	if c.head, err = c.repo.commit(ctx, opts.Head); err != nil {
		return result.Report{}, fmt.Errorf("pair: find head: %w", err)
	}
	c.pair = &result.Pair{
		Decision: c.decision, Head: c.head,
		Added: []string{}, Changed: []string{}, Removed: []string{}, AtDecision: []result.Requirement{},
	}
	for _, item := range []func(context.Context) error{c.readDecision, c.onlySpecs, c.signed, c.base, c.untouched, c.implemented} {
		if err := item(ctx); err != nil {
			return result.Report{}, err
		}
	}
	return c.report(), nil
}

func (c *check) step(label string) {
	if c.opts.Progress != nil {
		c.opts.Progress(c.done, steps, label)
	}
	c.done++
}

// specFile is the name of a requirement's file.
var specFile = regexp.MustCompile(`^specs/([A-Z]+-[0-9]{2})\.md$`)

// requirementOf is the requirement that a file decides, "" for other files.
func requirementOf(path string) string {
	m := specFile.FindStringSubmatch(path)
	if m == nil {
		return ""
	}
	return m[1]
}

// readDecision finds out what the decision commit changes.
func (c *check) readDecision(ctx context.Context) error {
	raw, err := c.repo.git(ctx, "cat-file", "commit", c.decision)
	if err != nil {
		return fmt.Errorf("pair: read decision: %w", err)
	}
	header, _, _ := strings.Cut(raw, "\n\n")
	for line := range strings.SplitSeq(header, "\n") {
		if id, ok := strings.CutPrefix(line, "parent "); ok {
			c.parents++
			c.parent = id
		}
		c.signature = c.signature || strings.HasPrefix(line, "gpgsig ") || strings.HasPrefix(line, "gpgsig-sha256 ")
	}
	if c.parents != 1 {
		return nil // onlySpecs says so
	}
	if c.decided, err = c.repo.diff(ctx, c.parent, c.decision); err != nil {
		return fmt.Errorf("pair: read decision: %w", err)
	}
	for _, d := range c.decided {
		id := requirementOf(d.path)
		switch {
		case id == "":
		case d.status == 'A':
			c.pair.Added = append(c.pair.Added, id)
		case d.status == 'D':
			c.pair.Removed = append(c.pair.Removed, id)
		default:
			c.pair.Changed = append(c.pair.Changed, id)
		}
	}
	return nil
}

// wanted are the requirements that must be implemented at the head. The
// harness's own have no oracle by design.
func (c *check) wanted() []string {
	out := slices.Concat(c.pair.Added, c.pair.Changed)
	out = slices.DeleteFunc(out, func(id string) bool { return strings.HasPrefix(id, "PROOF-") })
	slices.Sort(out)
	return out
}

func (c *check) item(name, title string, status result.Status, reason string) {
	c.pair.Items = append(c.pair.Items, result.PairItem{Name: name, Title: title, Status: status, Reason: reason})
}

// report sums up.
func (c *check) report() result.Report {
	rep := result.Report{
		Schema: result.Schema, Kind: "pair", Claims: result.Claims, Pair: c.pair, NotJudged: []string{},
		Subject: c.atHead.Subject, Level: cmp.Or(c.atHead.Level, result.Verbatim), Requirements: c.atHead.Requirements, Faults: c.faults,
	}
	var all []result.Status
	for _, i := range c.pair.Items {
		all = append(all, i.Status)
		switch i.Status {
		case result.Pass:
			rep.Summary.Pass++
		case result.Fail:
			rep.Summary.Fail++
		case result.Error:
			rep.Summary.Error++
		case result.Skipped:
			rep.Summary.Skipped++
			rep.NotJudged = append(rep.NotJudged, i.Name+": "+i.Reason)
		default: // partial or unsupported
			rep.Summary.Unsupported++
			rep.NotJudged = append(rep.NotJudged, i.Name+": "+i.Reason)
		}
	}
	for _, id := range slices.Concat(c.pair.Added, c.pair.Changed) {
		if strings.HasPrefix(id, "PROOF-") {
			rep.NotJudged = append(rep.NotJudged, id+": about the harness itself, no oracle by design")
		}
	}
	rep.Status = result.Worst(all...)
	return rep
}

// short is a commit ID for people.
func short(id string) string { return id[:min(len(id), 12)] }
