package script_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
)

// Gemini 4 gives every call an id, which is the seed's; older models don't.
func TestCallsOfGemini4HaveIDs(t *testing.T) {
	const text = "seed: 7\nreplies:\n- parts:\n  - call: {name: a}\n  - call: {name: b, id: own}\n"
	for _, c := range []struct {
		profile, endpoint, model string
		first                    string // what its id begins with
	}{
		{"", fakeserver.Gemini, "gemini-4-argon", "call_"},
		{"", fakeserver.Vertex, "publishers/google/models/gemini-4-argon", "call_"},
		{"gemini-4", fakeserver.Gemini, "my-tuned-model", "call_"},
		{"", fakeserver.Gemini, "gemini-3.8-flash", ""},
		{"", fakeserver.Gemini, "gemini-2.5-pro", ""},
	} {
		t.Run(c.endpoint+" "+c.model, func(t *testing.T) {
			g := NewWithT(t)
			var ids [2][]string
			for life := range ids {
				s := parse(t, text)
				s.Profile = c.profile
				picked, err := s.Play().Pick(fakeserver.Asked{Endpoint: c.endpoint, Model: c.model, Body: hello})
				g.Expect(err).NotTo(HaveOccurred())
				for _, form := range []string{picked.Reply().Plain, picked.Reply().Stream} {
					reply, err := native.ParseReply(native.Gemini, form)
					g.Expect(err).NotTo(HaveOccurred())
					for _, p := range reply.Parts {
						ids[life] = append(ids[life], p.ID)
					}
				}
			}
			g.Expect(ids[0]).To(HaveLen(4))
			g.Expect(ids[0]).To(Equal(ids[1]), "of the same seed")
			g.Expect(ids[0][:2]).To(Equal(ids[0][2:]), "plain and streamed")
			g.Expect(ids[0][1]).To(Equal("own"))
			if c.first == "" {
				g.Expect(ids[0][0]).To(BeEmpty())
			} else {
				g.Expect(ids[0][0]).To(HavePrefix(c.first))
			}
		})
	}
}

// A late signature is in a delta of its own, which has no index, directly after the
// rest of its call: the streams say the same as the plain form all the same.
func TestLateSignatures(t *testing.T) {
	g := NewWithT(t)
	const text = "seed: 7\nreplies:\n- parts:\n  - call: {name: a, args: {x: 1}}\n    signed: true\n  - call: {name: b}\n- text: One two three four five six seven.\n  signed: true\n"
	late := strings.ReplaceAll(strings.ReplaceAll(text, "- parts:", "- late: true\n  parts:"), "- text:", "- late: true\n  text:")
	body := `{"model":"gemini-3.8-flash","stream":true,"messages":[{"role":"user","content":"?"}]}`
	for _, path := range []string{"/v1beta/openai/chat/completions", "/v1/projects/p/locations/l/endpoints/openapi/chat/completions"} {
		asked := fakeserver.Asked{Endpoint: fakeserver.GeminiOpenAI, Model: "gemini-3.8-flash", Path: path, Body: body}
		usual, ends := parse(t, text).Play().Known(asked), parse(t, late).Play().Known(asked)
		for i := range usual {
			g.Expect(ends[i].Plain).To(Equal(usual[i].Plain))
			var parts [3]string
			for k, form := range []string{usual[i].Plain, usual[i].Stream, ends[i].Stream} {
				reply, err := native.ParseReply(native.GeminiOpenAI, form)
				g.Expect(err).NotTo(HaveOccurred())
				for _, p := range reply.Parts {
					parts[k] += p.Kind.String() + " " + p.Text + p.Name + p.Args + " " + p.Sig.Text() + "\n"
				}
			}
			g.Expect(parts[1]).To(Equal(parts[0]))
			g.Expect(parts[2]).To(Equal(parts[0]))
		}
		g.Expect(ends[0].Stream).To(MatchRegexp(`"index":0,"function":\{"arguments":"\{\\"x\\":1\}"\}\}\]\}[^\n]*\n\ndata: [^\n]*"delta":\{"tool_calls":\[\{"extra_content":[^\n]*\n\ndata: [^\n]*"tool_calls":\[\{"index":1,"id"`))
		g.Expect(ends[1].Stream).To(MatchRegexp(`"delta":\{"content":"[^"]*seven\."\}[^\n]*\n\ndata: [^\n]*"delta":\{"extra_content":`))
	}
}
