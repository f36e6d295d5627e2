package gemini

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/replaycheck/internal/wire"
)

// The API knows functionCall.args and functionResponse.response as objects and
// refuses a list there (STRUCT, ADR-224). Nothing below these roots is touched.

// argsObject returns a rebuilt call's arguments as an object: an object as it
// is, a list by its indexes, anything else (absent, a scalar, no JSON) as {}
// (STRUCT-01).
func argsObject(text string) string {
	v, err := wire.Parse(text)
	if err != nil || !utf8.ValidString(text) {
		return `{}`
	}
	switch v.Kind() {
	case wire.Object:
		return v.Raw()
	case wire.Array:
		return indexed(v)
	}
	return `{}`
}

// responseObject returns a tool's result as an object: an object as it is, a
// list by its indexes, everything else as the exact text under "result"
// (STRUCT-02). Text that is not UTF-8 is not JSON.
func responseObject(text string) string {
	if v, err := wire.Parse(text); err == nil && utf8.ValidString(text) {
		switch v.Kind() {
		case wire.Object:
			return v.Raw()
		case wire.Array:
			return indexed(v)
		}
	}
	return `{"result":` + wire.Quote(text) + `}`
}

// indexed returns a list as the object of its raw items by their indexes.
func indexed(list wire.Value) string {
	var b strings.Builder
	b.WriteByte('{')
	i := 0
	for item := range list.Items() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strconv.Itoa(i) + `":` + item.Raw())
		i++
	}
	b.WriteByte('}')
	return b.String()
}

// replayedPart returns a native part exactly as it is stored, but for an args
// root that is a list: older state has those (STRUCT-04). The stored text is
// not changed.
func replayedPart(part wire.Value) string {
	raw := part.Raw()
	var out []string
	from := 0
	for name, call := range part.Members() {
		if name != "functionCall" {
			continue
		}
		for name, args := range call.Members() {
			if name != "args" || args.Kind() != wire.Array {
				continue
			}
			at := args.Offset() - part.Offset()
			out = append(out, raw[from:at], indexed(args))
			from = at + len(args.Raw())
		}
	}
	return strings.Join(append(out, raw[from:]), "")
}
