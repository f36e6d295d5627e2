package wire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// short reports whether a letter makes an escape with the backslash before it
// alone.
func short(letter byte) bool {
	const low = 1<<('"'&63) | 1<<('/'&63)
	const high = 1<<('\\'&63) | 1<<('b'&63) | 1<<('f'&63) | 1<<('n'&63) | 1<<('r'&63) | 1<<('t'&63)
	switch letter >> 6 {
	case 0:
		return low>>letter&1 != 0
	case 1:
		return high>>(letter&63)&1 != 0
	}
	return false
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

// plain is what a backslash and a letter stand for.
func plain(letter byte) byte {
	switch letter {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return letter
}

// unescape resolves the escapes of a string's inner text that Parse accepted, up
// to where n bytes are there.
func unescape(s string, n int) string {
	// No escape is shorter than what it stands for.
	size := len(s)
	if n < size-escapeRoom {
		size = n + escapeRoom
	}
	out := make([]byte, size)
	to := 0
	for from := 0; from < len(s) && to < n; {
		if from+8 <= len(s) && to+8 <= len(out) {
			w := word(s[from : from+8])
			binary.LittleEndian.PutUint64(out[to:], w)
			k := 8
			if m := marked(w ^ slashes); m != 0 {
				k = bits.TrailingZeros64(m) / 8
			}
			from, to = from+k, to+k
			if k == 8 {
				continue
			}
		} else if s[from] != '\\' {
			out[to] = s[from]
			from, to = from+1, to+1
			continue
		}
		if s[from+1] != 'u' {
			out[to] = plain(s[from+1])
			from, to = from+2, to+1
			continue
		}
		r, read := codePoint(s[from:])
		from, to = from+read, to+put(out[to:], r)
	}
	return unsafe.String(unsafe.SliceData(out), to) // nobody else has the bytes
}

// escapeRoom is more than what is written at once.
const escapeRoom = 16

const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	slashes = ones * '\\'
)

// marked marks the bytes that are 0, each by its highest bit. The lowest mark is
// exact, those above it may come of a borrow.
func marked(w uint64) uint64 { return (w - ones) &^ w & highs }

// codePoint reads the \u escape at the start of s, or the pair of them that
// stands for one character. A lone half stays one.
func codePoint(s string) (r rune, read int) {
	r, _ = hex4(s)
	if r >= 0xD800 && r < 0xDC00 {
		if low, ok := hex4(s[6:]); ok && low >= 0xDC00 && low < 0xE000 {
			return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), 12
		}
	}
	return r, 6
}

// put writes a character and returns how many bytes it takes.
func put(b []byte, r rune) int {
	if r >= 0xD800 && r < 0xE000 { // lone: utf8 would make it U+FFFD and lose which one it was
		b[0], b[1], b[2] = 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F
		return 3
	}
	return utf8.EncodeRune(b, r)
}

// plainRun returns where the run of bytes from at on that need no care inside a
// string (no quote, backslash or control character) ends.
func plainRun(t string, at int) int {
	for ; at+8 <= len(t); at += 8 {
		w := word(t[at : at+8])
		if m := marked(w^(ones*'"')) | marked(w^slashes) | (w-ones*0x20)&^w&highs; m != 0 {
			// The lowest mark is exact, those above it may come of a borrow.
			return at + bits.TrailingZeros64(m)/8
		}
	}
	for at < len(t) && t[at] != '"' && t[at] != '\\' && t[at] >= 0x20 {
		at++
	}
	return at
}

// word is eight bytes as one number, the first one lowest.
func word(b string) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
