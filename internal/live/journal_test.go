package live_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/live"
	"example.com/replaycheck/internal/result"
)

func TestJournalIsBounded(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{MaxConversations: 10})
	talk(t, s, "/c/first", drop)
	live.Settle(s)
	for i := range 100 {
		talk(t, s, fmt.Sprintf("/c/n%d", i), nil)
		live.Settle(s)
	}
	// The one that failed is not over: it ends by time.
	o := look(t, s)
	g.Expect(o.Kept).To(BeNumerically("<=", 10))
	g.Expect(o.Kept + o.Gone).To(Equal(101))
	r := s.Report()
	q := requirement(t, r, "REPLAY-03")
	g.Expect(q.Status).To(Equal(result.Fail))
	g.Expect(strings.Join(r.NotJudged, "\n")).To(ContainSubstring(fmt.Sprintf("%d finished conversations left the journal", o.Gone)))
	passed := 0
	for _, run := range q.Runs {
		if run.Status == result.Pass && !strings.Contains(run.Variant, "left the journal") {
			passed++
		}
	}
	g.Expect(q.Runs).To(ContainElement(HaveField("Variant", fmt.Sprintf("%d conversations that left the journal", 100-passed))))
	g.Expect(get(t, s, live.Root+"c/c2").status).To(Equal(http.StatusNotFound))
}

func TestFailuresOutliveTheirConversation(t *testing.T) {
	g := NewWithT(t)
	clock := &clock{}
	s := serve(t, live.Options{MaxConversations: 2, Idle: time.Hour, Now: clock.Now})
	talk(t, s, "/c/lost", drop)
	live.Settle(s)
	clock.add(2 * time.Hour)
	live.EndIdle(s)
	live.Settle(s)
	for i := range 4 {
		talk(t, s, fmt.Sprintf("/c/n%d", i), nil)
		live.Settle(s)
	}
	o := look(t, s)
	g.Expect(o.names()).NotTo(ContainElement("lost"))
	g.Expect(o.GoneFailed).To(Equal(1))
	g.Expect(o.Verdict.Tone).To(Equal("bad"))
	r := s.Report()
	g.Expect(r.Status).To(Equal(result.Fail))
	g.Expect(requirement(t, r, "REPLAY-03").Runs[0].Variant).To(Equal("lost"))
	g.Expect(requirement(t, r, "REPLAY-03").Runs[0].Findings).NotTo(BeEmpty())
}

func TestFullJournal(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{MaxConversations: 1})
	c := &client{t: t, s: s, base: "/c/alice"}
	c.say("How is the weather?")
	live.Settle(s)
	other := &client{t: t, s: s, base: "/c/bob"}
	other.say("And here?")
	g.Expect(other.last.status).To(Equal(http.StatusServiceUnavailable))
	g.Expect(other.last.header.Get("Retry-After")).To(Equal("1"))
	g.Expect(other.last.body).To(MatchRegexp(`^\{"error":\{"code":503,"message":"replaycheck's fake provider: the journal is full: it holds 1 of 1 conversations \(--max-conversations\) and \d+ of 268435456 bytes \(--max-journal\), and none of them is over and judged","status":"UNAVAILABLE"\}\}$`))
	anthropic := send(t, s, http.MethodPost, "/c/carol/v1/messages", `{"messages":[]}`)
	g.Expect(anthropic.body).To(HavePrefix(`{"type":"error","error":{"type":"overloaded_error","message":"replaycheck's fake provider: the journal is full`))
	g.Expect(look(t, s).Strays).To(Equal(2))
	c.result("7")
	g.Expect(c.last.status).To(Equal(http.StatusOK), "one that goes on is let go on")
}

func TestIdle(t *testing.T) {
	g := NewWithT(t)
	clock := &clock{}
	s := serve(t, live.Options{Idle: time.Hour, Now: clock.Now})
	c := &client{t: t, s: s, base: "/c/alice"}
	c.say("How is the weather?")
	clock.add(59 * time.Minute)
	live.EndIdle(s)
	g.Expect(look(t, s).Conversations[0].Finished).To(BeFalse())
	clock.add(2 * time.Minute)
	live.EndIdle(s)
	g.Expect(look(t, s).Conversations[0].Finished).To(BeTrue())
	c.result("7")
	g.Expect(look(t, s).names()).To(ConsistOf("alice", "alice (2)"))
}

func TestLimits(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{MaxBody: 1000, MaxBytes: 2000})
	long := `{"contents":[{"role":"user","parts":[{"text":"` + strings.Repeat("x", 2000) + `"}]}]}`
	for name, change := range map[string]func(*http.Request){
		"announced": func(*http.Request) {},
		"chunked":   func(r *http.Request) { r.ContentLength = -1 },
	} {
		a := send(t, s, http.MethodPost, model, long, change)
		g.Expect(a.status).To(Equal(http.StatusRequestEntityTooLarge), name)
		g.Expect(a.body).To(ContainSubstring(`{"error":{"code":413,"message":"replaycheck's fake provider: the request body has more than 1000 bytes (--max-body)"`), name)
	}
	for path, want := range map[string]string{
		"/c/" + strings.Repeat("x", 65) + model: "got the conversation",
		"/c/a%2Fb" + model:                      "got the conversation",
		"/c/.." + model:                         "got the conversation",
		"/c/alice/../bob" + model:               "has a dot segment",
		"/c/alice/%2e%2e/bob" + model:           "has a dot segment",
		"/s/nothing" + model:                    "no scenario is served at",
		"/s/../weather" + model:                 "no scenario is served at",
	} {
		a := send(t, s, http.MethodPost, path, "{}")
		g.Expect(a.status).To(Equal(http.StatusNotFound), path)
		g.Expect(a.body).To(ContainSubstring(want), path)
	}
	a := send(t, s, http.MethodPost, model, "{}", with(live.Header, "a/b"))
	g.Expect(a.status).To(Equal(http.StatusNotFound))
	o := look(t, s)
	g.Expect(o.Conversations).To(BeEmpty())
	g.Expect(o.Strays).To(Equal(10))
	g.Expect(strings.Join(s.Report().NotJudged, "\n")).To(ContainSubstring("10 requests were refused before they reached a conversation"))
}

func TestBadOptions(t *testing.T) {
	g := NewWithT(t)
	_, err := live.New(live.Options{})
	g.Expect(err).To(MatchError("live: no scenario to serve"))
	one := scenario(t, "weather", weather)
	_, err = live.New(live.Options{Scenarios: []live.Scenario{one, one}})
	g.Expect(err).To(MatchError(`live: two scenarios are named "weather"`))
}
