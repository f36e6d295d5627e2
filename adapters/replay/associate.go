package replay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// Call is a named native call: a part whose functionCall is an object with a
// non-empty string name.
type Call struct {
	Index int        // among the named calls of its turn
	Part  int        // index of its part
	Name  string     // as public tool calls have it
	Args  wire.Value // absent where the provider sent none
	ID    wire.Value // absent where the provider sent none; may be malformed
}

// NativeCall reads the named call of a native part; false if it has none.
func NativeCall(part wire.Value) (Call, bool) {
	fc := part.Get("functionCall")
	name := fc.Get("name")
	if fc.Kind() != wire.Object || name.Text() == "" {
		return Call{}, false
	}
	return Call{Name: chat.PublicText(name), Args: fc.Get("args"), ID: fc.Get("id")}, true
}

// Calls returns the named calls of the capsule in the order of its parts.
func (c Capsule) Calls() []Call {
	var calls []Call
	for i, part := range c.Parts {
		if call, ok := NativeCall(part); ok {
			call.Index, call.Part = len(calls), i
			calls = append(calls, call)
		}
	}
	return calls
}

// Uses counts how many calls of a transcript have each public ID (CALLID-08).
type Uses map[string]int

// CountUses counts the public IDs of all tool calls of the transcript.
func CountUses(transcript []chat.Message) Uses {
	uses := Uses{}
	for _, m := range transcript {
		if m.Role != chat.Assistant {
			continue
		}
		for _, call := range m.ToolCalls {
			uses[call.ID]++
		}
	}
	return uses
}

// NativeIDs returns the native ID of each public tool call of m that has one:
// public ID to the exact functionCall.id in the capsule's part. m is the message
// that carries the capsule and one of the transcript. Any error is
// chat.ErrReplayState: the association is malformed or ambiguous (CALLID-05 to
// CALLID-08). Position never decides.
func (c Capsule) NativeIDs(m chat.Message, transcript []chat.Message) (map[string]wire.Value, error) {
	return c.NativeIDsIn(m, CountUses(transcript))
}

// NativeIDsIn is NativeIDs for a transcript whose IDs were counted already.
func (c Capsule) NativeIDsIn(m chat.Message, uses Uses) (map[string]wire.Value, error) {
	calls := c.Calls()
	bearing, ok := bearingCalls(calls)
	if !ok {
		return nil, chat.ErrReplayState()
	}
	if len(bearing) == 0 || len(m.ToolCalls) == 0 { // CALLID-07
		if len(c.Bindings) > 0 {
			return nil, chat.ErrReplayState()
		}
		return nil, nil
	}
	var ids map[string]wire.Value
	if c.HasBindings {
		ids, ok = bound(bearing, c.Bindings, m.ToolCalls)
	} else {
		ids, ok = paired(bearing, calls, m.ToolCalls)
	}
	if !ok {
		return nil, chat.ErrReplayState()
	}
	for _, call := range m.ToolCalls {
		if _, has := ids[call.ID]; has && uses[call.ID] > 1 { // CALLID-08
			return nil, chat.ErrReplayState()
		}
	}
	return ids, nil
}

// bearingCalls returns the calls with an ID; false if an ID is there but not a
// non-empty string (CALLID-05).
func bearingCalls(calls []Call) ([]Call, bool) {
	var bearing []Call
	for _, call := range calls {
		if !call.ID.Exists() {
			continue
		}
		if call.ID.Text() == "" {
			return nil, false
		}
		bearing = append(bearing, call)
	}
	return bearing, true
}

// bound applies bindings (CALLID-05): each ID-bearing part has exactly one, and
// each names a call of this message with equal name and arguments.
func bound(bearing []Call, bindings []Binding, public []chat.ToolCall) (map[string]wire.Value, bool) {
	byNative := map[string]Call{}
	for _, call := range bearing {
		byNative[call.ID.Text()] = call
	}
	ids := map[string]wire.Value{}
	for _, b := range bindings {
		call, ok := byNative[b.NativeID]
		if !ok {
			return nil, false
		}
		named, ok := only(public, func(p chat.ToolCall) bool { return p.ID == b.ToolCallID })
		if !ok || !call.Equals(named) {
			return nil, false
		}
		ids[b.ToolCallID] = call.ID
	}
	return ids, len(ids) == len(bearing)
}

