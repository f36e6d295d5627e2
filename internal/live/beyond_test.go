package live_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/live"
	"example.com/replaycheck/internal/result"
)

const looking = `
title: A text and two calls, the answer
replies:
- parts:
  - text: Let me look.
  - call: {name: weather, args: {city: Leipzig}, id: fc-1}
    signed: true
  - call: {name: weather, args: {city: Oslo}, id: fc-2}
- text: Take a coat.
`

// chats has the conversation over an API of chat messages and returns what a
// second request was made of, edited.
func chats(t *testing.T, s *live.Server, path, of string, edits ...string) {
	t.Helper()
	g := NewWithT(t)
	first := send(t, s, http.MethodPost, path, `{"model":"`+of+`","messages":[{"role":"user","content":"hi"}]}`)
	g.Expect(first.status).To(Equal(http.StatusOK), first.body)
	var reply struct {
		Choices []struct{ Message json.RawMessage }
	}
	g.Expect(json.Unmarshal([]byte(first.body), &reply)).To(Succeed())
	turn := string(reply.Choices[0].Message)
	for i := 0; i < len(edits); i += 2 {
		g.Expect(turn).To(ContainSubstring(edits[i]))
		turn = strings.Replace(turn, edits[i], edits[i+1], 1)
	}
	send(t, s, http.MethodPost, path, `{"model":"`+of+`","messages":[{"role":"user","content":"hi"},`+turn+
		`,{"role":"tool","tool_call_id":"fc-1","content":"7"},{"role":"tool","tool_call_id":"fc-2","content":"3"}]}`)
}

// No word and no headline says that all came back where the page shows a part
// that did not, be it one that nobody asks for.
func TestPartsThatNobodyAsksFor(t *testing.T) {
	for _, row := range []struct {
		name, path, model string
		edits             []string
		word              string
		verdict, says     string
		detail            string
	}{
		{"compat", "/v1beta/openai/chat/completions", "gemini-3-pro", nil, "all came back", "Everything came back", "in 1 conversation so far", "1 signed part came back as minted"},
		{
			"compat without its text and with other arguments", "/v1beta/openai/chat/completions", "gemini-3-pro",
			[]string{`"Let me look."`, "null", "Oslo", "Rome"},
			"2 parts differ", "No opaque value lost", "in 1 conversation so far, but 2 other parts did not come back as given",
			"1 signed part came back as minted; 2 other parts did not come back as given, which fails nothing",
		},
		{"chat", "/v1/chat/completions", "gpt-6", nil, "all came back", "Everything came back", "in 1 conversation so far", "nothing that the model gave was signed"},
		{
			"chat without its text", "/v1/chat/completions", "gpt-6",
			[]string{`"Let me look."`, "null"},
			"1 part differs", "No opaque value lost", "in 1 conversation so far, but 1 other part did not come back as given",
			"1 other part did not come back as given, which fails nothing",
		},
		{
			"chat with a text that nobody gave", "/v1/chat/completions", "gpt-6",
			[]string{`{"role":"assistant"`, `{"role":"assistant","content":"Extra words."},{"role":"assistant"`},
			"1 part differs", "No opaque value lost", "in 1 conversation so far, but 1 other part did not come back as given",
			"1 other part did not come back as given, which fails nothing",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			s := serve(t, live.Options{Scenarios: []live.Scenario{scenario(t, "looking", looking)}})
			chats(t, s, "/c/alice"+row.path, row.model, row.edits...)
			o := look(t, s)
			alice := o.named(t, "alice")
			g.Expect(alice.Status).To(Equal("pass"))
			g.Expect(alice.Word).To(Equal(row.word))
			g.Expect(o.Verdict.Word).To(Equal(row.verdict))
			g.Expect(o.Verdict.Says).To(Equal(row.says))
			tone := "ok"
			if row.edits != nil {
				tone = "warn"
			}
			g.Expect(o.Verdict.Tone).To(Equal(tone))
			page := detail(t, s, "c1")
			g.Expect(page).To(ContainSubstring(row.detail))
			if row.edits != nil {
				g.Expect(strings.ToLower(page)).NotTo(ContainSubstring("all came back"))
			}
		})
	}
}

// A stand-in on a call that is bare by right is a fault where it is answered too.
func TestStandInOnABareCall(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Scenarios: []live.Scenario{scenario(t, "looking", looking)}})
	chats(t, s, "/c/alice/v1beta/openai/chat/completions", "gemini-3-pro", `"id":"fc-2",`, `"id":"fc-2","extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}},`)
	alice := look(t, s).named(t, "alice")
	g.Expect(alice.Status).To(Equal("fail"))
	g.Expect(alice.Word).To(Equal("turn altered"))
	r := s.Report()
	g.Expect(requirement(t, r, "PROVIDER-STATE").Status).To(Equal(result.Fail))
	g.Expect(requirement(t, r, "PROVIDER-RULES").Status).To(Equal(result.Pass))
}

// That nothing is refused to a model is told, unless somebody asked for it.
func TestModelsThatNoProfileFits(t *testing.T) {
	const note = "nothing is refused; --profile names one"
	for _, row := range []struct {
		profile, path, model string
		told                 bool
	}{
		{"", "/v1/chat/completions", "my-deployment", true},
		{"", "/v1/chat/completions", "gpt-6-sol", false},
		{"", "/v1/chat/completions", "openai/GPT-6-sol", false},
		{"", "/v1/chat/completions", "gemini-3-pro", true}, // OpenAI's API has no such model
		{"", "/v1beta/openai/chat/completions", "google/gemini-3-pro", false},
		{"gpt-6", "/v1/chat/completions", "my-deployment", false},
		{"gemini-3", "/v1/chat/completions", "my-deployment", true}, // it is no profile of this API
		{"record-only", "/v1/chat/completions", "my-deployment", false},
	} {
		t.Run(row.profile+" "+row.model, func(t *testing.T) {
			g := NewWithT(t)
			s := serve(t, live.Options{Profile: row.profile, Scenarios: []live.Scenario{scenario(t, "looking", looking)}})
			chats(t, s, "/c/alice"+row.path, row.model)
			live.Settle(s)
			var said struct{ Notes []string }
			g.Expect(json.Unmarshal([]byte(detail(t, s, "c1")), &said)).To(Succeed())
			want := []string{}
			if row.told {
				want = []string{`no profile fits the model "` + row.model + `": ` + note}
			}
			g.Expect(said.Notes).To(Equal(want))
			page := get(t, s, live.Root+"c/c1").body
			g.Expect(strings.Contains(page, note)).To(Equal(row.told))
		})
	}
}

// What left the journal is not forgotten by the headline.
func TestPartsThatDifferedAndLeft(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{MaxConversations: 1, Scenarios: []live.Scenario{scenario(t, "looking", looking)}})
	chats(t, s, "/c/alice/v1/chat/completions", "gpt-6", `"Let me look."`, "null")
	look(t, s)
	chats(t, s, "/c/bob/v1/chat/completions", "gpt-6")
	o := look(t, s)
	g.Expect(o.names()).To(ConsistOf("bob"))
	g.Expect(o.named(t, "bob").Word).To(Equal("all came back"))
	g.Expect(o.Verdict.Word).To(Equal("No opaque value lost"))
	g.Expect(o.Verdict.Says).To(ContainSubstring("1 other part did not come back as given"))
}
