package live

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// What stands beside the contract in reports: the provider's own rules, and what
// the APIs that the contract says nothing about ask to get back.
const (
	rulesID    = "PROVIDER-RULES"
	rulesTitle = "No request breaks a rule of the provider's profile"
	stateID    = "PROVIDER-STATE"
	stateTitle = "What APIs beyond the contract ask for comes back as it was given"
)

// verdict is what is known of a conversation at one time. Nothing in it changes.
type verdict struct {
	at       int64 // the conversation's changes that it is about
	stream   bool
	requests []fakeserver.Exchange // those that are judged; request n is n-1
	others   []fakeserver.Exchange
	turns    []oracles.MintedTurn
	// first: the conversation has one request only. Nothing can have come back in
	// it, so its turn is read once somebody looks: on a busy server most
	// conversations are no longer.
	first   bool
	only    [1]fakeserver.Exchange // that request
	judged  []judgedRequirement
	rules   []oracles.Finding // of the provider's rules
	ruled   bool              // some profile's rules were asked
	lost    []lostValue
	unlike  int      // parts that are not lost values and did not come back as they were
	notes   []string // what else a person should know
	trouble string   // why it could not be judged, "" else
	over    bool
	faults  int
	left    int // replies that were not asked for
	bytes   int64
	took    time.Duration // to find out
}

type judgedRequirement struct {
	id       string
	findings []oracles.Finding
	fails    bool
}

// lostValue is an opaque value that did not come back.
type lostValue struct {
	Reply   int    `json:"reply"` // 1-based, as Part is
	Part    int    `json:"part"`
	Says    string `json:"says"`
	Request int    `json:"request"`
	Path    string `json:"path"`
	Change  string `json:"change"`
}

// status of the conversation at level provider.
func (v *verdict) status() result.Status {
	switch {
	case v == nil:
		return result.Skipped
	case v.trouble != "":
		return result.Error
	case len(v.rules) > 0 || slices.ContainsFunc(v.judged, func(j judgedRequirement) bool { return j.fails }):
		return result.Fail
	case len(v.judged) == 0:
		return result.Skipped // nothing to judge yet
	}
	return result.Pass
}

// look judges a record.
func (s *Server) look(c *conversation) (v *verdict) {
	v = &verdict{}
	defer func() {
		if p := recover(); p != nil { // a mistake of ours must not end everybody's conversations
			v.trouble = fmt.Sprintf("internal: panic while judging: %v", p)
		}
	}()
	var ev scenario.Evidence
	var err error
	if v.first, err = c.play.Only(&v.only[0]); v.first {
		if scenario.Counts(&v.only[0]) {
			v.requests, v.stream = v.only[:], v.only[0].Stream
		}
		s.account(v, c, v.only[:])
	} else {
		rec := c.play.Peek()
		ev = scenario.Observed(c.scenario.ID, rec.Exchanges)
		v.requests, v.stream = ev.Runs[0].Exchanges, ev.Mode.Stream
		s.account(v, c, rec.Exchanges)
		err = rec.Err
	}
	if err != nil {
		v.notes = append(v.notes, "the record is incomplete: "+err.Error())
	}
	specs := s.specs()
	if len(specs) == 0 {
		v.trouble = "the requirements of this build cannot be read"
		return v
	}
	if v.first {
		return v
	}
	obs, err := oracles.Observe(ev)
	if err != nil {
		v.trouble = fmt.Sprintf("a reply of the scenario cannot be read: %v", err)
		return v
	}
	v.turns = obs.Turns
	v.notes = append(v.notes, obs.NotJudged...)
	for _, o := range obs.Judged {
		j := judgedRequirement{id: o.ID}
		for _, f := range o.Findings {
			j.findings = append(j.findings, f)
			j.fails = j.fails || f.Gates(result.Provider) && specs[o.ID].Strength == "MUST" && slices.Contains(specs[o.ID].Levels, string(result.Provider))
		}
		v.judged = append(v.judged, j)
	}
	v.findLost()
	v.beyond(obs.Beyond)
	v.unlike = v.countUnlike() + obs.Unasked
	return v
}

// minted returns the turns of the model, with what came back of them, and the
// requests that got them.
func (v *verdict) minted() ([]oracles.MintedTurn, []fakeserver.Exchange) {
	if !v.first {
		return v.turns, v.requests
	}
	ev := scenario.Observed("", v.requests)
	obs, err := oracles.Observe(ev)
	if err != nil { // what cannot be read is left out of the evidence
		return nil, v.requests
	}
	return obs.Turns, ev.Runs[0].Exchanges
}

// beyond judges the turns that no requirement is about, of Vertex, of Gemini
// behind its OpenAI-compatible endpoint and of Anthropic: whether the opaque
// values came back, and what else is asked for there.
func (v *verdict) beyond(more []oracles.Finding) {
	j := judgedRequirement{id: stateID, findings: slices.Clone(more)}
	j.fails = slices.ContainsFunc(more, func(f oracles.Finding) bool { return f.Gates(result.Provider) })
	judged := len(more) > 0
	for _, t := range v.turns {
		if !t.Beyond {
			continue
		}
		for _, p := range t.Parts {
			for _, r := range p.Returns {
				judged = judged || p.Signed || t.API == string(native.Gemini) || t.API == string(native.Vertex)
				if p.Signed && r.Fate == oracles.Lost {
					j.fails = true
					j.findings = append(j.findings, lostFinding(p, r))
				}
			}
		}
	}
	if judged {
		v.judged = append(v.judged, j)
	}
}

