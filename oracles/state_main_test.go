package oracles_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/oracles"
)

// driverVariable makes this test binary a driver of the reference adapters.
const driverVariable = "REPLAYCHECK_TEST_DRIVER"

func TestMain(m *testing.M) {
	if os.Getenv(driverVariable) == "" {
		os.Exit(m.Run())
	}
	sub := reference.Subject{At: dieAt(os.Getenv(subject.CrashVariable))}
	if err := subject.Serve(context.Background(), sub, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func dieAt(spec string) func(string) {
	point, count, _ := strings.Cut(spec, ":")
	nth, _ := strconv.ParseInt(count, 10, 64)
	var times atomic.Int64
	return func(at string) {
		if at == point && times.Add(1) == nth {
			if self, err := os.FindProcess(os.Getpid()); err == nil && self.Kill() == nil {
				select {}
			}
		}
	}
}

// newProcess returns the reference adapters in processes of their own.
func newProcess() (oracles.Subject, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return subject.Process([]string{self}, subject.ProcessOptions{Pass: []string{driverVariable + "=1", "GORACE=atexit_sleep_ms=0"}}), nil
}

// driveAgents plays every scenario about agent runs, on SQLite and, where there
// is a server, on PostgreSQL: the good evidence that the tests of STATE start
// from.
var driveAgents = sync.OnceValues(func() ([]driven, error) {
	all, err := fixtures.All()
	if err != nil {
		return nil, err
	}
	server, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	d := &scenario.Driver{Server: server, Open: newProcess, Postgres: os.Getenv("REPLAYCHECK_POSTGRES")}
	desc, err := reference.New().Describe(context.Background())
	if err != nil {
		return nil, err
	}
	engines := []string{scenario.SQLite}
	if d.Postgres != "" {
		engines = append(engines, scenario.Postgres)
	}
	var out []driven
	for _, sc := range all {
		for _, m := range []oracles.Mode{plainStored, streamStored} {
			if len(sc.Agent) == 0 || !sc.HasMode(m.Stream) {
				continue
			}
			for _, engine := range engines {
				for _, variant := range variantsOf(sc) {
					out = append(out, driven{cell: cell{sc.ID, m, scenario.Variant(engine, variant)}, ev: oracles.Evidence{Scenario: sc}})
				}
			}
		}
	}
	errs := make([]error, len(out))
	var wg sync.WaitGroup
	room := make(chan struct{}, 4)
	for i := range out {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			c := &out[i]
			c.ev, errs[i] = d.Drive(context.Background(), c.ev.Scenario, c.mode, c.variant, desc)
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
})

func variantsOf(sc *fixtures.Scenario) []string {
	if len(sc.Variants) == 0 {
		return []string{""}
	}
	return sc.Variants
}

func agentCells(t testing.TB) []driven {
	t.Helper()
	all, err := driveAgents()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("got no evidence, want some")
	}
	return all
}

// agentCopy returns evidence that shares nothing with ev that a test writes to.
func agentCopy(ev oracles.Evidence) oracles.Evidence {
	ev = copyOf(ev)
	ev.Artifacts = slices.Clone(ev.Artifacts)
	for i := range ev.Runs {
		r := &ev.Runs[i]
		if r.Agent != nil {
			r.Agent = new(*r.Agent)
			r.Agent.Calls = slices.Clone(r.Agent.Calls)
			r.Agent.Before, r.Agent.After = copyRows(r.Agent.Before), copyRows(r.Agent.After)
		}
		if r.Outcome.Agent != nil {
			r.Outcome.Agent = new(*r.Outcome.Agent)
		}
	}
	return ev
}

func copyRows(rows []oracles.Row) []oracles.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Columns = maps.Clone(rows[i].Columns)
	}
	return rows
}
