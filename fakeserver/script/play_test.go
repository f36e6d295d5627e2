package script_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/fakeserver/script"
	"example.com/replaycheck/internal/native"
)

const weather = `
title: One signed call, its result, the answer
seed: 7
replies:
- parts:
  - thought: The user wants the weather.
  - call: {name: weather, args: {city: Leipzig, n: 1.0, big: 9007199254740993, list: [true, null, 2026-11-30]}, id: fc-1}
    signed: true
    length: 300
- when: {result: {name: weather, contains: snow}}
  text: Stay at home.
- text: It is 7 °C in Leipzig, so take a coat or stay in.
  signed: true
`

func parse(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Parse("weather.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ask(t *testing.T, p *fakeserver.Play, path, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	raw, _, _ := strings.Cut(path, "?")
	if !p.Serve(w, httptest.NewRequest(http.MethodPost, path, nil), raw, body) {
		t.Fatal("the play is closed")
	}
	got, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(got)
}

const (
	geminiPath = "/v1beta/models/gemini-3.8-flash:generateContent"
	streamPath = "/v1beta/models/gemini-3.8-flash:streamGenerateContent"
	vertexPath = "/v1/projects/p/locations/l/publishers/google/models/gemini-3.8-flash"
	hello      = `{"contents":[{"role":"user","parts":[{"text":"How is the weather?"}]}]}`
)

func TestGemini(t *testing.T) {
	g := NewWithT(t)
	p := fakeserver.NewPlay(fakeserver.Options{}, parse(t, weather).Play())
	status, body := ask(t, p, geminiPath, hello)
	g.Expect(status).To(Equal(200))
	sig := signature(t, "7", mint.Stamp{Kind: mint.Gemini, Model: "gemini-3.8-flash", Step: 1, Part: 2}, 300)
	want := `{"candidates":[{"content":{"parts":[{"text":"The user wants the weather.","thought":true},` +
		`{"functionCall":{"id":"fc-1","name":"weather","args":{"city":"Leipzig","n":1.0,"big":9007199254740993,"list":[true,null,"2026-11-30"]}},"thoughtSignature":"` + sig + `"}],` +
		`"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":8,"totalTokenCount":20},` +
		`"modelVersion":"gemini-3.8-flash","responseId":`
	g.Expect(body).To(HavePrefix(want), cmp.Diff(want, body))

	status, body = ask(t, p, streamPath+"?alt=sse", hello)
	g.Expect(status).To(Equal(200))
	reply, err := native.ParseReply(native.Gemini, body)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(reply.Finish).To(Equal("STOP"))
	g.Expect(reply.Parts[0].Text).To(Equal("It is 7 °C in Leipzig, so take a coat or stay in."))
}

func signature(t *testing.T, seed string, s mint.Stamp, length int) string {
	t.Helper()
	v, err := mint.Value(seed, s, length)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Each API names the vendor and takes the ids that it knows.
func TestWhatIsTheAPIsOwn(t *testing.T) {
	const text = "replies:\n- call: {name: f, id: 'not a/tool id'}\n  signed: true\n- error: {status: 529}\n"
	for _, c := range []struct{ name, path, body, first, second string }{
		{
			"on AI Studio", "/v1beta/openai/chat/completions", `{"model":"gemini-3.8-flash","messages":[{"role":"user","content":"hi"}]}`,
			`"extra_content":{"google":{"thought_signature":"`, `"status":"INTERNAL"`,
		},
		{
			"on Vertex", "/v1/projects/p/locations/l/endpoints/openapi/chat/completions", `{"model":"google/gemini-3.8-flash","messages":[{"role":"user","content":"hi"}]}`,
			`"extra_content":{"vertex":{"thought_signature":"`, `"status":"INTERNAL"`,
		},
		{
			"Anthropic", "/v1/messages", `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`,
			`{"type":"tool_use","id":"toolu_`, `{"type":"error","error":{"type":"overloaded_error"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			p := fakeserver.NewPlay(fakeserver.Options{}, parse(t, text).Play())
			status, got := ask(t, p, c.path, c.body)
			g.Expect(status).To(Equal(200), got)
			g.Expect(got).To(ContainSubstring(c.first))
			status, got = ask(t, p, c.path, c.body)
			g.Expect(status).To(Equal(529))
			g.Expect(got).To(ContainSubstring(c.second))
		})
	}
}

// Whoever asks, plain or streamed, gets the same turn.
func TestFormsAgree(t *testing.T) {
	text := weather + "- parts:\n  - reasoning: Why not.\n  - text: One two three four five six seven eight nine ten.\n  - call: {name: a}\n    signed: true\n  - call: {name: b, args: '{\"x\" : 1e3}'}\n"
	for _, c := range []struct {
		api, path, stream string
		body              func(stream bool) string
		parts             string
	}{
		{
			"gemini", geminiPath, streamPath, func(bool) string { return hello },
			"thought call weather+ | text | text+ | thought text call a+ call b",
		},
		{
			"responses", "/v1/responses", "/v1/responses", func(s bool) string { return fmt.Sprintf(`{"model":"gpt-6","input":"hi","stream":%t}`, s) },
			"reasoning+ call weather | text | reasoning+ text | reasoning+ text reasoning+ call a call b",
		},
		{
			"chat", "/v1/chat/completions", "/v1/chat/completions", func(s bool) string {
				return fmt.Sprintf(`{"model":"gpt-6","messages":[{"role":"user","content":"hi"}],"stream":%t}`, s)
			},
			"call weather | text | text | text call a call b",
		},
		{
			"vertex", vertexPath + ":generateContent", vertexPath + ":streamGenerateContent", func(bool) string { return hello },
			"thought call weather+ | text | text+ | thought text call a+ call b",
		},
		{
			"gemini-openai", "/v1beta/openai/chat/completions", "/v1beta/openai/chat/completions", func(s bool) string {
				return fmt.Sprintf(`{"model":"gemini-3.8-flash","messages":[{"role":"user","content":"hi"}],"stream":%t}`, s)
			},
			"call weather+ | text | text+ | text call a+ call b",
		},
		{
			"anthropic", "/v1/messages", "/v1/messages", func(s bool) string {
				return fmt.Sprintf(`{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"stream":%t}`, s)
			},
			"thought+ call weather | text | thought+ text | thought+ text thought+ call a call b",
		},
	} {
		t.Run(c.api, func(t *testing.T) {
			g := NewWithT(t)
			var forms [2]string
			for i, path := range []string{c.path, c.stream + "?alt=sse"} {
				// In turn, so that each is a reply of its own: no condition.
				s := parse(t, strings.Replace(text, "- when: {result: {name: weather, contains: snow}}\n  text", "- text", 1))
				p := fakeserver.NewPlay(fakeserver.Options{}, s.Play())
				var turns, all []string
				for range s.Replies {
					status, body := ask(t, p, path, c.body(i == 1))
					g.Expect(status).To(Equal(200), body)
					reply, err := native.ParseReply(native.API(c.api), body)
					g.Expect(err).NotTo(HaveOccurred())
					turns = append(turns, kinds(reply))
					for _, part := range reply.Parts {
						all = append(all, part.Text, part.Name, part.Args, part.ID, part.Sig.Text())
					}
				}
				g.Expect(strings.Join(turns, " | ")).To(Equal(c.parts))
				forms[i] = strings.Join(all, "\n")
			}
			g.Expect(strings.Join(strings.Fields(forms[1]), "")).To(Equal(strings.Join(strings.Fields(forms[0]), "")))
		})
	}
}

// kinds names the parts of a turn, those of a text that came in pieces once.
func kinds(r native.Reply) string {
	var out []string
	for _, p := range r.Parts {
		name := p.Kind.String()
		if p.Kind == native.Call {
			name += " " + p.Name
		}
		if p.Signed() {
			name += "+"
		}
		if len(out) == 0 || out[len(out)-1] != name || name != "text" {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

func TestMatching(t *testing.T) {
	const text = `
replies:
- text: first
- text: second
- when: {turn: 3}
  text: third turn
- when: {result: {name: weather, contains: "r-91c2"}}
  text: has the tag
- when: {result: {contains: "ä"}}
  text: has an umlaut
- when: {prompt: goodbye, turn: 1}
  text: bye
`
	user := func(s string) string { return `{"role":"user","parts":[{"text":"` + s + `"}]}` }
	model := `{"role":"model","parts":[{"functionCall":{"name":"weather","args":{}}}]}`
	result := func(name, s string) string {
		return `{"role":"user","parts":[{"functionResponse":{"name":"` + name + `","response":{"result":"` + s + `"}}}]}`
	}
	s := parse(t, text)
	p := fakeserver.NewPlay(fakeserver.Options{}, s.Play())
	for _, c := range []struct{ name, contents, want string }{
		{"in turn", user("hi"), "first"},
		{"by result", user("hi") + "," + model + "," + result("weather", "x r-91c2 y"), "has the tag"},
		{"the same sent again", user("hi") + "," + model + "," + result("weather", "x r-91c2 y"), "has the tag"},
		{"of another tool", user("hi") + "," + model + "," + result("clock", "r-91c2"), "second"},
		{"escaped in the body", user("hi") + "," + model + "," + result("clock", `\u00e4`), "has an umlaut"},
		{"by turn", user("hi") + "," + model + "," + result("weather", "1") + "," + model + "," + result("weather", "2"), "third turn"},
		{"by prompt", user("say goodbye"), "bye"},
		{"no condition, none left", user("hi"), ""},
		{"a condition met before, in another turn", user("a") + "," + model + "," + model + "," + user("b") + "," + model + "," + user("c") + "," + model + "," + result("weather", "r-91c2"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			status, body := ask(t, p, geminiPath, `{"contents":[`+c.contents+`]}`)
			if c.want == "" {
				g.Expect(status).To(Equal(400))
				g.Expect(body).To(ContainSubstring("all 2 replies of the script \\\"weather\\\" were given"), body)
				return
			}
			g.Expect(status).To(Equal(200))
			g.Expect(body).To(ContainSubstring(`"text":"` + c.want + `"`))
		})
	}
	NewWithT(t).Expect([]int{s.Left(0), s.Left(1), s.Left(9)}).To(Equal([]int{2, 1, 0}))
}

func TestResultNamesOfOpenAI(t *testing.T) {
	s := parse(t, "replies:\n- text: no\n- when: {result: {name: weather, contains: snow}}\n  text: snow it is\n")
	for path, body := range map[string]string{
		"/v1/responses":        `{"model":"gpt-6","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"snow"}]}`,
		"/v1/chat/completions": `{"model":"gpt-6","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"snow"}]}`,
	} {
		t.Run(path, func(t *testing.T) {
			_, got := ask(t, fakeserver.NewPlay(fakeserver.Options{}, s.Play()), path, body)
			NewWithT(t).Expect(got).To(ContainSubstring("snow it is"))
		})
	}
}

// A server that is new to a conversation goes on where it is.
func TestRestart(t *testing.T) {
	g := NewWithT(t)
	first := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, weather)))
	_, body := ask(t, first, geminiPath, hello)
	parts := body[strings.Index(body, `"parts":`):strings.Index(body, `,"role":"model"}`)]
	next := func(parts string) string {
		return `{"contents":[{"role":"user","parts":[{"text":"How is the weather?"}]},{"role":"model",` + parts + `},` +
			`{"role":"user","parts":[{"functionResponse":{"id":"fc-1","name":"weather","response":{"result":"7"}}}]}]}`
	}
	again := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, weather)))
	status, body := ask(t, again, geminiPath, next(parts))
	g.Expect(status).To(Equal(200), body)
	g.Expect(body).To(ContainSubstring("It is 7 °C"))

	other := fakeserver.NewPlay(fakeserver.Options{}, enforced(parse(t, strings.Replace(weather, "seed: 7", "seed: 8", 1))))
	status, body = ask(t, other, geminiPath, next(parts))
	g.Expect(status).To(Equal(400), "another seed minted it")
	g.Expect(body).To(ContainSubstring("thought signature"))
	status, body = ask(t, again, geminiPath, next(regexp.MustCompile(`,"thoughtSignature":"[^"]*"`).ReplaceAllString(parts, "")))
	g.Expect(status).To(Equal(400))
	g.Expect(body).To(ContainSubstring("missing a thought_signature"))
}

