package oracles

import (
	"slices"

	"example.com/replaycheck/internal/native"
)

// forgoes reports whether a request to Responses holds of a turn neither
// reasoning nor the ids that pair it with what followed: that is always legal,
// one half of a pair is not (wire-facts of the design). A turn with a cipher is
// never forgone. Nor is any of a client that is driven: T4 and T6 are all that it
// is granted.
func (v *View) forgoes(r *request, s *step) bool {
	if !v.observed || r.req.API != native.Responses || s.api != native.Responses {
		return false
	}
	thinks := false
	for _, p := range s.parts {
		if p.Signed() || slices.ContainsFunc(p.Minted, func(cipher string) bool { return cipher != "" }) {
			return false
		}
		thinks = thinks || p.Kind == native.Reasoning
	}
	a := v.aligned(r)
	for i, w := range a.wants {
		if g := a.at[i]; w.step == s && g >= 0 && thinks {
			if sent := a.gots[g].part; sent.Kind == native.Reasoning || sent.Value.Get("id").Exists() {
				return false
			}
		}
	}
	return true
}

// spares reports whether a request may leave a part of a turn out at level
// provider.
func (v *View) spares(r *request, s *step, p native.Part) bool {
	return r.spares(p) || p.Kind == native.Reasoning && v.forgoes(r, s)
}
