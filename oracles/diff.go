package oracles

import (
	"fmt"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

// aspect is the side of a turn that a difference is about.
type aspect uint8

const (
	ofSignature aspect = iota // the opaque value
	ofContent                 // what else the part holds
	ofPresence                // a part more or less
	ofOrder                   // the order of parts
	ofBoundary                // which parts share an entry, joined or divided text
	ofHistory                 // prompts and whole turns
)

// diff is one way in which a request differs from what was minted.
type diff struct {
	Finding
	step   *step // the turn it is about; nil for what belongs to none
	index  int   // of the part in the step; -1 in a rebuilt turn
	part   native.Part
	aspect aspect
}

// comparer collects the differences of one request.
type comparer struct {
	v      *View
	r      *request
	a      *alignment
	minted map[string]owner
	out    []diff
}

// compareAll compares every request with all that was minted before it.
func compareAll(v *View) map[*request][]diff {
	out := map[*request][]diff{}
	minted := v.mintedBy()
	for _, r := range v.requests {
		if r.err != nil {
			continue // shortfall says so
		}
		c := &comparer{v: v, r: r, minted: minted, a: v.aligned(r)}
		c.parts()
		c.extras()
		c.order()
		c.boundaries()
		c.history()
		c.repeated()
		out[r] = c.out
	}
	return out
}

// add records a difference. level and basis are those of the finding.
func (c *comparer) add(w *want, kind aspect, f Finding) {
	if w != nil && w.loose && (f.Level == result.Verbatim || f.Basis == result.Contested) {
		return // a rebuilt turn is joined and thoughtless by right
	}
	d := diff{Finding: f, aspect: kind}
	if w != nil {
		d.step, d.part, d.index = w.step, w.part, w.index
	}
	if d.Basis == "" {
		d.Basis = result.Documented
	}
	if d.Means == "" {
		d.Means = meansOf(c.v, c.r, d)
	}
	c.out = append(c.out, d)
}

func at(r *request, path string) string {
	if path == "" {
		return fmt.Sprintf("request %d", r.n)
	}
	if len(path) > 200 { // a member's name may be anything
		path = short(path)
	}
	return fmt.Sprintf("request %d, %s", r.n, printable(path))
}

// place returns the best path for a part that is not there: the entry of its
// step, else the list of entries.
func (c *comparer) place(s *step) string {
	for i, w := range c.a.wants {
		if w.step == s && c.a.at[i] >= 0 {
			return c.r.req.Entries[c.a.gots[c.a.at[i]].entry].Value.Path()
		}
	}
	switch api := c.r.req.API; {
	case generates(api):
		return "contents"
	case api == native.Responses:
		return "input"
	}
	return "messages"
}

func (c *comparer) parts() {
	gone := map[*step]int{}
	total := map[*step]int{}
	for i, w := range c.a.wants {
		total[w.step]++
		if !c.a.found(i) {
			gone[w.step]++
		}
	}
	told := map[*step]bool{}
	for i := range c.a.wants {
		w := &c.a.wants[i]
		switch {
		case gone[w.step] == total[w.step] && !c.v.spares(c.r, w.step, w.part):
			if !told[w.step] {
				told[w.step] = true
				c.add(w, ofPresence, Finding{
					Where: at(c.r, c.place(w.step)), Change: result.Shrunk, Level: result.Provider,
					Want: fmt.Sprintf("the model turn of %s (%s)", w.step.label(), count(total[w.step], "part")), Got: "absent: the whole turn is missing",
				})
			}
		case !c.a.found(i):
			c.missing(w)
		case c.a.at[i] >= 0:
			c.pair(w, c.a.gots[c.a.at[i]], c.a.at[i])
		}
	}
	c.joinedTexts()
}

// tolerable reports whether a part may be dropped at level provider (T5, T6).
func tolerable(p native.Part) bool {
	if p.Sig.Exists() {
		return false
	}
	return p.Kind == native.Thought || p.Kind == native.Text && p.Text == "" && p.Value.Len() <= 1 ||
		p.Kind == native.Other && p.Value.Kind() == wire.Object && p.Value.Len() == 0
}

// spares reports whether a request may leave a part out at level provider. That
// holds too for reasoning without a cipher where nothing is stored: its bare id
// is refused, so a client that did not ask for ciphers can only drop it (T6).
func (r *request) spares(p native.Part) bool {
	return tolerable(p) || r.cannotHold(p)
}

// cannotHold reports whether the provider refuses a part however it is sent.
func (r *request) cannotHold(p native.Part) bool {
	return p.Kind == native.Reasoning && !p.Signed() && r.req.API == native.Responses && r.req.Root.Get("store").Raw() == "false"
}

func (c *comparer) missing(w *want) {
	f := Finding{Where: at(c.r, c.place(w.step)), Change: result.Absent, Level: result.Provider, Want: describe(w.part), Got: "absent"}
	if c.v.spares(c.r, w.step, w.part) {
		f.Level = result.Verbatim
	}
	c.add(w, ofPresence, f)
	if w.part.Signed() && !w.rebuilt {
		c.lostSignature(w, -1, at(c.r, c.place(w.step)), result.Absent)
	}
}

// joinedTexts reports texts that were joined or divided.
func (c *comparer) joinedTexts() {
	for i := range c.a.wants {
		if g := c.a.merged[i]; g >= 0 && (i == 0 || c.a.merged[i-1] != g) {
			c.joinedText(i, g)
		}
		if pieces := c.a.split[i]; pieces != nil {
			c.dividedText(&c.a.wants[i], pieces)
		}
	}
}

// joinedText reports the texts from i on that were sent as one, part g.
func (c *comparer) joinedText(i, g int) {
	w, part := &c.a.wants[i], c.a.gots[g].part
	level, n, own := result.Verbatim, 0, false
	for j := i; j < len(c.a.wants) && c.a.merged[j] == g; j++ {
		n++
		if other := &c.a.wants[j]; other.part.Sig.Exists() {
			level = result.Provider
			if part.Sig.Text() == other.part.Sig.Text() {
				own = true
				continue
			}
			c.lostSignature(other, g, at(c.r, part.Value.Path()+".thoughtSignature"), result.Absent)
		}
	}
	if part.Sig.Exists() && !own {
		c.newSignature(w, at(c.r, part.Sig.Path()), part.Sig)
	}
	c.add(w, ofBoundary, Finding{
		Where: at(c.r, part.Value.Path()), Change: result.Merged, Level: level,
		Want: fmt.Sprintf("%d text parts, as they came in %s", n, w.step.label()), Got: "one text part",
	})
}

// dividedText reports a text that was sent in pieces.
func (c *comparer) dividedText(w *want, pieces []int) {
	first := c.a.gots[pieces[0]].part.Value.Path()
	c.add(w, ofBoundary, Finding{
		Where: at(c.r, first), Change: result.Split, Level: result.Provider,
		Want: describe(w.part), Got: fmt.Sprintf("%d text parts", len(pieces)),
	})
	for _, g := range pieces {
		if s := c.a.gots[g].part.Sig; s.Exists() && s.Text() != w.part.Sig.Text() {
			c.newSignature(w, at(c.r, s.Path()), s)
		}
	}
	if w.part.Signed() {
		if _, ok := c.a.holder(w.part.Sig.Text(), -1); !ok {
			c.lostSignature(w, -1, at(c.r, first), result.Absent)
		}
	}
}

// extras reports sent parts that nothing minted answers to.
func (c *comparer) extras() {
	for i, g := range c.a.gots {
		if c.a.used[i] {
			continue
		}
		f := Finding{Where: at(c.r, g.part.Value.Path()), Change: result.Added, Level: result.Provider, Want: "absent", Got: describe(g.part)}
		owner := c.twin(g)
		switch {
		case g.part.Kind == native.Text && g.part.Text == "" && g.part.Value.Len() <= 1:
			f.Level = result.Verbatim // T5
		case owner != nil:
			f.Change, f.Got = result.Duplicated, describe(g.part)+": sent before in this request"
		}
		if owner == nil {
			owner = c.neighbour(i)
		}
		c.add(owner, ofPresence, f)
	}
}

// twin returns the expected part that an extra part repeats, nil if none.
func (c *comparer) twin(g got) *want {
	for i := range c.a.wants {
		if w := &c.a.wants[i]; sameKey(*w, g) {
			return w
		}
	}
	return nil
}

// neighbour returns the expected part paired nearest before sent part i, or
// nearest after it.
func (c *comparer) neighbour(i int) *want {
	best, bestGot := -1, -1
	for w, g := range c.a.at {
		if g >= 0 && (best < 0 || g < i && g > bestGot) {
			best, bestGot = w, g
		}
	}
	if best < 0 {
		return nil
	}
	return &c.a.wants[best]
}

// order reports parts that stand before one that came before them.
func (c *comparer) order() {
	last := -1
	for i, g := range c.a.at {
		if g < 0 {
			continue
		}
		if g < last {
			w := &c.a.wants[i]
			c.add(w, ofOrder, Finding{
				Where: at(c.r, c.a.gots[g].part.Value.Path()), Change: result.Reordered, Level: result.Provider,
				Want: fmt.Sprintf("%s after the parts that came before it in %s", describe(w.part), w.step.label()), Got: "sent before them",
			})
			continue
		}
		last = g
	}
}

// boundaries reports steps that share an entry, are spread over several, or
// stand in an entry of another role. Responses has an entry per item.
func (c *comparer) boundaries() {
	if !generates(c.r.req.API) {
		return
	}
	owner := map[int]*step{}
	spread := map[*step][]int{}
	first := map[*step]*want{}
	for i := range c.a.wants {
		w := &c.a.wants[i]
		for _, g := range append([]int{c.a.at[i], c.a.merged[i]}, c.a.split[i]...) {
			if g < 0 {
				continue
			}
			e := c.a.gots[g].entry
			if first[w.step] == nil {
				first[w.step] = w
			}
			if list := spread[w.step]; len(list) == 0 || list[len(list)-1] != e {
				spread[w.step] = append(spread[w.step], e)
			}
			if s := owner[e]; s != nil && s != w.step {
				c.add(w, ofBoundary, Finding{
					Where: at(c.r, c.r.req.Entries[e].Value.Path()), Change: result.Merged, Level: result.Provider,
					Want: "an entry of its own for " + w.step.label(), Got: "one entry with parts of " + s.label(),
				})
			}
			owner[e] = w.step
		}
	}
	for i := range c.a.wants { // in order: a map has none
		if s := c.a.wants[i].step; first[s] != nil {
			c.oneEntry(first[s], spread[s])
			delete(first, s)
		}
	}
}

func (c *comparer) oneEntry(w *want, entries []int) {
	e := c.r.req.Entries[entries[0]]
	if e.Role != "model" {
		c.add(w, ofBoundary, Finding{Where: at(c.r, e.Value.Path()+".role"), Change: result.Changed, Level: result.Provider, Want: `"model"`, Got: named(e.Role)})
	}
	if len(entries) == 1 {
		return
	}
	f := Finding{
		Where: at(c.r, e.Value.Path()), Change: result.Split, Level: result.Provider, Basis: result.Contested,
		Want: "one model entry for " + w.step.label(), Got: fmt.Sprintf("%d entries", len(entries)),
	}
	for i := entries[0]; i < entries[len(entries)-1]; i++ {
		if !c.r.req.Entries[i].Model() { // C1 is about consecutive entries only
			f.Basis, f.Got = result.Documented, f.Got+" with others between"
			break
		}
	}
	c.add(w, ofBoundary, f)
}
