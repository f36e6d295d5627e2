package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/replaycheck/adapters/agent"
	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/oracles"
)

// soakVariable says how many kills the test makes at least on each engine;
// without it they are a dozen, one at each of a dozen points.
const soakVariable = "REPLAYCHECK_SOAK"

// soak is what one engine's kills came to.
type soak struct {
	mu               sync.Mutex
	kills, processes int
	interrupted      int // calls that were answered as interrupted
	repeated         int // requests that were sent again
	searched         int // bytes in which no secret was found
	at               map[string]int
}

// Processes of the driver kill themselves at every point of an agent run, and
// others go on with it: no run is lost, no call runs twice, no secret can be
// read, on every engine that there is. make soak runs it with 200 kills each.
func TestSoak(t *testing.T) {
	want := 12
	if text := os.Getenv(soakVariable); text != "" {
		var err error
		if want, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", soakVariable, err)
		}
	}
	sc := killed(t)
	for _, engine := range []string{scenario.SQLite, scenario.Postgres} {
		t.Run(engine, func(t *testing.T) {
			dsn := os.Getenv(postgresVariable)
			if engine == scenario.Postgres && dsn == "" {
				t.Skip("not run: " + postgresVariable + " names no PostgreSQL server")
			}
			s := soak{at: map[string]int{}}
			begun := time.Now()
			s.run(t, sc, engine, dsn, want)
			t.Logf("%s: %d kills at %d of %d points, %d processes, %.0f s: no run lost, %d calls interrupted and none run twice, %d requests repeated, no secret in %d MB",
				engine, s.kills, len(s.at), len(agent.Points()), s.processes, time.Since(begun).Seconds(), s.interrupted, s.repeated, s.searched>>20)
			if s.kills < want {
				t.Errorf("got %d kills, want %d", s.kills, want)
			}
			if os.Getenv(soakVariable) == "" {
				return
			}
			for _, point := range agent.Points() {
				if s.at[point] == 0 {
					t.Errorf("nobody died at %s", point)
				}
			}
		})
	}
}

func killed(t *testing.T) *fixtures.Scenario {
	t.Helper()
	all, err := fixtures.All()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(sc *fixtures.Scenario) bool { return sc.ID == "agent/killed" })
	return all[i]
}

// places are the points with their counts, in an order in which any dozen of
// them goes over the run: 5 is more often than any of them comes in a process.
func places() []string {
	var out []string
	for nth := 1; nth <= 5; nth++ {
		for _, point := range agent.Points() {
			out = append(out, fmt.Sprintf("%s:%d", point, nth))
		}
	}
	return out
}

func (s *soak) run(t *testing.T, sc *fixtures.Scenario, engine, dsn string, want int) {
	t.Helper()
	driver, err := exec.LookPath("replaycheck")
	if err != nil {
		t.Fatal(err)
	}
	server, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	desc, err := reference.New().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list := places()
	if want <= len(agent.Points()) { // of the first round those where the run is at its most delicate
		list = []string{
			"after-create:1", "before-request:1", "after-reply:2", "before-save:1", "after-suspend:1", "in-claim:1", "after-claim:1",
			"after-call-start:1", "after-call:2", "after-call-end:2", "before-finish:1", "after-finish:1",
		}
	}
	dead := map[string]bool{} // where nobody comes
	for s.kills < want {
		before := s.kills
		var wg sync.WaitGroup
		room := make(chan struct{}, 3)
		for _, place := range list {
			if dead[place] {
				continue
			}
			wg.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				s.mu.Lock()
				enough := s.kills >= want
				s.mu.Unlock()
				if enough {
					return
				}
				d := &scenario.Driver{
					Server: server, Postgres: dsn, Crash: place, Deadline: 2 * time.Minute,
					Open: func() (subject.Subject, error) {
						return subject.Process([]string{driver, "driver"}, subject.ProcessOptions{Pass: []string{"GORACE=atexit_sleep_ms=0"}}), nil
					},
				}
				ev, err := d.Drive(t.Context(), sc, scenario.Mode{Stored: true}, scenario.Variant(engine, ""), desc)
				if err != nil {
					t.Error(err)
					return
				}
				if died := s.judge(t, place, ev); !died {
					s.mu.Lock()
					dead[place] = true
					s.mu.Unlock()
				}
			})
		}
		wg.Wait()
		if s.kills == before || t.Failed() {
			return
		}
	}
}

// judge asks the oracles of a conversation in which somebody died, and counts.
func (s *soak) judge(t *testing.T, place string, ev scenario.Evidence) bool {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	died := slices.ContainsFunc(ev.Runs, func(r scenario.Run) bool { return r.Agent.Died })
	s.processes += len(ev.Runs)
	if died {
		s.kills++
		point, _, _ := strings.Cut(place, ":")
		s.at[point]++
	}
	v, err := oracles.NewView(ev)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range oracles.All() {
		if !died && o.ID == "STATE-06" || !o.Scope(v) {
			continue
		}
		for _, f := range o.Check(v) {
			t.Errorf("%s: %s: %s: %s, want %s, got %s", place, o.ID, f.Change, f.Where, f.Want, f.Got)
		}
	}
	steps := map[int]bool{}
	for _, run := range ev.Runs {
		for _, x := range run.Exchanges {
			if steps[x.Step] {
				s.repeated++
			}
			steps[x.Step] = true
		}
	}
	if last := ev.Runs[len(ev.Runs)-1]; len(last.Exchanges) > 0 {
		s.interrupted += strings.Count(last.Exchanges[len(last.Exchanges)-1].Body, `{"error":"interrupted"}`)
	}
	for _, a := range ev.Artifacts {
		s.searched += len(a.Bytes)
	}
	return died
}
