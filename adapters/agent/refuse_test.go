package agent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/agent"
	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore"
	"example.com/replaycheck/adapters/runstore/runstoretest"
)

// rows returns what the database holds of runs, times apart.
func rows(t *testing.T, dsn string) []string {
	t.Helper()
	db := runstoretest.DB(t, dsn)
	defer db.Close()
	found, err := db.QueryContext(t.Context(), `SELECT run_id, status, fence, coalesce(digest, 'none'), owner, coalesce(sealed, owner) FROM agent_run ORDER BY run_id`)
	must(t, err)
	defer found.Close()
	var out []string
	for found.Next() {
		var id, status, digest string
		var fence int64
		var owner, sealed []byte
		must(t, found.Scan(&id, &status, &fence, &digest, &owner, &sealed))
		out = append(out, fmt.Sprintf("%s %s %d %s %x %x", id, status, fence, digest, owner, sealed))
	}
	must(t, found.Err())
	return out
}

// After each refusal no tool has run, nothing was sent, and what is stored is
// as it was (STATE-04).
func TestRefusals(t *testing.T) {
	malformed := &chat.ConfigError{Message: chat.ReplayMessage}
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			s := open(t, dsn)
			first := newAgent(t, agent.Config{Model: &model{replies: twoSteps()}, Store: s, Tools: (&tools{}).offered()})
			waiting, err := first.Start(t.Context(), "waits", "user:1", user("Go"))
			must(t, err)
			broken := newAgent(t, agent.Config{Model: &model{replies: twoSteps()[:1]}, Store: s, Tools: (&tools{}).offered()})
			if _, err := broken.Start(t.Context(), "runs", "user:1", user("Go")); err == nil {
				t.Fatal("got no error of the model")
			}
			other, err := first.Start(t.Context(), "other", "user:1", user("Go"))
			must(t, err)
			if other.Digest == waiting.Digest {
				t.Error("two runs have one digest")
			}
			type agents = func(*agent.Agent) (agent.Outcome, error)
			approve := func(id, actor, digest string) agents {
				return func(a *agent.Agent) (agent.Outcome, error) { return a.Approve(t.Context(), id, actor, digest) }
			}
			for _, row := range []struct {
				name string
				edit func(*agent.Config)
				do   agents
				want error
			}{
				{"no such run", nil, approve("none", "user:1", waiting.Digest), chat.ErrRunNotFound},
				{"another actor", nil, approve("waits", "user:2", waiting.Digest), chat.ErrRunActor},
				{"no digest", nil, approve("waits", "user:1", ""), chat.ErrRunDigest},
				{"another run's digest", nil, approve("waits", "user:1", other.Digest), chat.ErrRunDigest},
				{"running", nil, approve("runs", "user:1", waiting.Digest), chat.ErrRunDecided},
				{"a tool not offered", func(c *agent.Config) { c.Tools = c.Tools[:1] }, approve("waits", "user:1", waiting.Digest), chat.ErrRunNotOffered},
				{"budget spent", func(c *agent.Config) { c.MaxSteps = 2 }, approve("waits", "user:1", waiting.Digest), chat.ErrRunBudget},
				{"tokens spent", func(c *agent.Config) { c.MaxTokens = 20 }, approve("waits", "user:1", waiting.Digest), chat.ErrRunBudget},
				{"state that the adapter refuses", nil, approve("waits", "user:1", waiting.Digest), malformed},
				{"rejection by another actor", nil, func(a *agent.Agent) (agent.Outcome, error) {
					return a.Reject(t.Context(), "waits", "user:2", waiting.Digest)
				}, chat.ErrRunActor},
				{"rejection that nobody could tell", func(c *agent.Config) { c.MaxSteps = 2 }, func(a *agent.Agent) (agent.Outcome, error) {
					return a.Reject(t.Context(), "waits", "user:1", waiting.Digest)
				}, chat.ErrRunBudget},
				{"resume by another actor", nil, func(a *agent.Agent) (agent.Outcome, error) {
					return a.Resume(t.Context(), "runs", "user:2")
				}, chat.ErrRunActor},
				{"resume with a budget spent", func(c *agent.Config) { c.MaxSteps = 1 }, func(a *agent.Agent) (agent.Outcome, error) {
					return a.Resume(t.Context(), "runs", "user:1")
				}, chat.ErrRunBudget},
				{"resume without the tool", func(c *agent.Config) { c.Tools = c.Tools[1:] }, func(a *agent.Agent) (agent.Outcome, error) {
					return a.Resume(t.Context(), "runs", "user:1")
				}, chat.ErrRunNotOffered},
				{"start of a run that exists", nil, func(a *agent.Agent) (agent.Outcome, error) {
					return a.Start(t.Context(), "waits", "user:1", user("Go"))
				}, chat.ErrRunExists},
				{"start without budget", func(c *agent.Config) { c.MaxSteps = -1 }, func(a *agent.Agent) (agent.Outcome, error) {
					return a.Start(t.Context(), "new", "user:1", user("Go"))
				}, chat.ErrRunBudget},
				{"start with state that the adapter refuses", nil, func(a *agent.Agent) (agent.Outcome, error) {
					return a.Start(t.Context(), "new", "user:1", user("Go"))
				}, malformed},
				{"look by another actor", nil, func(a *agent.Agent) (agent.Outcome, error) {
					return a.Look(t.Context(), "waits", "user:2")
				}, chat.ErrRunActor},
			} {
				t.Run(row.name, func(t *testing.T) {
					m, ran := &model{replies: twoSteps()}, &tools{}
					cfg := agent.Config{Model: m, Store: open(t, dsn), Tools: ran.offered()}
					if row.edit != nil {
						row.edit(&cfg)
					}
					if errors.Is(row.want, malformed) {
						m.check = malformed
					}
					before := rows(t, dsn)
					out, err := row.do(newAgent(t, cfg))
					wantErr(t, err, row.want)
					if out.Status != "" || ran.count() != 0 || m.requests() != 0 {
						t.Errorf("got status %q, %d tool runs and %d requests, want none", out.Status, ran.count(), m.requests())
					}
					if d := cmp.Diff(before, rows(t, dsn)); d != "" {
						t.Errorf("the rows changed:\n%s", d)
					}
				})
			}
			// All of that left the run as it was.
			_, err = first.Approve(t.Context(), "waits", "user:1", waiting.Digest)
			must(t, err)
		})
	}
}

