package oracles_test

import (
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

// A value that a request holds more often than it was given is found wherever the
// second one hides, on every API and told once.
func TestEachValueOnceInABody(t *testing.T) {
	const hi = `"hi"`
	escaped := strings.NewReplacer("+", `\u002B`, "/", `\/`).Replace(aValue)
	inText := func(api native.API, value string) []string {
		if api == native.Vertex {
			return []string{`{"text":"hi"}`, `{"text":"hi` + value + `"}`}
		}
		return []string{`"content":` + hi, `"content":"hi` + value + `"`}
	}
	const thinking = `{"type":"thinking","thinking":"Hm.","signature":"` + aValue + `"},`
	const extra = `"extra_content":{"google":{"thought_signature":"` + aValue + `"}}`
	for _, row := range []struct {
		name  string
		api   native.API
		edits []string
		found []string
	}{
		{"in the user's text", native.Vertex, inText(native.Vertex, aValue), []string{"copied at request 2, contents[0].parts[0].text"}},
		{"in the user's text", native.GeminiOpenAI, inText(native.GeminiOpenAI, aValue), []string{"copied at request 2, messages[0].content"}},
		{"in the user's text", native.Anthropic, inText(native.Anthropic, aValue), []string{"copied at request 2, messages[0].content"}},
		{"escaped in the user's text", native.Anthropic, inText(native.Anthropic, escaped), []string{"copied at request 2, messages[0].content"}},
		{"escaped on its own part", native.Anthropic, []string{aValue, escaped}, nil},
		{"another value in the user's text", native.Anthropic, inText(native.Anthropic, strings.ToUpper(aValue)), nil},
		{"on a tool message", native.GeminiOpenAI, []string{`"tool_call_id":"b",`, `"tool_call_id":"b",` + extra + `,`}, []string{"copied at request 2, messages[3].extra_content.google.thought_signature"}},
		{"for both hosts", native.GeminiOpenAI, []string{`{"google":`, `{"vertex":{"thought_signature":"` + aValue + `"},"google":`}, []string{"copied at request 2, messages[1].tool_calls[0].extra_content.vertex.thought_signature"}},
		{"on the message too", native.GeminiOpenAI, []string{`"tool_calls":[`, extra + `,"tool_calls":[`}, []string{"copied at request 2, messages[1].extra_content.google.thought_signature"}},
		{"an invented one on the message", native.GeminiOpenAI, []string{`"tool_calls":[`, `"extra_content":{"google":{"thought_signature":"AAAA"}},"tool_calls":[`}, []string{"foreign at request 2, messages[1].extra_content.google.thought_signature"}},
		{"on a call", native.Anthropic, []string{`"id":"a",`, `"id":"a","signature":"` + aValue + `",`}, []string{"copied at request 2, messages[1].content[2].signature"}},
		{"on a text", native.Anthropic, []string{`"text":"Let`, `"signature":"` + aValue + `","text":"Let`}, []string{"copied at request 2, messages[1].content[1].signature"}},
		{"an invented one on a call", native.Anthropic, []string{`"id":"a",`, `"id":"a","signature":"AAAA",`}, []string{"foreign at request 2, messages[1].content[2].signature"}},
		{"a thinking block twice", native.Anthropic, []string{thinking, thinking + thinking}, []string{"copied at request 2, messages[1].content[1].signature"}},
	} {
		t.Run(string(row.api)+"/"+row.name, func(t *testing.T) {
			g := NewWithT(t)
			o := broughtBack(t, row.api, row.edits...)
			var found []string
			for _, f := range o.Beyond {
				g.Expect(f.Gates(result.Provider)).To(BeTrue())
				found = append(found, fmt.Sprintf("%s at %s", f.Change, f.Where))
			}
			slices.Sort(found)
			g.Expect(found).To(Equal(row.found))
			_, lost := fates(o)
			g.Expect(lost).To(BeZero())
		})
	}
}

// compatBack is a turn of Gemini's OpenAI-compatible endpoint, plain or streamed,
// whose signature is in some members of extra_content, and the request that brings
// it back with it in others.
func compatBack(t *testing.T, path string, stream bool, given, back string) oracles.Observation {
	t.Helper()
	call := func(vendors string) string {
		var list []string
		for vendor := range strings.FieldsSeq(vendors) {
			list = append(list, `"`+vendor+`":{"thought_signature":"`+aValue+`"}`)
		}
		return `{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{` + strings.Join(list, ",") + `}}`
	}
	reply := `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[` + call(given) + `]},"finish_reason":"tool_calls"}]}`
	if stream {
		reply = `data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"index":0,` + call(given)[1:] + `]}}]}` + "\n\ndata: [DONE]\n\n"
	}
	const user = `{"model":"gemini-2.5-pro","messages":[{"role":"user","content":"hi"}`
	o, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
		{Seq: 1, Endpoint: "gemini-openai", Path: path, Status: 200, Step: 1, Stream: stream, Body: user + `]}`, Reply: reply},
		{Seq: 2, Endpoint: "gemini-openai", Path: path, Status: 200, Step: 2, Stream: stream, Body: user + `,{"role":"assistant","tool_calls":[` + call(back) + `]},{"role":"tool","tool_call_id":"a","content":"1"}]}`, Reply: strings.ReplaceAll(reply, aValue, "Ev0BAAAA")},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A signature in the member of the other host is none, unless a reply had that
// member, as one that is written by hand may.
func TestSignaturesInTheMemberOfTheOtherHost(t *testing.T) {
	const studio, vertex = "/v1beta/openai/chat/completions", "/v1/projects/p/locations/global/endpoints/openapi/chat/completions"
	for _, row := range []struct {
		path, given, back string
		lost, found       int
	}{
		{studio, "google", "google", 0, 0},
		{studio, "google", "vertex", 1, 0},
		{studio, "google", "google vertex", 0, 1},
		{studio, "vertex", "vertex", 0, 0},
		{studio, "vertex", "google", 0, 0},
		{studio, "google vertex", "google vertex", 0, 0},
		{studio, "google vertex", "vertex", 0, 0},
		{vertex, "vertex", "vertex", 0, 0},
		{vertex, "vertex", "google", 1, 0},
		{vertex, "vertex", "vertex google", 0, 1},
		{vertex, "google", "google", 0, 0},
		{vertex, "google vertex", "vertex google", 0, 0},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s to %s at %s, %t", row.given, row.back, row.path, stream), func(t *testing.T) {
				g := NewWithT(t)
				o := compatBack(t, row.path, stream, row.given, row.back)
				_, lost := fates(o)
				g.Expect(lost).To(Equal(row.lost))
				g.Expect(o.Beyond).To(HaveLen(row.found))
				if row.lost > 0 {
					g.Expect(o.Turns[0].Parts[0].Returns[0].Changes).To(ContainElement(result.Moved))
				}
			})
		}
	}
}

