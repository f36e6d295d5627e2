package oracles

import (
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

// meansOf says what the provider's profile would do about a difference, and how
// well that is known (wire-facts of the design). It never says that a request
// is accepted.
func meansOf(v *View, r *request, d diff) string {
	if d.Basis == result.Contested {
		return "contested: released clients of the provider send this form, others report it refused"
	}
	if f := r.x.Refusal; f != nil && concerns(f, d) {
		return refusalText(f)
	}
	if r.req.API == native.Responses {
		return meansResponses(r, v.aligned(r), d)
	}
	if r.req.API == native.Chat || d.aspect != ofSignature {
		return "the model's own turn is not what it was; a provider may refuse it or answer worse (not confirmed)"
	}
	if r.req.API == native.Anthropic {
		return "the documentation asks for thinking as it came, each signature on its own; what is made of another is not confirmed"
	}
	current := d.step != nil && d.step.turn == r.turn
	firstCall := d.step != nil && len(d.step.calls) > 0 && d.index == d.step.calls[0]
	old := strings.HasPrefix(profileOf(v), "gemini-2")
	switch {
	case d.Change == result.ReEncoded && d.Level == result.Verbatim:
		return "Google's own hosts were recorded decoding both alphabets; a strict relay in front of them may refuse"
	case old:
		return "gemini-2.5 was seen not to check it; quality is lost silently"
	case d.Change == result.Absent || d.Change == result.Null || d.Change == result.Empty || d.Change == result.Moved:
		if current && firstCall {
			return "refused by gemini-3 (confirmed): 400 Function call is missing a thought_signature in functionCall parts"
		}
		return "not refused by a known rule; the documentation asks for it back and quality is lost silently (documented)"
	case d.Change == result.StandIn:
		return "documented as a last resort that costs quality; never right in place of a value that came"
	case d.Change == result.Copied || d.Change == result.Swapped:
		return "a genuine value on a part that is not its own: whether it is refused is not confirmed"
	case current:
		return "refused by gemini-3 (confirmed for foreign and invented values): 400 Corrupted thought signature."
	}
	return "a value that is not its part's own; refused or ignored, not confirmed for older turns"
}

// What is not known to be refused of a Responses request.
const (
	otherItem = "the item is not what it was; a provider may refuse it or answer worse (not confirmed)"
	forgotten = "not refused by a known rule, as its id and those of what followed it are gone too; the model has lost its reasoning, so quality is lost silently"
)

// meansResponses goes by the ids of items: neither ids nor reasoning is always
// legal, one half of a pair is not.
func meansResponses(r *request, a *alignment, d diff) string {
	gone := d.Change == result.Absent || d.Change == result.Null || d.Change == result.Empty || d.Change == result.Moved
	sent := a.sentAs(d.step, d.index)
	switch {
	case d.aspect == ofSignature && !gone:
		return "refused by OpenAI Responses (confirmed): 400 The encrypted content could not be verified."
	case d.aspect == ofSignature && sent != nil && r.req.Root.Get("store").Raw() == "false" && sent.Value.Get("id").Text() != "":
		return "refused by OpenAI Responses (confirmed): 400 Item with id not found. Items are not persisted when `store` is set to false."
	case d.aspect == ofSignature && sent != nil:
		return otherItem
	case d.part.Kind == native.Reasoning && sent == nil && (d.aspect == ofSignature || d.aspect == ofPresence):
		if next := a.sentAs(d.step, d.index+1); next != nil && next.Value.Get("id").Text() != "" {
			return "refused by OpenAI Responses (confirmed): 400 Item was provided without its required 'reasoning' item"
		}
		return forgotten
	case d.aspect == ofPresence && sent == nil, d.aspect == ofOrder:
		before := a.sentAs(d.step, d.index-1)
		if before != nil && before.Kind == native.Reasoning || d.aspect == ofOrder && d.step != nil && hasReasoning(d.step) {
			return "refused by OpenAI Responses (confirmed): 400 Item of type 'reasoning' was provided without its required following item."
		}
	}
	return otherItem
}

// sentAs returns what answers a part of a step, nil where nothing does.
func (a *alignment) sentAs(s *step, index int) *native.Part {
	for i, w := range a.wants {
		if g := a.at[i]; s != nil && !w.rebuilt && w.step == s && w.index == index && g >= 0 {
			return &a.gots[g].part
		}
	}
	return nil
}

// profileOf returns the model generation whose rules the scenario speaks of.
func profileOf(v *View) string {
	if v.Scenario.Profile != "" {
		return v.Scenario.Profile
	}
	return "gemini-3"
}
