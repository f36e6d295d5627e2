package oracles

import (
	"slices"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

// isBeyond reports whether no requirement is about what a request makes of a
// turn: the contract speaks of generateContent on AI Studio and of Responses. A
// turn of AI Studio that is brought to Vertex only is beyond it too.
func (v *View) isBeyond(s *step) bool {
	return s.api != native.Gemini && s.api != native.Responses || !v.replayed(s)
}

// beyond returns what providers ask for in those turns and did not get as it
// was. Vertex has AI Studio's wire format and pages, so all is asked for there
// that REPLAY asks for. Of the rest only what is signed is, and that nothing else
// gets a value: a client of those may shorten what was said. No value is there more
// often than it was given.
func (v *View) beyond() []Finding {
	var out []Finding
	for _, r := range v.requests {
		for _, d := range v.diffs()[r] {
			if d.Level == result.Provider && v.asksBeyond(r, d) {
				out = append(out, d.Finding)
			}
		}
	}
	names, _ := misnamed(v, native.Vertex)
	out = slices.Concat(out, v.straysTo(native.Vertex), names)
	return distinct(append(out, v.copies(out)...))
}

func (v *View) asksBeyond(r *request, d diff) bool {
	switch {
	case d.step == nil: // a part of no turn
		return generates(r.req.API) && slices.ContainsFunc(v.script[:r.known], func(s *step) bool { return generates(s.api) && v.isBeyond(s) })
	case d.index < 0 || !v.isBeyond(d.step):
		return false
	case v.saidLost(r, d):
		return false
	case generates(d.step.api):
		return true
	case d.step.stored || !slices.Contains([]native.API{native.GeminiOpenAI, native.Anthropic}, d.step.api):
		return false
	case !d.part.Signed():
		return d.aspect == ofSignature && d.Change != result.Null && d.Change != result.Empty
	}
	return d.aspect == ofContent && d.part.Kind != native.Text && v.saysOther(r, d)
}

// saidLost reports whether a difference is of a part whose opaque value is lost,
// which its MintedPart says.
func (v *View) saidLost(r *request, d diff) bool {
	if d.step.stored || !d.part.Signed() || d.ofOthers() {
		return false
	}
	back, due := v.returned(r, d.step, d.index)
	return due && back.Fate == Lost
}

// saysOther reports whether a part came back with another name, other arguments
// or another text. An id of a call is the client's to choose on these APIs.
func (v *View) saysOther(r *request, d diff) bool {
	sent := v.aligned(r).sentAs(d.step, d.index)
	return sent != nil && (d.part.Kind != sent.Kind || !saysSame(d.part, *sent))
}

// saysSame reports whether two parts of a kind have the same text, name and
// arguments.
func saysSame(a, b native.Part) bool {
	return a.Text == b.Text && a.Name == b.Name && (a.Kind != native.Call || sameArgs(a.Args, b.Args))
}

// returnedPlain is returned for Chat Completions, which has nothing opaque: a
// message is its text and its calls.
func (v *View) returnedPlain(r *request, s *step, i int) Returned {
	a, p, nth := v.aligned(r), s.parts[i], 0
	for _, before := range s.parts[:i] {
		if before.Kind == p.Kind {
			nth++
		}
	}
	out := Returned{Request: r.n, Fate: Lost, Changes: []result.Change{result.Absent}}
	for k, w := range a.wants {
		if w.step != s || w.part.Kind != p.Kind {
			continue
		}
		if nth--; nth >= 0 {
			continue
		}
		g := a.at[k]
		if g < 0 {
			break
		}
		sent := a.gots[g].part
		out.Path, out.Fate, out.Changes = sent.Value.Path(), Intact, nil
		if !saysSame(p, sent) {
			out.Fate, out.Changes = Altered, []result.Change{result.Changed}
		}
		break
	}
	if out.Fate == Lost && p.Kind == native.Text && p.Text == "" {
		out.Fate, out.Changes = Tolerated, nil
	}
	return out
}