func enforced(s *script.Script) fakeserver.Script {
	out := s.Play()
	out.Enforce = true
	return out
}

func TestFaults(t *testing.T) {
	const text = `
replies:
- text: hello
  fault: {times: 1, status: 503, retry_after: 2}
- text: a long enough answer to be cut
  fault: {gzip: true, delay: 1ms, seed: 3}
- text: x
  fault: {reset: after-headers, lose: 1, interleave: true, drip: 1ms, piece: 8, content_type: text/html, cut_after: -1}
`
	g := NewWithT(t)
	s := parse(t, text)
	g.Expect(*s.Replies[2].Fault).To(Equal(fakeserver.Fault{
		Reset: fakeserver.AfterHeaders, Lose: 1, Interleave: true, Drip: time.Millisecond, Piece: 8, ContentType: "text/html", CutAfter: -1,
	}))
	p := fakeserver.NewPlay(fakeserver.Options{}, s.Play())
	status, _ := ask(t, p, geminiPath, hello)
	g.Expect(status).To(Equal(503))
	status, body := ask(t, p, geminiPath, hello)
	g.Expect(status).To(Equal(200))
	g.Expect(body).To(ContainSubstring("hello"), "a fault that passes spends no reply")
	_, body = ask(t, p, geminiPath, hello)
	g.Expect(body).To(HavePrefix("\x1f\x8b"))
}

