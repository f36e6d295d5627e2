package native_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// same fails unless the sketches of a body say what its entries say.
func same(t *testing.T, api native.API, body string) {
	t.Helper()
	req, err := native.ParseRequest(api, body)
	if err != nil {
		return
	}
	n := 0
	for s := range native.Sketches(api, req.Root) {
		if n == len(req.Entries) {
			t.Fatalf("%s: got more sketches than the %d entries of %s", api, n, body)
		}
		e := req.Entries[n]
		if s.Role != e.Role || s.Model != e.Model() || !s.Model && s.Answers != e.Results() || s.Model && s.Answers && !e.Results() {
			t.Errorf("%s: entry %d of %s: got %q, model %t, answers %t, want %q, %t, %t", api, n, body, s.Role, s.Model, s.Answers, e.Role, e.Model(), e.Results())
		}
		text := ""
		for _, p := range e.Parts {
			text += p.Text
		}
		for _, most := range []int{1, 5, 100} {
			if got := s.Text(most); got != text[:min(most, len(text))] {
				t.Errorf("%s: entry %d of %s: got the first %d bytes %q, want of %q", api, n, body, most, got, text)
			}
		}
		NewWithT(t).Expect(s.Entry()).To(Equal(e))
		n++
	}
	if n != len(req.Entries) {
		t.Fatalf("%s: got %d sketches, want the %d entries of %s", api, n, len(req.Entries), body)
	}
}

// bodies are histories of all APIs, whole and malformed.
func bodies() []string {
	return []string{
		`{"contents":[{"role":"user","parts":[{"text":"h\u00fc\ud83d\ude00llo\n and more of it"},{"text":"2"}]},{"role":"model","parts":[{"text":"t","thought":true},{"functionCall":{"id":"a","name":"f","args":{}},"thoughtSignature":"S"}]},{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{}}}]}]}`,
		`{"contents":[{"parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"function_response":{"name":"f"}},{"text":"and"}]},{"role":"user","role":"model"},{"parts":[null,7,{}]},{"parts":{}},"x",{}]}`,
		`{"contents":[{"role":"user","parts":[{"function_call":7,"functionCall":{}}],"parts":[{"text":"last"}]}],"messages":"x","input":"x"}`,
		`{"contents":"x","input":[{"role":"user","content":"hi"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"text":"b"}]},{"type":"reasoning","encrypted_content":"E"},{"type":"function_call","call_id":"c"},{"type":"function_call_output","call_id":"c","output":[{"text":"r"},{"text":"s"}]},{"type":"function_call_output","role":"assistant"},{"note":1},7]}`,
		`{"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"h"},{"type":"tool_result","tool_use_id":"x","content":"r"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"r"},{"role":"tool","tool_calls":[{}]},{"role":"user","tool_calls":[{}]},{"role":"user","tool_calls":{"a":1}}]}`,
		`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"r"}]}]},{"role":"user","content":[{"type":"tool_use","id":"x"}]},{"role":"user","content":[{"type":"redacted_thinking"}]},{"role":"user","content":[{"type":"thinking","thinking":"t"}]},{"role":"user","content":[]}]}`,
		`[]`, `7`, `{}`, `{"contents":null,"input":null,"messages":null}`,
	}
}

func TestSketches(t *testing.T) {
	for _, body := range bodies() {
		for _, api := range append(native.APIs(), "other") {
			same(t, api, body)
		}
	}
	for range native.Sketches("other", wire.Value{}) {
		t.Error("got a sketch of an unknown API")
	}
}

func FuzzSketches(f *testing.F) {
	for _, body := range bodies() {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, api := range native.APIs() {
			same(t, api, body)
		}
	})
}
