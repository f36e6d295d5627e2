// Command worker is a program that the packages beside it are part of.
package main

import (
	_ "example.com/replaycheck/mutations/rt" // what faults are compiled in with
	"example.com/replaycheck/mutations/testdata/own"
	"example.com/replaycheck/mutations/testdata/own/broken"
	"example.com/replaycheck/mutations/testdata/own/none"
	"example.com/replaycheck/mutations/testdata/own/red"
)

func main() { _ = own.Called() + broken.One() + none.One() + red.One() }
