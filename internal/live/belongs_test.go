package live_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/live"
)

const always = "title: One\nreplies:\n- when: {prompt: anchor}\n  text: \"Here is the reply to the anchor, word for word.\"\n"

// strange is a history that nobody here gave out.
func strange(first string) string {
	return `{"contents":[{"role":"user","parts":[{"text":"` + first + `"}]},{"role":"model","parts":[{"text":"Which one?"}]},{"role":"user","parts":[{"text":"the anchor"}]}]}`
}

// Load generators send the same request over and over, with one key or none. It
// is no conversation that has no end.
func TestTheSameRequestForever(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*http.Request)
	}{
		{"no key", func(*http.Request) {}},
		{"one key", with("Authorization", "Bearer test")},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			s := serve(t, live.Options{MaxBytes: 200 << 10, MaxConversations: 20, Scenarios: []live.Scenario{scenario(t, "one", always)}})
			var wg sync.WaitGroup
			statuses := make([]map[int]int, 8)
			for i := range statuses {
				statuses[i] = map[int]int{}
				wg.Go(func() {
					for range 250 {
						statuses[i][send(t, s, http.MethodPost, model, strange("Hello"), row.change).status]++
					}
				})
			}
			wg.Wait()
			for _, got := range statuses {
				g.Expect(got).To(Equal(map[int]int{http.StatusOK: 250}))
			}
			o := look(t, s)
			g.Expect(o.Kept).To(BeNumerically("<=", 20))
			g.Expect(o.Gone).To(BeNumerically(">", 1500), "most are conversations of one request")
			for _, r := range o.Conversations {
				g.Expect(r.Requests).To(BeNumerically("<=", 3))
			}
		})
	}
}

// A client that tries again goes on with its conversation, a few times.
func TestTheSameRequestAgain(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Scenarios: []live.Scenario{scenario(t, "one", always)}})
	for range 5 {
		g.Expect(send(t, s, http.MethodPost, model, strange("Hello")).status).To(Equal(http.StatusOK))
	}
	o := look(t, s)
	g.Expect(o.named(t, "no key").Requests).To(Equal(3))
	g.Expect(o.named(t, "no key (2)").Requests).To(Equal(1))
	g.Expect(o.named(t, "no key (3)").Requests).To(Equal(1))
	g.Expect(detail(t, s, "c2")).To(ContainSubstring("had come several times already"))
}

// While it gets a fault in the place of its reply it may try for long.
func TestAgainUntilTheReplyComes(t *testing.T) {
	g := NewWithT(t)
	chaos := &fakeserver.Chaos{Share: 1, Faults: []fakeserver.ChaosFault{{Fault: fakeserver.Fault{Status: 503, Times: 40}}}}
	s := serve(t, live.Options{Chaos: chaos, Scenarios: []live.Scenario{scenario(t, "one", always)}})
	tries := 1
	for send(t, s, http.MethodPost, model, strange("Hello")).status != http.StatusOK && tries < 100 {
		tries++
	}
	g.Expect(look(t, s).names()).To(ConsistOf("no key"))
	g.Expect(tries).To(BeNumerically("<=", 41))
}

// A history that no conversation of the key holds is another one's.
func TestStrangeHistories(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Scenarios: []live.Scenario{scenario(t, "one", always)}})
	for i := range 5 {
		g.Expect(send(t, s, http.MethodPost, model, strange(fmt.Sprint("Hello ", i))).status).To(Equal(http.StatusOK))
	}
	o := look(t, s)
	g.Expect(o.names()).To(HaveLen(5))
	g.Expect(detail(t, s, "c1")).NotTo(ContainSubstring("has a history that none"))
	g.Expect(detail(t, s, "c2")).To(ContainSubstring("has a history that none of the conversations under its key holds"))
}

// Whoever cuts off the beginning of a history goes on with its conversation all
// the same: it holds something that was given out there. What is lost is seen.
func TestHistoryWithoutItsBeginning(t *testing.T) {
	for _, row := range []struct {
		name, status string
		edit         func(turn string) string
	}{
		{"all that the model gave is there", "pass", nil},
		{"its signature is lost", "fail", drop},
		{"its signature is cut", "fail", func(turn string) string { return strings.Replace(turn, `"},{"functionCall`, `A"},{"functionCall`, 1) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			s := serve(t, live.Options{Observe: true})
			other := &client{t: t, s: s}
			c := &client{t: t, s: s, lose: row.edit}
			c.say("How is the weather?")
			other.say("Something else?")
			c.contents = c.contents[1:]
			c.result("7")
			o := look(t, s)
			g.Expect(o.names()).To(HaveLen(2))
			requests := []int{o.named(t, "no key").Requests, o.named(t, "no key (2)").Requests}
			g.Expect(requests).To(ConsistOf(2, 1))
			if row.status == "fail" {
				g.Expect(s.Report().Status).To(BeEquivalentTo("fail"))
			}
		})
	}
}

