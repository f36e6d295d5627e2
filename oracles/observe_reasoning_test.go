package oracles_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// What is said of reasoning that did not come back goes by the ids: one half of a
// pair is refused, neither half is not. And what no client can send, a bare id
// where nothing is stored, nobody is asked for.
func TestReasoningLeftOut(t *testing.T) {
	const (
		cipher    = `"encrypted_content":"gAAAAABhYmM=",`
		reasoning = `{"type":"reasoning","id":"rs_1",CIPHER"summary":[]},`
		call      = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"}`
		message   = `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Let me look.","annotations":[]}]},`
		output    = `{"type":"function_call_output","call_id":"c1","output":"7"}`
		refused   = "refused by OpenAI Responses (confirmed)"
		silent    = "not refused by a known rule"
	)
	for _, row := range []struct {
		name   string
		cipher string
		items  string // of the reply
		edits  []string
		stored bool
		means  string // how that of each gating finding begins, "" for none
	}{
		{name: "as it was", cipher: cipher, items: reasoning + call},
		{name: "reasoning gone, the id kept", cipher: cipher, items: reasoning + call, edits: []string{reasoning, ""}, means: refused},
		{name: "neither reasoning nor ids", cipher: cipher, items: reasoning + call, edits: []string{reasoning, "", `"id":"fc_1",`, ""}, means: silent},
		{name: "the cipher only, where nothing is stored", cipher: cipher, items: reasoning + call, edits: []string{"CIPHER", ""}, means: refused},
		{name: "the cipher only, where it is stored", cipher: cipher, items: reasoning + call, edits: []string{"CIPHER", ""}, stored: true, means: "the item is not what it was"},
		{name: "all ids", cipher: cipher, items: reasoning + call, edits: []string{`"id":"rs_1",`, "", `"id":"fc_1",`, ""}, means: "the item is not what it was"},
		{name: "the cipher edited", cipher: cipher, items: reasoning + call, edits: []string{"CIPHER", strings.Replace(cipher, "YmM", "YmN", 1)}, means: refused},
		{name: "the call after it", cipher: cipher, items: reasoning + call, edits: []string{call + ",", ""}, means: refused},

		{name: "no cipher came, reasoning and ids left out", items: reasoning + message + call, edits: []string{reasoning, "", `"id":"msg_1",`, "", `"id":"fc_1",`, ""}},
		{name: "no cipher came, the id kept", items: reasoning + message + call, edits: []string{reasoning, ""}, means: refused},
		{name: "no cipher came and it is stored, reasoning and ids left out", items: reasoning + call, edits: []string{reasoning, "", `"id":"fc_1",`, ""}, stored: true},
		{name: "no cipher came and it is stored, the id kept", items: reasoning + call, edits: []string{reasoning, ""}, stored: true, means: refused},
		{name: "no cipher came, the message edited", items: reasoning + message + call, edits: []string{reasoning, "", `"id":"msg_1",`, "", "Let me look.", "No."}, means: "the item is not what it was"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			store := "false"
			if row.stored {
				store = "true"
			}
			head := `{"model":"gpt-6","store":` + store + `,"input":[{"role":"user","content":"hi"}`
			back := head + "," + row.items + "," + output + "]}"
			for i := 0; i < len(row.edits); i += 2 {
				g.Expect(back).To(ContainSubstring(row.edits[i]))
				back = strings.Replace(back, row.edits[i], row.edits[i+1], 1)
			}
			fill := func(s string) string { return strings.ReplaceAll(s, "CIPHER", row.cipher) }
			obs, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
				{Seq: 1, Endpoint: fakeserver.Responses, Status: 200, Step: 1, Body: head + "]}", Reply: fill(`{"id":"resp_1","object":"response","status":"completed","output":[` + row.items + `]}`)},
				{Seq: 2, Endpoint: fakeserver.Responses, Status: 200, Step: 2, Body: fill(back), Reply: `{"id":"resp_2","object":"response","status":"completed","output":[` + strings.TrimSuffix(strings.ReplaceAll(message, "msg_1", "msg_2"), ",") + `]}`},
			}))
			g.Expect(err).NotTo(HaveOccurred())
			red := false
			for _, o := range obs.Judged {
				for _, f := range o.Findings {
					if !f.Gates(result.Provider) || o.ID != "OPENAI-03" && o.ID != "OPENAI-04" {
						continue
					}
					red = true
					g.Expect(row.means).NotTo(BeEmpty(), "%s %+v", o.ID, f)
					g.Expect(f.Means).To(HavePrefix(row.means), "%s %+v", o.ID, f)
				}
			}
			g.Expect(red).To(Equal(row.means != ""))
		})
	}
}
