package oracles_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

const (
	aValue   = "ErECCq4CAb4+9vtA+GYNX5aCjQd+AP2EzVazGdB4Kwr8DBGy8B9WOO7ra+Cxtd1FGWTMZHEfK3uo7LBe/AfJ3mlhIUIXAA=="
	urlValue = "ErECCq4CAb4-9vtA-GYNX5aCjQd-AP2EzVazGdB4Kwr8DBGy8B9WOO7ra-Cxtd1FGWTMZHEfK3uo7LBe_AfJ3mlhIUIXAA"
	sentinel = "skip_thought_signature_validator"
)

// twoCalls is a turn with a text, a signed call and a bare one, and the request
// that brings it back.
var twoCalls = map[native.API]struct{ reply, back string }{
	native.Gemini: {
		`{"candidates":[{"content":{"role":"model","parts":[TEXT{"functionCall":{"id":"a","name":"f","args":{"city":"Oslo"}},"thoughtSignature":"` + aValue + `"},{"functionCall":{"id":"b","name":"f","args":{"city":"Lima"}}}]},"finishReason":"STOP"}]}`,
		`{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[TEXT{"functionCall":{"id":"a","name":"f","args":{"city":"Oslo"}},"thoughtSignature":"` + aValue + `"},{"functionCall":{"id":"b","name":"f","args":{"city":"Lima"}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"r":1}}},{"functionResponse":{"id":"b","name":"f","response":{"r":2}}}]}]}`,
	},
	native.GeminiOpenAI: {
		`{"choices":[{"message":{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"city\":\"Oslo\"}"},"extra_content":{"google":{"thought_signature":"` + aValue + `"}}},{"id":"b","type":"function","function":{"name":"f","arguments":"{\"city\":\"Lima\"}"}}]},"finish_reason":"tool_calls"}]}`,
		`{"model":"gemini-3-pro","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"city\":\"Oslo\"}"},"extra_content":{"google":{"thought_signature":"` + aValue + `"}}},{"id":"b","type":"function","function":{"name":"f","arguments":"{\"city\":\"Lima\"}"}}]},` +
			`{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"}]}`,
	},
	native.Chat: {
		`{"choices":[{"message":{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"city\":\"Oslo\"}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{\"city\":\"Lima\"}"}}]},"finish_reason":"tool_calls"}]}`,
		`{"model":"gpt-6","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"city\":\"Oslo\"}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{\"city\":\"Lima\"}"}}]},` +
			`{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"}]}`,
	},
	native.Anthropic: {
		`{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"` + aValue + `"},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"a","name":"f","input":{"city":"Oslo"}}],"stop_reason":"tool_use"}`,
		`{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"` + aValue + `"},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"a","name":"f","input":{"city":"Oslo"}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}]}`,
	},
}

// broughtBack is the conversation with what the client did to the second
// request, its replacements in pairs.
func broughtBack(t *testing.T, api native.API, edits ...string) oracles.Observation {
	t.Helper()
	of := api
	if api == native.Vertex {
		of = native.Gemini
	}
	text := strings.NewReplacer("TEXT", `{"text":"Let me look."},`)
	reply, back := text.Replace(twoCalls[of].reply), text.Replace(twoCalls[of].back)
	first, _, _ := strings.Cut(back, `},{"role":"`)
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(back, edits[i]) {
			t.Fatalf("nothing to replace: %s", edits[i])
		}
		back = strings.Replace(back, edits[i], edits[i+1], 1)
	}
	obs, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
		{Seq: 1, Endpoint: string(api), Status: 200, Step: 1, Body: first + "}]}", Reply: reply},
		{Seq: 2, Endpoint: string(api), Status: 200, Step: 2, Body: back, Reply: strings.ReplaceAll(reply, aValue, "Ev0BAAAA")},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return obs
}

// fates are what became of the first turn's parts, and how many values are lost.
func fates(o oracles.Observation) (out []string, lost int) {
	for _, p := range o.Turns[0].Parts {
		for _, r := range p.Returns {
			out = append(out, string(r.Fate))
			if p.Signed && r.Fate == oracles.Lost {
				lost++
			}
		}
	}
	return out, lost
}

