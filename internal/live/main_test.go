package live_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"go.uber.org/goleak"

	"example.com/replaycheck/fakeserver/script"
	"example.com/replaycheck/internal/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const weather = `
title: One signed call, its result, the answer
replies:
- parts:
  - thought: The user wants the weather.
  - call: {name: weather, args: {city: Leipzig}, id: fc-1}
    signed: true
- text: It is 7 °C in Leipzig.
`

func scenario(t testing.TB, name, text string) live.Scenario {
	t.Helper()
	s, err := script.Parse(name+".yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return live.Scenario{ID: s.Name, Title: s.Title, Play: s.Play, Left: s.Left}
}

// serve starts a server with one scenario unless the options have some.
func serve(t testing.TB, o live.Options) *live.Server {
	t.Helper()
	if o.Scenarios == nil {
		o.Scenarios = []live.Scenario{scenario(t, "weather", weather)}
	}
	s, err := live.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

type answer struct {
	status int
	header http.Header
	body   string
}

// send makes one request. changes are applied to it.
func send(t testing.TB, s http.Handler, method, path, body string, changes ...func(*http.Request)) answer {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:4100"
	for _, change := range changes {
		change(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{w.Code, w.Header(), string(b)}
}

func with(header, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(header, value) }
}

func get(t testing.TB, s http.Handler, path string, changes ...func(*http.Request)) answer {
	t.Helper()
	return send(t, s, http.MethodGet, path, "", changes...)
}

const model = "/v1beta/models/gemini-3.8-flash:generateContent"

// client is an app with one conversation. lose, unless nil, is what it does to
// the history that it sends back.
type client struct {
	t        testing.TB
	s        http.Handler
	base     string
	contents []string
	lose     func(string) string
	changes  []func(*http.Request)
	last     answer
}

func (c *client) say(text string) { c.ask(`{"role":"user","parts":[{"text":"` + text + `"}]}`) }

func (c *client) result(text string) {
	c.ask(`{"role":"user","parts":[{"functionResponse":{"id":"fc-1","name":"weather","response":{"result":"` + text + `"}}}]}`)
}

func (c *client) ask(content string) {
	c.t.Helper()
	c.contents = append(c.contents, content)
	c.last = send(c.t, c.s, http.MethodPost, c.base+model, `{"contents":[`+strings.Join(c.contents, ",")+`]}`, c.changes...)
	var reply struct {
		Candidates []struct{ Content json.RawMessage }
	}
	if c.last.status == http.StatusOK && json.Unmarshal([]byte(c.last.body), &reply) == nil && len(reply.Candidates) > 0 {
		// As it came: RawMessage keeps the bytes.
		turn := string(reply.Candidates[0].Content)
		if c.lose != nil {
			turn = c.lose(turn)
		}
		c.contents = append(c.contents, turn)
	}
}

// drop loses the signatures.
func drop(turn string) string {
	before, after, found := strings.Cut(turn, `,"thoughtSignature":"`)
	if !found {
		return turn
	}
	_, after, _ = strings.Cut(after, `"`)
	return before + after
}

// talk has the whole conversation.
func talk(t testing.TB, s http.Handler, base string, lose func(string) string, changes ...func(*http.Request)) *client {
	t.Helper()
	c := &client{t: t, s: s, base: base, lose: lose, changes: changes}
	c.say("How is the weather?")
	c.result("7")
	return c
}

type row struct {
	ID, Name, Scenario, Status, Word string
	Requests, Findings, Lost, Signed int
	Finished                         bool
}

type overview struct {
	Verdict       struct{ Tone, Word, Says string }
	Conversations []row
	Kept, Gone    int
	GoneFailed    int `json:"gone_failed"`
	Strays        int
}

func look(t testing.TB, s *live.Server) overview {
	t.Helper()
	live.Settle(s)
	a := get(t, s, live.Root+"api/conversations")
	var out overview
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return out
}

// named returns the row of a conversation.
func (o overview) named(t testing.TB, name string) row {
	t.Helper()
	for _, r := range o.Conversations {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no conversation is named %q in %+v", name, o.Conversations)
	return row{}
}

func (o overview) names() []string {
	var out []string
	for _, r := range o.Conversations {
		out = append(out, r.Name)
	}
	return out
}

// clock is a time that tests put forward.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

func detail(t testing.TB, s *live.Server, id string) string {
	t.Helper()
	a := get(t, s, live.Root+"api/conversations/"+id)
	NewWithT(t).Expect(a.status).To(Equal(http.StatusOK), fmt.Sprint(a.body))
	return a.body
}
