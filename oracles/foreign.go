package oracles

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

func foreignOracles() []Oracle {
	cross := Needs{Capability: "cross-provider"}
	carrier := Needs{Carrier: true}
	return []Oracle{
		// Responses rebuilds a Gemini turn: text, then calls, then outputs.
		{ID: "FOREIGN-01", Needs: cross, Scope: crosses(native.Gemini, native.Responses), Check: checkRebuiltForResponses},
		// Nothing of the parts is in that request.
		{ID: "FOREIGN-02", Needs: cross, Scope: crosses(native.Gemini, native.Responses), Check: func(v *View) []Finding {
			return append(v.shortfall(anyStep), nativeIn(v, native.Responses, native.Gemini)...)
		}},
		// Gemini rebuilds an OpenAI turn; nothing of the items appears.
		{ID: "FOREIGN-03", Needs: cross, Scope: betweenTurns, Check: func(v *View) []Finding {
			out := append(v.shortfall(anyStep), nativeIn(v, native.Gemini, native.Responses)...)
			return append(out, rebuiltDiffs(v, native.Gemini, native.Responses)...)
		}},
		// Untagged items are replayed exactly, in place.
		{ID: "FOREIGN-04", Needs: carrier, Scope: func(v *View) bool {
			toResponses := func(s *step) bool { return s.api == native.Responses }
			return ordinary(v) && anyOf(v.prior, toResponses) && anyOf(v.script, toResponses)
		}, Check: checkUntagged},
		// Chat Completions never sends a carrier.
		{ID: "FOREIGN-05", Needs: carrier, Scope: carriedToChat, Check: checkChat},
		// There and back: own turns verbatim, the other's rebuilt.
		{ID: "FOREIGN-06", Needs: cross, Scope: func(v *View) bool {
			return betweenTurns(v) && v.carrierBefore(native.Responses)
		}, Check: checkThereAndBack},
		// A rebuilt Gemini turn carries no signature and no stand-in.
		{ID: "FOREIGN-07", Needs: cross, Scope: func(v *View) bool {
			return crosses(native.Responses, native.Gemini)(v) || crosses(native.Chat, native.Gemini)(v) || crosses(native.Anthropic, native.Gemini)(v)
		}, Check: func(v *View) []Finding {
			out := v.shortfall(anyStep)
			for _, r := range v.to(native.Gemini) {
				for _, d := range v.diffs()[r] {
					if d.step != nil && d.index < 0 && d.aspect == ofSignature {
						out = append(out, d.Finding)
					}
				}
			}
			return out
		}},
	}
}

// crosses reports whether a turn of one API is followed by a reply of the other.
func crosses(from, to native.API) func(*View) bool {
	return func(v *View) bool {
		if !ordinary(v) {
			return false
		}
		seen := anyOf(v.prior, func(s *step) bool { return s.api == from })
		for _, s := range v.script {
			if seen && s.api == to {
				return true
			}
			seen = seen || s.api == from
		}
		return false
	}
}

// betweenTurns reports whether an OpenAI turn is followed by a Gemini reply, and
// never in the middle of a user turn: that change is driven, but judged for
// stand-ins only.
func betweenTurns(v *View) bool {
	if !crosses(native.Responses, native.Gemini)(v) {
		return false
	}
	for i, s := range v.script {
		if i > 0 && s.api != v.script[i-1].api && s.turn == v.script[i-1].turn {
			return false
		}
	}
	return true
}

// carrierBefore reports whether a Gemini turn stands before the first reply of
// the API and another after it.
func (v *View) carrierBefore(api native.API) bool {
	before := false
	for _, s := range v.script {
		if s.api == api {
			return before
		}
		before = before || s.api == native.Gemini
	}
	return false
}

func carriedToChat(v *View) bool {
	if crosses(native.Gemini, native.Chat)(v) || crosses(native.Responses, native.Chat)(v) {
		return true
	}
	// What is malformed has no owner, and makes no difference here.
	carried := slices.ContainsFunc(storedAssistants(v), func(m message) bool { return m.items.Exists() })
	return ordinary(v) && carried && anyOf(v.script, func(s *step) bool { return s.api == native.Chat })
}

// rebuiltDiffs returns the differences of one API's turns in requests to the
// other.
func rebuiltDiffs(v *View, to, from native.API) []Finding {
	var out []Finding
	for _, r := range v.to(to) {
		for _, d := range v.diffs()[r] {
			if d.step == nil || d.step.api == from && d.index < 0 {
				out = append(out, d.Finding)
			}
		}
	}
	return out
}

