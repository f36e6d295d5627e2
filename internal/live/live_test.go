package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/live"
	"example.com/replaycheck/internal/result"
)

func requirement(t *testing.T, r result.Report, id string) result.Requirement {
	t.Helper()
	for _, q := range r.Requirements {
		if q.ID == id {
			return q
		}
	}
	t.Fatalf("no requirement %s", id)
	return result.Requirement{}
}

func TestAllCameBack(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	c := talk(t, s, "/c/alice", nil)
	g.Expect(c.last.status).To(Equal(http.StatusOK), c.last.body)
	o := look(t, s)
	g.Expect(o.Verdict.Tone).To(Equal("ok"))
	g.Expect(o.Verdict.Word).To(Equal("Everything came back"))
	alice := o.named(t, "alice")
	g.Expect(alice).To(Equal(row{ID: "c1", Name: "alice", Scenario: "weather", Status: "pass", Word: "all came back", Requests: 2, Signed: 1}))
	g.Expect(detail(t, s, "c1")).To(And(ContainSubstring(`"word": "came back"`), ContainSubstring(`"path": "contents[1].parts[1]"`)))

	r := s.Report()
	g.Expect(r.Kind).To(Equal("serve"))
	g.Expect(r.Status).To(Equal(result.Pass))
	for _, id := range []string{"REPLAY-03", "PROVIDER-RULES"} {
		q := requirement(t, r, id)
		g.Expect(q.Status).To(Equal(result.Pass), id)
		g.Expect(q.Reason).To(BeEmpty(), id)
	}
	for id, reason := range map[string]string{
		"STREAM-02": "needs the client's outcome", "THINK-01": "needs the client's answers", "REPLAY-09": "asked of subjects whose state",
		"REFUSE-01": "asked of subjects whose state", "OPENAI-03": "no conversation held evidence", "REPLAY-12": "asked at level verbatim only",
	} {
		q := requirement(t, r, id)
		g.Expect(q.Status).To(Equal(result.Unsupported), id)
		g.Expect(q.Reason).To(ContainSubstring(reason), id)
	}
}

func TestLostSignature(t *testing.T) {
	for _, c := range []struct {
		name   string
		lose   func(string) string
		change string
		status int
	}{
		{"dropped", drop, "absent", 400},
		{"cut", func(turn string) string {
			before, after, found := strings.Cut(turn, `"thoughtSignature":"`)
			if !found {
				return turn
			}
			sig, after, _ := strings.Cut(after, `"`)
			return before + `"thoughtSignature":"` + sig[:40] + `"` + after
		}, "truncated", 400},
		{"the turn is gone", func(string) string { return `{"role":"model","parts":[{"text":"…"}]}` }, "shrunk", 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			s := serve(t, live.Options{})
			client := talk(t, s, "", c.lose)
			g.Expect(client.last.status).To(Equal(c.status), client.last.body)
			o := look(t, s)
			g.Expect(o.Verdict.Tone).To(Equal("bad"))
			g.Expect(o.Verdict.Word).To(Equal("1 SIGNATURE LOST"))
			g.Expect(o.Conversations[0].Lost).To(Equal(1))
			g.Expect(detail(t, s, "c1")).To(ContainSubstring(`"change": "` + c.change + `"`))
			for _, page := range []string{live.Root, live.Root + "c/c1"} {
				a := get(t, s, page)
				g.Expect(a.status).To(Equal(http.StatusOK))
				g.Expect(a.body).To(ContainSubstring("SIGNATURE LOST"), page)
			}
			r := s.Report()
			g.Expect(r.Status).To(Equal(result.Fail))
			g.Expect(requirement(t, r, "REPLAY-03").Status).To(Equal(result.Fail))
			g.Expect(requirement(t, r, "REPLAY-03").Runs[0].Variant).To(Equal("no key"))
		})
	}
}

