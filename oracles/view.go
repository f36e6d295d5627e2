package oracles

import (
	"fmt"
	"strings"
	"sync"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

// step is one model turn of the conversation: what one reply minted.
type step struct {
	n      int  // 1-based number of the reply; of the stored turn where stored is set
	stored bool // it came in with the state of the first run
	api    native.API
	turn   int // 0-based number of the user turn it belongs to
	stream bool
	parts  []native.Part
	tail   []native.Part // what came after them and can't go back (native.Reply.Split)
	calls  []int         // indexes of the calls in parts
	public []native.Part // of a stored turn: its visible text and calls
}

// label names the step for a person.
func (s *step) label() string {
	if s.stored {
		return fmt.Sprintf("stored turn %d", s.n)
	}
	return fmt.Sprintf("reply %d", s.n)
}

func (s *step) signed() bool {
	for _, p := range s.parts {
		if p.Sig.Exists() {
			return true
		}
	}
	return false
}

// unsigned reports whether a Gemini turn has nothing that a carrier is for:
// neither a call nor a member thoughtSignature (REPLAY-02).
func (s *step) unsigned() bool {
	return generates(s.api) && len(s.calls) == 0 && !s.signed()
}

// loose reports whether the step may come back rebuilt, since it has no carrier.
func (s *step) loose() bool { return s.unsigned() && !s.stored }

// visible joins the text of the parts that are no thought (THINK-01, THINK-02).
func (s *step) visible() string {
	var b strings.Builder
	for _, p := range s.parts {
		if p.Kind == native.Text {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// thought joins the native thoughts.
func (s *step) thought() string {
	var b strings.Builder
	for _, p := range s.parts {
		if p.Kind == native.Thought {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// beside reports whether the step has a call and text or a thought next to it.
func (s *step) beside() bool {
	if len(s.calls) == 0 {
		return false
	}
	for _, p := range s.parts {
		if p.Kind == native.Text || p.Kind == native.Thought {
			return true
		}
	}
	return false
}

func newStep(n int, r native.Reply, turn int, stream bool) *step {
	s := &step{n: n, api: r.API, turn: turn, stream: stream, parts: r.Parts}
	for i, p := range r.Parts {
		if p.Kind == native.Call {
			s.calls = append(s.calls, i)
		}
	}
	return s
}

// request is one recorded request, read.
type request struct {
	n     int // 1-based number in the conversation
	run   int // index of the run it was sent in
	x     Exchange
	req   native.Request
	err   error // the body is not JSON
	known int   // how many steps were minted before it was sent
	turn  int   // user turn it belongs to
}

// View is evidence read once and shared by the oracles that judge it. It is
// made by NewView and not changed after; it is safe for concurrent use.
type View struct {
	Evidence
	memo     *memo
	prior    []*step // the model turns of the state that was put in
	script   []*step // every scripted reply, whether it was played or not
	requests []*request
	prompts  []string // all prompts of the conversation, in order
	// contents are the public texts of the scripted answers: those of the literal
	// outcome, else the visible text.
	contents map[*step]string
	refused  int          // the reply that an expected refusal took the place of, 0: none
	answers  []wire.Value // of the literal outcome; none where there is no such file
	observed bool         // nobody drove the client, so its answers are not known
	aligns   func() map[*request]*alignment
	diffs    func() map[*request][]diff
	results  func() []callResult
}

// NewView reads evidence. It fails when a scripted reply is not readable: then
// the fixture is at fault, not the subject.
func NewView(ev Evidence) (*View, error) { return newView(ev, nil) }

// newView is NewView for who judges the same scenarios many times.
func newView(ev Evidence, m *memo) (*View, error) {
	v := &View{Evidence: ev, memo: m}
	if v.Scenario.Expect != "refused" {
		v.prior, v.prompts = readState(v.Scenario.State(v.Variant))
	}
	stored := len(v.prompts)
	if err := v.readScript(stored); err != nil {
		return nil, err
	}
	v.answers = m.answers(v.Scenario.Outcome(v.Variant))
	v.endAtRefusal()
	v.contents = v.readContents()
	v.readRequests(stored)
	// Runs after the first of a stored mode repeat no prompt, so the scenario's own
	// tasks tell.
	v.prompts = append(v.prompts, m.prompts(ev.Scenario)...)
	v.aligns = sync.OnceValue(func() map[*request]*alignment {
		out := map[*request]*alignment{}
		for _, r := range v.requests {
			out[r] = align(wantsOf(v, r), gotsOf(r))
		}
		return out
	})
	v.diffs = sync.OnceValue(func() map[*request][]diff { return compareAll(v) })
	v.results = sync.OnceValue(func() []callResult { return matchResults(v) })
	return v, nil
}

// aligned returns which part of a request answers which expected part. The
// alignment is shared: it is read only.
func (v *View) aligned(r *request) *alignment { return v.aligns()[r] }

func (v *View) readScript(turn int) error {
	for i, r := range v.Scenario.For(v.Variant) {
		text, stream := r.Plain, false
		if x := v.played(i + 1); x != nil {
			text, stream = x.Reply, x.Stream
		} else if (v.Mode.Stream || text == "") && r.Stream != "" {
			text, stream = r.Stream, true
		}
		reply, err := v.memo.reply(native.API(r.Endpoint), text)
		if err != nil && v.broken() != i+1 {
			return err
		}
		var tail []native.Part
		reply.Parts, tail = reply.Split()
		s := newStep(i+1, reply, turn, stream)
		s.tail = tail
		v.script = append(v.script, s)
		if len(s.calls) == 0 {
			turn++
		}
	}
	return nil
}

// broken returns the number of the reply that breaks off or must be rejected, 0
// when none does.
func (v *View) broken() int {
	if v.refused > 0 {
		return v.refused
	}
	if v.Scenario.Expect == "stream-error" || v.Scenario.Expect == "rejected" {
		return len(v.Scenario.Replies)
	}
	return v.Scenario.Cut
}

// finals are the scripted steps that answer a prompt, in order.
func (v *View) finals() []*step {
	var out []*step
	for _, s := range v.script {
		if len(s.calls) == 0 {
			out = append(out, s)
		}
	}
	return out
}

func (v *View) readContents() map[*step]string {
	out := map[*step]string{}
	literal := v.answers
	for i, s := range v.finals() {
		out[s] = s.visible()
		if i < len(literal) {
			out[s] = literal[i].Get("content").Text()
		}
	}
	return out
}

// played returns the exchange that got scripted reply n, nil if none did.
func (v *View) played(n int) *Exchange {
	for _, run := range v.Runs {
		for i := range run.Exchanges {
			if run.Exchanges[i].Step == n {
				return &run.Exchanges[i]
			}
		}
	}
	return nil
}

func (v *View) readRequests(turn int) {
	known, vendors := 0, v.vendorsMinted()
	for i, run := range v.Runs {
		for k, x := range run.Exchanges {
			if x.Endpoint == "" {
				continue
			}
			r := &request{n: len(v.requests) + 1, run: i, x: x, known: known, turn: turn}
			if x.Step > 0 && x.Step <= known { // sent again: its reply was lost
				r.known, r.turn = x.Step-1, v.script[x.Step-1].turn
			}
			r.req, r.err = readRequest(run, k)
			r.dropAside(vendors)
			v.requests = append(v.requests, r)
			if x.Step == 0 || x.Step == v.broken() || x.Cut {
				continue
			}
			known = x.Step
			if len(v.script[x.Step-1].calls) == 0 {
				turn = v.script[x.Step-1].turn + 1
			}
		}
	}
}

// readRequest reads the request of exchange k, unless it has been read: that it
// was another body then would be a false verdict.
func readRequest(run Run, k int) (native.Request, error) {
	x := &run.Exchanges[k]
	if k < len(run.Read) && run.Read[k].Root.Exists() && run.Read[k].API == native.API(x.Endpoint) && run.Read[k].Root.Source() == x.Body {
		return run.Read[k], nil
	}
	return native.ParseRequest(native.API(x.Endpoint), x.Body)
}

// carrier reports whether the subject's state is the stored transcript.
func (v *View) carrier() bool { return v.Subject.Carrier == subject.Carrier }

// to returns the requests that went to an API.
func (v *View) to(api native.API) []*request {
	var out []*request
	for _, r := range v.requests {
		if native.API(r.x.Endpoint) == api {
			out = append(out, r)
		}
	}
	return out
}

// last returns the last run, or an empty one when none was made.
func (v *View) last() Run {
	if len(v.Runs) == 0 {
		return Run{}
	}
	return v.Runs[len(v.Runs)-1]
}
