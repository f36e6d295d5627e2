package rt

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"time"
)

// OwnVariable is set for a test binary that is to make single tests on request.
const OwnVariable = "REPLAYCHECK_OWN"

// Where a test binary reads what to do and writes what came of it: standard
// input and output belong to the tests.
const (
	requestFD = 3
	answerFD  = 4
)

// Own are the test functions of a test binary by name, each a func(*testing.T).
// The test files that the overlay adds fill it in before main begins.
type Own map[string]any

// OwnTests are those of this binary.
//
//nolint:gochecknoglobals // test files of two packages fill it in, and one of them serves it
var OwnTests = Own{}

// Serve makes tests until the input ends: each line of it is a fault's number, or
// Trace or None, and the name of a test. run makes the test and reports whether it
// passed. The answer is a line of "true" or "false", the time that the test took in
// nanoseconds, and how many goroutines it left behind. Where OwnVariable is not set
// nothing happens.
func (o Own) Serve(run func(name string, test any) bool) {
	if os.Getenv(OwnVariable) == "" {
		return
	}
	requests, answers := os.NewFile(requestFD, "requests"), os.NewFile(answerFD, "answers")
	in := bufio.NewReader(requests)
	for {
		var number int
		var name string
		if _, err := fmt.Fscanln(in, &number, &name); err != nil {
			return // the input ended
		}
		quiet := runtime.NumGoroutine()
		Select(number)
		begun := time.Now()
		ok := run(name, o[name])
		took := time.Since(begun)
		Select(None)
		if _, err := fmt.Fprintln(answers, ok, took.Nanoseconds(), left(quiet)); err != nil {
			return
		}
	}
}

// left waits a moment for goroutines that still end, and counts those that stay.
func left(quiet int) int {
	t := time.NewTicker(time.Millisecond)
	defer t.Stop()
	n := runtime.NumGoroutine() - quiet
	for i := 0; i < 20 && n > 0; i++ {
		<-t.C
		n = runtime.NumGoroutine() - quiet
	}
	return max(0, n)
}
