package mutations_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"example.com/replaycheck/mutations"
)

// What is wrong with a file of faults is said in words, and nothing in it is left
// out without a word.
func TestLoadFaultsSaysWhatIsWrong(t *testing.T) {
	const good = "- {id: a, requirements: [REPLAY-01], why: x, variants: [{what: x, source: [{package: p, func: F, find: x, replace: y}]}]}\n"
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", "mutations: a.yaml: it is empty, want a list of faults"},
		{"no list", "id: x\n", "mutations: a.yaml: line 1: got !!map, want a list of faults"},
		{"an item that is none", "- x\n", "mutations: a.yaml: line 1: got !!str `x`, want a fault"},
		{"unknown member", "- id: a\n  colour: red\n", "mutations: a.yaml: line 2: field colour is no member of a fault"},
		{"second document", good + "---\n" + good, "mutations: a.yaml: a second document begins in it, want one"},
		{"an ID twice", good + good, "mutations: fault a: it is there twice"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := mutations.LoadFaults(fstest.MapFS{"a.yaml": {Data: []byte(row.text)}})
			if err == nil || err.Error() != row.want {
				t.Errorf("got  %v\nwant %s", err, row.want)
			}
		})
	}
	if _, err := mutations.LoadFaults(os.DirFS(filepath.Join(t.TempDir(), "nope"))); err == nil || err.Error() != "mutations: find faults: there is no such folder" {
		t.Errorf("got %v", err)
	}
	if got, err := mutations.LoadFaults(fstest.MapFS{"a.yaml": {Data: []byte(good)}}); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}
