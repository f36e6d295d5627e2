package script_test

import (
	"encoding/base64"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/internal/native"
)

const twoCalls = `
seed: 7
replies:
- parts:
  - thought: Hm.
    signed: true
  - call: {name: weather, args: {city: Leipzig}}
    signed: true
    length: 300
- call: {name: clock}
  signed: true
  length: 300
- text: done
  signed: true
- text: more
`

// whyCase is what a client makes of the first reply's opaque value, and what the
// second request is answered.
type whyCase struct {
	name string
	with func(*history)
	body string // "": answered
	why  string
	note string // of one that is answered
}

// history is what the second request is made from: the values of the first two
// replies, and what is sent.
type history struct {
	value, second    string // minted
	model            string
	call, callTwo    string // sent
	hm, id, callID   string
	earlier, swapped bool
}

func flipped(v string, i int) string {
	c := "A"
	if v[i] == 'A' {
		c = "B"
	}
	return v[:i] + c + v[i+1:]
}

func must(t *testing.T, seed string, kind mint.Kind, model string, step, part, length int) string {
	t.Helper()
	return signature(t, seed, mint.Stamp{Kind: kind, Model: model, Step: step, Part: part}, length)
}

func geminiRequest(h *history) string {
	turn := `{"role":"user","parts":[{"text":"How is it?"}]},{"role":"model","parts":[{"functionCall":{"name":"weather","args":{"city":"Leipzig"}},"thoughtSignature":"` + h.call + `"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"result":"7"}}}]}`
	if h.callTwo != "" {
		turn += `,{"role":"model","parts":[{"functionCall":{"name":"clock"},"thoughtSignature":"` + h.callTwo + `"}]},{"role":"user","parts":[{"functionResponse":{"name":"clock","response":{"result":"7"}}}]}`
	}
	if h.earlier {
		turn += `,{"role":"model","parts":[{"text":"done"}]},{"role":"user","parts":[{"text":"And now?"}]}`
	}
	return `{"contents":[` + turn + `]}`
}

func runWhy(t *testing.T, c whyCase, h history, path string, request func(*history) string) {
	t.Helper()
	c.with(&h)
	g := NewWithT(t)
	// Another life of the server: it has given nothing out.
	play := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, twoCalls)))
	status, body := ask(t, play, strings.Replace(path, "MODEL", h.model, 1), request(&h))
	x := play.Close().Exchanges[0]
	if c.body == "" {
		g.Expect(status).To(Equal(200), body)
		g.Expect(x.Refusal).To(BeNil())
		g.Expect(strings.Join(x.Notes, "\n")).To(Equal(c.note))
		return
	}
	g.Expect(status).To(Equal(400))
	g.Expect(body).To(MatchRegexp("^" + c.body + "$"))
	g.Expect(x.Refusal.Why).To(Equal(c.why))
	g.Expect(x.Notes).To(BeEmpty())
}

const (
	corrupted = `\{"error":\{"code":400,"message":"Corrupted thought signature\.","status":"INVALID_ARGUMENT"\}\}`
	invalid   = `\{"error":\{"code":400,"message":"Invalid thought signature","status":"INVALID_ARGUMENT"\}\}`
	notValid  = `\{"error":\{"code":400,"message":"Unable to submit request because Thought signature is not valid\.\. Learn more: https://cloud\.google\.com/vertex-ai/generative-ai/docs/model-reference/gemini","status":"INVALID_ARGUMENT"\}\}`
	ofCall    = "part 2 of reply 1, minted for gemini-3.8-flash (gemini)"
)