// Vertex is asked for what AI Studio is: what fails there by REPLAY is found here
// too, and nothing else is.
func TestVertexIsJudgedAsAIStudioIs(t *testing.T) {
	const bare = `"args":{"city":"Lima"}}}`
	signedAs := func(value string) []string {
		return []string{bare, `"args":{"city":"Lima"}},"thoughtSignature":"` + value + `"}`}
	}
	for _, row := range []struct {
		name  string
		edits []string
		found []string // on Vertex; lost values apart
	}{
		{"as it was", nil, nil},
		{"URL-safe and without padding", []string{aValue, urlValue}, nil},
		{"without padding", []string{aValue, strings.TrimRight(aValue, "=")}, nil},
		{"ids left out on both sides", []string{`"id":"a",`, "", `"id":"b",`, "", `"id":"a",`, "", `"id":"b",`, ""}, nil},
		{"members in another order", []string{`"name":"f","args":{"city":"Oslo"}`, `"args":{"city":"Oslo"},"name":"f"`}, nil},
		{"empty text added", []string{`{"text":"Let me look."},`, `{"text":"Let me look."},{"text":""},`}, nil},
		{"text left out", []string{`{"text":"Let me look."},`, ""}, []string{"absent at request 2, contents[1]"}},
		{"text edited", []string{"Let me look.", "Let me look!"}, []string{"changed at request 2, contents[1].parts[0].text"}},
		{"arguments edited", []string{"Lima", "Rome"}, []string{"changed at request 2, contents[1].parts[2].functionCall.args.city"}},
		{"a part too many", []string{`{"text":"Let me look."},`, `{"text":"Let me look."},{"text":"Now."},`}, []string{"added at request 2, contents[1].parts[1]"}},
		{"role of the user", []string{`"role":"model"`, `"role":"user"`}, []string{"changed at request 2, contents[1].role"}},
		{"value copied to the sibling", signedAs(aValue), []string{"copied at request 2, contents[1].parts[2].thoughtSignature"}},
		{"sentinel on the sibling", signedAs(sentinel), []string{"stand-in at request 2, contents[1].parts[2].thoughtSignature"}},
		{"sentinel as base64", signedAs(base64.StdEncoding.EncodeToString([]byte(sentinel))), []string{"stand-in at request 2, contents[1].parts[2].thoughtSignature"}},
		{"sentinel as base64url", signedAs(base64.URLEncoding.EncodeToString([]byte(sentinel))), []string{"stand-in at request 2, contents[1].parts[2].thoughtSignature"}},
		{"sentinel on a result", []string{`"response":{"r":2}}`, `"response":{"r":2}},"thoughtSignature":"` + sentinel + `"`}, []string{"stand-in at request 2, contents[2].parts[1].thoughtSignature"}},
		{"a text in a result's part", []string{`"response":{"r":2}}`, `"response":{"r":2}},"text":"done"`}, nil},
		{"results under the model's role", []string{`{"role":"user","parts":[{"functionResponse"`, `{"role":"assistant","parts":[{"functionResponse"`}, nil},
		{"a result under another name", []string{`"name":"f","response":{"r":2}`, `"name":"g","response":{"r":2}`}, []string{"changed at request 2, contents[2].parts[1].functionResponse.name"}},
		{"a result without id under another name", []string{`"id":"a",`, "", `"id":"b",`, "", `"id":"a",`, "", `"id":"b","name":"f"`, `"name":"g"`}, []string{"changed at request 2, contents[2].parts[1].functionResponse.name"}},
		{"value lost", []string{`,"thoughtSignature":"` + aValue + `"`, ""}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			vertex, studio := broughtBack(t, native.Vertex, row.edits...), broughtBack(t, native.Gemini, row.edits...)
			var found []string
			for _, f := range vertex.Beyond {
				if f.Gates(result.Provider) {
					found = append(found, fmt.Sprintf("%s at %s", f.Change, f.Where))
				}
			}
			slices.Sort(found)
			g.Expect(found).To(Equal(row.found))
			g.Expect(studio.Beyond).To(BeEmpty())
			of, lost := fates(vertex)
			there, _ := fates(studio)
			g.Expect(of).To(Equal(there))
			red, redThere := len(found)+lost+len(gating(t, vertex)) > 0, gating(t, studio)
			g.Expect(red).To(Equal(len(redThere) > 0), "red at AI Studio: %v", redThere)
		})
	}
}

// What came right to AI Studio comes right to Vertex.
func TestVertexOnGoodTraffic(t *testing.T) {
	n := 0
	for _, c := range cells(t) {
		ev := observed(&c.ev)
		if c.ev.Scenario.Expect == "refused" || !slices.Contains(ev.Scenario.Endpoints, "gemini") || len(slices.Compact(slices.Clone(ev.Scenario.Endpoints))) > 1 {
			continue
		}
		n++
		t.Run(c.String(), func(t *testing.T) {
			g := NewWithT(t)
			all := slices.Clone(ev.Runs[0].Exchanges)
			for i := range all {
				all[i].Endpoint = "vertex"
			}
			o, err := oracles.Observe(scenario.Observed("x", all))
			g.Expect(err).NotTo(HaveOccurred())
			for _, f := range o.Beyond {
				g.Expect(f.Gates(result.Provider)).To(BeFalse(), "%+v", f)
			}
		})
	}
	if n < 20 {
		t.Errorf("%d conversations", n)
	}
}

