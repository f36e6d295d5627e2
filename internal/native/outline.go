package native

import "example.com/replaycheck/internal/wire"

// Outline is what can be told of a request's history in one walk over it, without
// reading its texts: they are long.
type Outline struct {
	// Fresh: the history holds nothing of the model's and no result.
	Fresh bool
	// Opening is the text of the first entry of the user's that has one, its first
	// OpeningSize bytes at most.
	Opening string
	// Turn is how many turns the user had, the one that the request is about
	// included: one more than the model had.
	Turn int
	// Tail is all after the last turn of the model, instructions apart.
	Tail []Sketch
}

// OpeningSize is how many bytes an Outline has of the first text.
const OpeningSize = 256

// ReadOutline reads the outline of a request's history; of an unknown API it is
// that of an empty one.
func ReadOutline(api API, root wire.Value) Outline {
	o := Outline{Fresh: true, Turn: 1}
	tell, _ := tellerOf(api)
	if tell == nil {
		return o
	}
	var tail []wire.Value
	was := false
	for v := range entries(api, history(api, root)) {
		role, model, answers := tell(v)
		instructs := role == "system" || role == "developer"
		if model || answers {
			o.Fresh = false
		} else if o.Opening == "" && !instructs {
			s, _ := sketchOf(api, v)
			o.Opening = s.Text(OpeningSize)
		}
		if model && !was {
			o.Turn++
			tail = tail[:0]
		}
		if was = model; !model && !instructs {
			tail = append(tail, v)
		}
	}
	for _, v := range tail {
		s, _ := sketchOf(api, v)
		o.Tail = append(o.Tail, s)
	}
	return o
}

// Alike reports whether two APIs write their histories in the same way.
func Alike(a, b API) bool { return family(a) == family(b) }

func family(a API) API {
	switch a {
	case Vertex:
		return Gemini
	case GeminiOpenAI:
		return Chat
	}
	return a
}
