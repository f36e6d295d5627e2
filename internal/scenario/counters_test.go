package scenario_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/scenario"
)

// TestCountersKeepServers: connections are counted for each run, though the server
// stays until Close.
func TestCountersKeepServers(t *testing.T) {
	g := NewWithT(t)
	d := driver(t, always(&tiny{}))
	d.Counters = &scenario.Counters{}
	defer d.Counters.Close()
	for range 3 {
		for variant, want := range map[string]int{"bad": 0, "good": 1} {
			ev, err := d.Drive(t.Context(), refusing(t), scenario.Mode{}, variant, describe())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(ev.Runs[0].Connections).To(Equal(want))
			g.Expect(ev.Control[0].Connections).To(Equal(1))
			g.Expect(ev.Strays).To(BeZero())
		}
	}
	d.Counters.Close()
	ev, err := d.Drive(t.Context(), refusing(t), scenario.Mode{}, "good", describe())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ev.Runs[0].Connections).To(Equal(1))
	g.Expect(d.Server.Accepted()).To(BeZero())
}
