package oracles_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// Requests that were read when the evidence was gathered are not read again,
// unless somebody has changed their bodies since: then those are judged.
func TestObserveJudgesTheBodies(t *testing.T) {
	g := NewWithT(t)
	const (
		part  = `{"functionCall":{"name":"f","args":{"x":1}},"thoughtSignature":"bm9ib2R5J3Mgc2lnbmF0dXJlIG9mIGZvcnR5IGNoYXJhY3RlcnM="}`
		reply = `{"candidates":[{"content":{"role":"model","parts":[` + part + `]},"finishReason":"STOP"}]}`
		user  = `{"role":"user","parts":[{"text":"hi"}]}`
		back  = `{"contents":[` + user + `,{"role":"model","parts":[` + part + `]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`
	)
	gates := func(change func(string) string) bool {
		ev := scenario.Observed("x", []fakeserver.Exchange{
			{Seq: 1, Endpoint: fakeserver.Gemini, Status: 200, Step: 1, Body: `{"contents":[` + user + `]}`, Reply: reply},
			{Seq: 2, Endpoint: fakeserver.Gemini, Status: 200, Step: 2, Body: back, Reply: reply},
		})
		g.Expect(ev.Runs[0].Read).To(HaveLen(2))
		ev.Runs[0].Exchanges[1].Body = change(back)
		obs, err := oracles.Observe(ev)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(obs.Judged).NotTo(BeEmpty())
		for _, o := range obs.Judged {
			for _, f := range o.Findings {
				if f.Gates("provider") {
					return true
				}
			}
		}
		return false
	}
	g.Expect(gates(func(s string) string { return s })).To(BeFalse())
	g.Expect(gates(func(s string) string { return strings.Replace(s, `bm9i`, `bn9i`, 1) })).To(BeTrue(), "as long as it was")
	g.Expect(gates(func(s string) string { return strings.Replace(s, `,"thoughtSignature":`, `,"signature":`, 1) })).To(BeTrue())
	g.Expect(gates(func(string) string { return `{"contents":[` + user + `]}` })).To(BeTrue())
}
