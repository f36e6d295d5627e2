// Package broken has tests that judge nothing.
package broken

// One is a number.
func One() int { return 1 }
