//go:build race

package main

// raceDetector: its shadow memory is several times what the program uses.
const raceDetector = true
