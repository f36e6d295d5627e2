package oracles

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

// pair compares a sent part with the one it answers.
func (c *comparer) pair(w *want, g got, index int) {
	if w.rebuilt {
		c.twice(w, g)
		c.rebuiltPair(w, g)
		return
	}
	if w.key == g.key && (c.r.req.API != native.GeminiOpenAI || wire.SameTokens(w.part.Sig, g.part.Sig)) { // a message's is beside its content
		return
	}
	c.twice(w, g)
	c.signature(w, g, index)
	api := c.r.req.API
	if w.part.Kind == native.Thought && g.part.Kind == native.Text {
		c.add(w, ofContent, Finding{
			Where: at(c.r, g.part.Value.Path()), Change: result.Leaked, Level: result.Provider,
			Want: describe(w.part), Got: describe(g.part) + ": thought text as ordinary text",
		})
		return
	}
	if w.part.Kind == native.Thought && w.part.Text == "" && reducedTo(w.part, g.part) {
		// T6 lets an unsigned thought go; one that lost its empty text is more.
		c.add(w, ofContent, Finding{
			Where: at(c.r, g.part.Value.Path()), Change: result.Reduced, Level: result.Verbatim,
			Want: describe(w.part), Got: describe(g.part),
		})
		return
	}
	if w.part.Kind == native.Text && w.part.Text == "" && onlyOpaque(g.part.Value, api) {
		// C2: the field's own SDKs disagree on whether this matters.
		c.add(w, ofContent, Finding{
			Where: at(c.r, g.part.Value.Path()), Change: result.Reduced, Level: result.Provider, Basis: result.Contested,
			Want: describe(w.part), Got: describe(g.part),
		})
		return
	}
	if w.part.Value.Kind() != wire.Object || g.part.Value.Kind() != wire.Object {
		c.assembled(w, g)
		return
	}
	in := extent{known: listed[api]}
	if w.part.Sig.Exists() || g.part.Sig.Exists() {
		in.skip = opaqueIn(api, w.part)
	}
	c.members(w, w.part.Value, g.part.Value, in)
}

// assembled compares a part that a stream gave in pieces, or a plain string, for
// which there is no object to go by.
func (c *comparer) assembled(w *want, g got) {
	p, sent := w.part, g.part
	if p.Kind == sent.Kind && p.Text == sent.Text && p.Name == sent.Name && p.ID == sent.ID && (p.Kind != native.Call || sameArgs(p.Args, sent.Args)) {
		return
	}
	c.add(w, ofContent, Finding{
		Where: at(c.r, sent.Value.Path()), Change: result.Changed, Level: result.Provider, Want: describe(p), Got: describe(sent),
	})
}

// onlyOpaque reports whether an object holds nothing but the opaque value, if
// that.
func onlyOpaque(v wire.Value, api native.API) bool {
	for name := range v.Members() {
		if usual(name) != opaque[api] {
			return false
		}
	}
	return true
}

// extent says what of two objects is compared.
type extent struct {
	known  []string // members that T4 does not let go
	skip   string   // the member that is judged as opaque value; "" for none
	inside bool     // they are a part's function call or result
}

func (e extent) leaves(name string) bool { return e.skip != "" && usual(name) == e.skip }

