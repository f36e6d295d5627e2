package contract

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestCompact: whatever the text, white space goes where it stands between tokens, and
// a prefix is found where it is; both held to the plainest way to do it.
func TestCompact(t *testing.T) {
	plainly := func(body string) (out []byte) {
		inside := false
		for i := 0; i < len(body); i++ {
			c := body[i]
			switch {
			case inside && c == '\\':
				out = append(out, c)
				if i++; i < len(body) {
					out = append(out, body[i])
				}
				continue
			case c == '"':
				inside = !inside
			case !inside && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
				continue
			}
			out = append(out, c)
		}
		return out
	}
	letters := []string{`"`, `"`, `\`, ` `, "\n", "\t", "a", "{", "call_", "call", "_", "key-", "-", "/r/", "/", "127.0.0.1:", "127.", "0.0.1:", "AB12"}
	draw := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var text []byte
		for range draw.IntN(14) {
			text = append(text, letters[draw.IntN(len(letters))]...)
		}
		if got, want := appendCompact(nil, string(text)), plainly(string(text)); !bytes.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
		for _, f := range random() {
			for from := range len(text) + 1 {
				want := bytes.Index(text[from:], []byte(f.prefix))
				if want >= 0 {
					want += from
				}
				if got := f.index(text, from); got != want {
					t.Fatalf("%q from %d: got %q at %d, want %d", text, from, f.prefix, got, want)
				}
			}
		}
	}
}
