package gemini

import (
	"encoding/base64"
	"slices"
	"strings"

	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// Minted is what this server gave out as Gemini: its signatures with the parts
// that they were given for. The zero Minted has given nothing out. It may be
// used from several goroutines once nothing is added any more.
type Minted struct {
	// Values explain what came back otherwise. Its seed is to be set before
	// anything is added.
	Values  rule.Values
	parts   []given
	byText  map[string][]int // signature as it was written → parts
	byBytes map[string][]int // the same decoded
	names   map[string]bool  // members of those parts
	inner   map[string]bool  // members of what is in them, such as calls
	vendors map[string]bool  // members of extra_content that replies had, see AddChat
}

// given is a part that was given out; args are those of a call. stamp is what its
// signature says of itself, nil where that is nothing.
type given struct {
	native.Part
	args  wire.Value
	stamp *mint.Stamp
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
		m.parts = append(m.parts, given{Part: p, args: args, stamp: stampOf(sig)})
		m.Values.Add(sig, says(p))
		m.byText[sig] = append(m.byText[sig], len(m.parts)-1)
		if b, ok := decode(sig); ok {
			m.byBytes[b] = append(m.byBytes[b], len(m.parts)-1)
		}
	}
}

// AddChat is Add for a reply of the OpenAI-compatible endpoint, plain or streamed,
// which is text.
func (m *Minted) AddChat(parts []native.Part, text string) {
	m.Add(parts)
	if m.vendors == nil {
		m.vendors = map[string]bool{}
	}
	for _, vendor := range []string{"google", "vertex"} {
		m.vendors[vendor] = m.vendors[vendor] || strings.Contains(text, `"`+vendor+`"`)
	}
}

// says names a part for people.
func (g given) says() string {
	if g.stamp != nil {
		return g.stamp.String()
	}
	return says(g.Part)
}

func says(p native.Part) string {
	if p.Kind == native.Call {
		return "the signature of the call " + p.Name
	}
	return "the signature of a " + p.Kind.String() + " part"
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
// alphabet it came back; none of a value that an earlier life of the server gave
// out.
func (m *Minted) find(sig, model string) (at []int, state sigState) {
	at, found := m.byText[sig]
	var b string
	if !found {
		var ok bool
		if b, ok = decode(sig); !ok {
			return nil, unreadable
		}
		at, found = m.byBytes[b]
	}
	switch {
	case m.elsewhere(at, model):
		return at, unknown
	case found:
		return at, known
	}
	if s, ok := m.Values.Genuine(mint.Gemini, base64.StdEncoding.EncodeToString([]byte(b))); ok && (model == "" || s.Model == model) {
		return nil, known
	}
	if loose(sig) { // the decoder's to refuse, see ruby_llm 521
		return nil, unreadable
	}
	return nil, unknown
}

// fits reports whether a signature sits on one of the parts at the indexes, as
// far as the content can be told apart: another call, or a thought that was
// edited. Other text may be cut and joined in ways that are tolerated. What was
// given out before this server began is not known any more.
func (m *Minted) fits(p *part, at []int) bool {
	if len(at) == 0 {
		return true
	}
	for _, i := range at {
		if sameContent(&m.parts[i], p) {
			return true
		}
	}
	return false
}

// times is on how many parts a known signature may be: one that says itself
// where it is from was given out once.
func (m *Minted) times(at []int) int {
	if m.parts[at[0]].stamp != nil {
		return 1
	}
	return len(at)
}

// elsewhere reports whether a known signature says that it is of another model;
// model is a name as stamps have it, "" for any.
func (m *Minted) elsewhere(at []int, model string) bool {
	return len(at) > 0 && model != "" && m.parts[at[0]].stamp != nil && m.parts[at[0]].stamp.Model != model
}

func stampOf(sig string) *mint.Stamp {
	if s, ok := mint.Peek(sig); ok {
		return &s
	}
	return nil
}

// said reports whether a visible text is one that its signature was given for,
// or holds it, or is a piece of it.
func (m *Minted) said(p *part) bool {
	return p.kind != text || slices.ContainsFunc(p.at, func(i int) bool {
		given := m.parts[i].Text
		return m.parts[i].Kind != native.Text || strings.Contains(given, p.body.Text()) || strings.Contains(p.body.Text(), given)
	})
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
