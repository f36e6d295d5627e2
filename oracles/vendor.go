package oracles

import (
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
)

// vendorsMinted are the members of extra_content that replies of Gemini's
// OpenAI-compatible endpoint had: those written by hand may have either.
func (v *View) vendorsMinted() (out []string) {
	for _, s := range v.script {
		if s.api != native.GeminiOpenAI {
			continue
		}
		text := ""
		if x := v.played(s.n); x != nil {
			text = x.Reply
		}
		for _, vendor := range []string{"google", "vertex"} {
			if strings.Contains(text, `"`+vendor+`"`) && !slices.Contains(out, vendor) {
				out = append(out, vendor)
			}
		}
	}
	return out
}

// dropAside takes signatures for none that a request to Gemini's
// OpenAI-compatible endpoint has in the member of the other host, unless a reply
// had that member too: the host that is asked reads its own only.
func (r *request) dropAside(minted []string) {
	if r.req.API != native.GeminiOpenAI || r.err != nil {
		return
	}
	own, other := "google", "vertex"
	if strings.Contains(r.x.Path, "/endpoints/openapi/") {
		own, other = other, own
	}
	vendors := []string{own}
	if slices.Contains(minted, other) {
		vendors = append(vendors, other)
	}
	entries := slices.Clone(r.req.Entries) // what was read may be shared
	for i := range entries {
		e := &entries[i]
		if !slices.ContainsFunc(e.Parts, func(p native.Part) bool { return p.Sig.Exists() }) {
			continue
		}
		e.Parts = slices.Clone(e.Parts)
		for k := range e.Parts {
			switch p := &e.Parts[k]; p.Kind {
			case native.Call:
				p.Sig = native.ExtraSig(p.Value, vendors...)
			case native.Text:
				p.Sig = native.ExtraSig(e.Value, vendors...)
			}
		}
	}
	r.req.Entries = entries
}
