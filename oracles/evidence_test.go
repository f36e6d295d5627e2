package oracles_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// The four modes.
var (
	plainMemory  = oracles.Mode{}
	plainStored  = oracles.Mode{Stored: true}
	streamMemory = oracles.Mode{Stream: true}
	streamStored = oracles.Mode{Stream: true, Stored: true}
)

// cell is one scenario in one mode and variant.
type cell struct {
	scenario string
	mode     oracles.Mode
	variant  string
}

func (c cell) String() string {
	return strings.TrimSpace(c.scenario + " " + c.mode.String() + " " + c.variant)
}

// driven is what the reference adapters did in a cell.
type driven struct {
	cell
	ev   oracles.Evidence
	echo bool // streamed, and what was sent is what the plain mode sent
}

// drive plays every scenario with the reference adapters, once per test binary:
// the good evidence that every test here starts from.
var drive = sync.OnceValues(func() ([]driven, error) {
	all, err := fixtures.All()
	if err != nil {
		return nil, err
	}
	server, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	d := &scenario.Driver{Server: server, Open: newReference}
	desc, err := reference.New().Describe(context.Background())
	if err != nil {
		return nil, err
	}
	var out []driven
	for _, sc := range all {
		if len(sc.Agent) > 0 {
			continue // needs real processes, see state_test.go
		}
		for _, m := range []oracles.Mode{plainMemory, plainStored, streamMemory, streamStored} {
			if !sc.HasMode(m.Stream) || m.Stored && sc.MemoryOnly || !m.Stored && len(sc.Tasks) > 1 {
				continue
			}
			for _, variant := range append([]string{""}, sc.Variants...) {
				if variant != "" || len(sc.Variants) == 0 {
					out = append(out, driven{cell: cell{sc.ID, m, variant}, ev: oracles.Evidence{Scenario: sc}})
				}
			}
		}
	}
	errs := make([]error, len(out))
	var wg sync.WaitGroup
	room := make(chan struct{}, 8)
	for i := range out {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			c := &out[i]
			c.ev, errs[i] = d.Drive(context.Background(), c.ev.Scenario, c.mode, c.variant, desc)
		})
	}
	wg.Wait()
	plain := map[cell][]string{}
	for i := range out {
		c := out[i].cell
		c.mode.Stream = false
		if !out[i].mode.Stream {
			plain[c] = bodies(out[i].ev)
		} else if sent, ok := plain[c]; ok {
			out[i].echo = slices.Equal(sent, bodies(out[i].ev))
		}
	}
	return out, errors.Join(errs...)
})

// bodies are what was sent, without what says that it is to be streamed.
func bodies(ev oracles.Evidence) []string {
	var out []string
	for x := range exchanges(&ev) {
		body := remove(remove(x.Body, "stream"), "stream_options")
		out = append(out, publicID.ReplaceAllString(body, "call"))
	}
	return out
}

// cells returns all good evidence. It is shared: copy it before changing it.
func cells(t testing.TB) []driven {
	t.Helper()
	all, err := drive()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("got no evidence, want some")
	}
	return all
}

// good returns a copy of the evidence of one cell.
func good(t testing.TB, id string, m oracles.Mode, variant string) oracles.Evidence {
	t.Helper()
	for _, d := range cells(t) {
		if d.cell == (cell{id, m, variant}) {
			return copyOf(d.ev)
		}
	}
	t.Fatalf("got no scenario %s in mode %s %s", id, m, variant)
	return oracles.Evidence{}
}

// copyOf returns evidence that shares nothing with ev that a test writes to.
func copyOf(ev oracles.Evidence) oracles.Evidence {
	ev.Runs, ev.Control = copyRuns(ev.Runs), copyRuns(ev.Control)
	return ev
}

func copyRuns(runs []oracles.Run) []oracles.Run {
	runs = slices.Clone(runs)
	for i := range runs {
		r := &runs[i]
		r.Exchanges, r.Probes = slices.Clone(r.Exchanges), slices.Clone(r.Probes)
		for j := range r.Exchanges {
			r.Exchanges[j].Header = r.Exchanges[j].Header.Clone()
		}
		r.Outcome.Answers, r.Outcome.ToolRuns = slices.Clone(r.Outcome.Answers), slices.Clone(r.Outcome.ToolRuns)
		if s := r.Outcome.State; s != nil {
			r.Outcome.State = new(*s)
		}
		if e := r.Outcome.Error; e != nil {
			r.Outcome.Error = new(*e)
		}
	}
	return runs
}

// scopes are the oracles that each cell holds evidence for, asked as Judge does:
// before the run.
var scopes = sync.OnceValues(func() ([][]oracles.Oracle, error) {
	all, err := drive()
	if err != nil {
		return nil, err
	}
	out := make([][]oracles.Oracle, len(all))
	for i, d := range all {
		v, err := oracles.NewView(oracles.Evidence{Scenario: d.ev.Scenario, Mode: d.mode, Variant: d.variant, Subject: d.ev.Subject})
		if err != nil {
			return nil, err
		}
		for _, o := range oracles.All() {
			if o.Scope(v) {
				out[i] = append(out[i], o)
			}
		}
	}
	return out, nil
})

// scopesOf returns the oracles in scope of each of the cells.
func scopesOf(t testing.TB) [][]oracles.Oracle {
	t.Helper()
	out, err := scopes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// oracle returns an oracle by its ID.
func oracle(t testing.TB, id string) oracles.Oracle {
	t.Helper()
	for _, o := range oracles.All() {
		if o.ID == id {
			return o
		}
	}
	t.Fatalf("got no oracle %s", id)
	return oracles.Oracle{}
}

// view reads evidence.
func view(t testing.TB, ev oracles.Evidence) *oracles.View {
	t.Helper()
	v, err := oracles.NewView(ev)
	if err != nil {
		t.Fatalf("%s %s: %v", ev.Scenario.ID, ev.Mode, err)
	}
	return v
}

// show writes a finding as the tests' literals do: all of it but Means and Raw.
func show(f oracles.Finding) string {
	return fmt.Sprintf("%s %s, %s: %s\nwant %s\ngot  %s", f.Level, f.Basis, f.Change, f.Where, f.Want, f.Got)
}

func showAll(findings []oracles.Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, show(f))
	}
	return strings.Join(out, "\n\n")
}
