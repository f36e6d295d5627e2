package wire

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// MaxDepth is how deep lists and objects may nest before Parse refuses.
const MaxDepth = 10_000

// SyntaxError says where a text stops being JSON. It quotes nothing of the text.
type SyntaxError struct {
	Offset int    // in bytes, from 0
	Want   string // what was expected there
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("wire: invalid JSON at byte %d: expected %s", e.Offset, e.Want)
}

// Parse reads one JSON text (RFC 8259) and nothing after it but white space.
// Strings may hold bytes that are not UTF-8; they stay as they are. The text
// is referenced, not copied. The error is a *SyntaxError.
func Parse(text string) (Value, error) { return parse(begin(text)) }

func parse(p parser) (Value, error) {
	defer p.giveBack()
	if err := p.whole(); err != nil {
		return Value{}, err
	}
	return p.done(), nil
}

// whole reads a text to its end.
func (p *parser) whole() error {
	if err := p.root(); err != nil {
		return err
	}
	p.space()
	if p.at < len(p.text) {
		return p.want("the end of the text")
	}
	return nil
}

// ParsePrefix reads one JSON value at the start of text and returns it with the
// number of bytes read, white space before it included.
func ParsePrefix(text string) (Value, int, error) {
	p := begin(text)
	defer p.giveBack()
	if err := p.root(); err != nil {
		return Value{}, p.at, err
	}
	return p.done(), p.at, nil
}

// Valid reports whether text is one JSON text.
func Valid(text string) bool {
	p := begin(text)
	defer p.giveBack()
	return p.whole() == nil
}

// maxText is the longest text that offsets in nodes reach into.
const maxText = math.MaxUint32

type parser struct {
	text  string
	at    int
	nodes []node
	lent  *[]node // where they are to go back to, nil: they are the parser's own
	old   earlier // what may be taken over instead of read, see ParseAfter
}

// none stands for the node of an earlier text where there is none.
const none = -1

// tapes are memory to read into: how long a tape becomes is known at its end, when
// it is copied.
var tapes = sync.Pool{New: func() any { return new(make([]node, 0, 256)) }} //nolint:gochecknoglobals // the process's memory

// longest is how long a tape may be that is kept to be read into again.
const longest = 32 << 10

func begin(text string) parser {
	lent, _ := tapes.Get().(*[]node)
	return parser{text: text, nodes: (*lent)[:0], lent: lent}
}

// giveBack ends the use of what was lent.
func (p *parser) giveBack() {
	if p.lent != nil && cap(p.nodes) <= longest {
		*p.lent = p.nodes
		tapes.Put(p.lent)
	}
	p.nodes, p.lent = nil, nil
}

// add puts a node on the tape. How long a tape becomes depends on how dense the
// text is, which what was read of it tells best.
func (p *parser) add(n node) {
	if len(p.nodes) == cap(p.nodes) {
		p.grow()
	}
	p.nodes = append(p.nodes, n)
}

// grow makes room for as many nodes as the text will have if it goes on as it
// began, but for no more than eight times as many as there are.
func (p *parser) grow() {
	n := len(p.nodes)
	most := int(float64(n) * float64(len(p.text)) / float64(p.at+1) * 1.1)
	p.nodes = slices.Grow(p.nodes, max(n/2, min(most-n, 7*n))+16)
}

// root reads the one value of the text, white space before it included.
func (p *parser) root() error {
	if uint64(len(p.text)) > maxText {
		return p.want("a text of less than 4 GiB")
	}
	p.space()
	if p.old.doc == nil {
		return p.value(0, none)
	}
	return p.value(0, 0)
}

// done returns what was read, without much room to spare: values may live long.
func (p *parser) done() Value {
	d := &doc{text: p.text, nodes: p.nodes}
	if n := len(p.nodes); cap(p.nodes)-n > n/4+16 || p.lent != nil && cap(p.nodes) <= longest {
		d.nodes = append(make([]node, 0, n), p.nodes...)
	}
	return Value{d: d}
}

func (p *parser) want(what string) error { return &SyntaxError{Offset: p.at, Want: what} }

func (p *parser) space() {
	t, at := p.text, p.at
	for at < len(t) && t[at] <= ' ' && (t[at] == ' ' || t[at] == '\n' || t[at] == '\t' || t[at] == '\r') {
		at++
	}
	p.at = at
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) open(k Kind) int {
	p.add(node{start: uint32(p.at), kind: k})
	return len(p.nodes) - 1
}

func (p *parser) closeNode(i int) {
	n := &p.nodes[i]
	n.end, n.next = uint32(p.at), uint32(len(p.nodes))
}

