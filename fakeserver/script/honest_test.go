package script_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/wire"
)

// A client that sends back what it got is refused nothing, whatever a script's
// parts say of themselves, stored or not.
func TestWhoSendsBackWhatCameIsNotRefused(t *testing.T) {
	for name, parts := range map[string]string{
		"a thought":               "[thought: hm, call: {name: weather}]",
		"reasoning":               "[reasoning: hm, call: {name: weather}]",
		"a thought before a text": "[thought: hm, text: Look., call: {name: weather}]",
		"two thoughts":            "[thought: hm, text: a, thought: well, call: {name: weather}, call: {name: weather}]",
		"nothing signed":          "[call: {name: weather}]",
		"a call signed":           "[thought: hm, call: {name: weather}, {call: {name: weather}, signed: true}]",
	} {
		for _, more := range []string{`"store":false,"include":["reasoning.encrypted_content"],`, `"store":false,`, `"store":true,`, ``} {
			t.Run(name+" "+more, func(t *testing.T) {
				g := NewWithT(t)
				script := parse(t, "seed: 7\nreplies:\n- parts: "+parts+"\n- text: done\n").Play()
				script.Enforce = true
				p := fakeserver.NewPlay(fakeserver.Options{}, script)
				body := func(items string) string {
					return `{"model":"gpt-6-sol",` + more + `"input":[{"role":"user","content":"?"}` + items + `]}`
				}
				status, reply := ask(t, p, "/v1/responses", body(""))
				g.Expect(status).To(Equal(200), reply)
				root, err := wire.Parse(reply)
				g.Expect(err).NotTo(HaveOccurred())
				items, results := "", ""
				for item := range root.Get("output").Items() {
					items += "," + item.Raw()
					switch item.Get("type").Text() {
					case "reasoning":
						g.Expect(item.Get("encrypted_content").Text()).NotTo(BeEmpty(), item.Raw())
					case "function_call":
						results += `,{"type":"function_call_output","call_id":` + item.Get("call_id").Raw() + `,"output":"7"}`
					}
				}
				status, reply = ask(t, p, "/v1/responses", body(items+results))
				g.Expect(status).To(Equal(200), reply)
			})
		}
	}
}
