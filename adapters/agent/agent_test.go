package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/agent"
	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore"
	"example.com/replaycheck/adapters/runstore/runstoretest"
)

// twoSteps are two calls that run at once, one that needs approval, the answer.
func twoSteps() []chat.Completion {
	return []chat.Completion{calls(`look call_1 {"n":1}`, `look call_2 {"n":1}`), calls(`pay call_3 {"eur":7}`), answer("Done")}
}

func TestSuspendHereApproveThere(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			m, ran := &model{replies: twoSteps()}, &tools{}
			out, err := newAgent(t, agent.Config{Model: m, Store: open(t, dsn), Tools: ran.offered()}).Start(t.Context(), "r1", "user:1", user("Go"))
			must(t, err)
			// SHA-256 of ["r1","user:1",[["call_3","pay","{\"eur\":7}"]]], computed by hand.
			const digest = "sha256:89ee55e7e22508e52efee62798651e162fb2eecb946d33dfc588fa346c0296dd"
			if out.Status != chat.RunWaiting || out.Steps != 2 || out.Digest != digest || len(out.Pending) != 1 {
				t.Fatalf("got %+v, want a run that waits after 2 steps with digest %s", out, digest)
			}
			if ran.count() != 2 || m.requests() != 2 {
				t.Fatalf("got %d tool runs and %d requests, want 2 and 2", ran.count(), m.requests())
			}

			m2, ran2 := &model{replies: twoSteps()}, &tools{}
			there := newAgent(t, agent.Config{Model: m2, Store: open(t, dsn), Tools: ran2.offered()})
			looked, err := there.Look(t.Context(), "r1", "user:1")
			must(t, err)
			if d := cmp.Diff(out, looked); d != "" {
				t.Errorf("looked at (-want +got):\n%s", d)
			}
			resumed, err := there.Resume(t.Context(), "r1", "user:1")
			must(t, err)
			if d := cmp.Diff(out, resumed); d != "" {
				t.Errorf("resume of a waiting run (-want +got):\n%s", d)
			}
			done, err := there.Approve(t.Context(), "r1", "user:1", digest)
			must(t, err)
			if done.Status != chat.RunFinished || done.Steps != 3 || done.Answer == nil || done.Answer.Content != "Done" {
				t.Errorf("got %+v, want a finished run", done)
			}
			if d := cmp.Diff([]string{"call_3"}, ran2.ran); d != "" || m2.requests() != 1 {
				t.Errorf("got %d requests, runs (-want +got):\n%s", m2.requests(), d)
			}
			if got := results(done.Messages); got != `call_1={"of":"call_1"} call_2={"of":"call_2"} call_3={"of":"call_3"}` {
				t.Errorf("got results %s", got)
			}
			// What the model sees next holds the carriers as they came.
			for i, want := range []string{string(m.replies[0].Metadata[chat.ItemsKey]), string(m.replies[1].Metadata[chat.ItemsKey])} {
				var turns []chat.Message
				for _, message := range m2.asked[0] {
					if message.Role == chat.Assistant {
						turns = append(turns, message)
					}
				}
				if string(turns[i].ProviderItems) != want {
					t.Errorf("turn %d: got carrier %s, want %s", i+1, turns[i].ProviderItems, want)
				}
			}
			again, err := there.Resume(t.Context(), "r1", "user:1")
			must(t, err)
			if again.Status != chat.RunFinished || again.Answer != nil || m2.requests() != 1 {
				t.Errorf("got %+v, want a finished run and no request", again)
			}
		})
	}
}

func TestARunWithoutApprovalsFinishesAtOnce(t *testing.T) {
	m, ran := &model{replies: []chat.Completion{calls(`look a {}`), calls(`look b {}`), answer("Done")}}, &tools{}
	out, err := newAgent(t, agent.Config{Model: m, Store: open(t, runstoretest.SQLite(t)), Tools: ran.offered()}).Start(t.Context(), "", "user:1", user("Go"))
	must(t, err)
	if out.Status != chat.RunFinished || out.Steps != 3 || !strings.HasPrefix(out.RunID, "run_") || len(out.RunID) < 20 {
		t.Errorf("got %+v, want a finished run with a random ID", out)
	}
}

