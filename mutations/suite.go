package mutations

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/mutations/internal/trial"
	"example.com/replaycheck/mutations/internal/worker"
	"example.com/replaycheck/oracles"
)

// Suite is what judges a subject: named runs, each of which shows something that
// named requirements are judged on.
type Suite = trial.Suite

// SuiteRun is one run of a suite.
type SuiteRun = trial.Run

// Observation is what a run showed.
type Observation = trial.Observation

// Worker is the whole main of a program that tries source faults: replaycheck
// mutate builds it with the faults in and runs it. It returns when its input ends.
//
//	err := mutations.Worker(ctx, mutations.Contract(cfg))
func Worker(ctx context.Context, open func(context.Context) (Suite, error)) error {
	suite, err := open(ctx)
	if err != nil {
		return err
	}
	return worker.Serve(ctx, suite)
}

// Contract returns the suite of the product's own oracles for a subject.
func Contract(cfg oracles.Config) func(context.Context) (Suite, error) {
	return func(ctx context.Context) (Suite, error) {
		s, err := oracles.Open(ctx, cfg)
		if err != nil {
			return nil, err
		}
		s.Alone()
		return newContract(s), nil
	}
}

// contract is a session of the oracles as a suite.
type contract struct {
	s    *oracles.Session
	runs []trial.Run

	mu   sync.Mutex
	base map[int]oracles.Evidence // what runs showed without a fault
}

func newContract(s *oracles.Session) *contract {
	c := &contract{s: s, base: map[int]oracles.Evidence{}}
	planned := s.Runs()
	for i, r := range planned {
		same, apart := sameRun(planned, i)
		c.runs = append(c.runs, trial.Run{
			Scenario: r.Scenario, Mode: r.Mode.String(), Variant: r.Variant, Requirements: r.Requirements,
			Same: same, Apart: apart, Heavy: r.Bytes > heavy, Partly: r.Partly, Process: r.Process,
		})
	}
	return c
}

// heavy is from how many bytes of scripted replies on, added up over the
// requests that bring them back, a run is left to faults that need it.
const heavy = 256 << 10

// sameRun returns the run that shows the same: the one in memory of a stored
// conversation, the plain one of a streamed conversation whose turns are the
// same, the first variant of a scenario that has some; -1 where there is none.
// A variant still is apart for the requirements that the variants are about.
func sameRun(all []oracles.Planned, i int) (same int, apart []string) {
	r := all[i]
	mode, variant := r.Mode, r.Variant
	switch {
	case mode.Stored:
		mode.Stored = false
	case mode.Stream && r.Alike:
		mode.Stream = false
	case variant != "":
		first := slices.IndexFunc(all, func(o oracles.Planned) bool { return o.Scenario == r.Scenario && o.Mode == mode })
		if first == i {
			return -1, nil
		}
		return first, r.Shows
	default:
		return -1, nil
	}
	return slices.IndexFunc(all, func(o oracles.Planned) bool {
		return o.Scenario == r.Scenario && o.Variant == variant && o.Mode == mode
	}), nil
}

func (c *contract) Runs() []trial.Run { return c.runs }

// Prepare makes the control run of a scenario that expects a refusal, so that
// what comes after is the run itself.
func (c *contract) Prepare(ctx context.Context, i int) error { return c.s.Prepare(ctx, i) }

// Quick leaves out what is only there to show that one of the requirements is
// kept: the building of requests without sending them (REPLAY-12).
func (c *contract) Quick(requirements []string) {
	c.s.Probe(len(requirements) == 0 || slices.Contains(requirements, "REPLAY-12"))
}

// Idle closes the connections that the runs before have left open.
func (c *contract) Idle() { c.s.Idle() }

func (c *contract) Try(ctx context.Context, i int, edit trial.Edit) (trial.Observation, error) {
	ev, err := c.s.Drive(ctx, i, edit)
	if err != nil {
		return trial.Observation{}, err
	}
	return c.observation(i, ev), nil
}

func (c *contract) observation(i int, ev oracles.Evidence) trial.Observation {
	judge := sync.OnceValues(func() (*oracles.Verdict, error) { return c.s.Judge(i, ev) })
	return trial.Observation{
		Text: observed(ev, asSent), Plain: func() string { return observed(ev, compact) }, Sent: sent(ev),
		Judge: func(id string) (string, error) {
			v, err := judge()
			if err != nil {
				return "", err
			}
			findings := v.Findings(id)
			if id == trial.Literal {
				findings = v.Literal()
			}
			if len(findings) == 0 {
				return "", nil
			}
			f := findings[0]
			return fmt.Sprintf("%s: %s, want %s, got %s", f.Where, f.Change, f.Want, f.Got), nil
		},
	}
}

// sent counts the requests of a run that should send some; 0 where it should
// not.
func sent(ev oracles.Evidence) int {
	n := 0
	for _, r := range ev.Runs {
		n += len(r.Exchanges)
	}
	return n
}