func TestWhyGemini(t *testing.T) {
	h := history{model: "gemini-3.8-flash", value: must(t, "7", mint.Gemini, "gemini-3.8-flash", 1, 2, 300), second: must(t, "7", mint.Gemini, "gemini-3.8-flash", 2, 1, 300)}
	h.call = h.value
	rows := []whyCase{
		{name: "whole", with: func(*history) {}},
		{name: "the other alphabet", with: func(h *history) { h.call = strings.NewReplacer("+", "-", "/", "_").Replace(h.value) }},
		{name: "cut", with: func(h *history) { h.call = h.value[:252] }, body: corrupted, why: "contents[1].parts[0]: cut off, 189 of 224 bytes: " + ofCall},
		{name: "edited", with: func(h *history) { h.call = flipped(h.value, 200) }, body: corrupted, why: "contents[1].parts[0]: edited from byte 151 of 224 on: " + ofCall},
		{
			name: "another seed", with: func(h *history) { h.call = must(t, "8", mint.Gemini, h.model, 1, 2, 300) }, body: corrupted,
			why: "contents[1].parts[0]: foreign, of a server or script with another seed: " + ofCall,
		},
		{
			name: "another provider's", with: func(h *history) { h.call = must(t, "7", mint.Responses, "gpt-6", 1, 2, 300) }, body: corrupted,
			why: "contents[1].parts[0]: another provider's: part 2 of reply 1, minted for gpt-6 (responses)",
		},
		{name: "another model", with: func(h *history) { h.model = "gemini-3-pro" }, body: corrupted, why: "contents[1].parts[0]: given out for another model: " + ofCall},
		{
			name: "encoded again", with: func(h *history) { h.call = base64.StdEncoding.EncodeToString([]byte(h.value)) }, body: corrupted,
			why: "contents[1].parts[0]: encoded in base64 once more: " + ofCall,
		},
		{
			name: "invented", with: func(h *history) { h.call = "c29tZSB0aGluZyB0aGF0IHdhcyBtYWRlIHVw" }, body: corrupted,
			why: "contents[1].parts[0]: nothing like it was given out here: the signature was invented, or is of another server, model or provider",
		},
		{name: "on another call", with: func(h *history) { h.call = h.second }, body: invalid, why: "contents[1].parts[0]: genuine, but not for this: part 1 of reply 2, minted for gemini-3.8-flash (gemini)"},
		{name: "two calls", with: func(h *history) { h.callTwo = h.second }},
		{name: "copied to the next", with: func(h *history) { h.callTwo = h.value }, body: invalid, why: "contents[3].parts[0]: genuine, but not for this: " + ofCall},
		{
			name: "on another call of an earlier turn", with: func(h *history) { h.call, h.earlier = h.second, true },
			note: "contents[1].parts[0]: on other content than it was given for: part 1 of reply 2, minted for gemini-3.8-flash (gemini)",
		},
	}
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) { runWhy(t, c, h, "/v1beta/models/MODEL:generateContent", geminiRequest) })
		vertex := c
		if c.body != "" {
			vertex.body = notValid
		}
		t.Run("Vertex, "+c.name, func(t *testing.T) {
			runWhy(t, vertex, h, "/v1/projects/p/locations/l/publishers/google/models/MODEL:generateContent", geminiRequest)
		})
	}
}

// Chat Completions carries Gemini's signatures, and Vertex writes the models'
// names with their publisher.
func TestWhyCompatible(t *testing.T) {
	v := must(t, "7", mint.Gemini, "gemini-3.8-flash", 1, 2, 300)
	request := func(sig string) string {
		return `{"model":"google/gemini-3.8-flash","messages":[{"role":"user","content":"?"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Leipzig\"}"},` +
			`"extra_content":{"google":{"thought_signature":"` + sig + `"}}}]},{"role":"tool","tool_call_id":"c","content":"7"}]}`
	}
	for _, c := range []struct{ name, sig, body, why string }{
		{"whole", v, "", ""},
		{"cut", v[:252], `[{"error":{"code":400,"message":"Corrupted thought signature.","status":"INVALID_ARGUMENT"}}]`, "contents[1].parts[0]: cut off, 189 of 224 bytes: " + ofCall},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			play := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, twoCalls)))
			status, body := ask(t, play, "/v1beta/openai/chat/completions", request(c.sig))
			x := play.Close().Exchanges[0]
			if c.body == "" {
				g.Expect(status).To(Equal(200), body)
				g.Expect(x.Notes).To(BeEmpty())
				return
			}
			g.Expect(body).To(Equal(c.body))
			g.Expect(x.Refusal.Why).To(Equal(c.why))
		})
	}
}

// The decoder's answer names the value; what became of it, it does not say.
func TestWhyNotBase64(t *testing.T) {
	g := NewWithT(t)
	v := must(t, "7", mint.Gemini, "gemini-3.8-flash", 1, 2, 300)
	play := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, twoCalls)))
	status, body := ask(t, play, geminiPath, geminiRequest(&history{call: v[:100] + "..."}))
	g.Expect(status).To(Equal(400))
	g.Expect(body).To(ContainSubstring(`Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"` + v[:100] + `...\"`))
	g.Expect(play.Close().Exchanges[0].Refusal.Why).To(Equal("contents[1].parts[0]: cut off, 75 of 224 bytes: " + ofCall))
}

