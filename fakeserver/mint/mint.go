// Package mint makes opaque values that say themselves what they are: whose,
// of which reply and part, and how long. A value that comes back cut off,
// edited, from another provider or from another server can be told from a
// genuine one without any record, and so after a restart too.
package mint

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// The kinds of values.
const (
	Gemini    Kind = 1 // a thoughtSignature: standard base64
	Responses Kind = 2 // an encrypted_content: URL-safe base64 that begins with gAAAA
	Anthropic Kind = 3 // the signature of a thinking block: standard base64
)

// Kind is the API that a value is for.
type Kind byte

// String names the API as endpoints are named.
func (k Kind) String() string {
	return map[Kind]string{Gemini: "gemini", Responses: "responses", Anthropic: "anthropic"}[k]
}

// Stamp is what a value says of itself.
type Stamp struct {
	Kind  Kind
	Model string // as Model has it
	Step  int    // number of the reply in its script, from 1
	Part  int    // number of the part in the reply, from 1
	Form  int    // 0, or which of several values of one part it is
}

// String describes a stamp for a person.
func (s Stamp) String() string {
	switch {
	case s.Kind == 0 && s.Part == 0:
		return fmt.Sprintf("reply %d", s.Step)
	case s.Kind == 0:
		return fmt.Sprintf("part %d of reply %d", s.Part, s.Step)
	}
	model := s.Model
	if quoted := strconv.QuoteToASCII(model); len(quoted) != len(model)+len(`""`) { // the name is a client's, or invented
		model = quoted
	}
	return fmt.Sprintf("part %d of reply %d, minted for %s (%s)", s.Part, s.Step, model, s.Kind)
}

// The lengths of a value, in characters.
const (
	Shortest = 72
	Longest  = 1 << 20
)

const (
	magic    = "\xC5rc\x01" // never valid UTF-8
	tagBytes = 8
	maxModel = 16
	maxStep  = 1<<16 - 1
)

// The first bytes of the kinds, as the providers' values have them: a protobuf
// field for Google, a version and a time for OpenAI.
var openings = map[Kind]string{Gemini: "\x12", Responses: "\x80\x00\x00\x00\x00", Anthropic: "\x0a"}

// Value makes the value of a stamp, length characters long: a multiple of four
// from Shortest to Longest. Equal seeds, stamps and lengths make equal values.
func Value(seed string, s Stamp, length int) (string, error) {
	switch {
	case openings[s.Kind] == "":
		return "", fmt.Errorf("mint: got kind %d, want Gemini, Responses or Anthropic", s.Kind)
	case length < Shortest || length > Longest || length%4 != 0:
		return "", fmt.Errorf("mint: got length %d, want a multiple of 4 from %d to %d", length, Shortest, Longest)
	case s.Step < 1 || s.Step > maxStep || s.Part < 1 || s.Part > maxStep || s.Form < 0 || s.Form > 255:
		return "", fmt.Errorf("mint: got step %d, part %d, form %d, want 1 to %d each, and a form up to 255", s.Step, s.Part, s.Form, maxStep)
	}
	s.Model = Model(s.Model)
	return encoding(s.Kind).EncodeToString(raw(seed, s, length)), nil
}

// Model is a model's name as stamps have it: without what may stand before it in
// paths, and cut.
func Model(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	return name[:min(len(name), maxModel)]
}

func encoding(k Kind) *base64.Encoding {
	if k == Responses {
		return base64.URLEncoding
	}
	return base64.StdEncoding
}

// raw are the bytes of a value. One less than the characters have room for: a
// value ends in "=".
func raw(seed string, s Stamp, length int) []byte {
	size := length/4*3 - 1
	head := header(s, size)
	tag := seal(seed, head)
	b := slices.Concat(head, tag[:tagBytes])
	// Characters that some alphabets and URLs don't have, whatever else comes.
	for len(b)%3 != 0 {
		b = append(b, 0xA5)
	}
	b = append(b, 0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF)
	noise := rand.NewChaCha8(sha256.Sum256(tag))
	rest := make([]byte, size-len(b))
	_, _ = noise.Read(rest) // never fails
	return append(b, rest...)
}

// header is all that a value says in the clear.
func header(s Stamp, size int) []byte {
	b := []byte(openings[s.Kind])
	b = binary.AppendUvarint(b, uint64(size))
	b = append(b, magic...)
	b = append(b, byte(s.Kind), byte(s.Form))
	b = binary.BigEndian.AppendUint16(b, uint16(s.Step))
	b = binary.BigEndian.AppendUint16(b, uint16(s.Part))
	b = append(b, byte(len(s.Model)))
	return append(b, s.Model...)
}

