package native

import (
	"iter"
	"slices"
	"strings"

	"example.com/replaycheck/internal/wire"
)

// Sketch is what of an entry can be told without reading its texts.
type Sketch struct {
	Role string // as in Entry
	// Model: the model is the speaker, as Entry.Model says.
	Model bool
	// Answers: it holds results and nothing else, as Entry.Results says. It may
	// be false where Model is set.
	Answers bool

	value wire.Value
	read  func(reader, wire.Value) Entry
}

// Entry reads the entry.
func (s Sketch) Entry() Entry { return s.read(reader{}, s.value) }

// Text is the text of all parts, the first n bytes of it at most.
func (s Sketch) Text(n int) string {
	var out strings.Builder
	for _, p := range s.read(reader{most: n}, s.value).Parts {
		text := p.Text[:min(len(p.Text), n-out.Len())]
		if out.WriteString(text); out.Len() >= n {
			break
		}
	}
	return out.String()
}

// Says reports whether the text of one of its visible text parts holds needle.
// Escapes are resolved only where it could not be told otherwise: texts are long.
func (s Sketch) Says(needle string) bool {
	for _, p := range s.read(reader{inner: true}, s.value).Parts {
		if p.Kind != Text {
			continue
		}
		found, sure := wire.InnerContains(p.Text, needle)
		if !sure {
			return slices.ContainsFunc(s.Entry().Parts, func(p Part) bool { return p.Kind == Text && strings.Contains(p.Text, needle) })
		}
		if found {
			return true
		}
	}
	return false
}

// looked is what an entry's role and parts make of it.
func looked(role string, parts wire.Value, kind func(wire.Value) Kind) (model, answers bool) {
	if speaks(role) || parts.Kind() != wire.Array {
		return speaks(role), false
	}
	n, results := 0, 0
	for part := range parts.Items() {
		n++
		switch kind(part) {
		case Call, Reasoning:
			return true, false
		case Result:
			results++
		}
	}
	return false, n > 0 && results == n
}

// Sketches yields the entries of a request's history, none for an unknown API.
func Sketches(api API, root wire.Value) iter.Seq[Sketch] {
	return func(yield func(Sketch) bool) {
		for v := range entries(api, history(api, root)) {
			s, ok := sketchOf(api, v)
			if !ok || !yield(s) {
				return
			}
		}
	}
}

func sketchOf(api API, v wire.Value) (Sketch, bool) {
	tell, read := tellerOf(api)
	if tell == nil {
		return Sketch{}, false
	}
	s := Sketch{value: v, read: read}
	s.Role, s.Model, s.Answers = tell(v)
	return s, true
}

// teller tells of an entry what a Sketch holds.
type teller func(entry wire.Value) (role string, model, answers bool)

// tellerOf returns what tells of the entries of an API, and what reads one; nil for
// an unknown API.
func tellerOf(api API) (teller, func(reader, wire.Value) Entry) {
	switch api {
	case Gemini, Vertex:
		return geminiTells, reader.geminiEntry
	case GeminiOpenAI, Chat:
		return chatTells, reader.chatEntry
	case Responses:
		return responsesTells, reader.responsesEntry
	case Anthropic:
		return anthropicTells, reader.anthropicEntry
	}
	return nil, nil
}
