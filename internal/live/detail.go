package live

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/page"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// detailView is one conversation.
type detailView struct {
	rowView
	Verdict  headline       `json:"verdict"`
	Turns    []turnView     `json:"turns"`
	Findings []findingView  `json:"findings"`
	Mild     []findingView  `json:"reported"` // that gate nothing
	Notes    []string       `json:"notes"`
	Judged   []string       `json:"judged"` // requirements
	Left     int            `json:"left"`   // replies not asked for
	Requests []exchangeView `json:"exchanges"`
	Others   []exchangeView `json:"others"`
	Agent    string         `json:"user_agent"`
}

type turnView struct {
	Reply  int    `json:"reply"`
	API    string `json:"api"`
	Stream bool   `json:"stream"`
	Status int    `json:"status"`
	// Refused is the rule that it is the refusal of, "" for none.
	Refused string     `json:"refused,omitempty"`
	Parts   []partView `json:"parts"`
}

type partView struct {
	Kind   string     `json:"kind"`
	Says   string     `json:"says"`
	Signed bool       `json:"signed"`
	Value  string     `json:"value"`
	Lost   bool       `json:"lost"`
	Came   []cameView `json:"returns"`
	Opaque string     `json:"opaque"` // what its opaque value is called
}

// cameView is what became of a part in one request, or alike in several.
type cameView struct {
	First   int    `json:"first_request"`
	Last    int    `json:"last_request"`
	Path    string `json:"path"`
	Fate    string `json:"fate"`
	Tone    string `json:"tone"`
	Word    string `json:"word"`
	changes []result.Change
}

type findingView struct {
	page.Finding
}

// MarshalJSON writes a finding as reports do, with its requirement.
func (f findingView) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Requirement string `json:"requirement"`
		Also        string `json:"also,omitempty"` // requirements that say the same of the same place
		Word        string `json:"word"`
		result.Finding
	}{f.ID, f.Also, f.Word(), f.Finding.Finding})
}

type exchangeView struct {
	N       int    `json:"request"` // 0: not judged
	Method  string `json:"method"`
	Path    string `json:"path"`
	Status  int    `json:"status"`
	Stream  bool   `json:"stream"`
	Refused string `json:"refused,omitempty"` // the rule
	Size    int    `json:"size"`
	Body    string `json:"body"` // shortened to 64 KiB
	Reply   string `json:"reply"`
}

// maxShown bounds what of a body a page shows.
const maxShown = 64 << 10

func shown(s string) string {
	if len(s) <= maxShown {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:maxShown], "\uFFFD") + fmt.Sprintf("… (%d bytes in all)", len(s))
}

func exchangeOf(n int, x fakeserver.Exchange) exchangeView {
	out := exchangeView{N: n, Method: short(x.Method), Path: x.Path, Status: x.Status, Stream: x.Stream, Size: len(x.Body), Body: shown(x.Body), Reply: shown(x.Reply)}
	if x.Query != "" {
		out.Path += "?" + x.Query
	}
	if x.Refusal != nil {
		out.Refused = x.Refusal.Rule
	}
	return out
}

func (s *Server) detail(c *conversation) detailView {
	s.journal.mu.Lock()
	out := detailView{rowView: rowOf(c), Turns: []turnView{}, Findings: []findingView{}, Mild: []findingView{}, Notes: []string{}, Judged: []string{}, Requests: []exchangeView{}, Others: []exchangeView{}}
	s.journal.mu.Unlock()
	v := c.seen()
	out.Verdict = detailHeadline(v, out)
	if v == nil {
		return out
	}
	out.Left = v.left
	out.Notes = append(out.Notes, v.notes...)
	if v.trouble != "" {
		out.Notes = append(out.Notes, v.trouble)
	}
	turns, requests := v.minted()
	for i, x := range requests {
		out.Requests = append(out.Requests, exchangeOf(i+1, x))
		out.Agent = cmp.Or(out.Agent, x.Header.Get("User-Agent"))
	}
	for _, x := range v.others {
		out.Others = append(out.Others, exchangeOf(0, x))
	}
	for i, t := range turns {
		out.Turns = append(out.Turns, turnOf(t, requests[i]))
	}
	for _, f := range v.rules {
		out.Findings = append(out.Findings, findingView{page.Finding{ID: rulesID, Title: rulesTitle, Strength: "MUST", Finding: f, Gates: true}})
	}
	for _, j := range v.judged {
		out.Judged = append(out.Judged, j.id)
		for _, f := range j.findings {
			s.addFinding(&out, j, f)
		}
	}
	lostFirst := func(a, b findingView) int { return cmp.Compare(rank(a), rank(b)) }
	slices.SortStableFunc(out.Findings, lostFirst)
	return out
}