// Without enforcing the conversation goes on, and what would be refused is said
// all the same.
func TestObserve(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Observe: true, Profile: "gemini-3"})
	c := talk(t, s, "", drop)
	g.Expect(c.last.status).To(Equal(http.StatusOK))
	look(t, s)
	rules := requirement(t, s.Report(), "PROVIDER-RULES")
	g.Expect(rules.Status).To(Equal(result.Fail))
	g.Expect(rules.Runs[0].Findings[0].Got).To(Equal("a request that breaks the rule gemini/missing-signature"))
	s = serve(t, live.Options{Profile: "record-only"})
	c = talk(t, s, "", drop)
	g.Expect(c.last.status).To(Equal(http.StatusOK), "this profile has no rules")
	look(t, s)
	g.Expect(s.Report().Status).To(Equal(result.Fail))
	g.Expect(requirement(t, s.Report(), "PROVIDER-RULES").Status).To(Equal(result.Unsupported))
}

func TestNothingToJudge(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	g.Expect(s.Report().Status).To(Equal(result.Error), "nothing came")
	g.Expect(look(t, s).Verdict.Word).To(Equal("Waiting for the first request"))
	c := &client{t: t, s: s}
	c.say("How is the weather?")
	o := look(t, s)
	g.Expect(o.Verdict.Word).To(Equal("Nothing to judge yet"))
	g.Expect(o.Conversations[0].Status).To(Equal("skipped"))
	r := s.Report()
	g.Expect(r.Status).To(Equal(result.Error), "one request shows no replay")
	g.Expect(strings.Join(r.NotJudged, "\n")).To(ContainSubstring("conversation no key: no request that brings back a turn of the model came"))
	g.Expect(strings.Join(r.NotJudged, "\n")).To(ContainSubstring("1 reply of its scenario was not asked for"))
}

func TestConversationsApart(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Scenarios: []live.Scenario{scenario(t, "weather", weather), scenario(t, "other", "replies: [{text: hello}]")}})
	talk(t, s, "/c/alice", nil)
	talk(t, s, "", nil, with(live.Header, "bob"))
	talk(t, s, "", nil, with("X-Goog-Api-Key", "secret-key-1"))
	talk(t, s, "", nil, with("Authorization", "Bearer secret-key-2"))
	talk(t, s, "", nil, func(r *http.Request) { r.URL.RawQuery = "key=secret-key-1" })
	talk(t, s, "/c/alice", nil)
	talk(t, s, "", nil)
	c := &client{t: t, s: s, base: "/s/other/c/alice"}
	c.say("hi")
	g.Expect(c.last.body).To(ContainSubstring("hello"))
	o := look(t, s)
	g.Expect(o.names()).To(ConsistOf("alice", "bob", "key 1", "key 2", "key 1 (2)", "alice (2)", "no key", "alice"))
	for _, r := range o.Conversations {
		if r.Scenario == "weather" {
			g.Expect(r.Status).To(Equal("pass"), r.Name)
			g.Expect(r.Requests).To(Equal(2), r.Name)
		}
	}
}

// What the contract says nothing about is judged all the same.
func TestOtherAPIs(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Observe: true})
	ask := func(name, content string) string {
		body := `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}` + content + `]}`
		return send(t, s, http.MethodPost, "/c/"+name+"/v1/messages", body).body
	}
	for name, edit := range map[string]func(string) string{
		"good": func(s string) string { return s },
		"bad":  func(s string) string { return strings.Replace(s, `"signature":"`, `"signature":"A`, 1) },
	} {
		var reply struct {
			Content json.RawMessage
		}
		g.Expect(json.Unmarshal([]byte(ask(name, "")), &reply)).To(Succeed())
		ask(name, `,{"role":"assistant","content":`+edit(string(reply.Content))+`},{"role":"user","content":[{"type":"tool_result","tool_use_id":"fc-1","content":"7"}]}`)
	}
	o := look(t, s)
	g.Expect(o.named(t, "good").Status).To(Equal("pass"))
	g.Expect(o.named(t, "bad").Lost).To(Equal(1))
	r := s.Report()
	g.Expect(requirement(t, r, "PROVIDER-STATE").Status).To(Equal(result.Fail))
	g.Expect(requirement(t, r, "REPLAY-03").Status).To(Equal(result.Unsupported))
}

