package runstore_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore"
	"example.com/replaycheck/adapters/runstore/runstoretest"
)

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestARunFromBeginToEnd(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			ctx := t.Context()
			s := open(t, dsn)
			want := suspended("r1", "user:1")
			_, err := s.Create(ctx, want)
			must(t, err)

			s = open(t, dsn) // another holder of the same database
			run, err := s.Look(ctx, "r1", "user:1")
			must(t, err)
			want.Fence, want.Begun = 1, map[int]*string{}
			if d := cmp.Diff(want, run); d != "" {
				t.Errorf("run (-want +got):\n%s", d)
			}

			run, err = s.Claim(ctx, "r1", "user:1", chat.RunWaiting, func(r *chat.Run) error { r.Approved = true; return nil })
			must(t, err)
			if run.Fence != 2 || run.Status != chat.RunRunning || !run.Approved {
				t.Errorf("got fence %d, status %s, approved %v, want 2, running, true", run.Fence, run.Status, run.Approved)
			}
			must(t, s.StartCall(ctx, run, 1))
			wantErr(t, s.StartCall(ctx, run, 1), chat.ErrRunStale)
			must(t, s.EndCall(ctx, run, 1, "result \xff"))
			must(t, s.StartCall(ctx, run, 0))

			taken, err := s.Claim(ctx, "r1", "user:1", chat.RunRunning, accept)
			must(t, err)
			if taken.Fence != 3 || !taken.Approved {
				t.Errorf("got fence %d, approved %v, want 3, true", taken.Fence, taken.Approved)
			}
			if d := cmp.Diff(map[int]*string{0: nil, 1: new("result \xff")}, taken.Begun); d != "" {
				t.Errorf("begun calls (-want +got):\n%s", d)
			}
			wantErr(t, s.EndCall(ctx, taken, 0, "late"), chat.ErrRunStale) // begun by another

			taken.Steps++
			taken.Pending, taken.Transcript, taken.Status = nil, "next", chat.RunRunning
			must(t, s.Save(ctx, taken))
			run, err = s.Look(ctx, "r1", "user:1")
			must(t, err)
			if run.Steps != 3 || len(run.Begun) != 0 || run.Transcript != "next" {
				t.Errorf("got %+v, want step 3 without calls", run)
			}
			must(t, s.Finish(ctx, taken))
			run, err = s.Look(ctx, "r1", "user:1")
			must(t, err)
			if d := cmp.Diff(chat.Run{ID: "r1", Actor: "user:1", Status: chat.RunFinished, Fence: 3, Begun: map[int]*string{}}, run); d != "" {
				t.Errorf("finished run (-want +got):\n%s", d)
			}
			db := runstoretest.DB(t, dsn)
			var left int
			must(t, db.QueryRowContext(ctx, `SELECT count(*) FROM agent_run WHERE sealed IS NOT NULL OR digest IS NOT NULL`).Scan(&left))
			var calls int
			must(t, db.QueryRowContext(ctx, `SELECT count(*) FROM agent_call`).Scan(&calls))
			if left != 0 || calls != 0 {
				t.Errorf("got %d states and %d calls left, want none", left, calls)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			ctx := t.Context()
			s := openWith(t, dsn, runstore.Options{Keys: keys(t, 'k'), MaxState: 5000})
			for _, id := range []string{"waits", "runs", "done"} {
				_, err := s.Create(ctx, suspended(id, "user:1"))
				must(t, err)
			}
			_, err := s.Claim(ctx, "runs", "user:1", chat.RunWaiting, accept)
			must(t, err)
			done, err := s.Claim(ctx, "done", "user:1", chat.RunWaiting, accept)
			must(t, err)
			must(t, s.Finish(ctx, done))
			refusal := errors.New("no")
			for _, row := range []struct {
				name, id, actor string
				from            chat.RunStatus
				decide          func(*chat.Run) error
				want            error
			}{
				{"no such run", "other", "user:1", chat.RunWaiting, accept, chat.ErrRunNotFound},
				{"another actor", "waits", "user:2", chat.RunWaiting, accept, chat.ErrRunActor},
				{"another actor learns no status", "done", "user:2", chat.RunWaiting, accept, chat.ErrRunActor},
				{"claimed already", "runs", "user:1", chat.RunWaiting, accept, chat.ErrRunDecided},
				{"finished", "done", "user:1", chat.RunWaiting, accept, chat.ErrRunDecided},
				{"resume of a waiting run", "waits", "user:1", chat.RunRunning, accept, chat.ErrRunWaiting},
				{"resume of a finished run", "done", "user:1", chat.RunRunning, accept, chat.ErrRunFinished},
				{"refused by the caller", "waits", "user:1", chat.RunWaiting, func(r *chat.Run) error { r.Steps = 77; return refusal }, refusal},
				{"refused for its size", "waits", "user:1", chat.RunWaiting, func(r *chat.Run) error {
					r.Transcript = strings.Repeat("x", 5000)
					return nil
				}, chat.ErrRunTooLarge},
			} {
				t.Run(row.name, func(t *testing.T) {
					before := rows(t, dsn)
					_, err := s.Claim(ctx, row.id, row.actor, row.from, row.decide)
					wantErr(t, err, row.want)
					if err.Error() != row.want.Error() { // the messages are constant
						t.Errorf("got message %q, want %q", err, row.want)
					}
					if d := cmp.Diff(before, rows(t, dsn)); d != "" {
						t.Errorf("the rows changed:\n%s", d)
					}
				})
			}
			t.Run("taken", func(t *testing.T) {
				_, err := s.Create(ctx, suspended("waits", "user:2"))
				wantErr(t, err, chat.ErrRunExists)
			})
			t.Run("too large", func(t *testing.T) {
				small := openWith(t, dsn, runstore.Options{Keys: keys(t, 'k'), MaxState: 300})
				large := suspended("large", "user:1")
				large.Transcript = strings.Repeat("x", 300)
				_, err := small.Create(ctx, large)
				wantErr(t, err, chat.ErrRunTooLarge)
				large.Transcript = ""
				run, err := small.Create(ctx, large)
				must(t, err)
				wantErr(t, small.EndCall(ctx, run, 0, strings.Repeat("x", 300)), chat.ErrRunTooLarge)
			})
			for _, name := range []string{"", "a\x00b", "\xff", strings.Repeat("n", 257)} {
				_, err := s.Create(ctx, suspended(name, "user:1"))
				if _, ok := errors.AsType[*chat.ConfigError](err); !ok {
					t.Errorf("run ID %q: got %v, want a *chat.ConfigError", name, err)
				}
				_, err = s.Create(ctx, suspended("r", name))
				if _, ok := errors.AsType[*chat.ConfigError](err); !ok {
					t.Errorf("actor %q: got %v, want a *chat.ConfigError", name, err)
				}
			}
		})
	}
}

