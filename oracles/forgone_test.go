package oracles_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// Neither reasoning nor the ids of what it is paired with is legal where no cipher
// came; half of a pair is not, and a cipher is never let go.
func TestObserveWithoutReasoningAndIDs(t *testing.T) {
	const (
		user   = `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}`
		bare   = `{"type":"reasoning","id":"rs_1","summary":[]}`
		null   = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":null}`
		cipher = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAABpcipher"}`
		fc     = `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{}"}`
		out    = `{"type":"function_call_output","call_id":"call_1","output":"{\"r\":1}"}`
		msg    = `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Cold.","annotations":[]}]}`
		other  = `{"type":"message","id":"msg_2","role":"assistant","content":[{"type":"output_text","text":"Bye.","annotations":[]}]}`
	)
	anonymous := func(item string) string {
		for _, id := range []string{"fc_1", "msg_1", "msg_2"} {
			item = strings.Replace(item, `"id":"`+id+`",`, "", 1)
		}
		return item
	}
	for _, row := range []struct {
		name              string
		came, call, after string // the first reply's reasoning; how the client sends that turn and the next
		red, stateless    bool   // stateless: with store:false too
	}{
		{"neither", bare, anonymous(fc), anonymous(msg), false, true},
		{"neither, an empty cipher", null, anonymous(fc), anonymous(msg), false, true},
		{"no reasoning, no id of the call", bare, anonymous(fc), msg, false, true},
		{"all as it came", bare, bare + "," + fc, msg, false, false},
		{"a message without its id", bare, bare + "," + fc, anonymous(msg), false, false},

		{"no reasoning", bare, fc, msg, true, false}, // with store:false the profile's rules refuse it
		{"a cipher lost, no ids", cipher, anonymous(fc), anonymous(msg), true, true},
		{"a cipher lost", cipher, bare + "," + fc, msg, true, true},
		{"another id of the message", bare, anonymous(fc), strings.Replace(msg, "msg_1", "msg_9", 1), true, true},
		{"the call lost with its reasoning", bare, "", anonymous(msg), true, true},
		{"other arguments", bare, strings.Replace(anonymous(fc), "{}", `{\"x\":1}`, 1), anonymous(msg), true, true},
		{"the message lost", bare, anonymous(fc), "", true, true},
	} {
		for _, root := range []string{``, `"store":true,`, `"store":false,`} {
			if strings.Contains(root, "false") && !row.stateless {
				continue
			}
			t.Run(row.name+"/"+root, func(t *testing.T) {
				g := NewWithT(t)
				body := func(input ...string) string {
					var items []string
					for _, i := range input {
						if i != "" {
							items = append(items, i)
						}
					}
					return `{"model":"gpt-6",` + root + `"input":[` + strings.Join(items, ",") + `]}`
				}
				answer := func(output string) string { return `{"id":"resp","status":"completed","output":[` + output + `]}` }
				o, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
					{Seq: 1, Endpoint: "responses", Status: 200, Step: 1, Body: body(user), Reply: answer(row.came + "," + fc)},
					{Seq: 2, Endpoint: "responses", Status: 200, Step: 2, Body: body(user, row.call, out), Reply: answer(msg)},
					{Seq: 3, Endpoint: "responses", Status: 200, Step: 3, Body: body(user, row.call, out, row.after, user), Reply: answer(other)},
				}))
				g.Expect(err).NotTo(HaveOccurred())
				found := gating(t, o)
				if red := len(found) > 0; red != row.red {
					t.Errorf("got red %t: %v", red, found)
				}
			})
		}
	}
}