func checkRebuiltForResponses(v *View) []Finding {
	out := append(v.shortfall(anyStep), rebuiltDiffs(v, native.Responses, native.Gemini)...)
	for _, r := range v.to(native.Responses) {
		a := v.aligned(r)
		for i, w := range a.wants {
			if g := a.at[i]; g >= 0 && w.rebuilt && w.step.api == native.Gemini {
				out = append(out, rebuiltItem(r, a.gots[g].part)...)
			}
		}
		for i := 1; i < len(a.wants); i++ {
			w, before := a.wants[i], a.wants[i-1]
			if w.rebuilt && w.step == before.step && a.at[i] >= 0 && a.at[i-1] >= 0 && a.gots[a.at[i]].entry != a.gots[a.at[i-1]].entry+1 {
				out = append(out, foreignFinding(r, a.gots[a.at[i]].part.Value, result.Reordered, "the message, then the calls, directly one after the other", "other items between"))
			}
		}
	}
	return append(out, resultsOf(v, native.Responses, native.Gemini)...)
}

func foreignFinding(r *request, v wire.Value, change result.Change, want, got string) Finding {
	return Finding{
		Where: at(r, v.Path()), Change: change, Level: result.Provider, Basis: result.Documented, Want: want, Got: got,
		Means: "the other provider's turn must arrive as ordinary history (ADR-222)",
	}
}

// rebuiltItem checks the form of a rebuilt item.
func rebuiltItem(r *request, p native.Part) []Finding {
	switch p.Kind {
	case native.Call:
		if id := p.Value.Get("id"); id.Exists() {
			return []Finding{foreignFinding(r, id, result.Added, "a function_call without an id: no reasoning item belongs to it", quote(id))}
		}
	case native.Text:
		content := p.Value.Get("content")
		if content.Kind() == wire.Array && (content.Len() != 1 || content.Index(0).Get("type").Text() != "output_text") {
			return []Finding{foreignFinding(r, content, result.Changed, "a string or one output_text", quote(content))}
		}
	}
	return nil
}

// resultsOf returns what is wrong with the results of one API's turns in the
// requests to another.
func resultsOf(v *View, to, from native.API) []Finding {
	var out []Finding
	for _, f := range judgedResults(v) {
		if f.r.req.API == to && f.step.api == from {
			out = append(out, f.Finding)
		}
	}
	return out
}

// nativeIn looks for one provider's native content in requests to another
// (FOREIGN-02, FOREIGN-03). A native call ID used as the public one is let pass
// at level provider (T10).
func nativeIn(v *View, to, from native.API) []Finding {
	var out []Finding
	for _, r := range v.to(to) {
		for _, s := range append(append([]*step(nil), v.prior...), v.script[:r.known]...) {
			if s.api != from {
				continue
			}
			for _, sec := range foreignSecrets(s) {
				for val := range r.req.Root.All() {
					if val.Kind() != wire.String || !sec.in(val.Text()) {
						continue
					}
					f := foreignFinding(r, val, result.Foreign, "absent", sec.what+" of "+s.label())
					if sec.id {
						f.Level = result.Verbatim
					}
					out = append(out, f)
					break
				}
			}
		}
		out = append(out, foreignMembers(r, to)...)
	}
	return out
}

// foreignMembers finds members that only the other API knows.
func foreignMembers(r *request, to native.API) []Finding {
	names := map[string]bool{"thoughtSignature": true, "thought_signature": true, "functionCall": true, "function_call": false, "thought": true}
	if to == native.Gemini {
		names = map[string]bool{"encrypted_content": true, "call_id": true, "summary": true}
	}
	var out []Finding
	for _, e := range r.req.Entries {
		for _, p := range e.Parts {
			for name, m := range p.Value.Members() {
				if names[name] {
					out = append(out, foreignFinding(r, m, result.Foreign, "absent", "a member of the other provider's: "+name))
				}
			}
		}
	}
	return out
}

// foreignSecret is native content that the other provider must not see.
type foreignSecret struct {
	what, text string
	id         bool // a native call ID: compared as a whole
}

func (s foreignSecret) in(text string) bool {
	if s.id {
		return text == s.text
	}
	return strings.Contains(text, s.text)
}