func TestErrorsAndRaw(t *testing.T) {
	const text = `
replies:
- error: {status: 429, message: Slow down., retry_after: 2}
- error: {status: 503}
- raw: {endpoint: gemini, plain: '{"candidates": []}'}
  header: {X-Own: "1"}
- text: ""
  finish: MAX_TOKENS
  cut: true
`
	g := NewWithT(t)
	server, err := fakeserver.Start(fakeserver.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	defer server.Close()
	p := server.Play(parse(t, text).Play())
	post := func(path, body string) (int, http.Header, string, error) {
		resp, err := http.Post(p.URL()+path, "application/json", strings.NewReader(body)) //nolint:forbidigo // one request of a test
		g.Expect(err).NotTo(HaveOccurred())
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return resp.StatusCode, resp.Header, string(b), err
	}
	status, header, body, _ := post(geminiPath, hello)
	g.Expect(status).To(Equal(429))
	g.Expect(header.Get("Retry-After")).To(Equal("2"))
	g.Expect(body).To(Equal(`{"error":{"code":429,"message":"Slow down.","status":"RESOURCE_EXHAUSTED"}}`))
	status, _, body, _ = post("/v1/responses", `{"model":"gpt-6","input":"x"}`)
	g.Expect(status).To(Equal(503))
	g.Expect(body).To(Equal(`{"error":{"message":"Service Unavailable","type":"server_error","param":null,"code":null}}`))
	_, header, body, _ = post(geminiPath, hello)
	g.Expect(body).To(Equal(`{"candidates": []}`))
	g.Expect(header.Get("X-Own")).To(Equal("1"))
	_, _, body, err = post(geminiPath, hello)
	g.Expect(err).To(MatchError(io.ErrUnexpectedEOF))
	g.Expect(body).To(ContainSubstring(`"finishReason":"MAX_TOKENS"`))
}

// The scripts that the documentation shows are scripts.
func TestExamples(t *testing.T) {
	g := NewWithT(t)
	weather, err := script.Load("../../docs/examples/weather.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(weather.Replies).To(HaveLen(3))
	trouble, err := script.Load("../../docs/examples/trouble.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(trouble.Replies).To(HaveLen(3), "one of them is another file's")
}

// A body of one API is for it alone, and waits for it.
func TestRawOfAnotherAPI(t *testing.T) {
	g := NewWithT(t)
	p := fakeserver.NewPlay(fakeserver.Options{}, parse(t, `replies: [{raw: {endpoint: gemini, plain: '{"candidates": []}'}}]`).Play())
	defer p.Close()
	status, body := ask(t, p, "/v1/responses", `{"model":"gpt-6","input":"x"}`)
	g.Expect(status).To(Equal(400))
	g.Expect(body).To(ContainSubstring(`the reply chosen for it is for the endpoint \"gemini\", the request is to \"responses\"`))
	status, body = ask(t, p, "/v1/projects/p/locations/l/publishers/google/models/gemini-3.8-flash:generateContent", hello)
	g.Expect(status).To(Equal(200), body)
	g.Expect(body).To(Equal(`{"candidates": []}`))
}
