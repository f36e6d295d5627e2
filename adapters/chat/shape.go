package chat

import (
	"strings"

	"example.com/replaycheck/internal/wire"
)

// maxCode is how long a provider's own code may be, in bytes.
const maxCode = 64

// SafeCode returns s if it can be a provider's code or status word, that is at
// most 64 bytes of [A-Za-z0-9_.-], else "". Anything longer or freer could be
// native content (REPLAY-14).
func SafeCode(s string) string {
	if len(s) > maxCode {
		return ""
	}
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		if !letter && !digit && c != '_' && c != '.' && c != '-' {
			return ""
		}
	}
	return s
}

// shapeNames are the member names that a shape may show. Others become "?": a
// name is the provider's text too.
const shapeNames = " error code message status details errors type param" +
	" candidates content parts finishReason promptFeedback usageMetadata modelVersion responseId" +
	" id object model created created_at output choices usage incomplete_details "

// BodyShape says what a response body was without quoting it: "empty", "text",
// or for JSON its kind and the known member names of two levels, such as
// "{error{code,message,status}}" or "[{error{code}}]".
func BodyShape(body string) string {
	if strings.Trim(body, " \t\r\n") == "" {
		return "empty"
	}
	v, err := wire.Parse(body)
	if err != nil {
		return "text"
	}
	return shapeOf(v, 2)
}

func shapeOf(v wire.Value, levels int) string {
	switch {
	case v.Kind() == wire.Array:
		if first := v.Index(0); first.Kind() == wire.Object {
			return "[" + shapeOf(first, levels) + "]"
		}
		return "list"
	case v.Kind() != wire.Object:
		return v.Kind().String()
	}
	var names []string
	for name, m := range v.Members() {
		if len(names) == 12 {
			names = append(names, "…")
			break
		}
		if name == "" || strings.Contains(name, " ") || !strings.Contains(shapeNames, " "+name+" ") {
			name = "?"
		}
		if levels > 1 && m.Kind() == wire.Object {
			name += shapeOf(m, levels-1)
		}
		names = append(names, name)
	}
	return "{" + strings.Join(names, ",") + "}"
}