func TestStartWantsAConversationThatWaits(t *testing.T) {
	a := newAgent(t, agent.Config{Model: &model{}, Store: open(t, runstoretest.SQLite(t))})
	for name, messages := range map[string][]chat.Message{
		"none": nil, "system only": {{Role: chat.System, Content: "S"}}, "answered": append(user("Hi"), chat.Message{Role: chat.Assistant, Content: "Hi"}),
	} {
		_, err := a.Start(t.Context(), "r1", "user:1", messages)
		if _, ok := errors.AsType[*chat.ConfigError](err); !ok {
			t.Errorf("%s: got %v, want a *chat.ConfigError", name, err)
		}
	}
}

// A budget counts over all processes of a run, and a call of a tool that nobody
// offers ends the attempt before any call of its turn runs. Both can go on when
// that has changed.
func TestLimitsInMidRun(t *testing.T) {
	for name, row := range map[string]struct {
		replies []chat.Completion
		edit    func(*agent.Config)
		want    error
		ran     int
	}{
		"steps":       {[]chat.Completion{calls(`look a {}`), calls(`look b {}`), answer("Done")}, func(c *agent.Config) { c.MaxSteps = 2 }, chat.ErrRunBudget, 1},
		"tokens":      {[]chat.Completion{calls(`look a {}`), calls(`look b {}`), answer("Done")}, func(c *agent.Config) { c.MaxTokens = 15 }, chat.ErrRunBudget, 1},
		"not offered": {[]chat.Completion{calls(`look a {}`), calls(`look b {}`, `pay c {}`), answer("Done")}, func(c *agent.Config) { c.Tools = c.Tools[:1] }, chat.ErrRunNotOffered, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dsn := runstoretest.SQLite(t)
			ran := &tools{}
			cfg := agent.Config{Model: &model{replies: row.replies}, Store: open(t, dsn), Tools: ran.offered()}
			free := cfg
			row.edit(&cfg)
			_, err := newAgent(t, cfg).Start(t.Context(), "r1", "user:1", user("Go"))
			wantErr(t, err, row.want)
			_, err = newAgent(t, cfg).Resume(t.Context(), "r1", "user:1")
			wantErr(t, err, row.want)
			if ran.count() != row.ran {
				t.Errorf("got %d tool runs, want %d", ran.count(), row.ran)
			}
			out, err := newAgent(t, free).Resume(t.Context(), "r1", "user:1")
			must(t, err)
			if out.Status == chat.RunWaiting {
				out, err = newAgent(t, free).Approve(t.Context(), "r1", "user:1", out.Digest)
				must(t, err)
			}
			if out.Status != chat.RunFinished || out.Steps != 3 {
				t.Errorf("got %+v, want a finished run of 3 steps", out)
			}
		})
	}
}

