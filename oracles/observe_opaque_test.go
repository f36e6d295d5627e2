package oracles_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// An item whose kind nobody knows may hold an opaque value too, under the name
// that reasoning has its own: it is compared like every other member.
func TestOpaqueValuesOfUnknownItems(t *testing.T) {
	const (
		item  = `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAAABhYmM="}`
		said  = `{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"yes","annotations":[]}]}`
		reply = `{"id":"resp_1","object":"response","status":"completed","output":[` + item + `,` + said + `]}`
		user  = `{"role":"user","content":"hi"}`
		back  = `{"model":"gpt-6","store":false,"input":[` + user + `,` + item + `,` + said + `,` + user + `]}`
	)
	for _, row := range []struct {
		name, old, now string
		red            bool
	}{
		{"as it was", "", "", false},
		{"edited", "gAAAAABhYmM=", "gAAAAABhYmN=", true},
		{"dropped", `,"encrypted_content":"gAAAAABhYmM="`, "", true},
		{"null", `"gAAAAABhYmM="`, "null", true},
		{"put on a message", `"id":"msg_1",`, `"id":"msg_1","encrypted_content":"gAAAAABhYmM=",`, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			obs, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
				{Seq: 1, Endpoint: fakeserver.Responses, Status: 200, Step: 1, Body: `{"model":"gpt-6","store":false,"input":[` + user + `]}`, Reply: reply},
				{Seq: 2, Endpoint: fakeserver.Responses, Status: 200, Step: 2, Body: strings.Replace(back, row.old, row.now, 1), Reply: reply},
			}))
			g.Expect(err).NotTo(HaveOccurred())
			red := false
			for _, o := range obs.Judged {
				for _, f := range o.Findings {
					red = red || o.ID == "OPENAI-03" && f.Gates("provider")
				}
			}
			g.Expect(red).To(Equal(row.red))
		})
	}
}