// The calls of a turn run side by side: the first can wait for the second. The
// results keep the order of the calls.
func TestCallsRunSideBySide(t *testing.T) {
	second := make(chan struct{})
	var begun []string
	begin := func(call chat.ToolCall) func(context.Context) (string, error) {
		begun = append(begun, call.ID)
		return func(ctx context.Context) (string, error) {
			if call.ID == "b" {
				close(second)
				return "of b", nil
			}
			select {
			case <-second:
				return "of " + call.ID, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
	}
	m := &model{replies: []chat.Completion{calls(`look a {}`, `look b {}`, `look c {}`), answer("Done")}}
	out, err := newAgent(t, agent.Config{Model: m, Store: open(t, runstoretest.SQLite(t)), Tools: []agent.Tool{{ToolSpec: chat.ToolSpec{Name: "look"}, Begin: begin}}}).
		Start(t.Context(), "r1", "user:1", user("Go"))
	must(t, err)
	if got := results(out.Messages); got != "a=of a b=of b c=of c" {
		t.Errorf("got results %s", got)
	}
	if d := cmp.Diff([]string{"a", "b", "c"}, begun); d != "" {
		t.Errorf("begun (-want +got):\n%s", d)
	}
}

func TestToolErrorsAreTold(t *testing.T) {
	fail := agent.Func(func(context.Context, chat.ToolCall) (string, error) { return "", errors.New(`no <such> "city"`) })
	m := &model{replies: []chat.Completion{calls(`look a {}`), answer("Sorry")}}
	out, err := newAgent(t, agent.Config{Model: m, Store: open(t, runstoretest.SQLite(t)), Tools: []agent.Tool{{ToolSpec: chat.ToolSpec{Name: "look"}, Begin: fail}}}).
		Start(t.Context(), "r1", "user:1", user("Go"))
	must(t, err)
	if got, want := results(out.Messages), `a={"error":"no <such> \"city\""}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAbortAndCancelEndTheAttempt(t *testing.T) {
	broken := errors.New("broken")
	for name, row := range map[string]struct {
		fail func(cancel context.CancelFunc) error
		want error
	}{
		"abort":  {func(context.CancelFunc) error { return agent.Abort(broken) }, broken},
		"cancel": {func(cancel context.CancelFunc) error { cancel(); return context.Canceled }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			begin := func(call chat.ToolCall) func(context.Context) (string, error) {
				return func(ctx context.Context) (string, error) {
					if call.ID == "a" {
						return "", row.fail(cancel)
					}
					<-ctx.Done() // the other call ends the attempt
					return "late, but done", nil
				}
			}
			dsn := runstoretest.SQLite(t)
			m := &model{replies: []chat.Completion{calls(`look a {}`, `look b {}`), answer("Done")}}
			_, err := newAgent(t, agent.Config{Model: m, Store: open(t, dsn), Tools: []agent.Tool{{ToolSpec: chat.ToolSpec{Name: "look"}, Begin: begin}}}).
				Start(ctx, "r1", "user:1", user("Go"))
			wantErr(t, err, row.want)
			if m.requests() != 1 {
				t.Errorf("got %d requests, want 1", m.requests())
			}
			// The run goes on: what was begun is not run again. Whether the
			// second call had begun is a race, so either end is right.
			ran := &tools{}
			out, err := newAgent(t, agent.Config{Model: m, Store: open(t, dsn), Tools: ran.offered()}).Resume(t.Context(), "r1", "user:1")
			must(t, err)
			got := results(out.Messages)
			if out.Status != chat.RunFinished || got != `a={"error":"interrupted"} b=late, but done` && got != `a={"error":"interrupted"} b={"of":"b"}` {
				t.Errorf("got %+v, want the first call interrupted and the second one's result", out)
			}
		})
	}
}

func TestRejection(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			m, ran := &model{replies: []chat.Completion{calls(`look a {}`, `pay b {}`), answer("As you like")}}, &tools{}
			a := newAgent(t, agent.Config{Model: m, Store: open(t, dsn), Tools: ran.offered()})
			out, err := a.Start(t.Context(), "r1", "user:1", user("Go"))
			must(t, err)
			_, err = a.Reject(t.Context(), "r1", "user:1", "sha256:00")
			wantErr(t, err, chat.ErrRunDigest)

			// The process of the rejection fails before its request; whoever goes
			// on sees a rejection and no approval.
			m.onAsk = func() { m.replies = m.replies[:1] }
			_, err = a.Reject(t.Context(), "r1", "user:1", out.Digest)
			if err == nil {
				t.Error("got no error of the model")
			}
			_, err = a.Approve(t.Context(), "r1", "user:1", out.Digest)
			wantErr(t, err, chat.ErrRunDecided)
			next := &model{replies: []chat.Completion{{}, answer("As you like")}}
			done, err := newAgent(t, agent.Config{Model: next, Store: open(t, dsn), Tools: ran.offered()}).Resume(t.Context(), "r1", "user:1")
			must(t, err)
			if got := results(done.Messages); got != `a={"error":"rejected"} b={"error":"rejected"}` {
				t.Errorf("got results %s", got)
			}
			if done.Status != chat.RunFinished || ran.count() != 0 {
				t.Errorf("got status %s and %d tool runs, want finished and none", done.Status, ran.count())
			}
			if got := string(next.asked[0][1].ProviderItems); got != string(m.replies[0].Metadata[chat.ItemsKey]) {
				t.Errorf("got carrier %s, want the reply's", got)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	s := open(t, runstoretest.SQLite(t))
	tool := agent.Tool{ToolSpec: chat.ToolSpec{Name: "a"}, Begin: agent.Func(nil)}
	for name, cfg := range map[string]agent.Config{
		"nothing": {}, "no store": {Model: &model{}}, "no model": {Store: s},
		"a name twice": {Model: &model{}, Store: s, Tools: []agent.Tool{tool, tool}},
		"no name":      {Model: &model{}, Store: s, Tools: []agent.Tool{{Begin: tool.Begin}}},
		"no function":  {Model: &model{}, Store: s, Tools: []agent.Tool{{ToolSpec: tool.ToolSpec}}},
	} {
		if _, err := agent.New(cfg); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// The store is the one that the agent is written for.
var _ agent.Store = (*runstore.Store)(nil)
