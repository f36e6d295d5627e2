package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/replaycheck/internal/page"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// json sends a view; its texts keep <, > and & as they are.
func (s *Server) json(w http.ResponseWriter, v any) {
	s.write(w, "application/json", func(b *bytes.Buffer) error {
		text, err := marshal(v)
		b.Write(text)
		return err
	})
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// overviewView is what the first page shows.
type overviewView struct {
	Verdict       headline      `json:"verdict"`
	Conversations []rowView     `json:"conversations"`
	More          int           `json:"more"` // that are not listed
	Kept          int           `json:"kept"`
	KeptRequests  int           `json:"kept_requests"` // of them
	Gone          int           `json:"gone"`          // that left the journal
	GoneRequests  int           `json:"gone_requests"` // of them
	GoneFailed    int           `json:"gone_failed"`   // of them
	GoneUnlike    int           `json:"gone_unlike"`   // parts of them that differ and fail nothing
	Scenarios     []scenarioRow `json:"scenarios"`
	Enforce       bool          `json:"enforce"`
	Profile       string        `json:"profile"`
	Refused       []refusal     `json:"refused"`
	Strays        int           `json:"strays"`
	Host          string        `json:"-"` // with scheme
}

type scenarioRow struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Base  string `json:"base"` // path
}

// headline is the one thing that a person is to see first.
type headline struct {
	Tone string     `json:"tone"` // ok, bad, warn or wait
	Word string     `json:"word"`
	Says string     `json:"says"`
	Lost []lostView `json:"lost"` // the first few
}

type lostView struct {
	ID           string `json:"id"`
	Conversation string `json:"conversation"`
	lostValue
}

// rowView is one conversation in a list.
type rowView struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Scenario string        `json:"scenario"`
	Opening  string        `json:"opening"`
	Begun    time.Time     `json:"begun"`
	Requests int           `json:"requests"`
	Status   result.Status `json:"status"` // "skipped": nothing to judge yet
	Tone     string        `json:"tone"`
	Word     string        `json:"word"`
	Findings int           `json:"findings"` // that gate
	Lost     int           `json:"lost"`     // opaque values that did not come back
	Signed   int           `json:"signed"`   // minted, in replies that had a request after them
	Unlike   int           `json:"unlike"`   // other parts that did not come back as they were
	Finished bool          `json:"finished"`
}

// maxRows is how many conversations a page lists: those with problems first.
const maxRows = 200

func (s *Server) overview(host string) overviewView {
	j := &s.journal
	list := j.all()
	j.mu.Lock()
	out := overviewView{
		Host: "http://" + host, Kept: len(list), Gone: j.gone.Conversations, GoneRequests: j.gone.requests, GoneFailed: j.gone.failed, GoneUnlike: j.gone.unlike, Strays: j.strays,
		Refused: append([]refusal{}, j.refused...), Enforce: !s.options.Observe, Profile: s.options.Profile,
		Conversations: []rowView{},
	}
	for _, c := range list {
		out.KeptRequests += c.entered
		out.Conversations = append(out.Conversations, rowOf(c))
	}
	j.mu.Unlock()
	for i, sc := range s.options.Scenarios {
		base := "/s/" + sc.ID
		if i == 0 {
			base = ""
		}
		out.Scenarios = append(out.Scenarios, scenarioRow{sc.ID, sc.Title, base})
	}
	out.Verdict = headlineOf(list, out)
	slices.SortStableFunc(out.Conversations, func(a, b rowView) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), b.Begun.Compare(a.Begun), strings.Compare(b.ID, a.ID))
	})
	if len(out.Conversations) > maxRows {
		out.More = len(out.Conversations) - maxRows
		out.Conversations = out.Conversations[:maxRows]
	}
	return out
}

func (r rowView) weight() int {
	switch {
	case r.Lost > 0:
		return 3
	case r.Status == result.Fail:
		return 2
	case r.Status == result.Error:
		return 1
	}
	return 0
}