// value reads one value. beside is the node of the earlier text's value at the
// same place.
func (p *parser) value(depth, beside int) error {
	if beside != none && p.taken(beside) {
		return nil
	}
	switch c := p.peek(); {
	case c == '"':
		return p.str()
	case c == '{':
		return p.object(depth+1, beside)
	case c == '[':
		return p.list(depth+1, beside)
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 't':
		return p.literal("true", Bool)
	case c == 'f':
		return p.literal("false", Bool)
	case c == 'n':
		return p.literal("null", Null)
	}
	return p.want("a value")
}

func (p *parser) literal(word string, k Kind) error {
	if !strings.HasPrefix(p.text[p.at:], word) {
		return p.want(word)
	}
	i := p.open(k)
	p.at += len(word)
	p.closeNode(i)
	return nil
}

func (p *parser) object(depth, beside int) error {
	if depth > MaxDepth {
		return p.want(fmt.Sprintf("at most %d levels of nesting", MaxDepth))
	}
	i := p.open(Object)
	p.at++
	p.space()
	if p.peek() == '}' {
		p.at++
		p.closeNode(i)
		return nil
	}
	next, end := p.below(beside, Object)
	for {
		if p.peek() != '"' {
			return p.want("a member name")
		}
		name := p.at
		if err := p.str(); err != nil {
			return err
		}
		was := none
		if next < end {
			was, next = p.member(next, end, p.text[name:p.at])
		}
		p.space()
		if p.peek() != ':' {
			return p.want("a colon")
		}
		p.at++
		p.space()
		if err := p.value(depth, was); err != nil {
			return err
		}
		p.space()
		switch p.peek() {
		case ',':
			p.at++
			p.space()
		case '}':
			p.at++
			p.closeNode(i)
			return nil
		default:
			return p.want("a comma or the end of the object")
		}
	}
}

func (p *parser) list(depth, beside int) error {
	if depth > MaxDepth {
		return p.want(fmt.Sprintf("at most %d levels of nesting", MaxDepth))
	}
	i := p.open(Array)
	p.at++
	p.space()
	if p.peek() == ']' {
		p.at++
		p.closeNode(i)
		return nil
	}
	next, end := p.below(beside, Array)
	for {
		was := none
		if next < end {
			was, next = p.item(next, end)
		}
		if was != taken {
			if err := p.value(depth, was); err != nil {
				return err
			}
		}
		p.space()
		switch p.peek() {
		case ',':
			p.at++
			p.space()
		case ']':
			p.at++
			p.closeNode(i)
			return nil
		default:
			return p.want("a comma or the end of the list")
		}
	}
}

func (p *parser) digits() bool {
	from := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > from
}

func (p *parser) number() error {
	i := p.open(Number)
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
	} else if !p.digits() {
		return p.want("a digit")
	}
	if p.peek() == '.' {
		p.at++
		if !p.digits() {
			return p.want("a digit after the point")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return p.want("a digit of the exponent")
		}
	}
	p.closeNode(i)
	return nil
}

func (p *parser) str() error {
	start := p.at
	end, escaped, bad := scanString(p.text, start+1)
	if bad != "" {
		p.at = end
		return p.want(bad)
	}
	p.add(node{start: uint32(start), end: uint32(end), next: uint32(len(p.nodes) + 1), kind: String, escaped: escaped})
	p.at = end
	return nil
}

// scanString goes from the first byte inside a string to behind its closing
// quote. bad says what was expected at end instead, "" if all is well. Bodies
// are mostly strings, long ones and such with many escapes, so it looks at eight
// bytes at a time and calls nothing.
func scanString(t string, at int) (end int, escaped bool, bad string) {
	for {
		for at+8 <= len(t) {
			w := word(t[at : at+8])
			// 2 turned over makes a quote the one byte after the control characters.
			low := w ^ ones*2
			m := ((low-ones*0x21)&^low | (w^slashes-ones)&^(w^slashes)) & highs
			if m == 0 {
				at += 8
				continue
			}
			// The lowest mark is exact, those above it may come of a borrow.
			at += bits.TrailingZeros64(m) / 8
			break
		}
		for at < len(t) && t[at] != '"' && t[at] != '\\' && t[at] >= 0x20 {
			at++
		}
		switch {
		case at == len(t):
			return at, escaped, "the end of the string"
		case t[at] == '"':
			return at + 1, escaped, ""
		case t[at] < 0x20:
			return at, escaped, "an escape for the control character"
		}
		escaped = true
		if at+1 < len(t) && short(t[at+1]) {
			at += 2
			continue
		}
		if _, ok := hex4(t[at:]); !ok {
			return at, escaped, "a valid escape"
		}
		at += 6
	}
}
