package fakeserver_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
)

// ruleCase is a request that breaks one rule, what it is answered, and the
// nearest request that is answered as scripted.
type ruleCase struct {
	rule    string
	name    string // "": the rule's only row
	path    string
	profile string
	with    []string
	bad     string
	status  int // 0: 400
	kind    string
	want    string // the whole body
	why     string // of the refusal; "": not looked at
	good    []string
}

// mintedHere is what the run has given out before each row.
var mintedHere = []fakeserver.Reply{
	{Endpoint: fakeserver.Gemini, Plain: mintedGemini},
	{Endpoint: fakeserver.Responses, Plain: mintedResponses},
	{Endpoint: fakeserver.Anthropic, Plain: mintedAnthropic},
}

func TestEveryRuleRefusesAndLetsTheNearestRequestPass(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	rows := slices.Concat(geminiRules, compatRules, responsesRules, chatRules, anthropicRules)
	for _, row := range rows {
		t.Run(strings.TrimSpace(row.rule+" "+row.name), func(t *testing.T) {
			ask := func(body string) (answer, fakeserver.Exchange) {
				reply := fakeserver.Reply{Endpoint: endpointOf(row.path), Plain: "{}", Stream: "data: {}\n\n"}
				p := s.Play(fakeserver.Script{Replies: []fakeserver.Reply{reply}, Before: mintedHere, Profile: row.profile, With: row.with, Enforce: true})
				got := post(t, c, p.URL()+row.path, body)
				rec := p.Close()
				if rec.Err != nil || len(rec.Exchanges) != 1 {
					t.Fatalf("got record %+v", rec)
				}
				if used := 1 - rec.Leftover; used != rec.Exchanges[0].Step {
					t.Errorf("got %d replies used and step %d", used, rec.Exchanges[0].Step)
				}
				return got, rec.Exchanges[0]
			}
			got, x := ask(row.bad)
			status, kind := max(row.status, 0), row.kind
			if status == 0 {
				status = http.StatusBadRequest
			}
			if kind == "" {
				kind = "application/json"
			}
			if got.body != row.want || got.status != status || got.kind != kind {
				t.Errorf("got %d %s %s\nwant %d %s %s", got.status, got.kind, got.body, status, kind, row.want)
			}
			if x.Refusal == nil || x.Refusal.Rule != row.rule || x.Refusal.Body != got.body || !x.Refused || x.Step != 0 || x.Reply != got.body {
				t.Errorf("got exchange %+v with refusal %+v", x, x.Refusal)
			}
			if row.why != "" && (x.Refusal == nil || x.Refusal.Why != row.why) {
				t.Errorf("got refusal %+v, want why %s", x.Refusal, row.why)
			}
			for _, good := range row.good {
				if got, x := ask(good); got.status != http.StatusOK || x.Refusal != nil || x.Refused || x.Step != 1 {
					t.Errorf("got %d %s, want %s to be answered", got.status, got.body, good)
				}
			}
		})
	}
	for _, r := range fakeserver.Rules() {
		i := slices.IndexFunc(rows, func(row ruleCase) bool { return row.rule == r.ID })
		switch {
		case i < 0:
			t.Errorf("no row for rule %s", r.ID)
		case len(rows[i].good) == 0:
			t.Errorf("no correct request for rule %s", r.ID)
		}
	}
}

func endpointOf(path string) string {
	switch {
	case strings.HasSuffix(path, "/chat/completions") && path != chatPath:
		return fakeserver.GeminiOpenAI
	case path == messagesPath:
		return fakeserver.Anthropic
	case strings.HasPrefix(path, "/v1/projects/"):
		return fakeserver.Vertex
	case path == "/v1/responses":
		return fakeserver.Responses
	case path == "/v1/chat/completions":
		return fakeserver.Chat
	}
	return fakeserver.Gemini
}

