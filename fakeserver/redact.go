package fakeserver

import (
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// redactHeader returns a header in which the values are replaced that may hold keys,
// by name. It shares the other values with h.
func redactHeader(h http.Header) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		secret, known := everyday[name]
		if !known {
			secret = secretive(name)
		}
		if secret {
			values = slices.Repeat([]string{Redacted}, len(values))
		}
		out[name] = values
	}
	return out
}

// everyday are headers that need no second look, and whether they hold keys. A
// key in a header of a request for idempotency is none: what is sent again has
// the same.
var everyday = map[string]bool{
	"Accept": false, "Accept-Encoding": false, "Connection": false, "Content-Encoding": false, "Content-Length": false, "Content-Type": false,
	"Idempotency-Key": false, "User-Agent": false, "X-Goog-Api-Client": false,
	"Authorization": true, "X-Goog-Api-Key": true, "X-Api-Key": true, "Api-Key": true,
}

// redactQuery replaces the values of parameters that may hold keys, by name, and
// changes no other byte.
func redactQuery(query string) string {
	if !strings.Contains(query, "=") {
		return query
	}
	var b strings.Builder
	for len(query) > 0 {
		end := strings.IndexAny(query, "&;")
		if end < 0 {
			end = len(query)
		}
		pair := query[:end]
		if name, _, ok := strings.Cut(pair, "="); ok && secretive(unescaped(name)) {
			pair = name + "=" + Redacted
		}
		b.WriteString(pair)
		if end < len(query) {
			b.WriteByte(query[end])
			end++
		}
		query = query[end:]
	}
	return b.String()
}

// secretive reports whether what has this name may be a key: the providers' own,
// and what gateways and apps log in with.
func secretive(name string) bool {
	for word := range strings.FieldsFuncSeq(name, between) {
		if slices.ContainsFunc(secretWords, func(s string) bool { return strings.EqualFold(word, s) }) ||
			slices.ContainsFunc(secretEnds, func(s string) bool {
				return len(word) >= len(s) && strings.EqualFold(word[len(word)-len(s):], s)
			}) {
			return true
		}
	}
	return false
}

func between(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// secretWords are whole words of such a name, secretEnds what a word of it ends
// with where several are written as one.
var (
	secretWords = []string{"key", "auth", "sig", "session", "cookie", "jwt", "bearer", "cert", "credentials", "passwd", "pwd"}
	secretEnds  = []string{"authorization", "token", "apikey", "accesskey", "secret", "password", "signature", "credential"}
)
