package oracles

import (
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// want is one part that a request should hold.
type want struct {
	step    *step
	index   int // in step.parts; -1 in a rebuilt turn
	part    native.Part
	rebuilt bool // the turn is another provider's: text and calls only
	loose   bool // the turn has nothing to carry: it may come back rebuilt
	key     string
}

// got is one part that a request's model entries hold.
type got struct {
	entry int // index into Request.Entries
	part  native.Part
	key   string
}

// alignment says which sent part answers which expected part.
type alignment struct {
	wants  []want
	gots   []got
	at     []int   // per want: index into gots, -1 when it is missing
	merged []int   // per want: the got that holds it together with others, else -1
	split  [][]int // per want: the gots that hold pieces of it, else nil
	used   []bool  // per got
}

// wantsOf lists what the model entries of a request should hold: every step
// minted before it, its own provider's as they came, the others rebuilt.
func wantsOf(v *View, r *request) []want {
	var out []want
	for n, s := range slices.Concat(v.prior, v.script[:r.known]) {
		if sameOwner(s.api, native.API(r.x.Endpoint)) && s.api != native.Chat {
			if v.cameRebuilt(s, r) {
				p := native.Part{Kind: native.Text, Text: v.contents[s]}
				out = append(out, want{step: s, part: p, rebuilt: true, key: rebuiltKey(p), loose: true})
				continue
			}
			if parts, ok := v.untagged(s, r, n); ok {
				for _, p := range parts {
					out = append(out, want{step: s, part: p, rebuilt: true, key: rebuiltKey(p), loose: true})
				}
				continue
			}
			for i, p := range s.parts {
				out = append(out, want{step: s, index: i, part: p, key: wire.Compact(p.Value), loose: s.loose()})
			}
			continue
		}
		parts := rebuild(s)
		if len(parts) == 0 && generates(native.API(r.x.Endpoint)) {
			parts = []native.Part{{Kind: native.Text}} // REPLAY-09
		}
		for _, p := range parts {
			out = append(out, want{step: s, index: -1, part: p, rebuilt: true, key: rebuiltKey(p)})
		}
	}
	return out
}

// sameOwner reports whether turns of one API are the other's own: another route of
// the same owner is not foreign (FOREIGN-06).
func sameOwner(a, b native.API) bool {
	return a == b || generates(a) && generates(b)
}

// generates reports whether an API is Gemini's generateContent, on either host:
// the same wire format, and the same tolerances.
func generates(api native.API) bool { return api == native.Gemini || api == native.Vertex }

// cameRebuilt reports whether a request holds a turn without carrier the way
// that REPLAY-09 rebuilds it: as one text part with its visible text. Its native
// parts, sent as they came, are as good.
func (v *View) cameRebuilt(s *step, r *request) bool {
	if !s.loose() || !generates(r.req.API) {
		return false
	}
	text, found := v.contents[s], false
	for _, e := range r.req.Entries {
		if !e.Model() {
			continue
		}
		if len(e.Parts) == len(s.parts) && !slices.ContainsFunc(e.Parts, func(p native.Part) bool {
			return !slices.ContainsFunc(s.parts, func(q native.Part) bool { return wire.SameTokens(p.Value, q.Value) })
		}) {
			return false
		}
		for _, p := range e.Parts {
			if p.Kind == native.Thought && slices.ContainsFunc(s.parts, func(q native.Part) bool { return wire.SameTokens(p.Value, q.Value) }) {
				return false // its native parts, in entries of their own
			}
		}
		found = found || len(e.Parts) == 1 && e.Parts[0].Kind == native.Text && e.Parts[0].Text == text && e.Parts[0].Value.Len() == 1
	}
	return found
}

// rebuild returns what another provider may see of a turn: its visible text,
// when there is any, and then its calls.
func rebuild(s *step) []native.Part {
	if s.stored {
		return s.public
	}
	var text strings.Builder
	var out []native.Part
	for _, p := range s.parts {
		switch p.Kind {
		case native.Text:
			text.WriteString(p.Text)
		case native.Call:
			out = append(out, native.Part{Kind: native.Call, Name: p.Name, ID: p.ID, Args: p.Args})
		}
	}
	if text.Len() > 0 {
		out = append([]native.Part{{Kind: native.Text, Text: text.String()}}, out...)
	}
	return out
}

func rebuiltKey(p native.Part) string {
	if p.Kind == native.Call {
		return "call " + p.Name + " " + p.Args
	}
	return "text " + p.Text
}

func gotsOf(r *request) []got {
	var out []got
	for i, e := range r.req.Entries {
		if !e.Model() {
			continue
		}
		for _, p := range e.Parts {
			if p.Kind != native.Result {
				out = append(out, got{entry: i, part: p, key: wire.Compact(p.Value)})
			}
		}
	}
	return out
}

// align pairs expected with sent parts: first the equal ones in order, then
// joined and divided text, then the most alike between them, then the most
// alike anywhere.
func align(wants []want, gots []got) *alignment {
	a := &alignment{
		wants: wants, gots: gots,
		at: fill(len(wants)), merged: fill(len(wants)), split: make([][]int, len(wants)), used: make([]bool, len(gots)),
	}
	a.pairInPlace()
	a.pairEqual()
	a.pairJoined()
	a.pairDivided()
	a.pairAlike(true)
	a.pairAlike(false)
	return a
}

func fill(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = -1
	}
	return out
}

