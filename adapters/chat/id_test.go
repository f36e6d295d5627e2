package chat_test

import (
	"regexp"
	"testing"

	"example.com/replaycheck/adapters/chat"
)

func TestNewCallID(t *testing.T) {
	grammar := regexp.MustCompile(`^call_[A-Za-z0-9_-]{22,59}$`)
	seen := map[string]bool{}
	for range 10_000 {
		id := chat.NewCallID()
		if !grammar.MatchString(id) {
			t.Fatalf("got %q, want a match of %s", id, grammar)
		}
		if seen[id] {
			t.Fatalf("got %q twice", id)
		}
		seen[id] = true
	}
}