func TestRulesSayWhatTheyAre(t *testing.T) {
	seen := map[string]bool{}
	profiles := map[string]bool{}
	for _, p := range fakeserver.Profiles() {
		profiles[p.Name] = true
	}
	for _, r := range fakeserver.Rules() {
		if seen[r.ID] || !strings.Contains(r.ID, "/") {
			t.Errorf("got ID %q, want one of its own", r.ID)
		}
		seen[r.ID] = true
		if r.Breaks == "" || r.Message == "" || r.Status == 0 || len(r.Sources) == 0 || len(r.Profiles) == 0 {
			t.Errorf("%s: got %+v, want all of it said", r.ID, r)
		}
		if !slices.Contains([]string{"confirmed", "documented", "not confirmed"}, string(r.Mark)) {
			t.Errorf("%s: got mark %q", r.ID, r.Mark)
		}
		if r.Mark == "not confirmed" && r.Note == "" {
			t.Errorf("%s: the rule's own text must say what is not confirmed", r.ID)
		}
		for _, p := range r.Profiles {
			if !profiles[p] {
				t.Errorf("%s: got profile %q, which there is not", r.ID, p)
			}
		}
	}
}

func TestWithoutEnforceTheConversationPlaysOn(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script(gemini))
	body := geminiRules[slices.IndexFunc(geminiRules, func(r ruleCase) bool { return r.rule == "gemini/missing-signature" })].bad
	if got := post(t, c, p.URL()+generate, body); got.status != 200 || got.body != geminiPlain {
		t.Errorf("got %+v, want the scripted reply", got)
	}
	x := p.Close().Exchanges[0]
	if x.Step != 1 || x.Refused || x.Refusal == nil || x.Refusal.Rule != "gemini/missing-signature" || x.Refusal.Mark != "confirmed" || x.Refusal.Status != 400 {
		t.Errorf("got %+v with refusal %+v", x, x.Refusal)
	}
}

func TestProfiles(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	unsigned := `{"contents":[{"role":"user","parts":[{"text":"?"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`
	for _, row := range []struct{ model, profile, want string }{
		{"gemini-3-pro-preview", "", "gemini-3 confirmed"},
		{"gemini-3.8-flash", "", "gemini-3 confirmed"},
		{"gemini-flash-latest", "", "gemini-3 confirmed"},
		{"gemini-4-argon", "", "gemini-4 documented"},
		{"gemini-2.5-pro", "", ""},
		{"gemini-2.5-pro", "gemini-3", "gemini-3 confirmed"},
		{"gemini-3.8-flash", "gemini-2.5", ""},
		{"gemini-3.8-flash", "record-only", ""},
		{"gemini-3.8-flash", "gpt-6", "gemini-3 confirmed"},
		{"some-other", "", ""},
	} {
		p := s.Play(fakeserver.Script{Profile: row.profile})
		post(t, c, p.URL()+"/v1beta/models/"+row.model+":generateContent", unsigned)
		rec := p.Close()
		got := ""
		if r := rec.Exchanges[0].Refusal; r != nil {
			got = fmt.Sprintf("%s %s", r.Profile, r.Mark)
		}
		if rec.Err != nil || got != row.want {
			t.Errorf("%s with profile %q: got %q, error %v, want %q", row.model, row.profile, got, rec.Err, row.want)
		}
	}
}

func TestUnknownProfilesAndRulesAreNamed(t *testing.T) {
	s, _ := start(t, fakeserver.Options{})
	for _, row := range []struct {
		script fakeserver.Script
		want   string
	}{
		{fakeserver.Script{Profile: "gemini-9"}, `got profile "gemini-9", want one of gemini-2.5, gemini-3`},
		{fakeserver.Script{With: []string{"gemini/nothing"}}, `got rule "gemini/nothing", want one of the optional rules gemini/id-unknown-field`},
		{fakeserver.Script{With: []string{"gemini/missing-signature"}}, `got rule "gemini/missing-signature", want one of the optional`},
	} {
		if err := s.Play(row.script).Close().Err; err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("got %v, want %q", err, row.want)
		}
	}
}