// members compares two objects member by member.
func (c *comparer) members(w *want, a, b wire.Value, in extent) {
	var order, sent []string
	for name, m := range a.Members() {
		if in.leaves(name) {
			continue
		}
		other, as := lookUp(b, name)
		if !other.Exists() {
			c.absent(w, b, name, m, in.known)
			continue
		}
		order = append(order, as)
		if as != name {
			c.add(w, ofContent, Finding{Where: at(c.r, other.Path()), Change: result.Changed, Level: result.Verbatim, Want: name, Got: as})
		}
		c.member(w, usual(name), m, other)
	}
	for name, m := range b.Members() {
		if in.leaves(name) {
			continue
		}
		if mine, _ := lookUp(a, name); !mine.Exists() {
			level := result.Provider
			if m.Kind() == wire.Null && !slices.Contains(in.known, usual(name)) || usual(name) == "id" && in.inside && m.Text() != "" {
				level = result.Verbatim // T4; T9 for a call's id, whose pairing CALLID judges
			}
			c.add(w, ofContent, Finding{Where: at(c.r, m.Path()), Change: result.Added, Level: level, Want: "absent", Got: quote(m)})
			continue
		}
		if !slices.Contains(sent, name) {
			sent = append(sent, name)
		}
	}
	for name := range a.Members() {
		if n, m := a.Count(name), b.Count(name); m > 0 && n != m && a.Get(name).Offset() >= 0 {
			f := Finding{
				Where: at(c.r, b.Get(name).Path()), Change: result.Changed, Level: result.Provider,
				Want: fmt.Sprintf("member %s %d times", named(name), n), Got: fmt.Sprintf("%d times", m),
			}
			if m == 1 && wire.SameLast(a.Get(name), b.Get(name)) {
				f.Level = result.Verbatim // T1: the last one stands
			}
			c.add(w, ofContent, f)
			return
		}
	}
	if order = dedupe(order); !slices.Equal(order, sent) {
		c.add(w, ofContent, Finding{
			Where: at(c.r, b.Path()), Change: result.Reordered, Level: result.Verbatim,
			Want: "members in the order " + named(strings.Join(order, " ")), Got: named(strings.Join(sent, " ")),
		})
	}
}