// What a model's turn holds beyond what a reply gave is counted, though nobody is
// known to refuse it.
func TestPartsThatNoReplyGave(t *testing.T) {
	const (
		oslo  = `{"id":"a","type":"function","function":{"name":"f","arguments":"{\"city\":\"Oslo\"}"}}`
		lima  = `{"id":"b","type":"function","function":{"name":"f","arguments":"{\"city\":\"Lima\"}"}}`
		turn  = `{"role":"assistant","content":"Let me look.",`
		added = `{"role":"assistant","content":"Extra words."},`
	)
	for _, row := range []struct {
		name  string
		api   native.API
		edits []string
		want  int
	}{
		{"as it was", native.Chat, nil, 0},
		{"a text before", native.Chat, []string{turn, added + turn}, 1},
		{"a text before", native.GeminiOpenAI, []string{turn, added + turn}, 1},
		{"two texts before", native.GeminiOpenAI, []string{turn, added + added + turn}, 2},
		{"a block of text", native.Anthropic, []string{`{"type":"tool_use"`, `{"type":"text","text":"Extra words."},{"type":"tool_use"`}, 1},
		{"an empty block of text", native.Anthropic, []string{`{"type":"tool_use"`, `{"type":"text","text":""},{"type":"tool_use"`}, 1},
		{"calls exchanged", native.Chat, []string{oslo + "," + lima, lima + "," + oslo}, 1},
		{"what fails is not counted", native.Vertex, []string{`{"text":"Let me look."},`, `{"text":"Let me look."},{"text":"Now."},`}, 0},
	} {
		t.Run(string(row.api)+"/"+row.name, func(t *testing.T) {
			g := NewWithT(t)
			o := broughtBack(t, row.api, row.edits...)
			g.Expect(o.Unasked).To(Equal(row.want))
			g.Expect(o.NotJudged).To(HaveLen(min(row.want, 1)))
			if row.api != native.Vertex {
				g.Expect(o.Beyond).To(BeEmpty())
			}
		})
	}
}

// Calls that a client exchanged, each with the value that is its own, lost none,
// whether the turn came whole or as a stream.
func TestCallsExchangedWithTheirValues(t *testing.T) {
	const user = `{"model":"gemini-3-pro","messages":[{"role":"user","content":"hi"}`
	call := func(id, city, value string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"f","arguments":"{\"city\": \"` + city + `\"}"}` + value + `}`
	}
	oslo, lima := call("a", "Oslo", `,"extra_content":{"google":{"thought_signature":"`+aValue+`"}}`), call("b", "Lima", "")
	for name, reply := range map[string]string{
		"plain":  `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[` + oslo + `,` + lima + `]},"finish_reason":"tool_calls"}]}`,
		"stream": `data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"index":0,` + oslo[1:] + `,{"index":1,` + lima[1:] + `]}}]}` + "\n\ndata: [DONE]\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			o, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
				{Seq: 1, Endpoint: "gemini-openai", Status: 200, Step: 1, Stream: name == "stream", Body: user + `]}`, Reply: reply},
				{Seq: 2, Endpoint: "gemini-openai", Status: 200, Step: 2, Stream: name == "stream", Reply: strings.ReplaceAll(reply, aValue, "Ev0BAAAA"), Body: user + `,{"role":"assistant","tool_calls":[` + strings.ReplaceAll(lima+`,`+oslo, `\": \"`, `\":\"`) +
					`]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"}]}`},
			}))
			g.Expect(err).NotTo(HaveOccurred())
			_, lost := fates(o)
			g.Expect(lost).To(BeZero())
			g.Expect(o.Turns[0].Parts[1].Returns[0].Changes).To(ContainElement(result.Reordered))
			g.Expect(o.Beyond).To(BeEmpty())
		})
	}
}