// What one model was given is another's in the same life of the server too.
func TestAnotherModelInOneConversation(t *testing.T) {
	g := NewWithT(t)
	play := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, twoCalls)))
	v := must(t, "7", mint.Gemini, "gemini-3.8-flash", 1, 2, 300)
	status, body := ask(t, play, geminiPath, hello)
	g.Expect(status).To(Equal(200))
	g.Expect(body).To(ContainSubstring(v))
	status, body = ask(t, play, strings.Replace(geminiPath, "gemini-3.8-flash", "gemini-3-pro", 1), geminiRequest(&history{call: v}))
	g.Expect(status).To(Equal(400))
	g.Expect(body).To(MatchRegexp("^" + corrupted + "$"))
	g.Expect(play.Record().Exchanges[1].Refusal.Why).To(Equal("contents[1].parts[0]: given out for another model: " + ofCall))
	status, body = ask(t, play, geminiPath, geminiRequest(&history{call: v}))
	g.Expect(status).To(Equal(200), body)
}

// A server that is started again with another script of the same seed knows the
// values of its earlier life, though it would give out others.
func TestKnownBySeed(t *testing.T) {
	g := NewWithT(t)
	v := must(t, "7", mint.Gemini, "gemini-3.8-flash", 1, 2, 300)
	other := parse(t, "seed: 7\nreplies: [{text: x}, {text: y}]\n")
	for _, c := range []struct {
		sig    string
		status int
	}{{v, 200}, {strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(v, "=")), 200}, {v[:296], 400}, {must(t, "6", mint.Gemini, "gemini-3.8-flash", 1, 2, 300), 400}} {
		status, body := ask(t, fakeserver.NewPlay(fakeserver.Options{}, enforced(other)), geminiPath, geminiRequest(&history{call: c.sig}))
		g.Expect(status).To(Equal(c.status), body)
	}
}

// Scripts that name no seed have their own.
func TestSeedsAreTheScripts(t *testing.T) {
	g := NewWithT(t)
	g.Expect(parse(t, "replies: [{text: x}]\n").Seed).To(Equal("weather"))
	g.Expect(parse(t, "name: own\nreplies: [{text: x}]\n").Seed).To(Equal("own"))
	g.Expect(parse(t, "seed: 7\nreplies: [{text: x}]\n").Seed).To(Equal("7"))
}

// A signature that sits where one like it was given already.
func TestCopiedIsNoted(t *testing.T) {
	g := NewWithT(t)
	v := must(t, "7", mint.Gemini, "gemini-3.8-flash", 1, 2, 300)
	play := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, twoCalls)))
	part := `{"functionCall":{"name":"weather","args":{"city":"Leipzig"}},"thoughtSignature":"` + v + `"}`
	result := `{"functionResponse":{"name":"weather","response":{}}}`
	status, body := ask(t, play, geminiPath, `{"contents":[{"role":"user","parts":[{"text":"?"}]},{"role":"model","parts":[`+part+`,`+part+`]},{"role":"user","parts":[`+result+`,`+result+`]}]}`)
	g.Expect(status).To(Equal(200), body)
	g.Expect(play.Close().Exchanges[0].Notes).To(Equal([]string{"contents[1].parts[1]: copied, contents[1].parts[0] has the same signature: " + ofCall}))
}

func responsesRequest(h *history) string {
	return `{"model":"` + h.model + `","store":false,"input":[{"role":"user","content":"?"},{"type":"reasoning","id":"` + h.id + `","summary":[],"encrypted_content":"` + h.call + `"},` +
		`{"type":"function_call","id":"` + h.hm + `","call_id":"` + h.callTwo + `","name":"weather","arguments":"{\"city\":\"Leipzig\"}"},{"type":"function_call_output","call_id":"` + h.callID + `","output":"7"}]}`
}