func (a *alignment) pair(w, g int) {
	a.at[w], a.used[g] = g, true
}

func sameKey(w want, g got) bool {
	if w.rebuilt {
		return w.part.Kind == g.part.Kind && w.key == rebuiltKey(g.part)
	}
	return w.key == g.key
}

// pairInPlace pairs all parts by their place where nothing was lost, added or
// moved: as many parts, of the same kinds and names, but not the same ones in
// another order. Of two equal calls the one that lost its signature is then
// the one that stands there, not a copy of the other.
func (a *alignment) pairInPlace() {
	if len(a.wants) != len(a.gots) {
		return
	}
	left, places := map[string]int{}, map[string][]int{}
	pieces := slices.ContainsFunc(a.wants, func(w want) bool { return !w.part.Value.Exists() || w.step.api == native.GeminiOpenAI })
	for i, w := range a.wants {
		g := a.gots[i]
		if w.rebuilt || w.part.Kind != g.part.Kind || w.part.Name != g.part.Name {
			return
		}
		mine, its := w.key, g.key
		if pieces {
			mine, its = pieced(w.part), pieced(g.part)
			places[its] = append(places[its], i)
		}
		left[mine]++
		left[its]--
	}
	for _, n := range left {
		if n != 0 {
			for i := range a.wants {
				a.pair(i, i)
			}
			return
		}
	}
	if pieces { // the same ones, though their keys may differ
		for i, w := range a.wants {
			key := pieced(w.part)
			a.pair(i, places[key][0])
			places[key] = places[key][1:]
		}
	}
}

// pieced is a part as it is known where a stream gave it in pieces, so that there is
// no object to go by, and of messages, whose arguments clients write anew.
func pieced(p native.Part) string {
	if p.Kind == native.Call {
		return "call " + p.Name + " " + wire.Compact(argsValue(p.Args)) + " " + p.Sig.Text()
	}
	return p.Kind.String() + " " + p.Text + " " + p.Sig.Text()
}

// pairEqual pairs a longest common subsequence of equal parts.
func (a *alignment) pairEqual() {
	n, m := len(a.wants), len(a.gots)
	start := 0
	for start < n && start < m && (a.at[start] == start || sameKey(a.wants[start], a.gots[start])) {
		a.pair(start, start)
		start++
	}
	if start == n || start == m {
		return
	}
	rows := make([][]int, n-start+1)
	for i := range rows {
		rows[i] = make([]int, m-start+1)
	}
	for i := n - 1; i >= start; i-- {
		for j := m - 1; j >= start; j-- {
			if sameKey(a.wants[i], a.gots[j]) {
				rows[i-start][j-start] = rows[i-start+1][j-start+1] + 1
			} else {
				rows[i-start][j-start] = max(rows[i-start+1][j-start], rows[i-start][j-start+1])
			}
		}
	}
	for i, j := start, start; i < n && j < m; {
		switch {
		case sameKey(a.wants[i], a.gots[j]):
			a.pair(i, j)
			i, j = i+1, j+1
		case rows[i-start+1][j-start] >= rows[i-start][j-start+1]:
			i++
		default:
			j++
		}
	}
}

