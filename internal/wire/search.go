package wire

import "strings"

// escapeLong is how long the longest escape is.
const escapeLong = len(`\u0000`)

// InnerContains reports whether the text that the inside of a JSON string stands
// for holds needle. It resolves no escapes: sure is false where only that could
// tell. inner is as Value.Inner returns it, or several of those joined.
func InnerContains(inner, needle string) (found, sure bool) {
	if needle == "" {
		return true, true
	}
	if !strings.Contains(inner, `\`) {
		return index(inner, needle) >= 0, true
	}
	if !alwaysPlain(needle) {
		return false, false
	}
	at := index(inner, needle)
	if at < 0 {
		// What is never written with a short escape may still be one of \uXXXX.
		return false, !strings.Contains(inner, `\u`)
	}
	// What begins inside an escape is not what it looks like.
	if strings.Contains(inner[max(0, at-escapeLong):at], `\`) {
		return false, false
	}
	return true, true
}

// alwaysPlain reports whether no character of a text has a short escape.
func alwaysPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c == '"' || c == '\\' || c == '/' {
			return false
		}
	}
	return true
}

// index is strings.Index for texts that people write. That looks for a needle's
// first letter, which is everywhere in them; this for the one that is rarest.
func index(text, needle string) int {
	rare := rarest(needle)
	last := len(text) - len(needle)
	for from, misses := 0, 0; from <= last; misses++ {
		if misses == mostMisses { // no such text
			i := strings.Index(text[from:], needle)
			if i >= 0 {
				i += from
			}
			return i
		}
		i := strings.IndexByte(text[from+rare:last+rare+1], needle[rare])
		if i < 0 {
			return -1
		}
		from += i
		if text[from:from+len(needle)] == needle {
			return from
		}
		from++
	}
	return -1
}

// mostMisses is how often a letter may be none of the needle's before it is taken
// for one that is not rare.
const mostMisses = 16

// rarest is where the letter of a needle, which is not empty, stands that is
// probably the rarest in a text: one that is neither small nor a space, else the one
// that English has the least of.
func rarest(needle string) int {
	// How rare a to z are, from a on.
	const rank = "ctljapqhewvknfdsyigbmuoxrz"
	at, most := 0, byte(0)
	for i := range len(needle) {
		switch c := needle[i]; {
		case c == ' ':
		case c < 'a' || c > 'z':
			return i
		case rank[c-'a'] > most:
			at, most = i, rank[c-'a']
		}
	}
	return at
}
