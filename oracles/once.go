package oracles

import (
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

const (
	// leastOnce is how long a value has to be, in bytes, to be looked for in all that
	// a request holds: a short one may stand there by chance.
	leastOnce = 32
	// mostData is how long a run of base64 may be, in bytes, to be looked through for
	// values: a longer one is a picture or the like.
	mostData = 64 << 10
)

// copies finds opaque values that a request holds more often than the replies did,
// wherever they hide: in what the user says, on a result, in a block that is there
// twice. What AI Studio gets REPLAY-07 is about. told are the findings that need
// not be said once more.
func (v *View) copies(told []Finding) []Finding {
	var values []string
	var out []Finding
	known := -1
	for _, r := range v.requests {
		if r.err != nil || r.req.API == native.Gemini {
			continue
		}
		if r.known != known {
			values, known = v.valuesBefore(r), r.known
		}
		if len(values) == 0 {
			continue
		}
		for value, n := range occurrences(r.x.Body, values) {
			if n > 1 && n > v.givenTimes(r, value, values) {
				out = append(out, v.copiesOf(r, value, told)...)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return strings.Compare(a.Where, b.Where) })
	return out
}

// valuesBefore are the opaque values that were minted before a request, each once.
func (v *View) valuesBefore(r *request) []string {
	var out []string
	for _, s := range slices.Concat(v.prior, v.script[:r.known]) {
		for _, p := range s.parts {
			if sig := p.Sig.Text(); len(sig) >= leastOnce {
				out = append(out, sig)
			}
			for _, m := range p.Minted {
				if len(m) >= leastOnce {
					out = append(out, m)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// plainly undoes the escapes that some writers of JSON have for base64.
var plainly = strings.NewReplacer(`\/`, "/", `\u002b`, "+", `\u002B`, "+", `\u002f`, "/", `\u002F`, "/", `\u003d`, "=", `\u003D`, "=")

// occurrences counts values in a text of JSON; those that are not there are left
// out. values are sorted.
func occurrences(text string, values []string) map[string]int {
	if strings.Contains(text, `\`) {
		text = plainly.Replace(text)
	}
	out := map[string]int{}
	for _, value := range values {
		if strings.ContainsFunc(value, func(c rune) bool { return c > 127 || !base64ish(byte(c)) }) { // none of the runs below
			if n := strings.Count(text, value); n > 0 {
				out[value] = n
			}
		}
	}
	for i := 0; i < len(text); {
		from := i
		for i < len(text) && base64ish(text[i]) {
			i++
		}
		if run := text[from:i]; len(run) >= leastOnce {
			if _, is := slices.BinarySearch(values, run); is {
				out[run]++
			} else if len(run) <= mostData {
				for _, value := range values {
					if n := strings.Count(run, value); n > 0 {
						out[value] += n
					}
				}
			}
		}
		i++
	}
	return out
}

// base64ish reports whether a character is one of base64 in either alphabet.
func base64ish(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '/' <= c && c <= '9' || c == '+' || c == '-' || c == '_' || c == '='
}

// givenTimes is how often a request may hold a value: as often as the replies before
// it did, or the history that the conversation began with.
func (v *View) givenTimes(r *request, value string, values []string) int {
	n := 0
	for _, s := range v.script[:r.known] {
		n += s.holds(value, values, v.played(s.n))
	}
	first := 0
	if len(v.prior) > 0 && len(v.requests) > 0 {
		first = occurrences(v.requests[0].x.Body, values)[value]
	}
	return max(n, first)
}

// holds counts a value in a turn as it was given. Responses streams an item more
// than once, so there only the items count.
func (s *step) holds(value string, values []string, x *Exchange) int {
	n := 0
	for _, p := range s.parts {
		switch {
		case p.Value.Exists():
			n += occurrences(p.Value.Raw(), values)[value]
		case p.Sig.Text() == value:
			n++
		default:
			n += strings.Count(p.Text, value) + strings.Count(p.Args, value)
		}
		if slices.Contains(p.Minted, value) && p.Sig.Text() != value {
			n = max(n, 1)
		}
	}
	if x != nil && s.api != native.Responses {
		n = max(n, occurrences(x.Reply, values)[value])
	}
	return n
}

// copiesOf tells the places of a value in a request but that of the part that it
// belongs to, and those that are told.
func (v *View) copiesOf(r *request, value string, told []Finding) []Finding {
	var own, first string // paths
	a := v.aligned(r)
	for i, w := range a.wants {
		if g := a.at[i]; g >= 0 && !w.rebuilt && own == "" && (w.part.Sig.Text() == value || slices.Contains(w.part.Minted, value)) && a.gots[g].part.Sig.Text() == value {
			own = a.gots[g].part.Sig.Path()
		}
	}
	var out []Finding
	for val := range r.req.Root.All() {
		if val.Kind() != wire.String || len(val.Text()) < len(value) || !strings.Contains(val.Text(), value) {
			continue
		}
		path := val.Path()
		if own == "" {
			own = path
		}
		if path == own && first == "" {
			first = path
			if strings.Count(val.Text(), value) == 1 {
				continue
			}
		}
		f := Finding{
			Where: at(r, path), Change: result.Copied, Level: result.Provider, Basis: result.Unconfirmed,
			Want: "absent: each value once in a body", Got: "a second copy of the value at " + own, Means: "not known to be refused; the value belongs to one part only",
		}
		if !slices.ContainsFunc(told, func(t Finding) bool { return t.Where == f.Where && t.Gates(result.Provider) }) {
			out = append(out, f)
		}
	}
	return out
}