// only returns the one call that fits; false if none does, or more than one.
func only(public []chat.ToolCall, fits func(chat.ToolCall) bool) (chat.ToolCall, bool) {
	i := slices.IndexFunc(public, fits)
	if i < 0 || slices.ContainsFunc(public[i+1:], fits) {
		return chat.ToolCall{}, false
	}
	return public[i], true
}

// paired finds the association of older state without bindings (CALLID-06): an
// ID-bearing call must differ from every other native call and be equal to
// exactly one public call.
func paired(bearing, calls []Call, public []chat.ToolCall) (map[string]wire.Value, bool) {
	ids, natives := map[string]wire.Value{}, map[string]bool{}
	for _, call := range bearing {
		for _, other := range calls {
			if other.Part != call.Part && call.equalsNative(other) {
				return nil, false
			}
		}
		equal, ok := only(public, call.Equals)
		if !ok || natives[call.ID.Text()] {
			return nil, false
		}
		natives[call.ID.Text()] = true
		ids[equal.ID] = call.ID
	}
	return ids, len(ids) == len(bearing)
}

// Equals reports whether a public call has the name and the arguments of the
// native one, as CALLID compares them.
func (c Call) Equals(public chat.ToolCall) bool {
	if c.Name != public.Name {
		return false
	}
	raw := strings.ToValidUTF8(c.Args.Raw(), "\uFFFD") // as public text has it
	if raw == public.Arguments {
		return true
	}
	native, clean := parseArgs(raw)
	args, ok := parseArgs(public.Arguments)
	return clean && ok && sameArgs(native, args)
}

func (c Call) equalsNative(o Call) bool { return c.Name == o.Name && sameArgs(c.Args, o.Args) }

// parseArgs reads arguments; no text at all is no arguments.
func parseArgs(text string) (wire.Value, bool) {
	if strings.Trim(text, " \t\r\n") == "" {
		return wire.Value{}, true
	}
	v, err := wire.Parse(text)
	return v, err == nil
}

// sameArgs compares two roots: absent, {} and [] are equal there, and a list
// equals the object that has its indexes as names. Below the roots a list is a
// list.
func sameArgs(a, b wire.Value) bool {
	if emptyArgs(a) || emptyArgs(b) {
		return emptyArgs(a) && emptyArgs(b)
	}
	switch {
	case a.Kind() == wire.Array && b.Kind() == wire.Object:
		return sameIndexed(a, b)
	case a.Kind() == wire.Object && b.Kind() == wire.Array:
		return sameIndexed(b, a)
	}
	return wire.SameExact(a, b)
}

func emptyArgs(v wire.Value) bool {
	switch v.Kind() {
	case wire.Absent:
		return true
	case wire.Object, wire.Array:
		return v.Len() == 0
	}
	return false
}

func sameIndexed(list, object wire.Value) bool {
	members := maps.Collect(object.Members())
	if n := list.Len(); len(members) != n || object.Len() != n {
		return false
	}
	i := 0
	for item := range list.Items() {
		if !wire.SameExact(item, members[strconv.Itoa(i)]) {
			return false
		}
		i++
	}
	return true
}

// quoteExact is wire.Quote for text that may hold what wire.Value.Text makes of
// lone surrogate escapes and of bytes that are not UTF-8: both come out as they
// went in, so that a binding still equals the ID in its part.
func quoteExact(s string) string {
	if utf8.ValidString(s) {
		return wire.Quote(s)
	}
	var b strings.Builder
	b.WriteByte('"')
	for s != "" {
		_, n := utf8.DecodeRuneInString(s)
		switch {
		case utf8.ValidString(s[:n]):
			q := wire.Quote(s[:n])
			b.WriteString(q[1 : len(q)-1])
		case len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80:
			n = 3
			fmt.Fprintf(&b, `\u%04x`, rune(s[0]&0x0F)<<12|rune(s[1]&0x3F)<<6|rune(s[2]&0x3F))
		default:
			b.WriteByte(s[0])
		}
		s = s[n:]
	}
	b.WriteByte('"')
	return b.String()
}