// rowOf is a conversation's row; the journal is locked.
func rowOf(c *conversation) rowView {
	v := c.seen()
	out := rowView{
		ID: c.id(), Name: c.name(), Scenario: c.scenario.ID, Opening: c.opening, Begun: c.begun,
		Requests: c.requests, Finished: c.finished, Status: v.status(), Tone: page.Tone(v.status()),
	}
	if v != nil {
		out.Findings, out.Lost, out.Unlike = len(v.failing()), len(v.lost), v.unlike
		for _, t := range v.turns {
			for _, p := range t.Parts {
				if p.Signed && len(p.Returns) > 0 {
					out.Signed++
				}
			}
		}
	}
	if out.Word = wordOf(v); out.Status == result.Pass && out.Unlike > 0 {
		out.Tone = "warn"
	}
	return out
}

// wordOf says how a conversation is in two words.
func wordOf(v *verdict) string {
	switch v.status() {
	case result.Error:
		return "not judged"
	case result.Fail:
		switch {
		case len(v.lost) == 1:
			return "signature lost"
		case len(v.lost) > 1:
			return fmt.Sprintf("%d signatures lost", len(v.lost))
		case slices.ContainsFunc(v.judged, func(j judgedRequirement) bool { return j.fails && j.id != stateID }):
			return "contract broken"
		case len(v.rules) > 0:
			return "would be refused"
		}
		return "turn altered"
	case result.Pass:
		switch {
		case v.unlike > 0:
			return plural(v.unlike, "part differs", "parts differ")
		case v.over:
			return "all came back"
		}
		return "intact so far"
	}
	return "nothing to judge yet"
}

// failing are the findings that gate, the provider's rules first.
func (v *verdict) failing() []oracles.Finding {
	out := slices.Clone(v.rules)
	for _, j := range v.judged {
		if !j.fails {
			continue
		}
		for _, f := range j.findings {
			if f.Gates(result.Provider) && !slices.ContainsFunc(out, func(o oracles.Finding) bool { return o.Where == f.Where && o.Change == f.Change }) {
				out = append(out, f)
			}
		}
	}
	return out
}

func headlineOf(list []*conversation, o overviewView) headline {
	h := headline{Tone: "wait", Word: "Waiting for the first request", Says: "Point your app at one of the addresses below.", Lost: []lostView{}}
	if len(list) > 0 {
		h.Word, h.Says = "Nothing to judge yet", "No request has brought back a turn of the model so far."
	}
	lost, in, failed, passed, unlike := 0, 0, o.GoneFailed, 0, o.GoneUnlike
	for _, c := range list {
		v := c.seen()
		if v == nil {
			continue
		}
		if n := len(v.lost); n > 0 {
			lost, in = lost+n, in+1
			for _, l := range v.lost {
				if len(h.Lost) < 3 {
					h.Lost = append(h.Lost, lostView{c.id(), c.name(), l})
				}
			}
		}
		switch v.status() {
		case result.Fail:
			failed++
		case result.Pass:
			passed++
			unlike += v.unlike
		}
	}
	switch {
	case lost > 0:
		h.Tone, h.Word = "bad", strings.ToUpper(plural(lost, "signature lost", "signatures lost"))
		h.Says = "in " + plural(in, "conversation", "conversations")
	case failed > 0:
		h.Tone, h.Word = "bad", strings.ToUpper("Contract broken")
		h.Says = "in " + plural(failed, "conversation", "conversations")
	case passed > 0 && unlike > 0:
		h.Tone, h.Word = "warn", "No opaque value lost"
		h.Says = "in " + plural(passed, "conversation", "conversations") + " so far, but " + plural(unlike, "other part", "other parts") + " did not come back as given"
	case passed > 0:
		h.Tone, h.Word = "ok", "Everything came back"
		h.Says = "in " + plural(passed, "conversation", "conversations") + " so far"
	}
	return h
}
