package script_test

import (
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/script"
)

// The length that a signed part asks for is that of the value which stands for
// it, also where a thought before it is what carries it.
func TestLengthOfTheValueBeforeASignedPart(t *testing.T) {
	own, err := script.Parse("length.yaml", `
replies:
- parts:
  - thought: hm
  - call: {name: f, args: {}}
    signed: true
    length: 1200
`)
	if err != nil {
		t.Fatal(err)
	}
	for endpoint, c := range map[string]struct{ model, before string }{
		fakeserver.Gemini:    {"gemini-3.8-flash", `"thoughtSignature":"`},
		fakeserver.Responses: {"gpt-6-sol", `"encrypted_content":"`},
		fakeserver.Anthropic: {"claude-sonnet-4-5", `"signature":"`},
	} {
		reply, err := own.Play().Pick(fakeserver.Asked{Endpoint: endpoint, Model: c.model, Body: questions()[endpoint]})
		if err != nil {
			t.Fatal(endpoint, err)
		}
		_, value, _ := strings.Cut(reply.Reply().Plain, c.before)
		if value, _, _ = strings.Cut(value, `"`); len(value) != 1200 {
			t.Errorf("%s: got a value of %d characters, want 1200: %s", endpoint, len(value), reply.Reply().Plain)
		}
	}
}

func questions() map[string]string {
	return map[string]string{
		fakeserver.Gemini:    `{"contents":[{"role":"user","parts":[{"text":"?"}]}]}`,
		fakeserver.Responses: `{"model":"gpt-6-sol","input":"?"}`,
		fakeserver.Anthropic: `{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"?"}]}`,
	}
}
