package oracles

import (
	"slices"
	"strings"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

// Observation is what the requests of one conversation show, though nobody
// drove the client that sent them.
type Observation struct {
	// Judged are the requirements that the conversation holds evidence for, in
	// the order of the contract.
	Judged []Observed
	// NotJudged says what could not be judged though there is evidence, one line
	// each.
	NotJudged []string
	// Turns are the model's turns, what they minted and what came back of it.
	Turns []MintedTurn
	// Beyond are the findings, of level provider, in turns that no requirement is
	// about: what their provider asks for and did not get as it was. Opaque values
	// that a MintedPart says are lost are not said once more.
	Beyond []Finding
	// Unasked is how many parts in the model's turns of one request, the worst of
	// them, no reply gave or stand in another order, though no requirement and no
	// finding of Beyond is about them.
	Unasked int
}

// Observed is one requirement judged on it.
type Observed struct {
	ID       string
	Findings []Finding // of both levels; those of level provider gate
}

// MintedTurn is one reply.
type MintedTurn struct {
	Reply  int // 1-based; request n is the one that got it
	API    string
	Stream bool
	Beyond bool // no requirement is about it, so that Observation.Beyond is
	Parts  []MintedPart
}

// MintedPart is one native part of a reply.
type MintedPart struct {
	Kind   string // "text", "thought", "call", "reasoning", "part"
	Says   string // one line: what it is, shortened
	Signed bool
	Value  string // the opaque value, shortened; "" for none
	// Returns are the later requests to the same API, each with what it made of
	// the part.
	Returns []Returned
}

// Fate is what became of a part in one request.
type Fate string

// The fates.
const (
	Intact    Fate = "intact"    // the same tokens
	Tolerated Fate = "tolerated" // different in a way that providers let pass
	Altered   Fate = "altered"   // different, its opaque value in place
	Lost      Fate = "lost"      // gone, or its opaque value is
	Rebuilt   Fate = "rebuilt"   // of a turn without opaque values, sent as plain text
)

// Returned is one request that should hold a part.
type Returned struct {
	Request int
	Path    string // where it is, "" where it is not
	Fate    Fate
	Changes []result.Change // what was done to it
}

// notObservable says why a requirement can't be judged on traffic that nobody
// drove, by ID or family.
var notObservable = map[string]string{
	"REPLAY-12": "asked at level verbatim only, which nobody knows of an observed client",
	"STRUCT-02": "needs the tool's own result, which only a driven subject shows",
	"CALLID-03": "needs the tool's own result, which only a driven subject shows",
	"OPENAI-02": "needs to know whether the client means to be stateless",
	"STREAM-02": "needs the client's outcome",
	"THINK":     "needs the client's answers",
	"STATE":     "needs the client's stored runs",
	"REFUSE":    "needs a stored transcript that is put in",
}

// NotObservable says why an oracle is not asked on observed traffic, "" where it
// is.
func NotObservable(o Oracle) string {
	family, _, _ := strings.Cut(o.ID, "-")
	switch {
	case o.Needs.Reference:
		return "asked of the reference adapters only"
	case o.Needs.Carrier:
		return "asked of subjects whose state is the stored transcript"
	case notObservable[family] != "":
		return notObservable[family]
	}
	return notObservable[o.ID]
}

// Observe judges evidence of scenario.Observed. The error is for a reply that
// cannot be read.
func Observe(ev Evidence) (Observation, error) {
	v, err := NewView(ev)
	if err != nil {
		return Observation{}, err
	}
	v.observed = true
	v.adoptHistory()
	out := Observation{Turns: v.mintedTurns()}
	// A request that comes before anything was minted can't get it wrong.
	back := slices.ContainsFunc(v.requests, func(r *request) bool { return r.known > 0 })
	if !back || v.keptByServer() {
		return out, nil
	}
	out.Beyond = v.beyond()
	v.noteUnasked(&out)
	for _, o := range All() {
		if NotObservable(o) != "" || !o.Scope(v) {
			continue
		}
		out.Judged = append(out.Judged, Observed{o.ID, distinct(o.Check(v))})
	}
	return out, nil
}

// adoptHistory takes the turns that the first request already holds for stored
// ones: nobody here knows what they were, only that they must not change.
func (v *View) adoptHistory() {
	if len(v.requests) == 0 {
		return
	}
	req := v.requests[0].req
	var s *step
	for i, e := range req.Entries {
		if !e.Model() {
			s = nil
			continue
		}
		if s == nil || generates(req.API) {
			s = &step{n: len(v.prior) + 1, stored: true, api: req.API, turn: -1}
			v.prior = append(v.prior, s)
		}
		for _, p := range e.Parts {
			if p.Kind == native.Result { // of a malformed entry
				continue
			}
			if p.Kind == native.Call {
				s.calls = append(s.calls, len(s.parts))
			}
			s.parts = append(s.parts, p)
		}
		if i+1 == len(req.Entries) || !req.Entries[i+1].Model() || generates(req.API) {
			s.public = rebuild(&step{api: s.api, parts: s.parts})
		}
	}
}

// keptByServer reports whether a request leaves the history to the server, so
// that it need not be in it.
func (v *View) keptByServer() bool {
	return slices.ContainsFunc(v.requests, func(r *request) bool {
		return native.Elsewhere(r.req.API, r.req.Root)
	})
}

func (v *View) mintedTurns() []MintedTurn {
	var out []MintedTurn
	for _, s := range v.script {
		t := MintedTurn{Reply: s.n, API: string(s.api), Stream: s.stream, Beyond: v.isBeyond(s)}
		for i, p := range s.parts {
			part := MintedPart{Kind: p.Kind.String(), Says: says(p), Signed: p.Signed()}
			if p.Signed() {
				part.Value = quote(p.Sig)
			}
			for _, r := range v.requests {
				if ret, due := v.returned(r, s, i); due {
					part.Returns = append(part.Returns, ret)
				}
			}
			t.Parts = append(t.Parts, part)
		}
		out = append(out, t)
	}
	return out
}

// says names a part in one line.
func says(p native.Part) string {
	switch p.Kind {
	case native.Call:
		return printable(p.Name) + "(" + printable(short(p.Args)) + ")"
	case native.Text, native.Thought:
		return printable(excerpt(p.Text))
	case native.Reasoning:
		return printable(p.Value.Get("id").Text())
	}
	return quote(p.Value)
}

// excerpt is the beginning of a text.
func excerpt(s string) string {
	const most = 160
	if len(s) <= most {
		return s
	}
	return head(s, most) + "…"
}

// returned says what a request made of part i of a step; false: it is not due
// there.
func (v *View) returned(r *request, s *step, i int) (Returned, bool) {
	if r.err != nil || !sameOwner(s.api, native.API(r.x.Endpoint)) || s.n > r.known {
		return Returned{}, false
	}
	if s.api == native.Chat {
		return v.returnedPlain(r, s, i), true
	}
	out := Returned{Request: r.n, Fate: Lost}
	a := v.aligned(r)
	at := slices.IndexFunc(a.wants, func(w want) bool { return w.step == s && w.index == i && !w.rebuilt })
	if at < 0 {
		if s.parts[i].Kind == native.Thought { // a thought is in no plain text (T6)
			return Returned{Request: r.n, Fate: Tolerated}, true
		}
		return Returned{Request: r.n, Fate: Rebuilt}, true
	}
	g := a.at[at]
	if g < 0 {
		g = a.merged[at]
	}
	if g < 0 && a.split[at] != nil {
		g = a.split[at][0]
	}
	if g >= 0 {
		out.Path, out.Fate = a.gots[g].part.Value.Path(), Intact
	}
	whole := slices.ContainsFunc(a.at, func(g int) bool { return g >= 0 })
	for _, d := range v.diffs()[r] {
		if d.step != s || !a.about(d, at) || d.ofOthers() {
			continue
		}
		out.Changes = append(out.Changes, d.Change)
		switch gates := d.Gates(result.Provider); {
		case gates && d.aspect == ofSignature && s.parts[i].Signed():
			out.Fate = Lost
		case gates && out.Fate != Lost:
			out.Fate = Altered
		case out.Fate == Intact:
			out.Fate = Tolerated
		}
	}
	if g < 0 && whole && v.spares(r, s, s.parts[i]) {
		out.Fate = Tolerated
	}
	return out, true
}

// about reports whether a difference is one of the wanted part at an index: its
// own, or that it was joined with those before it.
func (a *alignment) about(d diff, at int) bool {
	first := at
	for d.Change == result.Merged && first > 0 && a.merged[at] >= 0 && a.merged[first-1] == a.merged[at] {
		first--
	}
	return d.index == a.wants[at].index || d.index == a.wants[first].index
}

// ofOthers reports whether a difference is told at a part though it is about
// something else: a part too many beside it, or what the user said.
func (d diff) ofOthers() bool {
	return d.aspect == ofHistory || d.aspect == ofPresence && (d.Change == result.Added || d.Change == result.Duplicated)
}

// Scenarios returns the scenarios of the product that a name or a pattern with *
// fits. The error is an *UnknownError where none does.
func Scenarios(pattern string) ([]*fixtures.Scenario, error) {
	ids, err := fixtures.IDs()
	if err != nil {
		return nil, err
	}
	// By name first: reading all of them takes a while.
	ids, err = match("scenario", ids, []string{pattern})
	if err != nil {
		return nil, err
	}
	var out []*fixtures.Scenario
	for _, id := range ids {
		s, err := fixtures.One(id)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}