func TestWhyResponses(t *testing.T) {
	first := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, strings.Replace(twoCalls, "  - thought: Hm.\n    signed: true\n", "", 1))))
	_, reply := ask(t, first, "/v1/responses", `{"model":"gpt-6","input":"?"}`)
	turn, err := native.ParseReply(native.Responses, reply)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	h := history{model: "gpt-6", value: turn.Parts[0].Sig.Text(), id: turn.Parts[0].Value.Get("id").Text(), hm: turn.Parts[1].Value.Get("id").Text(), callID: turn.Parts[1].ID}
	h.call, h.callTwo = h.value, h.callID
	of := "part 1 of reply 1, minted for gpt-6 (responses)"
	text := func(cipher string) string {
		return `\{"error":\{"message":"The encrypted content ` + cipher[:4] + `\.\.\.` + cipher[len(cipher)-4:] +
			` could not be verified\. Reason: Encrypted content could not be decrypted or parsed\.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"\}\}`
	}
	foreign, seed := must(t, "7", mint.Gemini, "gemini-3.8-flash", 1, 1, 300), must(t, "8", mint.Responses, "gpt-6", 1, 1, 300)
	for _, c := range []whyCase{
		{name: "whole", with: func(*history) {}},
		{name: "while it grew", with: func(h *history) { h.call = grown(t, h) }},
		{name: "cut", with: func(h *history) { h.call = h.value[:200] }, body: text(h.value[:200]), why: "input[1]: cut off, 150 of 224 bytes: " + of},
		{name: "edited", with: func(h *history) { h.call = flipped(h.value, 150) }, body: text(h.value), why: "input[1]: edited from byte 113 of 224 on: " + of},
		{name: "another seed", with: func(h *history) { h.call = seed }, body: text(seed), why: "input[1]: foreign, of a server or script with another seed: " + of},
		{
			name: "another provider's", with: func(h *history) { h.call = foreign }, body: strings.ReplaceAll(text(foreign), "+", `\+`),
			why: "input[1]: another provider's: part 1 of reply 1, minted for gemini-3.8-flash (gemini)",
		},
		{
			name: "in the other alphabet", with: func(h *history) { h.call = strings.NewReplacer("-", "+", "_", "/").Replace(h.value) }, body: strings.ReplaceAll(text(strings.NewReplacer("-", "+", "_", "/").Replace(h.value)), "+", `\+`),
			why: "input[1]: re-encoded, in another alphabet or without its padding: " + of,
		},
		{
			name: "broken into lines", with: func(h *history) { h.call = h.value[:76] + `\n` + h.value[76:] }, body: text(h.value),
			why: "input[1]: edited: characters were added that are not base64: " + of,
		},
		{name: "another model", with: func(h *history) { h.model = "gpt-6-mini" }, note: "input[1]: given out for another model: " + of},
		{
			name: "the id of the call cut", with: func(h *history) { h.callID = h.callID[:20] },
			body: `\{"error":\{"message":"No tool output found for function call ` + h.callID + `\.","type":"invalid_request_error","param":"input","code":null\}\}`,
		},
		{
			name: "both ids of the call cut", with: func(h *history) { h.callID, h.callTwo = h.callID[:20], h.callID[:20] },
		},
	} {
		t.Run(c.name, func(t *testing.T) { runResponses(t, c, h) })
	}
	t.Run("an output of nothing", func(t *testing.T) {
		g := NewWithT(t)
		play := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, twoCalls)))
		_, body := ask(t, play, "/v1/responses", `{"model":"gpt-6","input":[{"type":"function_call_output","call_id":"`+h.callID[:20]+`","output":"7"}]}`)
		g.Expect(body).To(Equal(`{"error":{"message":"No tool call found for function call output with call_id ` + h.callID[:20] + `.","type":"invalid_request_error","param":"input","code":null}}`))
		g.Expect(play.Close().Exchanges[0].Refusal.Why).To(Equal("input[0]: cut off, 15 of 24 digits: the id of part 1 of reply 1"))
	})
}

func grown(t *testing.T, h *history) string {
	t.Helper()
	return signature(t, "7", mint.Stamp{Kind: mint.Responses, Model: h.model, Step: 1, Part: 1, Form: 1}, 300)
}