func rank(f findingView) int {
	switch {
	case f.Lost():
		return 0
	case f.ID != rulesID:
		return 1
	}
	return 2
}

// addFinding adds a finding, or its requirement to one that says the same of the
// same place.
func (s *Server) addFinding(out *detailView, j judgedRequirement, f oracles.Finding) {
	spec, known := s.specs()[j.id]
	if j.id == stateID {
		spec.Title, spec.Strength = stateTitle, "MUST"
	}
	list := &out.Mild
	gates := j.fails && f.Gates(result.Provider)
	if gates {
		list = &out.Findings
	} else if f.Level == result.Verbatim {
		return // what level provider asks nobody to mind
	}
	for i := range *list {
		if o := &(*list)[i]; o.Where == f.Where && o.Change == f.Change && o.Want == f.Want {
			o.Also = strings.TrimPrefix(o.Also+", "+j.id, ", ")
			return
		}
	}
	*list = append(*list, findingView{page.Finding{ID: j.id, Title: spec.Title, Strength: spec.Strength, Finding: f, Gates: gates, Spec: known}})
}

func turnOf(t oracles.MintedTurn, x fakeserver.Exchange) turnView {
	out := turnView{Reply: t.Reply, API: t.API, Stream: t.Stream, Status: x.Status, Parts: []partView{}}
	if x.Refused {
		out.Refused = x.Refusal.Rule
	}
	for _, p := range t.Parts {
		part := partView{Kind: p.Kind, Says: p.Says, Signed: p.Signed, Value: p.Value, Opaque: "signature", Came: []cameView{}}
		if p.Kind == "reasoning" {
			part.Opaque = "cipher"
		}
		for _, r := range p.Returns {
			part.add(r)
			part.Lost = part.Lost || p.Signed && r.Fate == oracles.Lost
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

// add adds a request, or makes the one before last longer where nothing is
// different.
func (p *partView) add(r oracles.Returned) {
	if n := len(p.Came); n > 0 {
		last := &p.Came[n-1]
		if last.Last == r.Request-1 && last.Fate == string(r.Fate) && last.Path == r.Path && slices.Equal(last.changes, r.Changes) {
			last.Last = r.Request
			return
		}
	}
	came := cameView{First: r.Request, Last: r.Request, Path: r.Path, Fate: string(r.Fate), changes: r.Changes}
	var words []string
	for _, c := range r.Changes {
		if w := string(c); !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	change := strings.Join(words, ", ")
	switch r.Fate {
	case oracles.Intact:
		came.Tone, came.Word = "ok", "came back"
	case oracles.Rebuilt:
		came.Tone, came.Word = "ok", "came back as text"
	case oracles.Tolerated:
		came.Tone, came.Word = "ok", "came back, "+cmp.Or(change, "left out")+" (tolerated)"
	case oracles.Altered:
		came.Tone, came.Word = "warn", strings.ToUpper(change)
	default:
		what := "LOST"
		if p.Signed {
			what = strings.ToUpper(p.Opaque) + " LOST"
		}
		came.Tone, came.Word = "bad", what
		if change != "" {
			came.Word += " (" + change + ")"
		}
	}
	p.Came = append(p.Came, came)
}

func detailHeadline(v *verdict, d detailView) headline {
	h := headline{Tone: d.Tone, Word: d.Word, Lost: []lostView{}}
	if v == nil {
		return h
	}
	h.Word = strings.ToUpper(h.Word[:1]) + h.Word[1:]
	if d.Tone == "bad" {
		h.Word = strings.ToUpper(d.Word)
	}
	for _, l := range v.lost {
		if len(h.Lost) < 3 {
			h.Lost = append(h.Lost, lostView{d.ID, d.Name, l})
		}
	}
	switch {
	case len(v.lost) == 0 && len(v.failing()) > 0:
		f := v.failing()[0]
		h.Says = f.Where + ": " + string(f.Change)
	case v.status() == result.Pass:
		h.Says = "nothing that the model gave was signed"
		if d.Signed > 0 {
			h.Says = plural(d.Signed, "signed part", "signed parts") + " came back as minted"
		}
		if v.unlike > 0 {
			h.Says += "; " + plural(v.unlike, "other part", "other parts") + " did not come back as given, which fails nothing"
		}
	case d.Tone == "wait":
		h.Says = "No request has brought back a turn of the model so far."
	}
	return h
}

// RequestCount is how many requests to an API came.
func (d detailView) RequestCount() int { return d.rowView.Requests }

// Back is how many of the signed parts came back as they were.
func (r rowView) Back() int { return r.Signed - r.Lost }

// StatusText is a status as people know it.
func (x exchangeView) StatusText() string {
	return fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status))
}
