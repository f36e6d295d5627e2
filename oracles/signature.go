package oracles

import (
	"encoding/base64"
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

// standIns are values that clients send where they lost the real one. The first
// two are the documented sentinels (ai.google.dev, "Thought signatures").
var standIns = []string{
	"skip_thought_signature_validator",
	"context_engineering_is_the_way_to_go",
}

// isStandIn reports whether a value is a known stand-in, as text or as base64.
func isStandIn(sig string) bool {
	text, _ := decodeSig(sig)
	return slices.Contains(standIns, sig) || slices.Contains(standIns, text)
}

var urlSafe = strings.NewReplacer("-", "+", "_", "/")

// decodeSig decodes base64 of either alphabet, padded or not, unused bits
// ignored (tolerance T2). Line breaks, which the decoder lets pass, are none of
// these.
func decodeSig(sig string) (string, bool) {
	if strings.ContainsAny(sig, "\r\n") {
		return "", false
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(urlSafe.Replace(sig), "="))
	return string(b), err == nil && sig != ""
}

// owner is a part that was minted with an opaque value.
type owner struct {
	step  *step
	index int
}

// mintedBy maps every opaque value of the conversation to the part it came on.
func (v *View) mintedBy() map[string]owner {
	out := map[string]owner{}
	for _, s := range slices.Concat(v.prior, v.script) {
		for i, p := range s.parts {
			if p.Signed() {
				out[p.Sig.Text()] = owner{s, i}
				for _, m := range p.Minted {
					out[m] = owner{s, i}
				}
			}
		}
	}
	return out
}

// piece is how long the end of a value has to be to be known for one: another
// value may well have the same few last characters.
const piece = 12

// whatBecame says what was done to an opaque value that is there but is not the
// one that was minted.
func whatBecame(want, got string, a *alignment, minted map[string]owner) (result.Change, result.Level) {
	if x, ok := decodeSig(want); ok {
		if y, ok := decodeSig(got); ok && x == y {
			return result.ReEncoded, result.Verbatim
		}
		if got == x || got == strings.ToValidUTF8(x, "\uFFFD") || got == string([]rune(x)) || got == latin1(x) || got == base64.StdEncoding.EncodeToString([]byte(want)) {
			return result.ReEncoded, result.Provider
		}
	}
	if isStandIn(got) {
		return result.StandIn, result.Provider
	}
	if o, ok := minted[got]; ok {
		return traffic(want, got, o, a), result.Provider
	}
	switch cut := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(got, "…"), "..."), "="); {
	case len(cut) > 0 && len(cut) < len(want) && (strings.HasPrefix(want, cut) || len(got) >= piece && strings.HasSuffix(want, got)):
		return result.Truncated, result.Provider
	case strings.Contains(got, want) || strings.Contains(got, strings.TrimRight(want, "=")):
		return result.Merged, result.Provider
	case alike(want, got):
		return result.Changed, result.Provider
	}
	return result.Foreign, result.Provider
}

// traffic tells how the value of one part came to stand on another.
func traffic(want, got string, o owner, a *alignment) result.Change {
	for i, w := range a.wants {
		if w.step != o.step || w.index != o.index || a.at[i] < 0 {
			continue
		}
		switch its := a.gots[a.at[i]].part.Sig.Text(); {
		case its == got:
			return result.Copied
		case its == want && want != "":
			return result.Swapped
		}
	}
	if want != "" {
		return result.Swapped
	}
	return result.Moved
}

// latin1 reads every byte as a character of its own.
func latin1(s string) string {
	r := make([]rune, 0, len(s))
	for i := range len(s) {
		r = append(r, rune(s[i]))
	}
	return string(r)
}

// alike reports whether two values share enough of a beginning or an end to be
// the same one, edited.
func alike(a, b string) bool {
	const enough = 12
	n := min(len(a), len(b))
	prefix, suffix := 0, 0
	for prefix < n && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < n && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return prefix >= enough || suffix >= enough
}

// holder returns the sent part that carries a value as its own, other than g.
func (a *alignment) holder(sig string, other int) (got, bool) {
	for i, g := range a.gots {
		if i != other && g.part.Signed() && g.part.Sig.Text() == sig {
			return g, true
		}
	}
	return got{}, false
}

// inside returns the path of a value that holds sig somewhere below a part but
// not as its signature.
func inside(p native.Part, sig string) string {
	for val := range p.Value.All() {
		if val.Text() == sig && val.Offset() != p.Sig.Offset() {
			return val.Path()
		}
	}
	return ""
}
