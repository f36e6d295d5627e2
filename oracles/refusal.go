package oracles

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/result"
)

// refusalText says what the provider's profile answers a request, how well that
// is known, and what the provider doesn't say: what became of the value.
func refusalText(f *fakeserver.Refusal) string {
	text := fmt.Sprintf("refused by %s (%s): %d %s", f.Profile, f.Mark, f.Status, firstWords(f.Message))
	if f.Why != "" {
		text += " [" + printable(f.Why) + "]"
	}
	return text
}

// firstWords is the first sentence of a message, bounded: some quote values of
// any length.
func firstWords(s string) string {
	const most = 160
	s, _, _ = strings.Cut(s, "\n")
	s, _, _ = strings.Cut(s, ". ")
	if len(s) > most {
		s = head(s, most) + "…"
	}
	return printable(s)
}

// concerns reports whether a refusal is about a difference of that kind: rules
// about opaque values have them in their names.
func concerns(f *fakeserver.Refusal, d diff) bool {
	about := func(word string) bool { return strings.Contains(f.Rule, word) }
	return (about("signature") || about("content") || about("finish-reason")) == (d.aspect == ofSignature)
}

// expectedRefusal reports whether an exchange was refused by a rule that the
// contract itself runs into: nobody is at fault.
func (v *View) expectedRefusal(x Exchange) bool {
	return x.Refused && slices.Contains(v.Scenario.Refusals, x.Refusal.Rule)
}

// endAtRefusal lets the conversation end where an expected refusal answered:
// the request counts as one for the reply that it would have got, and nothing
// after it is asked for.
func (v *View) endAtRefusal() {
	given := 0
	for i := range v.Runs {
		for k, x := range v.Runs[i].Exchanges {
			given = max(given, x.Step)
			if !v.expectedRefusal(x) || given == len(v.script) {
				continue
			}
			v.Runs = slices.Clone(v.Runs)
			v.Runs[i].Exchanges = slices.Clone(v.Runs[i].Exchanges)
			v.Runs[i].Exchanges[k].Step = given + 1
			v.refused, v.script = given+1, v.script[:given+1]
			return
		}
	}
}

// unexpectedEnd is the finding of a conversation that the provider's refusal of
// request r ended before a reply that was asked for.
func unexpectedEnd(r *request) Finding {
	return Finding{
		Where: at(r, ""), Change: result.Refused, Level: result.Provider, Basis: result.Basis(strings.ReplaceAll(string(r.x.Refusal.Mark), "not ", "un")),
		Want: "a request that the provider answers", Got: "one that it refuses", Means: refusalText(r.x.Refusal) + "; the conversation ended there",
	}
}
