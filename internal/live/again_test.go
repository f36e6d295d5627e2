package live_test

import (
	"net/http"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/live"
)

// Whoever gets an error instead of the first reply and asks again goes on with
// the same conversation, with or without a name, and gets the reply.
func TestFirstRequestAgain(t *testing.T) {
	chaos := func(f fakeserver.Fault) *fakeserver.Chaos {
		return &fakeserver.Chaos{Share: 1, Faults: []fakeserver.ChaosFault{{Fault: f}}}
	}
	for _, row := range []struct {
		name  string
		chaos *fakeserver.Chaos
		text  string
	}{
		{"a status of --fault", chaos(fakeserver.Fault{Status: 503}), weather},
		{"a body cut off", chaos(fakeserver.Fault{CutAfter: 20}), weather},
		{"a gateway's page", chaos(fakeserver.Fault{ContentType: "text/html"}), weather},
		{"an error of the script", nil, "title: An error first\nreplies:\n- error: {status: 429}\n- parts:\n  - call: {name: weather, args: {city: Leipzig}, id: fc-1}\n    signed: true\n- text: Warm.\n"},
		{"a fault of the script", nil, "title: A fault first\nreplies:\n- parts:\n  - call: {name: weather, args: {city: Leipzig}, id: fc-1}\n    signed: true\n  fault: {status: 503, times: 2}\n- text: Warm.\n"},
	} {
		for _, base := range []string{"", "/c/a"} {
			t.Run(row.name+" "+base, func(t *testing.T) {
				g := NewWithT(t)
				s := serve(t, live.Options{Chaos: row.chaos, Scenarios: []live.Scenario{scenario(t, "weather", row.text)}})
				c := &client{t: t, s: s, base: base}
				persist := func(ask func()) {
					t.Helper()
					had := len(c.contents)
					for range 3 {
						c.contents = c.contents[:had]
						if ask(); len(c.contents) == had+2 {
							return
						}
					}
					t.Fatalf("no reply after three requests: %d %s", c.last.status, c.last.body)
				}
				persist(func() { c.say("How is the weather?") })
				persist(func() { c.result("7") })
				o := look(t, s)
				g.Expect(o.names()).To(HaveLen(1))
				g.Expect(o.Conversations[0].Requests).To(BeNumerically(">", 2), "the fault came")
				g.Expect(o.Conversations[0].Status).To(Equal("pass"))
			})
		}
	}
}

// The first words of another chat under the same key begin one, once the first
// was answered.
func TestSameWordsAgain(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	for range 2 {
		c := &client{t: t, s: s}
		c.say("How is the weather?")
		g.Expect(c.last.status).To(Equal(http.StatusOK))
	}
	g.Expect(look(t, s).names()).To(ConsistOf("no key", "no key (2)"))
}
