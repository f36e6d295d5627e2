package oracles

import (
	"fmt"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

// toldInState compares the content of every Gemini turn in the subject's state
// with its visible text, also of the turns with calls, which are no answers
// (THINK-01, THINK-02). Turns whose text needs the extractor have a literal
// outcome.
func toldInState(v *View) []Finding {
	if !v.carrier() {
		return nil
	}
	var out []Finding
	messages := assistants(v.last())
	for _, s := range v.script {
		k := len(v.prior) + s.n - 1
		want := s.visible()
		if s.api != native.Gemini || v.played(s.n) == nil || s.n == v.broken() || k >= len(messages) || strings.Contains(want, "<") {
			continue // what never came is reported by checkAnswers
		}
		// The state holds valid UTF-8.
		if want = strings.ToValidUTF8(want, "\uFFFD"); messages[k].text != want {
			out = append(out, thinkFinding(fmt.Sprintf("state after the last run, assistant message %d, content", k+1), result.Changed, result.Verbatim, quoted(&want), quoted(&messages[k].text)))
		}
	}
	return out
}
