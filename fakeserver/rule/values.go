package rule

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"example.com/replaycheck/fakeserver/mint"
)

// Values are the opaque values that a server gave out, so that people can be
// told what became of one that is none of them. The zero Values holds none. It
// may be used from several goroutines once nothing is added any more.
type Values struct {
	// Seed is what package mint makes values from; "": none of them are known
	// but by their text.
	Seed string
	of   map[string]string // what a value was given for
	all  []string          // in the order of Add
}

// Add registers a value and what it was given for, such as "the call weather".
func (v *Values) Add(value, of string) {
	if value == "" {
		return
	}
	if v.of == nil {
		v.of = map[string]string{}
	}
	if _, known := v.of[value]; known {
		return
	}
	if stamp, ok := mint.Peek(value); ok {
		of = stamp.String()
	}
	v.of[value] = of
	v.all = append(v.all, value)
}

// Genuine reports whether a value that was not registered is one of the seed all
// the same, character for character: given out in an earlier life of the server.
func (v *Values) Genuine(kind mint.Kind, value string) (mint.Stamp, bool) {
	if v.Seed == "" {
		return mint.Stamp{}, false
	}
	s, err := mint.Read(v.Seed, value)
	if err != nil || s.Kind != kind {
		return mint.Stamp{}, false
	}
	again, err := mint.Value(v.Seed, s, len(value))
	return s, err == nil && again == value
}

// OtherModel reports whether a value says that it was minted for another model
// than this; one that says nothing, or a request without a model, never is.
func OtherModel(value, model string) bool {
	s, ok := mint.Peek(value)
	return ok && model != "" && s.Model != mint.Model(model)
}

// shortest is how many characters of a value say something.
const shortest = 16

// Why says of a value that the API would not take, or would not take there, what
// is known of it; what is what the API calls it.
func (v *Values) Why(kind mint.Kind, what, value, model string) string {
	if of, known := v.of[value]; known {
		if OtherModel(value, model) {
			return "given out for another model: " + of
		}
		return "genuine, but not for this: " + of
	}
	if text := v.glued(value); text != "" {
		return text
	}
	if text := v.stamped(kind, value, model); text != "" {
		return text
	}
	if text := v.unstamped(value); text != "" {
		return text
	}
	if kind != mint.Responses && strings.HasPrefix(value, "gAAAA") {
		return "looks like an encrypted_content of OpenAI: another provider's"
	}
	return "nothing like it was given out here: the " + what + " was invented, or is of another server, model or provider"
}

// glued explains a value that goes on after its padding, as where those of two parts
// were written one after the other: what the first of them is.
func (v *Values) glued(value string) string {
	end := strings.IndexByte(value, '=')
	if end < 0 {
		return ""
	}
	for end < len(value) && value[end] == '=' {
		end++
	}
	if len(value)-end < shortest {
		return ""
	}
	of, known := v.of[value[:end]]
	if !known {
		s, err := mint.Read(v.Seed, value[:end])
		if err != nil {
			return ""
		}
		of = s.String()
	}
	return fmt.Sprintf("two values glued together, %d and %d characters, the first of them: %s", end, len(value)-end, of)
}

// stamped explains a value that says itself what it is.
func (v *Values) stamped(kind mint.Kind, value, model string) string {
	s, err := mint.Read(v.Seed, value)
	switch {
	case errors.Is(err, mint.ErrNotMinted):
		return ""
	case s.Kind != kind:
		return "another provider's: " + s.String()
	case errors.Is(err, mint.ErrTruncated):
		return "cut off, " + reason(err) + ": " + s.String()
	case v.Seed == "" || errors.Is(err, mint.ErrSeed):
		return "foreign, of a server or script with another seed: " + s.String()
	case errors.Is(err, mint.ErrEdited):
		return reason(err) + ": " + s.String()
	case OtherModel(value, model):
		return "given out for another model: " + s.String()
	}
	if _, same := v.Genuine(kind, value); !same {
		return "re-encoded, in another alphabet or without its padding: " + s.String()
	}
	return "genuine, but not for this: " + s.String()
}

// reason is an error of mint without its package.
func reason(err error) string {
	text := strings.TrimPrefix(err.Error(), "mint: ")
	return strings.TrimPrefix(text, "truncated: ")
}

// unstamped explains a value by those that were given out.
func (v *Values) unstamped(value string) string {
	for _, was := range [...]struct {
		name string
		back func(string) string
	}{
		{"encoded in base64 once more", decoded},
		{"escaped for an address", unescaped},
		{"with white space or quotes around it", trimmed},
		{"with a word and a colon before it", afterColon},
	} {
		if of, known := v.of[was.back(value)]; known {
			return was.name + ": " + of
		}
	}
	if len(value) < shortest {
		return ""
	}
	for _, given := range v.all {
		if text := compared(given, value); text != "" {
			return text + ": " + v.of[given]
		}
	}
	return ""
}

// compared says how a value differs from one that was given out, "" where they
// have little in common.
func compared(given, value string) string {
	start, end := alike(given, value, false), alike(given, value, true)
	switch {
	case start >= shortest && strings.Trim(value[start:], ".…=") == "":
		return fmt.Sprintf("cut off, %d of %d characters", start, len(given))
	case end == len(value):
		return fmt.Sprintf("its beginning cut off, %d of %d characters", end, len(given))
	case start == len(given):
		return fmt.Sprintf("edited, %d characters longer", len(value)-start)
	case start+end >= shortest && 2*(start+end) >= len(given):
		return fmt.Sprintf("edited from character %d of %d on", start+1, len(given))
	case strings.EqualFold(given, value):
		return "the case of its letters was changed"
	}
	return ""
}

// alike is how many characters two values begin with alike, or end with,
// whatever their alphabets.
func alike(a, b string, end bool) int {
	n := 0
	for ; n < len(a) && n < len(b); n++ {
		x, y := a[n], b[n]
		if end {
			x, y = a[len(a)-1-n], b[len(b)-1-n]
		}
		if standard(x) != standard(y) {
			break
		}
	}
	return n
}

// standard is a character as the standard alphabet of base64 has it.
func standard(c byte) byte {
	switch c {
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return c
}

func decoded(s string) string {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return ""
	}
	return string(b)
}

func unescaped(s string) string {
	t, err := url.PathUnescape(s)
	if err != nil {
		return ""
	}
	return t
}

func trimmed(s string) string { return strings.Trim(s, " \t\r\n\"'") }

func afterColon(s string) string {
	_, rest, _ := strings.Cut(s, ":")
	return rest
}

// WhyID says of an identifier that answers nothing what is known of it, "" if
// nothing is.
func (v *Values) WhyID(id string) string {
	s, err := mint.ReadID(v.Seed, id)
	switch {
	case v.Seed == "" || errors.Is(err, mint.ErrNotMinted):
		return ""
	case errors.Is(err, mint.ErrTruncated):
		return "cut off, " + reason(err) + ": the id of " + s.String()
	case errors.Is(err, mint.ErrSeed):
		return "foreign, of a server or script with another seed, or edited: it says it is the id of " + s.String()
	case err != nil:
		return reason(err) + ": the id of " + s.String()
	}
	return "genuine, the id of " + s.String() + ": what it belongs to is not there"
}
