package wire

import (
	"fmt"
	"strings"
	"unicode/utf8"
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
func Parse(text string) (Value, error) {
	p := parser{d: &doc{text: text, nodes: make([]node, 0, min(16+len(text)/64, 512))}}
	p.space()
	if err := p.value(0); err != nil {
		return Value{}, err
	}
	p.space()
	if p.at < len(text) {
		return Value{}, p.want("the end of the text")
	}
	return Value{d: p.d}, nil
}

// ParsePrefix reads one JSON value at the start of text and returns it with the
// number of bytes read, white space before it included.
func ParsePrefix(text string) (Value, int, error) {
	p := parser{d: &doc{text: text}}
	p.space()
	if err := p.value(0); err != nil {
		return Value{}, p.at, err
	}
	return Value{d: p.d}, p.at, nil
}

// Valid reports whether text is one JSON text.
func Valid(text string) bool {
	_, err := Parse(text)
	return err == nil
}

type parser struct {
	d  *doc
	at int
}

func (p *parser) want(what string) error { return &SyntaxError{Offset: p.at, Want: what} }

func (p *parser) space() {
	t := p.d.text
	for p.at < len(t) && (t[p.at] == ' ' || t[p.at] == '\n' || t[p.at] == '\t' || t[p.at] == '\r') {
		p.at++
	}
}

func (p *parser) peek() byte {
	if p.at < len(p.d.text) {
		return p.d.text[p.at]
	}
	return 0
}

func (p *parser) open(k Kind) int {
	p.d.nodes = append(p.d.nodes, node{start: p.at, kind: k})
	return len(p.d.nodes) - 1
}

func (p *parser) closeNode(i int) {
	n := &p.d.nodes[i]
	n.end, n.next = p.at, len(p.d.nodes)
}

func (p *parser) value(depth int) error {
	switch c := p.peek(); {
	case c == '"':
		return p.str()
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.list(depth + 1)
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
	if !strings.HasPrefix(p.d.text[p.at:], word) {
		return p.want(word)
	}
	i := p.open(k)
	p.at += len(word)
	p.closeNode(i)
	return nil
}

func (p *parser) object(depth int) error {
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
	for {
		if p.peek() != '"' {
			return p.want("a member name")
		}
		if err := p.str(); err != nil {
			return err
		}
		p.space()
		if p.peek() != ':' {
			return p.want("a colon")
		}
		p.at++
		p.space()
		if err := p.value(depth); err != nil {
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

func (p *parser) list(depth int) error {
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
	for {
		if err := p.value(depth); err != nil {
			return err
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
	i := p.open(String)
	t := p.d.text
	for p.at++; p.at < len(t); {
		// Long plain runs (signatures) are the common case.
		p.at = plainRun(t, p.at)
		if p.at == len(t) {
			break
		}
		switch c := t[p.at]; {
		case c == '"':
			p.at++
			p.closeNode(i)
			return nil
		case c < 0x20:
			return p.want("an escape for the control character")
		default:
			p.d.nodes[i].escaped = true
			n := escapeLen(t[p.at:])
			if n == 0 {
				return p.want("a valid escape")
			}
			p.at += n
		}
	}
	return p.want("the end of the string")
}

// escapeLen returns how many bytes the escape at the start of s takes, 0 if it
// is none.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, s[1]) < 0 {
			return 0
		}
		return 2
	}
	if _, ok := hex4(s); !ok {
		return 0
	}
	return 6
}

// hex4 reads the code unit of a \uXXXX escape at the start of s.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[2:6]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

var plainEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape resolves the escapes of a string's inner text that Parse accepted.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		if s[1] != 'u' {
			b.WriteByte(plainEscapes[s[1]])
			s = s[2:]
			continue
		}
		r, _ := hex4(s)
		s = s[6:]
		if r >= 0xD800 && r < 0xDC00 {
			if low, ok := hex4(s); ok && low >= 0xDC00 && low < 0xE000 {
				r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
				s = s[6:]
			}
		}
		if r >= 0xD800 && r < 0xE000 { // lone: utf8 would make it U+FFFD and lose which one it was
			b.WriteByte(0xE0 | byte(r>>12))
			b.WriteByte(0x80 | byte(r>>6)&0x3F)
			b.WriteByte(0x80 | byte(r)&0x3F)
			continue
		}
		b.Write(utf8.AppendRune(nil, r))
	}
}

// plainRun returns where the run of bytes from at on that need no care inside a
// string (no quote, backslash or control character) ends. It looks at eight
// bytes at a time: bodies are mostly long strings.
func plainRun(t string, at int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for at+8 <= len(t) {
		b := t[at : at+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		if ((quote-ones)&^quote|(slash-ones)&^slash|(w-ones*0x20)&^w)&highs != 0 {
			break
		}
		at += 8
	}
	for at < len(t) && t[at] != '"' && t[at] != '\\' && t[at] >= 0x20 {
		at++
	}
	return at
}