// pairJoined finds sent texts that hold two or more neighbouring texts of one
// step.
func (a *alignment) pairJoined() {
	for g := range a.gots {
		if a.used[g] || a.gots[g].part.Kind != native.Text || a.gots[g].part.Text == "" {
			continue
		}
		for from := range a.wants {
			if to := a.joined(from, a.gots[g].part.Text); to > from+1 {
				for w := from; w < to; w++ {
					a.merged[w] = g
				}
				a.used[g] = true
				break
			}
		}
	}
}

// joined returns the end of the run of free text wants that starts at from and
// whose texts together are text; 0 when there is none.
func (a *alignment) joined(from int, text string) int {
	for w := from; w < len(a.wants); w++ {
		p := a.wants[w].part
		if a.at[w] >= 0 || a.merged[w] >= 0 || p.Kind != native.Text || a.wants[w].step != a.wants[from].step || !strings.HasPrefix(text, p.Text) {
			return 0
		}
		text = text[len(p.Text):]
		next := w + 1
		if text == "" && (next == len(a.wants) || a.at[next] >= 0 || a.wants[next].part.Kind != native.Text || a.wants[next].part.Text != "" || a.wants[next].step != a.wants[from].step) {
			return next
		}
	}
	return 0
}

// pairDivided finds texts that were sent as several neighbouring texts.
func (a *alignment) pairDivided() {
	for w := range a.wants {
		p := a.wants[w].part
		if a.at[w] >= 0 || a.merged[w] >= 0 || p.Kind != native.Text || p.Text == "" {
			continue
		}
		for from := range a.gots {
			rest := p.Text
			to := from
			for to < len(a.gots) && !a.used[to] && a.gots[to].part.Kind == native.Text && a.gots[to].part.Text != "" && strings.HasPrefix(rest, a.gots[to].part.Text) {
				rest = rest[len(a.gots[to].part.Text):]
				to++
			}
			if rest == "" && to > from+1 {
				for g := from; g < to; g++ {
					a.split[w] = append(a.split[w], g)
					a.used[g] = true
				}
				break
			}
		}
	}
}

// pairAlike pairs what is left by likeness, each want with the free part that
// is most like it; between its paired neighbours only, or anywhere.
func (a *alignment) pairAlike(near bool) {
	for w := range a.wants {
		if a.found(w) {
			continue
		}
		low, high := 0, len(a.gots)
		if near {
			low, high = a.bounds(w)
		}
		best, bestScore := -1, 0
		for g := low; g < high; g++ {
			if a.used[g] {
				continue
			}
			s := likeness(a.wants[w], a.gots[g].part)
			if s > 0 && g == w && len(a.gots) == len(a.wants) {
				s += 3 // nothing was lost: values were exchanged rather than parts
			}
			if s > bestScore && (near || s >= strong) {
				best, bestScore = g, s
			}
		}
		if best >= 0 {
			a.pair(w, best)
		}
	}
}

func (a *alignment) found(w int) bool {
	return a.at[w] >= 0 || a.merged[w] >= 0 || a.split[w] != nil
}

// bounds returns the range of gots between the nearest paired neighbours of w.
func (a *alignment) bounds(w int) (low, high int) {
	high = len(a.gots)
	for i := w - 1; i >= 0; i-- {
		if a.at[i] >= 0 {
			low = a.at[i] + 1
			break
		}
	}
	for i := w + 1; i < len(a.wants); i++ {
		if a.at[i] >= 0 {
			return low, a.at[i]
		}
	}
	return low, high
}
