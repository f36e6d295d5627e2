package oracles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// shown is how many bytes of a value a finding shows at each end.
const shown = 12

// short returns a text whole when it is short, else its ends, with its length
// and a short hash, so that two values can be told apart without the whole.
// Those of a JSON string are of what stands between its quotes, as a person
// counts it and a database column does.
func short(raw string) string {
	if len(raw) <= 4*shown {
		return raw
	}
	inner, quote, n := raw, "", shown
	if raw[0] == '"' && raw[len(raw)-1] == '"' {
		inner, quote, n = raw[1:len(raw)-1], `"`, shown-1
	}
	sum := sha256.Sum256([]byte(inner))
	return fmt.Sprintf("%s%s…%s%s (%d bytes, sha256 %s…)", quote, head(inner, n), tail(inner, n), quote, len(inner), hex.EncodeToString(sum[:2]))
}

func head(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func tail(s string, n int) string {
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// quote shows a JSON value as it stands in the text.
func quote(v wire.Value) string {
	if !v.Exists() {
		return "absent"
	}
	return printable(short(wire.Compact(v)))
}

// named shows a word that the subject chose: a name, a role, an ID.
func named(s string) string { return printable(short(wire.Quote(s))) }

// count writes a number of things: "1 part", "2 parts".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// printable makes a text safe for one line of a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == 0x2028 || r == 0x2029 || r >= 0x80 && r < 0xa0 {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

// describe names a part for a finding: its kind and what tells it apart.
func describe(p native.Part) string {
	signed := ""
	if p.Signed() {
		signed = ", signed"
	}
	switch p.Kind {
	case native.Call:
		return fmt.Sprintf("call %s(%s)%s", printable(p.Name), printable(short(p.Args)), signed)
	case native.Text, native.Thought:
		return fmt.Sprintf("%s %s%s", p.Kind, printable(short(wire.Quote(p.Text))), signed)
	case native.Result:
		return fmt.Sprintf("result %s", quote(p.Body))
	}
	return fmt.Sprintf("%s %s", p.Kind, quote(p.Value))
}