// Of several that gave out the same, the newest goes on; one is known by any of its
// replies, wherever in a history that stands.
func TestWhoGaveIt(t *testing.T) {
	const first, second = `{"role":"model","parts":[{"text":"Ask me about it."}]}`, `{"role":"model","parts":[{"text":"It is cold."}]}`
	for _, row := range []struct {
		name    string
		history string
		want    map[string]int
	}{
		{"what both gave", first, map[string]int{"no key": 2, "no key (2)": 2}},
		{"what one gave", second, map[string]int{"no key": 3, "no key (2)": 1}},
		{"what nobody gave, then what one gave", strings.Replace(first, "Ask", "Do not ask", 1) + "," + second, map[string]int{"no key": 3, "no key (2)": 1}},
		{"what one gave, then what both gave", second + "," + first, map[string]int{"no key": 2, "no key (2)": 2}},
		{"what nobody gave", strings.Replace(first, "Ask", "Do not ask", 1), map[string]int{"no key": 2, "no key (2)": 1, "no key (3)": 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			s := serve(t, live.Options{Observe: true, Scenarios: []live.Scenario{scenario(t, "three", `
replies:
- text: Ask me about it.
- text: It is cold.
- text: Goodbye.
`)}})
			a, b := &client{t: t, s: s}, &client{t: t, s: s}
			a.say("How is the weather?")
			a.say("Tell me.")
			b.say("Something else?")
			send(t, s, http.MethodPost, model, `{"contents":[{"role":"user","parts":[{"text":"A summary."}]},`+row.history+`,{"role":"user","parts":[{"text":"And?"}]}]}`)
			got := map[string]int{}
			for _, c := range look(t, s).Conversations {
				got[c.Name] = c.Requests
			}
			g.Expect(got).To(Equal(row.want))
		})
	}
}

// One that gave out something else than the newest goes on with what it gave.
func TestWhoGaveItOfTwo(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Observe: true, Scenarios: []live.Scenario{scenario(t, "two", `
replies:
- when: {prompt: weather}
  text: It is cold.
- when: {prompt: time}
  text: It is late.
`)}})
	(&client{t: t, s: s}).say("How is the weather?")
	(&client{t: t, s: s}).say("What time is it?")
	send(t, s, http.MethodPost, model, `{"contents":[{"role":"user","parts":[{"text":"A summary."}]},{"role":"model","parts":[{"text":"It is cold."}]},{"role":"user","parts":[{"text":"And?"}]}]}`)
	o := look(t, s)
	g.Expect(o.names()).To(ConsistOf("no key", "no key (2)"))
	g.Expect(o.named(t, "no key").Requests).To(Equal(2))
}

// One conversation that outgrows the journal is told so in the words of the
// command, and not to try again.
func TestConversationWithoutEnd(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{MaxBytes: 100 << 10, Scenarios: []live.Scenario{scenario(t, "one", always)}})
	c := &client{t: t, s: s, base: "/c/alice"}
	for range 50 {
		if c.say("the anchor " + strings.Repeat("x", 1000)); c.last.status == http.StatusRequestEntityTooLarge {
			break
		}
	}
	g.Expect(c.last.status).To(Equal(http.StatusRequestEntityTooLarge))
	g.Expect(c.last.body).To(ContainSubstring("begin another one, or raise --max-journal"))
	g.Expect(c.last.body).NotTo(ContainSubstring("Options"))
	big := send(t, s, http.MethodPost, model, strange(strings.Repeat("y", 101<<10)))
	g.Expect(big.status).To(Equal(http.StatusRequestEntityTooLarge))
	g.Expect(big.body).To(ContainSubstring("--max-journal"))
}

// Requests to no API at all do not make one conversation for ever.
func TestBesideForever(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{MaxBytes: 4 << 20})
	for i := range 10_000 {
		if a := get(t, s, "/v1/models"); a.status != http.StatusOK {
			t.Fatalf("request %d: %d %s", i+1, a.status, a.body)
		}
	}
	g.Expect(look(t, s).Gone).To(BeNumerically(">=", 1))
}