func dedupe(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// lookUp finds a member under its name or the wire's other spelling of it.
func lookUp(v wire.Value, name string) (wire.Value, string) {
	if m := v.Get(name); m.Exists() {
		return m, name
	}
	for other, m := range v.Members() {
		if usual(other) == usual(name) {
			return m, other
		}
	}
	return wire.Value{}, ""
}

func (c *comparer) absent(w *want, b wire.Value, name string, m wire.Value, known []string) {
	f := Finding{Where: at(c.r, join(b.Path(), name)), Change: result.Absent, Level: result.Provider, Want: quote(m), Got: "absent"}
	switch {
	case !slices.Contains(known, usual(name)):
		f.Level = result.Verbatim // T4
	case name == "args" && m.Kind() == wire.Object && m.Len() == 0:
		f.Level = result.Verbatim // T3
	case name == "id" && slices.ContainsFunc(w.step.parts, c.r.cannotHold):
		f.Level = result.Verbatim // the reasoning that it is paired with can't be sent; without either it is legal
	case name == "id" && c.v.forgoes(c.r, w.step):
		f.Level = result.Verbatim // neither ids nor reasoning
	case name == "id" && w.part.Kind == native.Call && generates(c.r.req.API):
		f.Level = result.Verbatim // T9: whether the result went along is CALLID-02
	case name == "id" && w.part.Kind == native.Call:
		f.Basis = result.Contested // C3
	}
	c.add(w, ofContent, f)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (c *comparer) member(w *want, name string, a, b wire.Value) {
	switch {
	case wire.SameTokens(a, b):
	case name == "args" && a.Kind() == wire.Array && wire.Compact(b) == indexed(a): // STRUCT-04
	case name == "arguments" && c.r.req.API == native.GeminiOpenAI && sameArgs(a.Text(), b.Text()): // a text that clients write anew
		c.value(w, a, b, result.Verbatim, wire.SameTokens)
	case listedInside[name] != nil && a.Kind() == wire.Object && b.Kind() == wire.Object:
		c.members(w, a, b, extent{known: listedInside[name], inside: true})
	case wire.SameValue(a, b), len(a.Repeated()) > 0 && len(b.Repeated()) == 0 && wire.SameLast(a, b): // T1
		c.value(w, a, b, result.Verbatim, wire.SameTokens)
	default:
		c.value(w, a, b, result.Provider, wire.SameValue)
	}
}

// value reports a value that is not the same, at the deepest place that says
// how.
func (c *comparer) value(w *want, a, b wire.Value, level result.Level, same func(a, b wire.Value) bool) {
	a, b, path := narrow(a, b, same)
	f := Finding{Where: at(c.r, path), Change: result.Changed, Level: level, Want: quote(a), Got: quote(b)}
	switch {
	case !b.Exists():
		f.Change = result.Absent
	case !a.Exists():
		f.Change = result.Added
	case b.Kind() == wire.Null:
		f.Change = result.Null
	case b.Kind() == wire.String && b.Text() == "":
		f.Change = result.Empty
	}
	c.add(w, ofContent, f)
}

// narrow descends into two values that differ, to the first ones below that do,
// and returns these with the path of the second.
func narrow(a, b wire.Value, same func(a, b wire.Value) bool) (x, y wire.Value, path string) {
	switch {
	case a.Kind() == wire.Object && b.Kind() == wire.Object && len(a.Repeated())+len(b.Repeated()) == 0:
		for name, m := range a.Members() {
			if other := b.Get(name); !other.Exists() {
				return m, other, join(b.Path(), name)
			} else if !same(m, other) {
				return narrow(m, other, same)
			}
		}
		for name, m := range b.Members() {
			if !a.Get(name).Exists() {
				return wire.Value{}, m, m.Path()
			}
		}
	case a.Kind() == wire.Array && b.Kind() == wire.Array && a.Len() == b.Len():
		for i := range a.Len() {
			if m, other := a.Index(i), b.Index(i); !same(m, other) {
				return narrow(m, other, same)
			}
		}
	}
	return a, b, b.Path()
}

// signature compares the opaque values of a pair.
func (c *comparer) signature(w *want, g got, index int) {
	mine, sent := w.part.Sig, g.part.Sig
	path := sent.Path()
	if !sent.Exists() {
		path = join(g.part.Value.Path(), opaqueIn(c.r.req.API, w.part))
	}
	where := at(c.r, path)
	switch {
	case wire.SameTokens(mine, sent):
	case !mine.Exists():
		c.newSignature(w, where, sent)
	case sent.Kind() != wire.String || sent.Text() == "":
		change := result.Absent
		if sent.Kind() == wire.Null {
			change = result.Null
		} else if sent.Exists() {
			change = result.Empty
		}
		c.lostSignature(w, index, where, change)
	case slices.Contains(w.part.Minted, sent.Text()):
		// A stream gave this item several values; each of them is its own.
	case mine.Text() == sent.Text():
		c.add(w, ofSignature, Finding{Where: where, Change: result.Changed, Level: result.Verbatim, Want: quote(mine), Got: quote(sent)})
	default:
		change, level := whatBecame(mine.Text(), sent.Text(), c.a, c.minted)
		if api := c.r.req.API; !generates(api) && api != native.GeminiOpenAI {
			level = result.Provider // T2 is about Google's signatures; a cipher is verified as it stands
		}
		c.add(w, ofSignature, Finding{Where: where, Change: change, Level: level, Want: quote(mine), Got: quote(sent) + c.origin(sent.Text())})
	}
}

// newSignature reports a value on a part that came without one.
func (c *comparer) newSignature(w *want, where string, sent wire.Value) {
	f := Finding{Where: where, Change: result.Foreign, Level: result.Provider, Want: "absent", Got: quote(sent)}
	switch o, known := c.minted[sent.Text()]; {
	case sent.Kind() == wire.Null:
		f.Change = result.Null
	case sent.Text() == "":
		f.Change = result.Empty
	case isStandIn(sent.Text()):
		f.Change = result.StandIn
	case known:
		f.Change, f.Got = traffic("", sent.Text(), o, c.a), f.Got+c.origin(sent.Text())
	default:
		f.Got += ": never minted here"
	}
	c.add(w, ofSignature, f)
}

// lostSignature reports a value that its part lost, and where it went.
func (c *comparer) lostSignature(w *want, index int, where string, change result.Change) {
	sig := w.part.Sig.Text()
	f := Finding{Where: where, Change: change, Level: result.Provider, Want: quote(w.part.Sig), Got: string(change)}
	if h, ok := c.a.holder(sig, index); ok {
		f.Change, f.Got = result.Moved, "moved to "+h.part.Sig.Path()
	} else if index >= 0 {
		if path := inside(c.a.gots[index].part, sig); path != "" {
			f.Change, f.Got = result.Moved, "moved to "+path
		}
	}
	c.add(w, ofSignature, f)
}

// origin says whose value a sent one is.
func (c *comparer) origin(sig string) string {
	o, ok := c.minted[sig]
	if !ok {
		return ""
	}
	return fmt.Sprintf(": the value of part %d of %s", o.index+1, o.step.label())
}

// rebuiltPair compares a part of a rebuilt turn: text and calls only.
func (c *comparer) rebuiltPair(w *want, g got) {
	switch {
	case w.part.Kind == native.Text && w.part.Text != g.part.Text:
		c.add(w, ofContent, Finding{Where: at(c.r, g.part.Value.Path()), Change: result.Changed, Level: result.Provider, Want: describe(w.part), Got: describe(g.part)})
	case w.part.Kind == native.Call && w.part.Args != g.part.Args && !c.sameRebuilt(w.part.Args, g.part.Args):
		c.add(w, ofContent, Finding{Where: at(c.r, g.part.Value.Path()), Change: result.Changed, Level: result.Provider, Want: describe(w.part), Got: describe(g.part)})
	case w.part.Kind == native.Call && w.part.Args != g.part.Args && !c.sameTokens(w.part.Args, g.part.Args):
		c.add(w, ofContent, Finding{Where: at(c.r, g.part.Value.Path()), Change: result.Changed, Level: result.Verbatim, Want: describe(w.part), Got: describe(g.part)})
	}
	if g.part.Sig.Exists() {
		f := Finding{Where: at(c.r, g.part.Sig.Path()), Change: result.Foreign, Level: result.Provider, Want: "absent: the turn is rebuilt", Got: quote(g.part.Sig)}
		if isStandIn(g.part.Sig.Text()) {
			f.Change = result.StandIn
		}
		c.add(w, ofSignature, f)
	}
}

// sameRebuilt compares arguments of a rebuilt call. To Gemini a list goes as the
// object of its indexes (STRUCT-01, STRUCT-04).
func (c *comparer) sameRebuilt(a, b string) bool {
	return sameArgs(a, b) || generates(c.r.req.API) && sameRoots(a, b)
}

// sameTokens is sameRebuilt token by token.
func (c *comparer) sameTokens(a, b string) bool {
	return wire.SameTokens(argsValue(a), argsValue(b)) || generates(c.r.req.API) && wire.SameTokens(argsValue(indexedArgs(a)), argsValue(b))
}

// sameArgs reports whether two argument texts are the same JSON value; absent
// ones are {}.
func sameArgs(a, b string) bool {
	x, y := argsValue(a), argsValue(b)
	return x.Exists() && wire.SameValue(x, y)
}

// argsValue reads an argument text, an absent one as {}.
func argsValue(text string) wire.Value {
	if text == "" {
		text = "{}"
	}
	v, err := wire.Parse(text)
	if err != nil {
		return wire.Value{}
	}
	return v
}

// sameRoots is sameArgs with a list root equal to the object of its indexes, as
// the calls of a capsule and of a transcript are compared (CALLID).
func sameRoots(a, b string) bool {
	return sameArgs(indexedArgs(a), indexedArgs(b))
}

func indexedArgs(text string) string {
	if v := argsValue(text); v.Kind() == wire.Array {
		return indexed(v)
	}
	return text
}
