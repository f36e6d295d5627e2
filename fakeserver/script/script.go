// Package script reads scenarios of one's own: a YAML file of replies in words
// that belong to no provider, which become the replies of whichever API is
// asked, with opaque values minted for it. docs/serve.md describes the language.
package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/replaycheck/fakeserver"
)

// Script is a scenario of one's own. It is made by Load or Parse and not
// to be changed after; it is safe for concurrent use.
type Script struct {
	Name    string // of the file without its ending, unless it names itself
	Title   string // one line, may be ""
	Seed    string // what ids and opaque values are made from; the name unless given
	Profile string // the profile whose rules it is for, "" for whichever fits the model
	Replies []Reply

	mu       sync.Mutex
	rendered map[[3]string][]*fakeserver.Ready // by endpoint, model and vendor
	last     atomic.Pointer[rendered]          // what was asked for last
}

// rendered are all replies as an endpoint, a model and a vendor get them.
type rendered struct {
	key     [3]string
	replies []*fakeserver.Ready
}

// Reply is one reply of a script.
type Reply struct {
	When   *When // nil: it is given in its turn
	Parts  []Part
	Finish string // as the Gemini API calls it; "": STOP
	// Fail, unless nil, is an error given instead of the parts.
	Fail *Fail
	// Raw, unless nil, are bodies given instead of the parts.
	Raw    *Raw
	Header map[string]string
	Cut    bool // the connection breaks after the last byte
	// Late: a stream of Gemini's OpenAI-compatible endpoint gives each signature in a
	// delta of its own after the rest of its part, without an index.
	Late bool
	// Fault is what goes wrong on the way, nil: nothing.
	Fault *fakeserver.Fault
	place place
}

// When says which requests a reply is for: those that are all of it.
type When struct {
	// Turn is how many turns of the model the request holds, and one; 0: any.
	Turn int
	// Name and Contains are of one of the results that the request ends with,
	// Prompt is in the user's text that it ends with. "": any.
	Name, Contains, Prompt string
	result                 bool // one of the results is asked for
}

// Kind is what a part is.
type Kind string

// The kinds.
const (
	Text      Kind = "text"
	Thought   Kind = "thought"   // a thought summary; OpenAI: a reasoning item with its cipher
	Reasoning Kind = "reasoning" // the same, as OpenAI calls it
	Call      Kind = "call"
)

// Part is one part of a reply.
type Part struct {
	Kind   Kind
	Text   string // of all but a call
	Name   string // of a call
	Args   string // JSON object; "" for none at all
	ID     string // of a call; "": made from the seed where the API must have one; Gemini's is absent before 4
	Signed bool   // an opaque value is minted for it
	Length int    // of that value, in characters; 0: one that the seed chooses
}

// Fail is an error of the provider.
type Fail struct {
	Status     int
	Message    string
	RetryAfter string // of the header; "": none
}

// Raw is a body as it is, for one API.
type Raw struct {
	Endpoint      string
	Plain, Stream string
}

// The limits of a script. They are generous for what people write and keep a
// wrong file from doing harm.
const (
	maxFile    = 8 << 20 // bytes of all files together
	maxFiles   = 64
	maxReplies = 10_000
	maxParts   = 10_000  // of one reply
	maxNodes   = 500_000 // YAML values, aliases followed
	maxDepth   = 1_000
)

// Load reads a script with the files that it includes, which must be in its own
// folder or below. Each line of the error begins with file and line.
func Load(file string) (*Script, error) {
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	defer func() { _ = root.Close() }()
	return read(rootFiles{root}, filepath.Base(file))
}

// Parse reads a script that is one text, which includes nothing. name is the
// file's in errors.
func Parse(name, text string) (*Script, error) {
	return read(oneFile{name, text}, name)
}

// baseName is a file's name without folder and ending.
func baseName(file string) string {
	file = filepath.Base(file)
	return strings.TrimSuffix(file, filepath.Ext(file))
}