func seal(seed string, head []byte) []byte {
	mac := hmac.New(sha256.New, []byte("replaycheck mint "+seed))
	_, _ = mac.Write(head)
	return mac.Sum(nil)
}

// What can be wrong with a value that has a stamp. It may be wrapped.
var (
	ErrNotMinted = errors.New("mint: no value of this kind of server")
	ErrTruncated = errors.New("mint: truncated")
	ErrEdited    = errors.New("mint: edited")
	ErrSeed      = errors.New("mint: minted by a server with another seed")
)

// Read returns what a value says of itself, in either alphabet and with or
// without padding. The error is ErrNotMinted where it says nothing; with any
// other the stamp is what it claims to be.
func Read(seed, value string) (Stamp, error) {
	b, clean := decode(value)
	s, size, head, ok := open(b)
	switch {
	case !ok:
		return Stamp{}, ErrNotMinted
	case len(b) < size:
		return s, fmt.Errorf("%w: %d of %d bytes", ErrTruncated, len(b), size)
	case len(b) >= len(head)+tagBytes && !hmac.Equal(b[len(head):len(head)+tagBytes], seal(seed, head)[:tagBytes]):
		return s, ErrSeed
	}
	if whole := string(raw(seed, s, (size+1)/3*4)); string(b) != whole {
		return s, fmt.Errorf("%w from byte %d of %d on", ErrEdited, 1+common(string(b), whole), size)
	}
	if !clean {
		return s, fmt.Errorf("%w: characters were added that are not base64", ErrEdited)
	}
	return s, nil
}

// Peek is Read without a check: what a value claims to be, false where it claims
// nothing. It looks at the first characters only.
func Peek(value string) (Stamp, bool) {
	if !marked(value) {
		return Stamp{}, false
	}
	b, _ := decode(value[:min(len(value), Shortest)])
	s, _, _, ok := open(b)
	return s, ok
}

// marked reports whether the first characters hold the magic. Most values that
// are looked at do not, so this is quick.
func marked(value string) bool {
	const chars = 16
	if len(value) < chars {
		return false
	}
	var text [chars]byte
	var b [chars]byte
	for i := range text {
		switch text[i] = value[i]; text[i] {
		case '-':
			text[i] = '+'
		case '_':
			text[i] = '/'
		}
	}
	n, _ := base64.RawStdEncoding.Decode(b[:], text[:])
	return bytes.Contains(b[:n], []byte(magic))
}

// common is how many bytes two texts begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// decode returns the bytes of a value as far as they can be read: a value that
// was cut may end in the middle of one. clean: it has no other characters.
func decode(value string) (b []byte, clean bool) {
	value = strings.TrimRight(value, "=")
	body := strings.NewReplacer("-", "+", "_", "/", "\r", "", "\n", "").Replace(strings.TrimRight(value, "=."))
	b = make([]byte, base64.RawStdEncoding.DecodedLen(len(body)))
	n, err := base64.RawStdEncoding.Decode(b, []byte(body))
	return b[:n], err == nil && len(body) == len(value)
}

// open reads a header.
func open(b []byte) (s Stamp, size int, head []byte, ok bool) {
	for _, kind := range []Kind{Gemini, Responses, Anthropic} {
		rest, found := strings.CutPrefix(string(b[:min(len(b), 64)]), openings[kind])
		if !found {
			continue
		}
		n, used := binary.Uvarint([]byte(rest))
		if used <= 0 || n > Longest {
			continue
		}
		if rest, found = strings.CutPrefix(rest[used:], magic); !found || len(rest) < 7 || rest[0] != byte(kind) {
			continue
		}
		model := int(rest[6])
		if model > maxModel || len(rest) < 7+model {
			continue
		}
		s = Stamp{
			Kind: kind, Form: int(rest[1]), Model: rest[7 : 7+model],
			Step: int(binary.BigEndian.Uint16([]byte(rest[2:4]))), Part: int(binary.BigEndian.Uint16([]byte(rest[4:6]))),
		}
		head = b[:len(openings[kind])+used+len(magic)+7+model]
		return s, int(n), head, s.Step > 0 && s.Part > 0 && (n+1)%3 == 0 && int(n) >= len(head)+tagBytes
	}
	return Stamp{}, 0, nil, false
}
