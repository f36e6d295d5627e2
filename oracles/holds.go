package oracles

import (
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// holds reports whether a sent result is the one of this call: it has its tag,
// or it is the result in some wrapper.
func (cr callResult) holds(p native.Part) bool {
	switch {
	case cr.run == nil:
		return false
	case cr.tag == "":
		return holdsBare(p.Body, cr.run.Result)
	}
	for val := range p.Body.All() {
		if val.Kind() == wire.String && strings.Contains(val.Text(), cr.tag) {
			return true
		}
	}
	return false
}

// wrappers are the names that clients put around a result of their own.
var wrappers = []string{"result", "output", "content", "response", "text", "value", "data"}

// holdsBare reports whether a response is a result that has no tag: in the form
// that STRUCT-02 gives it, or in a wrapper with nothing else in it.
func holdsBare(body wire.Value, text string) bool {
	own, err := wire.Parse(text)
	if wire.Compact(body) == responseFor(text) {
		return true
	}
	for val := body; val.Exists(); val = wrapped(val) {
		if val.Kind() == wire.String && val.Text() == text || err == nil && wire.SameValue(own, val) {
			return true
		}
	}
	return false
}

// wrapped returns what the only member of a wrapper holds, else absent.
func wrapped(v wire.Value) wire.Value {
	for name, m := range v.Members() {
		if v.Len() == 1 && slices.Contains(wrappers, name) {
			return m
		}
	}
	return wire.Value{}
}