// observed says all that a run showed and that an oracle may judge, with what
// differs from run to run (public call IDs, addresses, keys) by its place. Of a
// probe it is whether building changed anything.
func observed(ev oracles.Evidence, body func(string) string) string {
	var b strings.Builder
	for _, r := range ev.Runs {
		for _, x := range r.Exchanges {
			fmt.Fprintf(&b, "%s %s?%s %d\n%s\n", x.Method, x.Path, x.Query, x.Step, body(x.Body))
		}
		outcome := r.Outcome
		if ev.Scenario.Expect == "refused" {
			outcome.State = nil // what comes back with a refusal is promised nowhere
		}
		out, err := json.Marshal(outcome)
		if err != nil {
			out = []byte(err.Error())
		}
		b.Write(out)
		fmt.Fprintf(&b, "\n%d %d %s\n", r.Exit, r.Connections, r.ProbeError)
		for _, p := range r.Probes {
			if p.Before != p.After || p.Body != p.Body2 {
				fmt.Fprintf(&b, "built: %t %t\n", p.Before == p.After, p.Body == p.Body2)
			}
		}
	}
	fmt.Fprintf(&b, "%d %d", ev.Leftover, ev.Strays)
	return settled(b.String(), ids(ev))
}

func asSent(body string) string { return body }

// compact drops the white space between tokens.
func compact(body string) string {
	var b strings.Builder
	b.Grow(len(body))
	from, inside := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case !inside && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			b.WriteString(body[from:i])
			from = i + 1
		}
	}
	b.WriteString(body[min(from, len(body)):])
	return b.String()
}

// ids are the public call IDs of a conversation in the order of their runs.
func ids(ev oracles.Evidence) []string {
	var out []string
	for _, r := range ev.Runs {
		for _, t := range r.Outcome.ToolRuns {
			if t.CallID != "" && !slices.Contains(out, t.CallID) {
				out = append(out, t.CallID)
			}
		}
	}
	return out
}

// settled replaces what is random: call IDs, the run's path, ports and keys.
func settled(text string, ids []string) string {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	// The longest first: one may begin with another.
	slices.SortStableFunc(order, func(a, b int) int { return len(ids[b]) - len(ids[a]) })
	for _, i := range order {
		text = strings.ReplaceAll(text, ids[i], "⟨call:"+strconv.Itoa(i+1)+"⟩")
	}
	seen := map[string]string{}
	for _, form := range []struct{ prefix, letters string }{
		{"call_", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
		{"key-", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
		{"/r/", "0123456789abcdef"},
		{"127.0.0.1:", "0123456789"},
	} {
		text = numbered(text, form.prefix, form.letters, seen)
	}
	return text
}

// numbered replaces each prefix and the letters after it by its number.
func numbered(text, prefix, letters string, seen map[string]string) string {
	if !strings.Contains(text, prefix) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, prefix)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(prefix)
		for end < len(text) && strings.IndexByte(letters, text[end]) >= 0 {
			end++
		}
		b.WriteString(text[:i])
		word := text[i:end]
		if end-i < len(prefix)+4 { // an ordinary word
			b.WriteString(word)
		} else {
			if seen[word] == "" {
				seen[word] = "⟨" + strings.Trim(prefix, "_-/:") + strconv.Itoa(len(seen)+1) + "⟩"
			}
			b.WriteString(seen[word])
		}
		text = text[end:]
	}
}

// judged are the requirements that some run of a suite judges.
func judged(runs []trial.Run) map[string]bool {
	out := map[string]bool{}
	for _, r := range runs {
		for _, id := range r.Requirements {
			out[id] = true
		}
	}
	return out
}

// keep remembers what a run showed without a fault.
func (c *contract) keep(i int, ev oracles.Evidence) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base[i] = ev
}

// finds reports whether an edit finds a place in the requests that run i sent
// without it. It looks without driving: where it finds none, driving shows
// nothing.
func (c *contract) finds(i int, edit trial.Edit) bool {
	c.mu.Lock()
	ev, ok := c.base[i]
	c.mu.Unlock()
	if !ok {
		return true
	}
	// A request holds those before it to the same API: the last ones tell.
	var earlier []fakeserver.Exchange
	last := map[string]int{}
	for _, r := range ev.Runs {
		for _, x := range r.Exchanges {
			last[x.Endpoint] = len(earlier)
			earlier = append(earlier, x)
		}
	}
	for _, i := range last {
		x := earlier[i]
		in := fakeserver.Incoming{Method: x.Method, Path: x.Path, Query: x.Query, Body: x.Body, Earlier: earlier[:i]}
		out := edit(in)
		if out.Body != in.Body || out.Path != in.Path || out.Query != in.Query {
			return true
		}
	}
	return false
}

// replayed is what run i showed without a fault, with an edit applied to its
// requests; false where the edit changes more than bodies.
func (c *contract) replayed(i int, edit trial.Edit) (oracles.Evidence, bool) {
	c.mu.Lock()
	ev := c.base[i]
	c.mu.Unlock()
	ev.Runs = slices.Clone(ev.Runs)
	var earlier []fakeserver.Exchange
	for k := range ev.Runs {
		r := &ev.Runs[k]
		r.Exchanges = slices.Clone(r.Exchanges)
		for j := range r.Exchanges {
			x := &r.Exchanges[j]
			in := fakeserver.Incoming{Method: x.Method, Path: x.Path, Query: x.Query, Body: x.Body, Earlier: earlier}
			out := edit(in)
			if out.Path != in.Path || out.Query != in.Query {
				return ev, false
			}
			x.Body = out.Body
			earlier = append(earlier, *x)
		}
	}
	return ev, true
}
