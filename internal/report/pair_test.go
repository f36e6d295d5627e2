package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
)

func samplePair() result.Report {
	return result.Report{
		Schema: result.Schema, Kind: "pair", Tool: result.Tool{Name: "replaycheck", Version: "1"}, Status: result.Error,
		Summary: result.Summary{Pass: 1, Error: 1, Unsupported: 1}, Claims: result.Claims, NotJudged: []string{"signed: not signed"},
		Pair: &result.Pair{
			Decision: "0123456789abcdef", Head: "fedcba9876543210", Added: []string{"REPLAY-16"}, Changed: []string{"REPLAY-03", "REPLAY-04"},
			Items: []result.PairItem{
				{Name: "only-specs", Title: "title 1", Status: result.Pass, Reason: "it changes specs/REPLAY-16.md"},
				{Name: "signed", Title: "title 2", Status: result.Unsupported, Reason: "not signed"},
				{Name: "proven", Title: "title 3", Status: result.Error, Reason: "a|b <b> `c` \x1b[31m @team\nnext"},
			},
		},
	}
}

func TestPairText(t *testing.T) {
	g := NewWithT(t)
	var plain, fancy bytes.Buffer
	g.Expect(report.PairText(&plain, samplePair(), false)).To(Succeed())
	g.Expect(plain.String()).To(Equal(`replaycheck 1: decision 0123456789ab, head fedcba987654
the decision adds REPLAY-16, changes REPLAY-03, REPLAY-04

only-specs	pass	it changes specs/REPLAY-16.md
signed	unsupported	not signed
proven	error	a|b <b> ` + "`c`" + ` \u001b[31m @team\nnext

error  1 of 3 items passed, 0 failed, 1 in error, 1 not judged
` + result.Claims + `
not judged: signed: not signed
`))
	g.Expect(report.PairText(&fancy, samplePair(), true)).To(Succeed())
	g.Expect(fancy.String()).To(ContainSubstring("ITEM        STATUS       WHY"))
	g.Expect(fancy.String()).To(ContainSubstring("\x1b[32mpass\x1b[0m"))
	g.Expect(fancy.String()).NotTo(ContainSubstring("\x1b[31m @team"), "what programs said steers the terminal")
}

// What programs said ends no cell, opens no tag and calls nobody.
func TestPairMarkdown(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(report.PairMarkdown(&out, samplePair())).To(Succeed())
	g.Expect(out.String()).To(HavePrefix("## Decision and implementation: error\n\nDecision commit `0123456789abcdef`, head `fedcba9876543210`.\nThe decision adds REPLAY-16, changes REPLAY-03, REPLAY-04.\n"))
	g.Expect(out.String()).To(ContainSubstring("| only-specs | **pass** | title 1 | it changes specs/REPLAY-16.md |\n"))
	g.Expect(out.String()).To(ContainSubstring(`| proven | **error** | title 3 | a\|b \<b> ` + "\\`c\\`" + ` \\u001b\[31m &#64;team\\nnext |` + "\n"))
}

func TestPairJSON(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(report.JSON(&out, samplePair())).To(Succeed())
	var doc struct {
		Schema string
		Kind   string
		Pair   result.Pair
	}
	g.Expect(json.Unmarshal(out.Bytes(), &doc)).To(Succeed())
	g.Expect(doc.Schema + " " + doc.Kind).To(Equal("replaycheck/report/v1 pair"))
	g.Expect(doc.Pair.Items).To(HaveLen(3))
	g.Expect(strings.Count(out.String(), "null")).To(BeZero(), out.String())
}
