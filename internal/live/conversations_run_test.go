package live_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/live"
)

// Each client of each file has its conversation with what "replaycheck serve"
// starts, over a real socket, and gets the answers and the verdict that the file
// says, no more and no less.
func TestConversations(t *testing.T) {
	for _, f := range conversationFiles(t) {
		for _, c := range f.Clients {
			t.Run(f.name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				f.run(t, c)
			})
		}
	}
}

func (f conversationFile) run(t *testing.T, c conversationClient) {
	t.Helper()
	g := NewWithT(t)
	s := f.start(t)
	for i, r := range c.Requests {
		if r.Restart {
			s.stop()
			s = f.start(t)
		}
		where := fmt.Sprintf("request %d", i+1)
		status, body := s.do(t, http.MethodPost, "/c/"+c.Name+r.Post, r.Body)
		if !g.Expect(body).To(f.answer(r), where) || !g.Expect(status).To(Equal(r.Status), where) {
			return
		}
	}
	live.Settle(s.server)
	s.verdict(t, f, c)
}

// running is a server at a loopback port.
type running struct {
	server *live.Server
	base   string
	client *http.Client
	stop   func()
}

// start starts what the command starts.
func (f conversationFile) start(t *testing.T) *running {
	t.Helper()
	played := f.script(t)
	server, err := live.New(live.Options{
		Scenarios: []live.Scenario{{ID: played.Name, Title: played.Title, Play: played.Play, Left: played.Left}}, Profile: f.Profile, With: f.With,
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, ln) }()
	transport := &http.Transport{}
	s := &running{server: server, base: "http://" + ln.Addr().String(), client: &http.Client{Transport: transport}}
	stopped := false
	s.stop = func() {
		if stopped {
			return
		}
		stopped = true
		transport.CloseIdleConnections()
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		server.Close()
	}
	t.Cleanup(s.stop)
	return s
}

func (s *running) do(t *testing.T, method, path, body string) (status int, reply string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// answer matches the body that a request is to get.
func (f conversationFile) answer(r conversationRequest) OmegaMatcher {
	if r.Reply > 0 {
		reply := f.Replies[r.Reply-1].Raw
		return Equal(reply.Plain + reply.Stream)
	}
	rule, _ := ruleByID(r.Rule)
	return refusalOf(rule, r)
}

// refusalOf is the provider's body around a rule's sentence, spelled out here
// once more.
func refusalOf(rule fakeserver.Rule, r conversationRequest) OmegaMatcher {
	fill := func(text string) string {
		for name, value := range r.Says {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		return text
	}
	message := inJSON(fill(rule.Message))
	switch family, _, _ := strings.Cut(rule.ID, "/"); family {
	case "gemini":
		details := ""
		if rule.Details {
			details = `,"details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":` + inJSON(r.Says["at"]) + `,"description":` + message + `}]}]`
		}
		body := `{"error":{"code":400,"message":` + message + `,"status":"INVALID_ARGUMENT"` + details + `}}`
		if strings.Contains(r.Post, "/openai/") {
			body = "[" + body + "]"
		}
		return Equal(body)
	case "anthropic":
		return MatchRegexp(`^` + regexp.QuoteMeta(`{"type":"error","error":{"type":"invalid_request_error","message":`+message+`},"request_id":"req_`) + `[0-9a-f]{24}"}$`)
	}
	param, code := "null", "null"
	if rule.Param != "" {
		param = inJSON(fill(rule.Param))
	}
	if rule.Code != "" {
		code = inJSON(rule.Code)
	}
	return Equal(`{"error":{"message":` + message + `,"type":"invalid_request_error","param":` + param + `,"code":` + code + `}}`)
}

func inJSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can be encoded
	return strings.TrimSpace(b.String())
}

// judgedConversation is what is read of the JSON beside the page.
type judgedConversation struct {
	Status, Word       string
	Turns              []judgedTurn
	Findings, Reported []judgedFinding
	Notes              []string
	Exchanges          []struct{ Path string }
}

type judgedTurn struct {
	Reply int
	API   string
	Parts []struct {
		Kind    string
		Signed  bool
		Returns []struct {
			First int `json:"first_request"`
			Last  int `json:"last_request"`
			Path  string
			Word  string
		}
	}
}

type judgedFinding struct{ Requirement, Also, Change, Where, Means string }

// verdict compares what the server says of the conversation with the file.
func (s *running) verdict(t *testing.T, f conversationFile, c conversationClient) {
	t.Helper()
	g := NewWithT(t)
	var all struct{ Conversations []struct{ ID, Name string } }
	_, body := s.do(t, http.MethodGet, live.Root+"api/conversations", "")
	g.Expect(json.Unmarshal([]byte(body), &all)).To(Succeed(), body)
	g.Expect(all.Conversations).To(HaveLen(1))
	g.Expect(all.Conversations[0].Name).To(Equal(c.Name))
	var got judgedConversation
	_, body = s.do(t, http.MethodGet, live.Root+"api/conversations/"+all.Conversations[0].ID, "")
	g.Expect(json.Unmarshal([]byte(body), &got)).To(Succeed(), body)
	if !c.Requests[len(c.Requests)-1].Restart {
		g.Expect(got.Turns[0].API).To(Equal(f.API))
	}
	for _, finding := range got.Findings {
		if finding.Requirement == "PROVIDER-RULES" {
			g.Expect(finding.Means).To(HavePrefix("refused by " + f.Profile + " ("))
		}
	}
	v := c.Verdict
	said := map[string]any{
		"status": got.Status, "word": got.Word, "parts": partLines(got.Turns), "findings": findingLines(got.Findings), "reported": findingLines(got.Reported), "notes": got.Notes,
	}
	wanted := map[string]any{
		"status": v.Status, "word": v.Word, "parts": append([]string{}, *v.Parts...),
		"findings": sorted(*v.Findings), "reported": sorted(v.Reported), "notes": append([]string{}, v.Notes...),
	}
	g.Expect(cmp.Diff(wanted, said)).To(BeEmpty(), "- as the file says, + as the server does")
}

func sorted(lines []string) []string {
	return slices.Sorted(slices.Values(append([]string{}, lines...)))
}

// partLines are the parts of all replies, a line each.
func partLines(turns []judgedTurn) []string {
	out := []string{}
	for _, turn := range turns {
		for i, p := range turn.Parts {
			line := fmt.Sprintf("%d.%d %s", turn.Reply, i+1, p.Kind)
			if p.Signed {
				line += " signed"
			}
			for _, r := range p.Returns {
				line += fmt.Sprintf("; request %d ", r.First)
				if r.Last > r.First {
					line = strings.TrimSuffix(line, fmt.Sprintf("request %d ", r.First)) + fmt.Sprintf("requests %d-%d ", r.First, r.Last)
				}
				line += r.Word
				if r.Path != "" {
					line += " at " + r.Path
				}
			}
			out = append(out, line)
		}
	}
	return out
}

// findingLines are the findings, a line for each change at a place with the
// requirements that it is about.
func findingLines(findings []judgedFinding) []string {
	ids := map[string][]string{}
	for _, f := range findings {
		at := f.Change + " at " + f.Where
		ids[at] = append(ids[at], f.Requirement)
		if f.Also != "" {
			ids[at] = append(ids[at], strings.Split(f.Also, ", ")...)
		}
	}
	out := []string{}
	for at, of := range ids {
		slices.Sort(of)
		out = append(out, strings.Join(slices.Compact(of), " ")+" "+at)
	}
	return sorted(out)
}