// countUnlike counts the parts that did not come back as they were though no
// opaque value of theirs is lost. Where the conversation passes, nobody is known
// to ask for them.
func (v *verdict) countUnlike() (n int) {
	for _, t := range v.turns {
		for _, p := range t.Parts {
			if slices.ContainsFunc(p.Returns, func(r oracles.Returned) bool {
				return r.Fate == oracles.Altered || r.Fate == oracles.Lost && !p.Signed
			}) {
				n++
			}
		}
	}
	return n
}

func lostFinding(p oracles.MintedPart, r oracles.Returned) oracles.Finding {
	f := oracles.Finding{
		Where: fmt.Sprintf("request %d", r.Request), Change: result.Absent, Level: result.Provider, Basis: result.Documented,
		Want: p.Value, Got: "it did not come back", Means: "the providers ask for all of them back; quality is lost silently where it is not refused",
	}
	if r.Path != "" {
		f.Where += ", " + r.Path
	}
	if len(r.Changes) > 0 {
		f.Change, f.Got = slices.Min(r.Changes), string(slices.Min(r.Changes))
	}
	return f
}

// account goes through the exchanges for what is not the oracles' to say.
func (s *Server) account(v *verdict, c *conversation, exchanges []fakeserver.Exchange) {
	given, last := 0, 0
	for i := range exchanges {
		x := &exchanges[i]
		v.bytes += int64(len(x.Body)+len(x.Reply)) + overhead
		if x.Step > 0 {
			given, last = given+1, x.Seq
		}
		if x.Fault != "" {
			v.faults++
		}
		if x.Endpoint == "" && x.Status >= 400 {
			v.others = append(v.others, *x)
		}
	}
	for i := range v.requests {
		x := &v.requests[i]
		ruled := hasRules(x)
		v.ruled = v.ruled || ruled
		if !ruled && s.options.Profile != recordOnly {
			v.note(noProfile(x.Model))
		}
		if x.Refusal != nil {
			v.rules = append(v.rules, ruleFinding(i+1, x))
		}
		if x.Step == 0 && x.Refusal == nil || x.Status == 400 && !x.Refused && strings.Contains(x.Reply, "is not scripted") {
			v.notes = append(v.notes, fmt.Sprintf("request %d got no scripted reply: %s", i+1, whyNot(x)))
		}
		for _, note := range x.Notes {
			v.notes = append(v.notes, fmt.Sprintf("request %d, %s; no rule of the profile refuses it", i+1, note))
		}
		if x.Elsewhere {
			v.notes = append(v.notes, fmt.Sprintf("request %d leaves its history to the server (previous_response_id or conversation): this server keeps none", i+1))
		}
	}
	if c.why != "" {
		v.notes = append(v.notes, c.why)
	}
	if v.faults > 0 {
		v.notes = append(v.notes, plural(v.faults, "request", "requests")+" met a fault of the script's or of --fault and --chaos")
	}
	v.left = c.scenario.Left(given)
	v.over = given > 0 && v.left == 0 && last == len(exchanges) && c.ended(exchanges)
}

// note adds a note, once.
func (v *verdict) note(text string) {
	if !slices.Contains(v.notes, text) {
		v.notes = append(v.notes, text)
	}
}

// whyNot is the reason in the reply of a request that was not scripted.
func whyNot(x *fakeserver.Exchange) string {
	_, why, found := strings.Cut(x.Reply, "is not scripted: ")
	if !found {
		return fmt.Sprintf("%s %s", x.Method, short(x.Path))
	}
	if i := strings.LastIndex(why, `","`); i > 0 {
		why = why[:i]
	}
	return short(strings.ReplaceAll(why, `\"`, `"`))
}

func ruleFinding(n int, x *fakeserver.Exchange) oracles.Finding {
	f := x.Refusal
	got := "a request that breaks the rule " + f.Rule
	if x.Refused {
		got += ", and was refused"
	}
	means := fmt.Sprintf("refused by %s (%s): %d %s", f.Profile, f.Mark, f.Status, f.Message)
	if f.Why != "" {
		means += " [" + f.Why + "]"
	}
	return oracles.Finding{
		Where: fmt.Sprintf("request %d", n), Change: result.Refused, Level: result.Provider, Basis: result.Basis(strings.ReplaceAll(string(f.Mark), "not ", "un")),
		Want: "a request that the provider answers", Got: got,
		Means: means,
	}
}

// findLost lists the opaque values that did not come back, each once.
func (v *verdict) findLost() {
	for _, t := range v.turns {
		for i, p := range t.Parts {
			for _, r := range p.Returns {
				if !p.Signed || r.Fate != oracles.Lost {
					continue
				}
				change := string(result.Absent)
				if len(r.Changes) > 0 {
					change = string(slices.Min(r.Changes))
				}
				v.lost = append(v.lost, lostValue{Reply: t.Reply, Part: i + 1, Says: p.Says, Request: r.Request, Path: r.Path, Change: change})
				break
			}
		}
	}
}
