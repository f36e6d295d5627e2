package gemini

import (
	"encoding/base64"
	"strings"
)

// The stand-ins that Google documents for calls that never had a signature.
const (
	skip    = "skip_thought_signature_validator"
	context = "context_engineering_is_the_way_to_go"
)

// decode returns the bytes of a signature as proto-JSON reads them: either
// alphabet but not both, padded or not, unused bits whatever they are.
func decode(s string) (string, bool) {
	body := strings.TrimRight(s, "=")
	pad := len(s) - len(body)
	if len(body)%4 == 1 || pad > 0 && (pad > 2 || len(s)%4 != 0) {
		return "", false
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(body, "-_") {
		enc = base64.RawURLEncoding
	}
	if strings.ContainsAny(body, "\r\n") { // which the package would skip
		return "", false
	}
	b, err := enc.DecodeString(body)
	return string(b), err == nil
}

// loose reports whether the last character of a signature that decodes has
// unused bits that are not zero, as where a value was cut within a byte.
func loose(s string) bool {
	body := strings.TrimRight(urlSafe(s), "=")
	_, err := base64.RawURLEncoding.Strict().DecodeString(body)
	return err != nil
}

func urlSafe(s string) string { return strings.NewReplacer("+", "-", "/", "_").Replace(s) }

// sentinel reports whether a signature is a documented stand-in of the route:
// as the word itself or, as it arrives from the SDKs, base64 of the word.
func sentinel(sig, route string) bool {
	if len(sig) > 64 {
		return false
	}
	words := []string{skip, context}
	if route == Vertex {
		words = words[:1]
	}
	decoded, _ := decode(sig)
	for _, w := range words {
		if sig == w || decoded == w {
			return true
		}
	}
	return false
}
