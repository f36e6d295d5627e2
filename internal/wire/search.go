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
		return strings.Contains(inner, needle), true
	}
	if !alwaysPlain(needle) {
		return false, false
	}
	at := strings.Index(inner, needle)
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