// Two chats under one key that go on side by side are told apart by how they
// began.
func TestSideBySide(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	a, b := &client{t: t, s: s}, &client{t: t, s: s, lose: drop}
	a.say("Leipzig?")
	b.say("Oslo?")
	a.result("7")
	b.result("3")
	o := look(t, s)
	g.Expect(o.named(t, "no key").Status).To(Equal("pass"))
	g.Expect(o.named(t, "no key (2)").Status).To(Equal("fail"))
}

// Whoever names a conversation and loses all of its history is seen.
func TestWholeHistoryLost(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	c := &client{t: t, s: s, base: "/c/alice"}
	c.say("How is the weather?")
	c.contents = nil
	c.say("And?")
	o := look(t, s)
	g.Expect(o.names()).To(Equal([]string{"alice"}))
	g.Expect(o.Conversations[0].Status).To(Equal("fail"))
	g.Expect(detail(t, s, "c1")).To(ContainSubstring("the whole turn is missing"))
}

func TestNotScripted(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	c := talk(t, s, "/c/alice", nil)
	c.say("And tomorrow?")
	g.Expect(c.last.status).To(Equal(http.StatusBadRequest))
	send(t, s, http.MethodPost, "/c/alice/v1/files", "{}")
	o := look(t, s)
	g.Expect(o.Conversations[0].Status).To(Equal("pass"), "the scenario ended, not the client's fault")
	all := strings.Join(s.Report().NotJudged, "\n")
	g.Expect(all).To(ContainSubstring(`conversation alice: request 3 got no scripted reply: all 2 replies of the script`))
	g.Expect(all).To(ContainSubstring("conversation alice: requests that are none of the scripted APIs': POST /v1/files"))
}

// A hundred conversations over real connections while the page is asked for.
func TestHundredConversations(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	base := "http://" + ln.Addr().String()
	tr := &http.Transport{MaxIdleConnsPerHost: 100}
	defer tr.CloseIdleConnections()
	over := &http.Client{Transport: tr}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.Path, r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := over.Do(out)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	})
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			lose := func(turn string) string { return turn }
			if i == 42 {
				lose = drop
			}
			talk(t, handler, fmt.Sprintf("/c/n%d", i), lose)
		})
	}
	for range 20 {
		wg.Go(func() {
			resp, err := over.Get(base + live.Root + "?part")
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, resp.Body)
		})
	}
	wg.Wait()
	o := look(t, s)
	g.Expect(o.Kept).To(Equal(100))
	g.Expect(o.Conversations[0].Name).To(Equal("n42"), "what is lost comes first")
	g.Expect(o.Verdict.Word).To(Equal("1 SIGNATURE LOST"))
	for _, r := range o.Conversations[1:] {
		g.Expect(r.Status).To(Equal("pass"), r.Name)
	}
	cancel()
	g.Expect(<-served).NotTo(HaveOccurred())
}

func TestReports(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Version: "v0"})
	talk(t, s, "/c/alice", drop)
	live.Settle(s)
	a := get(t, s, live.Root+"api/report")
	g.Expect(a.header.Get("Content-Type")).To(Equal("application/json"))
	var r result.Report
	g.Expect(json.Unmarshal([]byte(a.body), &r)).To(Succeed())
	g.Expect(r.Status).To(Equal(result.Fail))
	a = get(t, s, live.Root+"api/report.xml")
	g.Expect(a.body).To(ContainSubstring("<testsuites"))
	a = get(t, s, live.Root+"report.html")
	g.Expect(a.body).To(ContainSubstring("SIGNATURES LOST OR CHANGED"))
	g.Expect(a.header.Get("Content-Security-Policy")).To(ContainSubstring("style-src 'sha256-"))
}
