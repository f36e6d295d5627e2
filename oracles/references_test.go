package oracles_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// Where OpenAI keeps the items of a conversation their references stand for them.
// With store:false it keeps none, and a reference is a value lost.
func TestObserveReferences(t *testing.T) {
	const (
		user   = `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}`
		rs     = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAABpcipher"}`
		fc     = `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{}","status":"completed"}`
		second = `{"type":"function_call","id":"fc_2","call_id":"call_2","name":"f","arguments":"{\"x\":1}","status":"completed"}`
		out    = `{"type":"function_call_output","call_id":"call_1","output":"{\"r\":1}"}`
		outs   = out + `,{"type":"function_call_output","call_id":"call_2","output":"{\"r\":2}"}`
	)
	ref := func(id string) string { return `{"type":"item_reference","id":"` + id + `"}` }
	items := rs + "," + fc + "," + second
	refs := ref("rs_1") + "," + ref("fc_1") + "," + ref("fc_2")
	for _, row := range []struct {
		name, root, back string
		found            string // "" for nothing
	}{
		{"whole", ``, items + "," + outs, ""},
		{"all by reference", ``, refs + "," + outs, ""},
		{"all by reference, stored", `"store":true,`, refs + "," + outs, ""},
		{"some by reference", ``, ref("rs_1") + "," + fc + "," + ref("fc_2") + "," + outs, ""},

		{"not stored", `"store":false,`, refs + "," + outs, "OPENAI-03 "},
		{"one left out", ``, ref("rs_1") + "," + ref("fc_1") + "," + out, "OPENAI-03 "},
		{"reasoning left out", ``, ref("fc_1") + "," + ref("fc_2") + "," + outs, "OPENAI-04 "},
		{"one twice", ``, refs + "," + ref("rs_1") + "," + outs, "OPENAI-03 request 2, input[4] duplicated"},
		{"one beside the item", ``, items + "," + ref("rs_1") + "," + outs, "OPENAI-03 request 2, input[4] duplicated"},
		{"in another order", ``, ref("fc_1") + "," + ref("rs_1") + "," + ref("fc_2") + "," + outs, "OPENAI-03 "},
		{"of nothing", ``, ref("rs_9") + "," + ref("fc_1") + "," + ref("fc_2") + "," + outs, "OPENAI-03 "},
		{"of another kind", ``, strings.ReplaceAll(refs, "item_reference", "item_ref") + "," + outs, "OPENAI-03 "},
		{"with a value of its own", ``, `{"type":"item_reference","id":"rs_1","encrypted_content":"x"},` + ref("fc_1") + "," + ref("fc_2") + "," + outs, "OPENAI-03 "},
		{"a result left out", ``, refs + "," + out, "REPLAY-15 "},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			body := func(input string) string { return `{"model":"gpt-6",` + row.root + `"input":[` + input + `]}` }
			answer := func(output string) string { return `{"id":"resp","status":"completed","output":[` + output + `]}` }
			o, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
				{Seq: 1, Endpoint: "responses", Status: 200, Step: 1, Body: body(user), Reply: answer(items)},
				{Seq: 2, Endpoint: "responses", Status: 200, Step: 2, Body: body(user + "," + row.back), Reply: answer(`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Bye.","annotations":[]}]}`)},
			}))
			g.Expect(err).NotTo(HaveOccurred())
			found := gating(t, o)
			_, lost := fates(o)
			if row.found == "" {
				g.Expect(found).To(BeEmpty())
				g.Expect(lost).To(BeZero())
			} else {
				g.Expect(found).To(ContainElement(HavePrefix(row.found)))
			}
		})
	}
}