// A holder whose run was taken over, finished or purged writes nothing more.
func TestStaleWritesFail(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			ctx := t.Context()
			s := open(t, dsn)
			_, err := s.Create(ctx, suspended("r1", "user:1"))
			must(t, err)
			old, err := s.Claim(ctx, "r1", "user:1", chat.RunWaiting, accept)
			must(t, err)
			must(t, s.StartCall(ctx, old, 0))
			held, err := s.Claim(ctx, "r1", "user:1", chat.RunRunning, accept)
			must(t, err)
			stale := func(what string) {
				t.Helper()
				before := rows(t, dsn)
				for name, err := range map[string]error{
					"save": s.Save(ctx, old), "start": s.StartCall(ctx, old, 1), "end": s.EndCall(ctx, old, 0, "x"), "finish": s.Finish(ctx, old),
				} {
					if !errors.Is(err, chat.ErrRunStale) {
						t.Errorf("%s, %s: got %v, want %v", what, name, err, chat.ErrRunStale)
					}
				}
				if d := cmp.Diff(before, rows(t, dsn)); d != "" {
					t.Errorf("%s: the rows changed:\n%s", what, d)
				}
			}
			stale("taken over")
			held.Status = chat.RunWaiting
			must(t, s.Save(ctx, held))
			old = held
			stale("suspended")
			held, err = s.Claim(ctx, "r1", "user:1", chat.RunWaiting, accept)
			must(t, err)
			must(t, s.Finish(ctx, held))
			old = held
			stale("finished")
			n, err := s.Purge(ctx, -time.Hour)
			must(t, err)
			if n != 1 {
				t.Errorf("got %d runs purged, want 1", n)
			}
			stale("purged")
		})
	}
}

func TestPurgeByAge(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			ctx := t.Context()
			now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
			s := openWith(t, dsn, runstore.Options{Keys: keys(t, 'k'), Now: func() time.Time { return now }})
			_, err := s.Create(ctx, suspended("old", "user:1"))
			must(t, err)
			run, err := s.Claim(ctx, "old", "user:1", chat.RunWaiting, accept)
			must(t, err)
			must(t, s.StartCall(ctx, run, 0))
			now = now.Add(48 * time.Hour)
			_, err = s.Create(ctx, suspended("new", "user:1"))
			must(t, err)
			n, err := s.Purge(ctx, 24*time.Hour)
			must(t, err)
			if n != 1 {
				t.Errorf("got %d runs purged, want 1", n)
			}
			_, err = s.Look(ctx, "old", "user:1")
			wantErr(t, err, chat.ErrRunNotFound)
			_, err = s.Look(ctx, "new", "user:1")
			must(t, err)
			if got := rows(t, dsn); len(got) != 1 {
				t.Errorf("got rows %q, want one", got)
			}
		})
	}
}

func TestTwentyApprovalsAndOneWins(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			s := open(t, dsn)
			_, err := s.Create(t.Context(), suspended("r1", "user:1"))
			must(t, err)
			var mu sync.Mutex
			var won, decided int
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					_, err := s.Claim(t.Context(), "r1", "user:1", chat.RunWaiting, accept)
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						won++
					case errors.Is(err, chat.ErrRunDecided):
						decided++
					default:
						t.Error(err)
					}
				})
			}
			all.Wait()
			if won != 1 || decided != 19 {
				t.Errorf("got %d approvals and %d refusals, want 1 and 19", won, decided)
			}
		})
	}
}

func TestCancelledContext(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			s := open(t, dsn)
			run, err := s.Create(t.Context(), suspended("r1", "user:1"))
			must(t, err)
			before := rows(t, dsn)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = s.Claim(ctx, "r1", "user:1", chat.RunWaiting, accept)
			wantErr(t, err, context.Canceled)
			wantErr(t, s.Save(ctx, run), context.Canceled)
			_, err = s.Look(ctx, "r1", "user:1")
			wantErr(t, err, context.Canceled)
			during, cancel := context.WithCancel(t.Context())
			_, err = s.Claim(during, "r1", "user:1", chat.RunWaiting, func(*chat.Run) error { cancel(); return nil })
			wantErr(t, err, context.Canceled)
			if d := cmp.Diff(before, rows(t, dsn)); d != "" {
				t.Errorf("the rows changed:\n%s", d)
			}
		})
	}
}
