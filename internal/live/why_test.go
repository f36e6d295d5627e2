package live_test

import (
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/live"
)

// cutOff keeps 60 characters of the signature.
func cutOff(turn string) string {
	before, after, found := strings.Cut(turn, `"thoughtSignature":"`)
	if !found {
		return turn
	}
	_, rest, _ := strings.Cut(after, `"`)
	return before + `"thoughtSignature":"` + after[:60] + `"` + rest
}

// What the provider doesn't say of a signature is on the page and in the report.
func TestWhyIsTold(t *testing.T) {
	for _, observe := range []bool{false, true} {
		g := NewWithT(t)
		s := serve(t, live.Options{Observe: observe})
		talk(t, s, "/c/alice", cutOff)
		live.Settle(s)
		const why = `400 Corrupted thought signature. [contents[1].parts[1]: cut off, 45 of `
		g.Expect(detail(t, s, "c1")).To(ContainSubstring(why))
		g.Expect(get(t, s, live.Root+"api/report").body).To(ContainSubstring(why))
	}
}

// What no rule refuses is told too, and is no failure by itself.
func TestNotesAreTold(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	c := talk(t, s, "/c/alice", nil)
	history := strings.Join(c.contents[:4], ",")
	g.Expect(history).To(ContainSubstring("thoughtSignature"))
	other := strings.ReplaceAll(history, `{"city":"Leipzig"}`, `{"city":"Lima"}`)
	send(t, s, http.MethodPost, "/c/bob"+model, `{"contents":[`+other+`,{"role":"user","parts":[{"text":"And now?"}]}]}`)
	live.Settle(s)
	g.Expect(detail(t, s, "c2")).To(MatchRegexp(`request 1, contents\[1\]\.parts\[1\]: on other content than it was given for: part 2 of reply 1, minted for gemini-3\.8-flash \(gemini\); no rule of the profile refuses it`))
}

// A history that the provider would keep is none for this server, which is to be told
// where one is named, and not where a text speaks of it.
func TestHistoryElsewhereIsTold(t *testing.T) {
	for body, told := range map[string]bool{
		`{"model":"gpt-6","input":"hi","previous_response_id":"resp_1"}`:                   true,
		`{"model":"gpt-6","input":"hi","conversation":{"id":"conv_1"}}`:                    true,
		`{"model":"gpt-6","input":"hi","previous_response_id":null}`:                       false,
		`{"model":"gpt-6","input":[{"role":"user","content":"\"previous_response_id\""}]}`: false,
		`{"model":"gpt-6","input":[{"role":"user","previous_response_id":"resp_1"}]}`:      false,
	} {
		g := NewWithT(t)
		s := serve(t, live.Options{Observe: true})
		send(t, s, http.MethodPost, "/c/alice/v1/responses", body)
		live.Settle(s)
		note := ContainSubstring("request 1 leaves its history to the server (previous_response_id or conversation): this server keeps none")
		if !told {
			note = Not(note)
		}
		g.Expect(detail(t, s, "c1")).To(note, body)
	}
}

// A conversation whose only request met a fault in the place of its reply is told so.
func TestFaultOfAnOnlyRequestIsTold(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Scenarios: []live.Scenario{scenario(t, "slow", "replies: [{text: hi, fault: {status: 503}}]")}})
	status := send(t, s, http.MethodPost, "/c/alice"+model, `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`).status
	g.Expect(status).To(Equal(http.StatusServiceUnavailable))
	live.Settle(s)
	g.Expect(detail(t, s, "c1")).To(ContainSubstring("1 request met a fault of the script's or of --fault and --chaos"))
}