// A turn of AI Studio that only Vertex gets back is no requirement's.
func TestFromAIStudioToVertex(t *testing.T) {
	g := NewWithT(t)
	text := strings.NewReplacer("TEXT", `{"text":"Let me look."},`)
	reply, back := text.Replace(twoCalls[native.Gemini].reply), twoCalls[native.Gemini].back
	for body, want := range map[string]int{text.Replace(back): 0, strings.Replace(back, "TEXT", "", 1): 1} {
		o, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
			{Seq: 1, Endpoint: "gemini", Status: 200, Step: 1, Body: `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, Reply: reply},
			{Seq: 2, Endpoint: "vertex", Status: 200, Step: 2, Body: body, Reply: reply},
		}))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(o.Turns[0].Beyond).To(BeTrue())
		g.Expect(o.Beyond).To(HaveLen(want))
	}
}

// Of the other APIs no more is asked for than what is signed, and that nothing
// else is; what differs is told all the same.
func TestBeyondTheContract(t *testing.T) {
	const (
		oslo, lima = `"arguments":"{\"city\":\"Oslo\"}"`, `"arguments":"{\"city\":\"Lima\"}"}}`
		signed     = `,"extra_content":{"google":{"thought_signature":"` + aValue + `"}}`
		ok, off    = string(oracles.Intact), string(oracles.Altered)
		let, gone  = string(oracles.Tolerated), string(oracles.Lost)
	)
	extra := func(value string) string {
		return strings.TrimSuffix(lima, "}") + `,"extra_content":{"google":{"thought_signature":"` + value + `"}}}`
	}
	for _, row := range []struct {
		name  string
		api   native.API
		edits []string
		fates []string
		found []string
	}{
		{"as it was", native.GeminiOpenAI, nil, []string{ok, ok, ok}, nil},
		{"URL-safe", native.GeminiOpenAI, []string{aValue, urlValue}, []string{ok, let, ok}, nil},
		{"text left out", native.GeminiOpenAI, []string{`"Let me look."`, "null"}, []string{gone, ok, ok}, nil},
		{"arguments of the bare call edited", native.GeminiOpenAI, []string{"Lima", "Rome"}, []string{ok, ok, off}, nil},
		{"arguments of the signed call edited", native.GeminiOpenAI, []string{"Oslo", "Rome"}, []string{ok, off, ok}, []string{"changed at request 2, messages[1].tool_calls[0].function.arguments"}},
		{"arguments written anew", native.GeminiOpenAI, []string{oslo, `"arguments":"{ \"city\": \"Oslo\" }"`}, []string{ok, let, ok}, nil},
		{"an id of the client's", native.GeminiOpenAI, []string{`"id":"a"`, `"id":"c"`, `"tool_call_id":"a"`, `"tool_call_id":"c"`}, []string{ok, off, ok}, nil},
		{"sentinel on the bare call", native.GeminiOpenAI, []string{lima, extra(sentinel)}, []string{ok, ok, off}, []string{"stand-in at request 2, messages[1].tool_calls[1].extra_content.google.thought_signature"}},
		{"value copied to the bare call", native.GeminiOpenAI, []string{lima, extra(aValue)}, []string{ok, ok, off}, []string{"copied at request 2, messages[1].tool_calls[1].extra_content.google.thought_signature"}},
		{"empty value on the bare call", native.GeminiOpenAI, []string{lima, extra("")}, []string{ok, ok, off}, nil},
		{"value lost", native.GeminiOpenAI, []string{signed, ""}, []string{ok, gone, ok}, nil},

		{"as it was", native.Anthropic, nil, []string{ok, ok, ok}, nil},
		{"text left out", native.Anthropic, []string{`{"type":"text","text":"Let me look."},`, ""}, []string{ok, gone, ok}, nil},
		{"input edited", native.Anthropic, []string{"Oslo", "Rome"}, []string{ok, ok, off}, nil},
		{"thinking edited", native.Anthropic, []string{"Hm.", "Ah."}, []string{off, ok, ok}, []string{"changed at request 2, messages[1].content[0].thinking"}},

		{"as it was", native.Chat, nil, []string{ok, ok, ok}, nil},
		{"text left out", native.Chat, []string{`"Let me look."`, "null"}, []string{gone, ok, ok}, nil},
		{"text shortened", native.Chat, []string{"Let me look.", "Let me"}, []string{off, ok, ok}, nil},
		{"arguments edited", native.Chat, []string{"Lima", "Rome"}, []string{ok, ok, off}, nil},
		{"arguments written anew", native.Chat, []string{oslo, `"arguments":"{ \"city\": \"Oslo\" }"`}, []string{ok, ok, ok}, nil},
	} {
		t.Run(string(row.api)+"/"+row.name, func(t *testing.T) {
			g := NewWithT(t)
			o := broughtBack(t, row.api, row.edits...)
			var found []string
			for _, f := range o.Beyond {
				g.Expect(f.Gates(result.Provider)).To(BeTrue())
				found = append(found, fmt.Sprintf("%s at %s", f.Change, f.Where))
			}
			of, _ := fates(o)
			g.Expect(of).To(Equal(row.fates))
			g.Expect(found).To(Equal(row.found))
		})
	}
}
