package fakeserver_test

import (
	"strings"
	"testing"
	"time"

	"example.com/replaycheck/fakeserver"
)

// A request that is wrong in very many places, or has very many of anything,
// gets its answer soon, and not one of its own size.
func TestRulesAreBoundedOnHugeRequests(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	const n = 100_000
	many := func(item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	for _, row := range []struct{ name, path, body, rule string }{
		{"unknown fields", generate, contents(u, model(many(`{"x":1}`))), "gemini/unknown-field"},
		{"lists", generate, contents(u, model(many(`{"functionCall":{"name":"f","args":[]}}`))), "gemini/list-for-struct"},
		{"signatures", generate, contents(u, model(many(`{"text":"t","thoughtSignature":"%"}`))), "gemini/signature-not-base64"},
		{"empty parts", generate, contents(u, model(many(`{}`))), "gemini/part-without-data"},
		{"contents", generate, contents(u, many(fc+","+fr)), ""},
		{"one signature again and again", generate, contents(u, model(many(signed(bareCall, callSig)))), ""},
		{"calls without outputs", responsesPath, input(asking, many(fcWithoutID)), "openai/call-without-output"},
		{"outputs", responsesPath, input(asking, fcWithoutID, many(out1)), ""},
		{"tool messages", chatPath, messages("gpt-6-sol", asks, calls, many(answer1)), "openai/unanswered-calls"},
		{"results", messagesPath, claude(own(think, use), them(res, many(res2))), "anthropic/result-without-call"},
		{"calls", messagesPath, claude(own(think, many(use)), them(many(res))), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := s.Play(fakeserver.Script{Before: mintedHere, Enforce: true})
			begun := time.Now()
			got := post(t, c, p.URL()+row.path, row.body)
			took := time.Since(begun)
			x := p.Close().Exchanges[0]
			name := ""
			if x.Refusal != nil {
				name = x.Refusal.Rule
			}
			if name != row.rule || len(got.body) > 100_000 || took > 20*time.Second {
				t.Errorf("got rule %q, %d bytes after %v, want %q", name, len(got.body), took, row.rule)
			}
			t.Logf("%d bytes in %v", len(row.body), took)
		})
	}
}