// Who flips the status in the database gains nothing: that the calls were
// approved is part of the sealed state.
func TestAFlippedStatusApprovesNothing(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			m, ran := &model{replies: twoSteps()[1:]}, &tools{}
			a := newAgent(t, agent.Config{Model: m, Store: open(t, dsn), Tools: ran.offered()})
			out, err := a.Start(t.Context(), "r1", "user:1", user("Go"))
			must(t, err)
			_, err = runstoretest.DB(t, dsn).ExecContext(t.Context(), `UPDATE agent_run SET status = 'running'`)
			must(t, err)
			again, err := a.Resume(t.Context(), "r1", "user:1")
			must(t, err)
			if again.Status != chat.RunWaiting || again.Digest != out.Digest || ran.count() != 0 || m.requests() != 1 {
				t.Errorf("got %+v, %d tool runs, want a run that waits as before", again, ran.count())
			}
		})
	}
}

// What is sealed has to fit together: people approve what would run.
func TestPendingCallsAreThoseOfTheTranscript(t *testing.T) {
	dsn := runstoretest.SQLite(t)
	s := open(t, dsn)
	ran := &tools{}
	a := newAgent(t, agent.Config{Model: &model{replies: twoSteps()}, Store: s, Tools: ran.offered()})
	run := chat.Run{
		ID: "r1", Actor: "user:1", Status: chat.RunWaiting, Pending: []chat.ToolCall{{ID: "c", Name: "look", Arguments: "{}"}},
		Transcript: `{"schema":"nrllm/v1","messages":[{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"pay","arguments":"{}"}}]}]}`,
	}
	_, err := s.Create(t.Context(), run)
	must(t, err)
	_, err = a.Approve(t.Context(), "r1", "user:1", run.Digest())
	wantErr(t, err, chat.ErrRunSealed)
}

// A holder whose run is taken over while its tool is at work stops at its next
// write: it sends nothing more, and no call runs twice.
func TestAStaleHolderStops(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			m, ran := &model{replies: []chat.Completion{calls(`look a {}`, `look b {}`), answer("Done")}}, &tools{}
			var taken agent.Outcome
			next := newAgent(t, agent.Config{Model: m, Store: open(t, dsn), Tools: ran.offered()})
			takeover := agent.Func(func(ctx context.Context, call chat.ToolCall) (string, error) {
				if call.ID == "b" {
					<-ctx.Done() // not before the first call has failed
					return "", ctx.Err()
				}
				var err error
				if taken, err = next.Resume(context.WithoutCancel(ctx), "r1", "user:1"); err != nil {
					return "", agent.Abort(err)
				}
				return "late", nil
			})
			s := &gate{Store: open(t, dsn), begun: make(chan struct{})}
			_, err := newAgent(t, agent.Config{Model: m, Store: s, Tools: []agent.Tool{{ToolSpec: chat.ToolSpec{Name: "look"}, Begin: func(call chat.ToolCall) func(context.Context) (string, error) {
				return func(ctx context.Context) (string, error) {
					<-s.begun
					return takeover(call)(ctx)
				}
			}}}}).Start(t.Context(), "r1", "user:1", user("Go"))
			wantErr(t, err, chat.ErrRunStale)
			if taken.Status != chat.RunFinished || results(taken.Messages) != `a={"error":"interrupted"} b={"error":"interrupted"}` {
				t.Errorf("got %+v, want a finished run whose calls were interrupted", taken)
			}
			if ran.count() != 0 || m.requests() != 2 {
				t.Errorf("got %d tool runs and %d requests, want 0 and 2", ran.count(), m.requests())
			}
		})
	}
}

// gate says when the second call has begun.
type gate struct {
	*runstore.Store
	begun chan struct{}
}

func (g *gate) StartCall(ctx context.Context, run chat.Run, position int) error {
	err := g.Store.StartCall(ctx, run, position)
	if position == 1 {
		close(g.begun)
	}
	return err
}
