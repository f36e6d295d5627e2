package scenario_test

import (
	"context"
	"os"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/subject"
)

func refusing(t *testing.T) *fixtures.Scenario {
	t.Helper()
	return script(t, "expect: refused\nshows: [REFUSE-01]\ncarrier: true\nmemory_only: true\nvariants: [bad, good]\n", "t", map[string]string{
		"task.json": oneLeg(`"a"`), "state.bad.json": `[]`, "state.good.json": `{}`, "state.control.json": `{"history":[]}`,
	})
}

func TestDriveRefused(t *testing.T) {
	g := NewWithT(t)
	d := driver(t, always(&tiny{}))
	ev, err := d.Drive(t.Context(), refusing(t), scenario.Mode{}, "bad", describe())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ev.Runs).To(HaveLen(1))
	g.Expect(ev.Runs[0].Outcome.Error.Kind).To(Equal(subject.Refused))
	g.Expect(ev.Runs[0].Connections).To(BeZero())
	g.Expect(*ev.Runs[0].Task.State).To(Equal(`[]`))
	g.Expect(ev.Leftover).To(Equal(1))
	g.Expect(ev.Control).To(HaveLen(1))
	g.Expect(ev.Control[0].Outcome.Error).To(BeNil())
	g.Expect(ev.Control[0].Connections).To(Equal(1))
	g.Expect(ev.Control[0].Exchanges).To(HaveLen(1))
	g.Expect(*ev.Control[0].Task.State).To(Equal(`{"history":[]}`))
	g.Expect(d.Server.Accepted()).To(BeZero(), "its connections are its own server's")

	ev, err = d.Drive(t.Context(), refusing(t), scenario.Mode{}, "good", describe())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ev.Runs[0].Connections).To(Equal(1))
	g.Expect(ev.Leftover).To(BeZero())
}

func TestDriveThroughProcesses(t *testing.T) {
	good := subject.Process([]string{os.Args[0]}, subject.ProcessOptions{Pass: []string{driverVariable + "=good", "GORACE=atexit_sleep_ms=0"}})
	g := NewWithT(t)
	d := driver(t, always(good))
	sc := script(t, "fresh: true\n", "cct", map[string]string{"task.json": oneLeg(`"a"`)})
	ev, err := d.Drive(t.Context(), sc, scenario.Mode{Stored: true, Stream: true}, "", describe())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(steps(ev.Runs)).To(Equal([]string{"[a] tool_calls 1", "[] tool_calls 1", "[]  1"}))
	g.Expect(ev.SameProcess).To(BeFalse())

	ev, err = d.Drive(t.Context(), refusing(t), scenario.Mode{}, "bad", describe())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ev.Runs[0].Connections).To(BeZero())
	g.Expect(ev.Control[0].Connections).To(Equal(1))

	d = driver(t, always(&tiny{}))
	d.Fresh = always(good)
	for _, m := range []scenario.Mode{{}, {Stored: true}} {
		ev, err = d.Drive(t.Context(), sc, m, "", describe())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(ev.SameProcess).To(BeFalse())
	}
}

func TestDriveProbes(t *testing.T) {
	g := NewWithT(t)
	sc := script(t, "", "ct", map[string]string{"task.json": oneLeg(`"a"`)})
	b := &building{}
	d := driver(t, always(b))
	ev, err := d.Drive(t.Context(), sc, scenario.Mode{Stored: true}, "", describe())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ev.Runs[0].Probes).To(BeEmpty())
	g.Expect(ev.Runs[0].ProbeError).To(Equal("can't build"))
	b.builds = true
	ev, err = d.Drive(t.Context(), sc, scenario.Mode{Stored: true}, "", describe())
	g.Expect(err).NotTo(HaveOccurred())
	for _, r := range ev.Runs {
		g.Expect(r.Probes).To(Equal([]subject.Probe{{Before: *r.Outcome.State, After: *r.Outcome.State, Body: "b", Body2: "b"}}))
	}
}

func TestDriveConcurrently(t *testing.T) {
	d := driver(t, func() (subject.Subject, error) { return &tiny{}, nil })
	sc := script(t, "", "cct", map[string]string{"task.json": oneLeg(`"a"`)})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			ev, err := d.Drive(context.Background(), sc, scenario.Mode{Stored: true}, "", describe())
			if err != nil || len(ev.Runs) != 3 || ev.Leftover != 0 {
				t.Errorf("got %v, %v", steps(ev.Runs), err)
			}
		})
	}
	wg.Wait()
}

func TestModeNames(t *testing.T) {
	g := NewWithT(t)
	g.Expect(scenario.Mode{}.String()).To(Equal("plain/memory"))
	g.Expect(scenario.Mode{Stored: true}.String()).To(Equal("plain/stored"))
	g.Expect(scenario.Mode{Stream: true}.String()).To(Equal("stream/memory"))
	g.Expect(scenario.Mode{Stream: true, Stored: true}.String()).To(Equal("stream/stored"))
}

// silent is a subject that does nothing, so that what is measured is ours.
func BenchmarkDriveOverhead(b *testing.B) {
	server, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	all, err := fixtures.All()
	if err != nil || len(all) == 0 {
		b.Skip("no fixtures")
	}
	d := &scenario.Driver{Server: server, Open: always(&tiny{before: outcome(subject.Outcome{})})}
	for b.Loop() {
		if _, err := d.Drive(context.Background(), all[0], scenario.Mode{Stored: true}, "", describe()); err != nil {
			b.Fatal(err)
		}
	}
}
