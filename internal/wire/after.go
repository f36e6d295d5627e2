package wire

// ParseAfter is Parse, quicker for a text much of which stands in an earlier one
// at the same place: a history that has grown at its end, was changed at its
// beginning, or is sent again. What is the same is found by comparing bytes and
// taken over; the rest is read as Parse reads it. The value and the error are
// those of Parse, whatever the earlier value is; one that is absent, or not all of
// its text, is of no use.
func ParseAfter(text string, before Value) (Value, error) {
	switch {
	case before.d == nil || before.i != 0:
		return Parse(text)
	case before.d.text == text:
		return before, nil
	}
	return parse(parser{text: text, nodes: make([]node, 0, len(before.d.nodes)+16), old: earlier{doc: before.d}})
}

// earlier is a text that was read before, with its tape. A parser that has one
// keeps in step with it: a value is compared only with the one at the same place
// of the earlier text, which lies as deep.
type earlier struct {
	*doc

	// What is known to be the same: up to until, the new text is the earlier one
	// moved by so much, and the byte at until is another one.
	moved, until int
	compared     int // bytes, in all
}

// taken instead of a node: what it stands for is taken over already.
const taken = -2

// taken takes over the earlier value at node h if it stands here too.
func (p *parser) taken(h int) bool {
	n := p.old.nodes[h]
	// A number may go on where the earlier one ended; these can't.
	if n.kind < String || p.same(n.start) < int(n.end-n.start) {
		return false
	}
	p.take(h, int(n.next), n.end)
	return true
}

// same returns how many bytes from here on are those of the earlier text from a
// place on. No text makes it compare more than a few times as many as there are.
func (p *parser) same(from uint32) int {
	const often = 4
	moved := p.at - int(from)
	if moved == p.old.moved && p.at < p.old.until {
		return p.old.until - p.at
	}
	if p.old.compared > often*len(p.text) {
		return 0
	}
	n := common(p.text[p.at:], p.old.text[from:])
	p.old.moved, p.old.until = moved, p.at+n
	p.old.compared += n
	return n
}

// common returns how long the beginning is that two texts share.
func common(a, b string) int {
	n, at := min(len(a), len(b)), 0
	for _, step := range []int{64 << 10, 4 << 10, 256, 16, 1} {
		for at+step <= n && a[at:at+step] == b[at:at+step] {
			at += step
		}
	}
	return at
}

// take takes over the earlier nodes from h to before next, which stand here too
// and end at an offset of the earlier text, and goes behind them.
func (p *parser) take(h, next int, end uint32) {
	from := len(p.nodes)
	moved, further := uint32(p.at)-p.old.nodes[h].start, uint32(from-h) // both may wrap; the sums are right
	p.at = int(end + moved)
	p.nodes = append(p.nodes, p.old.nodes[h:next]...)
	if moved == 0 && further == 0 {
		return
	}
	for i := from; i < len(p.nodes); i++ {
		n := &p.nodes[i]
		n.start, n.end, n.next = n.start+moved, n.end+moved, n.next+further
	}
}

// below returns the first node below the earlier container at node h and the one
// behind the last, both 0 where there is none of the kind.
func (p *parser) below(h int, k Kind) (first, end int) {
	if h == none || p.old.nodes[h].kind != k {
		return 0, 0
	}
	return h + 1, int(p.old.nodes[h].next)
}

// member returns the value of the earlier member with a name, as it is written,
// and the member to look at next; none and the same one where it is not among the
// next few.
func (p *parser) member(from, end int, name string) (value, next int) {
	const few = 8
	for m, n := from, 0; m < end && n < few; n++ {
		next := int(p.old.nodes[m+1].next)
		if s := p.old.nodes[m]; p.old.text[s.start:s.end] == name {
			return m + 1, next
		}
		m = next
	}
	return none, from
}

// item returns the earlier item to read the next one beside, and the one after
// it. Where this item and maybe more stand here too, with all that is between
// them and a byte behind them, it takes those over.
func (p *parser) item(h, end int) (was, next int) {
	start := p.old.nodes[h].start
	n := uint32(p.same(start))
	last := start
	for next = h; next < end && p.old.nodes[next].end-start < n; next = int(p.old.nodes[next].next) {
		last = p.old.nodes[next].end
	}
	if next == h {
		return h, int(p.old.nodes[h].next)
	}
	p.take(h, next, last)
	return taken, next
}