// runResponses is runWhy for the script without the thought.
func runResponses(t *testing.T, c whyCase, h history) {
	t.Helper()
	c.with(&h)
	g := NewWithT(t)
	play := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, strings.Replace(twoCalls, "  - thought: Hm.\n    signed: true\n", "", 1))))
	status, body := ask(t, play, "/v1/responses", responsesRequest(&h))
	x := play.Close().Exchanges[0]
	if c.body == "" {
		g.Expect(status).To(Equal(200), body)
		g.Expect(strings.Join(x.Notes, "\n")).To(Equal(c.note))
		return
	}
	g.Expect(status).To(Equal(400))
	g.Expect(body).To(MatchRegexp("^" + c.body + "$"))
	g.Expect(x.Refusal.Why).To(Equal(c.why))
}

func anthropicRequest(h *history) string {
	one := `{"type":"thinking","thinking":"` + h.hm + `","signature":"` + h.call + `"}`
	two := `{"type":"thinking","thinking":"","signature":"` + h.second + `"}`
	if h.swapped {
		one, two = two, one
	}
	return `{"model":"` + h.model + `","max_tokens":9,"messages":[{"role":"user","content":"?"},{"role":"assistant","content":[` + one + `,` + two +
		`,{"type":"tool_use","id":"toolu_1","name":"clock","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + h.id + `","content":"7"}]}]}`
}

func TestWhyAnthropic(t *testing.T) {
	const model, text = "claude-opus-4-1", "seed: 7\nreplies:\n- parts:\n  - thought: Hm.\n    signed: true\n    length: 300\n  - text: x\n  - call: {name: clock, id: toolu_1}\n    signed: true\n    length: 300\n- text: y\n"
	h := history{model: model, value: must(t, "7", mint.Anthropic, model, 1, 1, 300), second: must(t, "7", mint.Anthropic, model, 1, 3, 300), hm: "Hm.", id: "toolu_1"}
	h.call = h.value
	refused := func(message string) string {
		return `\{"type":"error","error":\{"type":"invalid_request_error","message":"` + message + `"\},"request_id":"req_[0-9a-f]{24}"\}`
	}
	const bad, first = "messages\\.1\\.content\\.0: Invalid `signature` in `thinking` block", "messages[1].content[0]: "
	of := "part 1 of reply 1, minted for claude-opus-4-1 (anthropic)"
	for _, c := range []whyCase{
		{name: "whole", with: func(*history) {}},
		{name: "cut", with: func(h *history) { h.call = h.value[:255] }, body: refused(bad), why: first + "cut off, 191 of 224 bytes: " + of},
		{name: "edited", with: func(h *history) { h.call = flipped(h.value, 200) }, body: refused(bad), why: first + "edited from byte 151 of 224 on: " + of},
		{name: "another seed", with: func(h *history) { h.call = must(t, "8", mint.Anthropic, model, 1, 1, 300) }, body: refused(bad), why: first + "foreign, of a server or script with another seed: " + of},
		{
			name: "another provider's", with: func(h *history) { h.call = must(t, "7", mint.Gemini, "gemini-3.8-flash", 1, 1, 300) }, body: refused(bad),
			why: first + "another provider's: part 1 of reply 1, minted for gemini-3.8-flash (gemini)",
		},
		{name: "another model", with: func(h *history) { h.model = "claude-haiku-9" }, body: refused(bad), why: first + "given out for another model: " + of},
		{
			name: "its text edited", with: func(h *history) { h.hm = "Hm!" },
			body: refused("messages\\.1\\.content\\.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified\\. These blocks must remain as they were in the original response\\."),
			why:  first + "the text of its thinking was edited: genuine, but not for this: " + of,
		},
		{
			name: "in another order", with: func(h *history) { h.swapped = true }, body: refused("messages\\.1\\.content\\.1: Invalid `signature` in `thinking` block"),
			why: "messages[1].content[1]: thinking of one reply in another order: genuine, but not for this: " + of,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := h
			c.with(&h)
			g := NewWithT(t)
			play := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, text)))
			status, body := ask(t, play, "/v1/messages", anthropicRequest(&h))
			x := play.Close().Exchanges[0]
			if c.body == "" {
				g.Expect(status).To(Equal(200), body)
				return
			}
			g.Expect(status).To(Equal(400))
			g.Expect(body).To(MatchRegexp("^" + c.body + "$"))
			g.Expect(x.Refusal.Why).To(Equal(c.why))
		})
	}
}
