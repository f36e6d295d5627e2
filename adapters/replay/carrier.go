// Package replay recognises, checks and makes the carriers of a conversation
// and binds native call IDs to public ones.
//
// A carrier is the list of provider-owned items that one assistant message
// holds. Items are never decoded: they are slices of the stored text.
package replay

import (
	"encoding/json"
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// CapsuleType is the type of the one Gemini-owned item. Items of any other type
// are untagged; those are OpenAI Responses items (ADR-222).
const CapsuleType = "nrllm_gemini_generate_content"

// The members of a capsule and of a binding.
const (
	memberType     = "type"
	memberParts    = "parts"
	memberBindings = "tool_call_bindings"
	memberCallID   = "tool_call_id"
	memberNativeID = "native_id"
)

// Binding ties the public ID of a tool call to the native ID that the provider
// gave the same call (CALLID-01). Both are non-empty.
type Binding struct {
	ToolCallID string
	NativeID   string
}

// Capsule is a Gemini-owned turn.
type Capsule struct {
	// Parts are the native parts in order, each an object. No parts is a turn
	// of no parts, not a missing turn (REPLAY-09).
	Parts []wire.Value
	// Bindings are empty where there are none; HasBindings tells an empty list
	// from an absent one.
	Bindings    []Binding
	HasBindings bool
}

// Carrier is what Read found. The zero Carrier is a message without one. At
// most one of Capsule and Items is there.
type Carrier struct {
	Present bool         // false: no carrier; an empty carrier is present
	Capsule *Capsule     // nil: not a Gemini-owned turn
	Items   []wire.Value // untagged items, raw, in order, each an object
}

// Read checks the shape of a message's carrier (REFUSE-01 to REFUSE-07) and
// takes it apart. nil means no carrier. Any error is chat.ErrReplayState: one
// constant message that says nothing about the content. The text is copied
// once; values reference the copy.
func Read(items json.RawMessage) (Carrier, error) {
	if items == nil {
		return Carrier{}, nil
	}
	list, err := wire.Parse(string(items))
	if err != nil || list.Kind() != wire.Array { // REFUSE-06
		return Carrier{}, chat.ErrReplayState()
	}
	c := Carrier{Present: true}
	var capsules []wire.Value
	for item := range list.Items() {
		if item.Kind() != wire.Object { // REFUSE-06
			return Carrier{}, chat.ErrReplayState()
		}
		if isCapsule(item) {
			capsules = append(capsules, item)
		} else {
			c.Items = append(c.Items, item)
		}
	}
	if len(capsules) == 0 {
		return c, nil
	}
	if len(capsules) > 1 { // REFUSE-04
		return Carrier{}, chat.ErrReplayState()
	}
	if len(c.Items) > 0 { // REFUSE-05
		return Carrier{}, chat.ErrReplayState()
	}
	capsule, ok := readCapsule(capsules[0])
	if !ok {
		return Carrier{}, chat.ErrReplayState()
	}
	c.Capsule = &capsule
	return c, nil
}

// isCapsule reports whether any member named type has the capsule's value. Any,
// so that a capsule with two of them is seen as a malformed one and not sent to
// a provider as if it were the provider's own.
func isCapsule(item wire.Value) bool {
	for name, m := range item.Members() {
		if name == memberType && m.Text() == CapsuleType {
			return true
		}
	}
	return false
}

func readCapsule(item wire.Value) (Capsule, bool) {
	if item.Count(memberType) != 1 || item.Count(memberParts) > 1 || item.Count(memberBindings) > 1 {
		return Capsule{}, false
	}
	parts, ok := readParts(item.Get(memberParts))
	if !ok {
		return Capsule{}, false
	}
	bindings, ok := readBindings(item.Get(memberBindings))
	if !ok {
		return Capsule{}, false
	}
	return Capsule{Parts: parts, Bindings: bindings, HasBindings: item.Get(memberBindings).Exists()}, true
}

func readParts(list wire.Value) ([]wire.Value, bool) {
	if list.Kind() != wire.Array { // REFUSE-01 (absent), REFUSE-02
		return nil, false
	}
	parts := []wire.Value{}
	for part := range list.Items() {
		if part.Kind() != wire.Object { // REFUSE-03
			return nil, false
		}
		parts = append(parts, part)
	}
	return parts, true
}

// readBindings checks REFUSE-07: a list of objects with exactly the two
// members, both non-empty strings, each unique in the list. Whether they fit
// the turn is CALLID-05, which needs the message (Capsule.NativeIDs).
func readBindings(list wire.Value) ([]Binding, bool) {
	switch list.Kind() {
	case wire.Absent:
		return nil, true
	case wire.Array:
	default:
		return nil, false
	}
	var bindings []Binding
	public, native := map[string]bool{}, map[string]bool{}
	for item := range list.Items() {
		b := Binding{ToolCallID: item.Get(memberCallID).Text(), NativeID: item.Get(memberNativeID).Text()}
		if item.Len() != 2 || b.ToolCallID == "" || b.NativeID == "" {
			return nil, false
		}
		if public[b.ToolCallID] || native[b.NativeID] {
			return nil, false
		}
		public[b.ToolCallID], native[b.NativeID] = true, true
		bindings = append(bindings, b)
	}
	return bindings, true
}

// NewCarrier returns the carrier of a Gemini turn: one capsule with the given
// native parts, each the exact text of one JSON object, and the bindings; no
// bindings, no member. The text is assembled, never encoded, so parts keep
// every byte.
func NewCarrier(parts []string, bindings []Binding) json.RawMessage {
	var b strings.Builder
	b.WriteString(`[{"type":"` + CapsuleType + `","parts":[`)
	for i, part := range parts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(part)
	}
	b.WriteByte(']')
	if len(bindings) > 0 {
		b.WriteString(`,"tool_call_bindings":[`)
		for i, bind := range bindings {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`{"tool_call_id":` + quoteExact(bind.ToolCallID) + `,"native_id":` + quoteExact(bind.NativeID) + `}`)
		}
		b.WriteByte(']')
	}
	b.WriteString(`}]`)
	return json.RawMessage(b.String())
}
