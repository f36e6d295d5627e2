package gemini

import (
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// Minted is what this server gave out as Gemini: its signatures with the parts
// that they were given for. The zero Minted has given nothing out. It may be
// used from several goroutines once nothing is added any more.
type Minted struct {
	parts   []given
	byText  map[string][]int // signature as it was written → parts
	byBytes map[string][]int // the same decoded
	names   map[string]bool  // members of those parts
	inner   map[string]bool  // members of what is in them, such as calls
}

// given is a part that was given out; args are those of a call.
type given struct {
	native.Part
	args wire.Value
}

// Add registers the parts of a reply.
func (m *Minted) Add(parts []native.Part) {
	if m.byText == nil {
		m.byText, m.byBytes, m.names = map[string][]int{}, map[string][]int{}, map[string]bool{}
		m.inner = map[string]bool{}
	}
	for _, p := range parts {
		m.learn(p.Value)
		sig := p.Sig.Text()
		if sig == "" {
			continue
		}
		args, _ := wire.Parse(p.Args)
		m.parts = append(m.parts, given{p, args})
		m.byText[sig] = append(m.byText[sig], len(m.parts)-1)
		if b, ok := decode(sig); ok {
			m.byBytes[b] = append(m.byBytes[b], len(m.parts)-1)
		}
	}
}

// learn takes the names that a part's objects have: what the provider itself
// sent, it knows.
func (m *Minted) learn(part wire.Value) {
	for name, v := range part.Members() {
		m.names[name] = true
		for inner := range v.Members() {
			m.inner[inner] = true
		}
	}
}

// find returns the parts that a signature was minted for, in whichever
// alphabet it came back. Values that a script mints will say themselves where
// they are from; these are known by their text.
func (m *Minted) find(sig string) []int {
	if at, ok := m.byText[sig]; ok {
		return at
	}
	b, _ := decode(sig)
	return m.byBytes[b]
}

// fits reports whether a signature sits on one of the parts at the indexes, as
// far as the content can be told apart: another call, or a thought that was
// edited. Other text may be cut and joined in ways that are tolerated.
func (m *Minted) fits(p *part, at []int) bool {
	for _, i := range at {
		if sameContent(&m.parts[i], p) {
			return true
		}
	}
	return false
}

func sameContent(minted *given, p *part) bool {
	switch {
	case minted.Kind == native.Call || p.kind == call:
		return minted.Kind == native.Call && p.kind == call && minted.Name == p.name.Text() && sameArgs(minted.args, p.args)
	case minted.Kind == native.Thought && p.kind == thought:
		return minted.Text == p.body.Text()
	}
	return true
}

// sameArgs compares arguments as JSON values; absent ones are an empty object.
// A list never came from Gemini: an older capsule holds it (STRUCT-04).
func sameArgs(minted, sent wire.Value) bool {
	switch {
	case minted.Kind() == wire.Array:
		return true
	case sent.Kind() == wire.Object && sent.Len() > 0 && minted.Exists():
		return wire.SameValue(minted, sent)
	}
	return minted.Len() == 0 && sent.Len() == 0
}
