// Package red has tests that judge nothing.
package red

// One is a number.
func One() int { return 1 }
