//go:build !replaycheck_lean

package oracles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"example.com/replaycheck/internal/result"
)

// Test is the door for a plain Go test: every requirement becomes a subtest.
// A requirement that fails, or a harness that does, fails its subtest; one that
// the subject does not support is skipped by name.
//
//	func TestReplay(t *testing.T) {
//		oracles.Test(t, oracles.Config{New: newMyAdapter})
//	}
func Test(t *testing.T, cfg Config) {
	t.Helper()
	cfg.InProcess = true
	rep, err := Judge(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Requirements {
		if r.Status == result.Skipped {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			switch r.Status {
			case result.Pass:
			case result.Unsupported:
				t.Skip(r.Title + ": unsupported: " + r.Reason)
			default:
				t.Error(Explain(r, rep.Level))
			}
		})
	}
	if rep.Literal != nil && rep.Literal.Status != result.Pass {
		t.Error(explainLiteral(*rep.Literal))
	}
	if rep.Status == result.Error && rep.Summary.Error == 0 {
		t.Error("nothing is shown: " + strings.Join(rep.NotJudged, "; "))
	}
	for _, line := range rep.NotJudged {
		t.Log("not judged: " + line)
	}
}

// Register is the door for a suite of one's own: it adds a container with one
// spec per requirement to the Ginkgo tree. Call it while the tree is built.
// The subject is driven once, before the first of its specs.
//
//	var _ = oracles.Register(oracles.Config{New: newMyAdapter})
func Register(cfg Config) bool {
	cfg.InProcess = true
	return ginkgo.Describe("the replay contract", ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		var rep Report
		ginkgo.BeforeAll(func(ctx ginkgo.SpecContext) {
			var err error
			if rep, err = Judge(ctx, cfg); err != nil {
				ginkgo.Fail(err.Error())
			}
		})
		for _, o := range All() {
			ginkgo.It("meets "+o.ID, func() {
				for _, r := range rep.Requirements {
					if r.ID == o.ID {
						assert(r, rep.Level)
						return
					}
				}
				ginkgo.Fail(o.ID + " is not in the report")
			})
		}
		ginkgo.It("sends the literal requests, where the subject has any", func() {
			switch {
			case rep.Literal == nil:
				ginkgo.Skip("only the reference adapters have literal expectations")
			case rep.Literal.Status != result.Pass:
				ginkgo.Fail(explainLiteral(*rep.Literal))
			}
		})
	})
}

func assert(r result.Requirement, level Level) {
	switch r.Status {
	case result.Pass:
	case result.Unsupported, result.Skipped:
		ginkgo.Skip(fmt.Sprintf("%s: %s", r.Status, r.Reason))
	default:
		ginkgo.Fail(Explain(r, level))
	}
}

func explainLiteral(l result.Literal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "PROOF-03: %d differences from the literal expected requests", len(l.Findings))
	for _, f := range l.Findings {
		fmt.Fprintf(&b, "\n  where  %s   (%s %s)\n  want   %s\n  got    %s", f.Where, f.Scenario, f.Mode, f.Want, f.Got)
	}
	return b.String()
}
