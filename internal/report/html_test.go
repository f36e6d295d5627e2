package report_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/page"
	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
)

// htmlText is the report's page without its style, which has no golden file.
func htmlText(t *testing.T, r result.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.HTML(&out, r); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(out.String(), page.Style(), "…", 1)
	return strings.ReplaceAll(text, page.StyleHash(), "'sha256-…'")
}

func TestHTML(t *testing.T) {
	g := NewWithT(t)
	got := htmlText(t, sample())
	expectGolden(g, "sample.html", got)
	g.Expect(htmlText(t, sample())).To(Equal(got), "the same report, other bytes")
}

func TestHTMLOfOutcomes(t *testing.T) {
	lost := result.Finding{
		Where: "request 2, contents[1].parts[0].thoughtSignature", Change: result.Absent, Level: result.Provider, Basis: result.Confirmed,
		Want: `"abc" (300 bytes, sha256 95a2…)`, Got: "absent", Means: "refused",
	}
	gone := lost
	gone.Where, gone.Change = "request 2, input[1]", result.Absent
	reordered := result.Finding{Where: "request 2, input[1]", Change: result.Reordered, Level: result.Provider, Basis: result.Confirmed, Want: "before", Got: "after"}
	of := func(status result.Status, findings ...result.Finding) result.Report {
		q := result.Requirement{ID: "REPLAY-03", Title: "A call", Strength: "MUST", Status: status, Runs: []result.Run{{Scenario: "gemini/single-call", Mode: "plain/live", Status: status, Findings: findings}}}
		return result.Report{Kind: "run", Status: status, Level: result.Provider, Requirements: []result.Requirement{q}, Claims: result.Claims}
	}
	for _, c := range []struct {
		name string
		r    result.Report
		want []string
	}{
		{"lost", of(result.Fail, reordered, lost), []string{`verdict bad`, "SIGNATURES LOST OR CHANGED", `<span class="word">signature lost</span>`}},
		{"gone with its item", of(result.Fail, gone), []string{"SIGNATURES LOST OR CHANGED", `<span class="word">cipher lost</span>`}},
		{"broken otherwise", of(result.Fail, reordered), []string{`verdict bad`, "CONTRACT BROKEN", `<span class="word">reordered</span>`}},
		{"pass", of(result.Pass), []string{`verdict ok`, "Everything came back"}},
		{"partial", of(result.Partial), []string{`verdict warn`, "Passed, in part"}},
		{"nothing ran", result.Report{Kind: "run", Status: result.Error}, []string{`verdict warn`, "Not judged: error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			got := htmlText(t, c.r)
			at := 0
			for _, w := range c.want { // in this order: what was lost comes before the rest
				i := strings.Index(got[at:], w)
				g.Expect(i).To(BeNumerically(">=", 0), w)
				at += i
			}
		})
	}
}

// What a subject says is shown, never run.
// One loss of which three requirements speak is one card that names them all; the
// table has a row for each.
func TestHTMLTellsALossOnce(t *testing.T) {
	g := NewWithT(t)
	lost := result.Finding{Where: "request 2, contents[1].parts[0].thoughtSignature", Change: result.Absent, Level: result.Provider, Basis: result.Confirmed, Want: `"abc"`, Got: "absent", Means: "refused"}
	r := result.Report{Kind: "serve", Status: result.Fail, Level: result.Provider, Claims: result.Claims}
	for _, id := range []string{"REPLAY-01", "REPLAY-03", "STREAM-01"} {
		r.Requirements = append(r.Requirements, result.Requirement{ID: id, Strength: "MUST", Status: result.Fail, Runs: []result.Run{{Scenario: "x", Mode: "stream/live", Status: result.Fail, Findings: []result.Finding{lost}}}})
	}
	got := htmlText(t, r)
	g.Expect(strings.Count(got, `class="finding`)).To(Equal(1))
	g.Expect(got).To(ContainSubstring("<dt>also</dt><dd>REPLAY-03, STREAM-01</dd>"))
	g.Expect(strings.Count(got, `<tr class="broken">`)).To(Equal(3))
}

func TestHTMLIsEscaped(t *testing.T) {
	g := NewWithT(t)
	const evil = `"><script>alert(1)</script>`
	f := result.Finding{Where: evil, Change: evil, Level: result.Provider, Basis: result.Confirmed, Want: evil, Got: evil, Means: evil, Raw: evil}
	r := result.Report{
		Kind: evil, Status: result.Fail, Level: result.Provider, Claims: evil, NotJudged: []string{evil},
		Tool: result.Tool{Name: evil, Version: evil}, Subject: result.Subject{Name: evil, State: evil, SDK: []result.SDK{{Name: evil, Version: evil}}},
		Requirements: []result.Requirement{
			{ID: evil, Title: evil, Strength: evil, Status: result.Fail, Reason: evil, Runs: []result.Run{{Scenario: evil, Mode: evil, Variant: evil, Status: result.Fail, Findings: []result.Finding{f}}}},
			{ID: evil, Status: result.Error, Runs: []result.Run{{Scenario: evil, Status: result.Error, Reason: evil}}},
		},
	}
	g.Expect(htmlText(t, r)).NotTo(ContainSubstring("<script>"))
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestHTMLThatCannotBeWritten(t *testing.T) {
	NewWithT(t).Expect(report.HTML(full{}, sample())).To(MatchError("report: write html: no space left"))
}
