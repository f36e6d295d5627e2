package chat_test

import (
	"strings"
	"testing"

	"example.com/replaycheck/adapters/chat"
)

func TestBodyShape(t *testing.T) {
	for _, row := range []struct{ name, body, want string }{
		{"nothing", "", "empty"},
		{"white space", " \r\n", "empty"},
		{"text", "<html>", "text"},
		{"provider error", `{"error":{"code":400,"message":"secret","status":"X"}}`, "{error{code,message,status}}"},
		{"wrapped error", `[{"error":{"code":400}}]`, "[{error{code}}]"},
		{"unknown names are content too", `{"c2VjcmV0":{"c2VjcmV0":1},"":1}`, "{?{?},?}"},
		{"names with blanks", `{"error code":1}`, "{?}"},
		{"list", `[1,2]`, "list"},
		{"scalar", `"secret"`, "string"},
		{"many members", "{" + strings.Repeat(`"id":1,`, 20) + `"id":1}`, "{" + strings.Repeat("id,", 12) + "…}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := chat.BodyShape(row.body); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestSafeCode(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"status word", "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
		{"code", "invalid_encrypted_content", "invalid_encrypted_content"},
		{"dotted", "a.b-c9", "a.b-c9"},
		{"none", "", ""},
		{"a sentence", "not this", ""},
		{"base64", "c2Vj+A==", ""},
		{"too long", strings.Repeat("a", 65), ""},
		{"longest", strings.Repeat("a", 64), strings.Repeat("a", 64)},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := chat.SafeCode(row.in); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
