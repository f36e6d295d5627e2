package subject

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fault is how a driver process failed the host. The list is closed.
type Fault string

// Faults, in the order in which one hides another.
const (
	FaultStart    Fault = "start"    // the command could not be started
	FaultNetwork  Fault = "network"  // it asked for a host other than the one it was given
	FaultDeadline Fault = "deadline" // it had not ended in time
	FaultFlood    Fault = "flood"    // it wrote more than the protocol allows
	FaultSignal   Fault = "signal"   // it died by a signal
	FaultExit     Fault = "exit"     // it exited other than 0
	FaultSilent   Fault = "silent"   // it printed nothing
	FaultLines    Fault = "lines"    // it printed more than one line
	FaultEncoding Fault = "encoding" // its line is not UTF-8
	FaultGarbage  Fault = "garbage"  // its line is not a reply of the protocol
)

// HostError says that a driver did not keep to the protocol: the run is an
// error, and no verdict on the subject. Its message is one line.
type HostError struct {
	Fault   Fault
	Command string // its first word
	Detail  string // got and want
	Err     error  // the cause, may be nil
}

func (e *HostError) Error() string {
	return fmt.Sprintf("driver: %s: %s", e.Command, e.Detail)
}

func (e *HostError) Unwrap() error { return e.Err }

// printable makes one line out of foreign text: control characters become
// spaces, so that a terminal obeys none of it, and what is over n bytes is cut.
func printable(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "\ufffd"))
	return clip(strings.Join(strings.Fields(s), " "), n)
}

// lastWords returns the last line of s that speaks of an error, else its last
// one, at most n bytes of it. Indented lines are of a stack trace, and what some
// runtimes print after an error is their version.
func lastWords(s string, n int) string {
	s = strings.TrimSpace(s)
	words := s[strings.LastIndexByte(s, '\n')+1:]
	for _, line := range slices.Backward(strings.Split(s, "\n")) {
		if strings.TrimLeft(line, " \t") == line && speaksOfError(strings.ToLower(line)) {
			words = line
			break
		}
	}
	return printable(words, n)
}

func speaksOfError(line string) bool {
	return slices.ContainsFunc([]string{"error", "exception", "panic:", "fatal"}, func(word string) bool {
		return strings.Contains(line, word)
	})
}
