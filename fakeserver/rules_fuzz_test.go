package fakeserver_test

import (
	"slices"
	"strings"
	"testing"

	anthropicrules "example.com/replaycheck/fakeserver/anthropic"
	geminirules "example.com/replaycheck/fakeserver/gemini"
	"example.com/replaycheck/fakeserver/mint"
	openairules "example.com/replaycheck/fakeserver/openai"
	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// callID is one that package mint made from the seed "1", cut off.
const callID = "call_c51800010002a0b1"

// FuzzRules: whatever a request holds, each rule says yes or no, twice the same,
// and what it answers is JSON.
func FuzzRules(f *testing.F) {
	for _, rows := range [][]ruleCase{geminiRules, compatRules, responsesRules, chatRules, anthropicRules} {
		for _, row := range rows {
			f.Add(row.bad)
		}
	}
	var optional []string
	for _, r := range openairules.Rules() {
		optional = append(optional, r.ID)
	}
	for _, r := range geminirules.Rules() {
		optional = append(optional, r.ID)
	}
	for _, r := range anthropicrules.Rules() {
		optional = append(optional, r.ID)
	}
	read := func(api native.API, text string) []native.Part {
		reply, err := native.ParseReply(api, text)
		if err != nil {
			f.Fatal(err)
		}
		return reply.Parts
	}
	g, o, a := &geminirules.Minted{}, &openairules.Minted{}, &anthropicrules.Minted{}
	g.Values.Seed, o.Values.Seed, a.Values.Seed = "1", "1", "1"
	for kind, form := range map[mint.Kind]string{
		mint.Gemini:    contents(u, model(`{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"VALUE"}`), fr),
		mint.Responses: `{"input":[{"type":"reasoning","id":"rs_1","encrypted_content":"VALUE"},{"type":"function_call_output","call_id":"` + callID + `","output":""}]}`,
		mint.Anthropic: `{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"VALUE"},{"type":"tool_result","tool_use_id":"` + callID + `"}]}]}`,
	} {
		v, err := mint.Value("1", mint.Stamp{Kind: kind, Model: "m", Step: 1, Part: 1}, 100)
		if err != nil {
			f.Fatal(err)
		}
		for _, value := range []string{v, v[:70], v[:50] + "A" + v[51:]} {
			f.Add(strings.Replace(form, "VALUE", value, 1))
		}
	}
	g.Add(read(native.Gemini, mintedGemini))
	o.Add(read(native.Responses, mintedResponses))
	a.Add(read(native.Anthropic, mintedAnthropic))
	f.Fuzz(func(t *testing.T, body string) {
		root, err := wire.Parse(body)
		if err != nil {
			return
		}
		// One reading serves all requests with the body; a new one says the same.
		oneGemini, oneResponses := geminirules.Read(root), openairules.ReadResponses(root)
		for _, p := range rule.Profiles() {
			for _, with := range [][]string{nil, optional} {
				c := rule.Choice{Profile: p, With: with, Model: "m"}
				for name, check := range map[string]func(*geminirules.Reading, *openairules.Responses) (*rule.Refusal, []string){
					"gemini": func(g1 *geminirules.Reading, _ *openairules.Responses) (*rule.Refusal, []string) {
						return geminirules.Check(g1, geminirules.AIStudio, geminirules.Plain, c, g)
					},
					"vertex": func(g1 *geminirules.Reading, _ *openairules.Responses) (*rule.Refusal, []string) {
						return geminirules.Check(g1, geminirules.Vertex, geminirules.List, c, &geminirules.Minted{})
					},
					"compat": func(*geminirules.Reading, *openairules.Responses) (*rule.Refusal, []string) {
						return geminirules.CheckChat(root, geminirules.Compat, c, g)
					},
					"responses": func(_ *geminirules.Reading, o1 *openairules.Responses) (*rule.Refusal, []string) {
						return openairules.CheckResponses(o1, c, o)
					},
					"chat": func(*geminirules.Reading, *openairules.Responses) (*rule.Refusal, []string) {
						return openairules.CheckChat(root, c), nil
					},
					"anthropic": func(*geminirules.Reading, *openairules.Responses) (*rule.Refusal, []string) {
						return anthropicrules.Check(root, c, a), nil
					},
				} {
					one, notes := check(oneGemini, oneResponses)
					two, again := check(geminirules.Read(root), openairules.ReadResponses(root))
					if !slices.Equal(notes, again) || one != nil && notes != nil {
						t.Errorf("%s: got notes %q, then %q", name, notes, again)
					}
					if (one == nil) != (two == nil) || one != nil && *one != *two {
						t.Errorf("%s: got %+v, then %+v", name, one, two)
					}
					if one != nil {
						notes = append(notes, one.Why)
					}
					for _, note := range notes {
						if len(note) > 400 || strings.ContainsAny(note, "\r\n") {
							t.Errorf("%s: got %q, want one line for people", name, note)
						}
					}
					if one != nil && !wire.Valid(one.Body) {
						t.Errorf("%s: %s answers what is no JSON: %q", name, one.Rule, one.Body)
					}
				}
			}
		}
	})
}
