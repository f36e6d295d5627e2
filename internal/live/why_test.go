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
