package chat

import "crypto/rand"

// NewCallID returns a fresh public ID for a tool call: "call_" and at least 128
// random bits, 31 characters of [A-Za-z0-9_-] in all. It is random because an
// ID made from a position or a name repeats in the next step (REPLAY-10).
func NewCallID() string { return "call_" + rand.Text() }
