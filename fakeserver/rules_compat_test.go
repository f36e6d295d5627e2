package fakeserver_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
)

const (
	compatPath       = "/v1beta/openai/chat/completions"
	compatVertexPath = "/v1/projects/p/locations/l/endpoints/openapi/chat/completions"

	compatCall   = `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`
	compatResult = `{"role":"tool","tool_call_id":"call_1","content":"1"}`
)

// withExtra puts a signature beside the call of a message.
func withExtra(vendor, sig string) string {
	return strings.Replace(compatCall, `"type":"function"`, `"type":"function","extra_content":{"`+vendor+`":{"thought_signature":"`+sig+`"}}`, 1)
}

func compat(items ...string) string {
	return messages("gemini-3.8-flash", append([]string{`{"role":"system","content":"s"}`, asks}, items...)...)
}

// compatRules are Gemini's rules on the OpenAI-compatible endpoint.
var compatRules = []ruleCase{
	{
		rule: "gemini/missing-signature", name: "compatible", path: compatPath, bad: compat(compatCall, compatResult), want: "[" + googleError(missingText) + "]",
		good: []string{
			compat(withExtra("google", callSig), compatResult), compat(compatCall, compatResult, asks), compat(withExtra("google", "skip_thought_signature_validator"), compatResult),
			compat(strings.Replace(withExtra("google", callSig), `}]}`, `},{"id":"call_2","type":"function","function":{"name":"f","arguments":"{}"}}]}`, 1), compatResult, strings.Replace(compatResult, "_1", "_2", 1)),
		},
	},
	{
		rule: "gemini/missing-signature", name: "compatible, streamed", path: compatPath, bad: strings.Replace(compat(compatCall, compatResult), `{"model"`, `{"stream":true,"model"`, 1),
		want: "[" + googleError(missingText) + "]",
	},
	{
		rule: "gemini/missing-signature-vertex", name: "compatible", path: compatVertexPath, bad: strings.Replace(compat(compatCall, compatResult), `"gemini`, `"google/gemini`, 1),
		want: "[" + googleError(vertexText) + "]", good: []string{compat(withExtra("vertex", callSig), compatResult)},
	},
	{ // the member of the other host is none here
		rule: "gemini/missing-signature", name: "compatible, in Vertex's member", path: compatPath, bad: compat(withExtra("vertex", callSig), compatResult),
		want: "[" + googleError(missingText) + "]", why: "contents[1].parts[0]: the signature is in extra_content.vertex, which this endpoint does not read",
		good: []string{compat(strings.Replace(withExtra("google", callSig), `"extra_content":{`, `"extra_content":{"vertex":{"thought_signature":"x"},`, 1), compatResult)},
	},
	{
		rule: "gemini/missing-signature-vertex", name: "compatible, in AI Studio's member", path: compatVertexPath,
		bad:  strings.Replace(compat(withExtra("google", callSig), compatResult), `"gemini`, `"google/gemini`, 1),
		want: "[" + googleError(vertexText) + "]", why: "contents[1].parts[0]: the signature is in extra_content.google, which this endpoint does not read",
	},
	{ // Google's own form of an answer is none here
		rule: "gemini/missing-signature", name: "compatible, with finish-reason", path: compatPath, with: []string{"gemini/finish-reason"},
		bad: compat(compatCall, compatResult), want: "[" + googleError(missingText) + "]",
	},
	{
		rule: "gemini/missing-signature-vertex", name: "compatible, with finish-reason", path: compatVertexPath, with: []string{"gemini/finish-reason"},
		bad: strings.Replace(compat(compatCall, compatResult), `"gemini`, `"google/gemini`, 1), want: "[" + googleError(vertexText) + "]",
	},
	{
		rule: "gemini/corrupted-signature", name: "compatible", path: compatPath, bad: compat(withExtra("google", foreignSig), compatResult),
		want: "[" + googleError("Corrupted thought signature.") + "]", good: []string{compat(withExtra("google", urlSafe(callSig)), compatResult)},
	},
	{
		rule: "gemini/corrupted-signature-earlier", name: "compatible, of a text", path: compatPath,
		bad:  compat(`{"role":"assistant","content":"t","extra_content":{"google":{"thought_signature":"`+foreignSig+`"}}}`, asks),
		want: "[" + googleError("Corrupted thought signature.") + "]",
		good: []string{compat(`{"role":"assistant","content":"t","extra_content":{"google":{"thought_signature":"`+textSig+`"}}}`, asks)},
	},
	{
		rule: "gemini/invalid-signature", name: "compatible", path: compatPath, bad: compat(strings.Replace(withExtra("google", callSig), `\"a\":1`, `\"a\":2`, 1), compatResult),
		want: "[" + googleError("Invalid thought signature") + "]", good: []string{compat(strings.Replace(withExtra("google", callSig), `\"a\":1`, ` \"a\" : 1.0 `, 1), compatResult)},
	},
	{
		rule: "gemini/signature-not-base64", name: "compatible", path: compatPath, bad: compat(withExtra("google", "a%"), compatResult),
		want: "[" + withDetails(at(notBase64, "a%", "contents[1].parts[0].thought_signature"), violation("contents[1].parts[0].thought_signature", at(notBase64, "a%", "contents[1].parts[0].thought_signature"))) + "]",
	},
	{
		rule: "gemini/response-count", name: "compatible", path: compatPath, bad: compat(withExtra("google", callSig), asks), want: "[" + googleError(countText) + "]",
		good: []string{compat(withExtra("google", callSig), compatResult, asks)},
	},
}

// A signature that no rule asks for is not refused in the member of the other
// host, and people are told; and a reply may have that member itself.
func TestCompatibleMembersOfTheOtherHost(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	stray := compat(`{"role":"assistant","content":"t","extra_content":{"vertex":{"thought_signature":"`+textSig+`"}}}`, asks)
	p := s.Play(fakeserver.Script{Replies: []fakeserver.Reply{{Endpoint: fakeserver.GeminiOpenAI, Plain: "{}"}}, Before: mintedHere, Enforce: true})
	if got := post(t, c, p.URL()+compatPath, stray); got.status != 200 {
		t.Errorf("got %+v, want an answer", got)
	}
	want := "contents[1].parts[0]: the signature is in extra_content.vertex, which this endpoint does not read"
	if x := p.Close().Exchanges[0]; x.Refusal != nil || !slices.Equal(x.Notes, []string{want}) {
		t.Errorf("got notes %q and refusal %+v, want %q", x.Notes, x.Refusal, want)
	}
	given := `{"choices":[{"index":0,"message":` + withExtra("google", callSig) + `,"finish_reason":"tool_calls"}]}`
	replies := []fakeserver.Reply{{Endpoint: fakeserver.GeminiOpenAI, Plain: given}, {Endpoint: fakeserver.GeminiOpenAI, Plain: "{}"}}
	p = s.Play(fakeserver.Script{Replies: replies, Enforce: true})
	post(t, c, p.URL()+compatVertexPath, compat())
	if got := post(t, c, p.URL()+compatVertexPath, compat(withExtra("google", callSig), compatResult)); got.status != 200 {
		t.Errorf("got %+v, want what came to be taken back as it came", got)
	}
}