func foreignSecrets(s *step) []foreignSecret {
	var out []foreignSecret
	add := func(what, text string, id bool, least int) {
		if len(text) >= least {
			out = append(out, foreignSecret{what, text, id})
		}
	}
	for i, p := range s.parts {
		n := i + 1
		add(fmt.Sprintf("the opaque value of part %d", n), p.Sig.Text(), false, 16)
		if p.Kind == native.Thought {
			add(fmt.Sprintf("the thought text of part %d", n), strings.TrimSpace(p.Text), false, 8)
		}
		if p.Kind == native.Call && s.api == native.Gemini {
			add(fmt.Sprintf("the native ID of part %d", n), p.ID, true, 1)
		}
		if s.api == native.Responses {
			add(fmt.Sprintf("the id of item %d", n), p.Value.Get("id").Text(), false, 4)
			for val := range p.Value.Get("summary").All() {
				if p.Kind == native.Reasoning && val.Text() != "summary_text" {
					add(fmt.Sprintf("the summary of item %d", n), val.Text(), false, 8)
				}
			}
		}
		for name, m := range p.Value.Members() {
			if !slices.Contains(listed[s.api], usual(name)) && name != "status" {
				for val := range m.All() {
					add(fmt.Sprintf("an unknown member of part %d", n), val.Text(), false, 8)
				}
			}
		}
	}
	return out
}

func checkUntagged(v *View) []Finding {
	out := v.shortfall(anyStep)
	if len(v.to(native.Responses)) == 0 {
		return append(out, stateFinding("request 1", result.Shrunk, "a request to Responses that continues the state", "it never came: "+v.ending()))
	}
	for _, r := range v.to(native.Responses) {
		for _, d := range v.diffs()[r] {
			if d.step == nil || d.step.stored {
				out = append(out, d.Finding)
			}
		}
	}
	for _, f := range judgedResults(v) { // in place also means before their outputs
		if f.step.stored && f.r.req.API == native.Responses {
			out = append(out, f.Finding)
		}
	}
	return out
}

// checkChat looks for carriers and native content in Chat Completions bodies.
func checkChat(v *View) []Finding {
	out := v.shortfall(anyStep)
	if err := v.last().Outcome.Error; err != nil && err.Kind == subject.Refused {
		out = append(out, stateFinding(fmt.Sprintf("run %d", len(v.Runs)), result.Refused, "a request: Chat Completions never looks into a carrier", "an error of kind \"refused\""))
	}
	words := carriedWords(v)
	for _, r := range v.to(native.Chat) {
		findWrapper(r.req.Root, func(val wire.Value, what string) {
			out = append(out, foreignFinding(r, val, result.Wrapper, "absent", what))
		})
		for _, name := range []string{"input", "include"} {
			if m := r.req.Root.Get(name); m.Exists() {
				out = append(out, foreignFinding(r, m, result.Foreign, "absent in Chat Completions", "a member named "+name))
			}
		}
		for val := range r.req.Root.Get("messages").All() {
			for _, name := range []string{"encrypted_content", "thoughtSignature"} {
				if m := val.Get(name); m.Exists() {
					out = append(out, foreignFinding(r, m, result.Foreign, "absent in Chat Completions", "a member named "+name))
				}
			}
			if val.Kind() == wire.String && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(val.Text(), w) }) {
				out = append(out, foreignFinding(r, val, result.Foreign, "absent in Chat Completions", "a string of a carrier"))
			}
		}
	}
	for _, from := range []native.API{native.Gemini, native.Responses} {
		out = append(out, nativeIn(v, native.Chat, from)...)
	}
	for _, r := range v.to(native.Chat) {
		for _, d := range v.diffs()[r] {
			out = append(out, d.Finding)
		}
	}
	return out
}

// carriedWords returns the strings that only the carriers of the state hold.
func carriedWords(v *View) []string {
	text := v.Scenario.State(v.Variant)
	var public strings.Builder
	for _, m := range readTranscript(text) {
		for name, member := range m.value.Members() {
			for val := range member.All() {
				if name != "provider_items" {
					public.WriteString(val.Text() + "\n")
				}
			}
		}
	}
	var out []string
	for _, m := range readTranscript(text) {
		for val := range m.items.All() {
			if w := val.Text(); len(w) >= 8 && !strings.Contains(public.String(), w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// checkThereAndBack judges every turn in every request of a conversation that
// goes to the other provider and returns.
func checkThereAndBack(v *View) []Finding {
	out := v.shortfall(anyStep)
	for _, r := range v.requests {
		for _, d := range v.diffs()[r] {
			out = append(out, d.Finding)
		}
	}
	return out
}
