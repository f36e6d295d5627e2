package report_test

import (
	"bytes"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
)

func literal(findings ...result.LiteralFinding) result.Report {
	r := green("plain/memory")
	r.Literal = &result.Literal{Status: result.Pass, Compared: 7, Findings: findings}
	if len(findings) > 0 {
		r.Status, r.Literal.Status = result.Fail, result.Fail
	}
	return r
}

func differs(mode string) result.LiteralFinding {
	return result.LiteralFinding{
		Scenario: "gemini/single-call", Mode: mode, Finding: result.Finding{
			Where: "request 2, contents[1]", Change: result.Changed, Level: result.Verbatim, Basis: result.Documented,
			Want: "{}", Got: "[]", Means: "the literal file expects it",
		},
	}
}

func TestLiteralDifferences(t *testing.T) {
	g := NewWithT(t)
	r := literal(differs("plain/memory"), differs("plain/stored"))

	g.Expect(text(g, r, false)).To(Equal(`replaycheck v1: subject reference; level verbatim

REPLAY-03	pass	1 of 1	plain/memory	One

PROOF-03 MUST  7 requests compared with the literal expected ones, 2 differ
  where  request 2, contents[1]   (scenario gemini/single-call, in plain/memory, plain/stored)
  want   {}
  got    [], changed
  means  the literal file expects it
  raw    not kept; run again with --keep DIR

fail  1 passed, 0 failed, 0 unsupported, 0 skipped, 0 in error
7 requests compared with the literal expected ones, 2 differ
Claim.
not judged: nothing
`))
	var out bytes.Buffer
	g.Expect(report.JUnit(&out, r)).To(Succeed())
	g.Expect(out.String()).To(ContainSubstring(`tests="3" failures="2"`))
	g.Expect(out.String()).To(ContainSubstring(`<testsuite name="PROOF" tests="2" failures="2" errors="0" skipped="0">`))
}

func TestLiteralAgreement(t *testing.T) {
	g := NewWithT(t)
	r := literal()
	g.Expect(text(g, r, false)).To(ContainSubstring("\n7 requests compared with the literal expected ones, 0 differ\nClaim.\n"))

	var out bytes.Buffer
	g.Expect(report.JUnit(&out, r)).To(Succeed())
	g.Expect(out.String()).To(ContainSubstring(`tests="2" failures="0" errors="0"`))
	out.Reset()
	g.Expect(report.JSON(&out, r)).To(Succeed())
	g.Expect(out.String()).To(ContainSubstring(`"findings": []`))
}
