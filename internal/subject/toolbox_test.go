package subject_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/subject"
)

func weather(results ...subject.ToolResult) subject.Task {
	return subject.Task{V: 1, Tools: []subject.Tool{{Name: "weather", Results: results}, {Name: "idle"}}}
}

func TestToolboxPicks(t *testing.T) {
	type call struct{ name, args, want string }
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, row := range []struct {
		name    string
		results []subject.ToolResult
		calls   []call
	}{
		{
			"anything fits an entry without args and nth",
			[]subject.ToolResult{{Result: "r"}},
			[]call{{"weather", `{"a":1}`, "r"}, {"weather", "", "r"}},
		},
		{
			"args are compared as JSON values",
			[]subject.ToolResult{{Args: raw(`{"a":1,"b":"\u00e9"}`), Result: "r"}},
			[]call{{"weather", `{ "b": "é", "a": 1.0 }`, "r"}},
		},
		{
			"the first entry that fits wins",
			[]subject.ToolResult{{Args: raw(`{"a":1}`), Result: "one"}, {Args: raw(`{"a":2}`), Result: "two"}, {Result: "any"}},
			[]call{{"weather", `{"a":2}`, "two"}, {"weather", `{"a":1}`, "one"}, {"weather", `{"a":3}`, "any"}},
		},
		{
			"nth counts the calls of the tool",
			[]subject.ToolResult{{Nth: 2, Result: "second"}, {Result: "other"}},
			[]call{{"weather", `{}`, "other"}, {"weather", `{}`, "second"}, {"weather", `{}`, "other"}},
		},
		{
			"nth and args must both fit",
			[]subject.ToolResult{{Nth: 1, Args: raw(`{"a":1}`), Result: "both"}},
			[]call{{"weather", `{"a":2}`, ""}, {"weather", `{"a":1}`, ""}},
		},
		{
			"no arguments are an empty object",
			[]subject.ToolResult{{Args: raw(`{}`), Result: "r"}},
			[]call{{"weather", "", "r"}, {"weather", " ", "r"}, {"weather", "{}", "r"}, {"weather", "[]", ""}},
		},
		{
			"arguments that are no JSON fit an entry without args only",
			[]subject.ToolResult{{Args: raw(`{}`), Result: "r"}},
			[]call{{"weather", "{", ""}},
		},
		{"a tool that is not offered", nil, []call{{"nope", "{}", ""}}},
		{"a tool without results", nil, []call{{"idle", "{}", ""}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			box := subject.NewToolbox(weather(row.results...))
			var log []subject.ToolRun
			for i, c := range row.calls {
				id := fmt.Sprintf("id-%d", i)
				got, err := box.Begin(c.name, c.args, id)(t.Context())
				if c.want == "" {
					var te *subject.ToolError
					g.Expect(errors.As(err, &te)).To(BeTrue(), "got %v", err)
					g.Expect(te.Outcome().Kind).To(Equal(subject.FromSubject))
					g.Expect(te.Error()).To(ContainSubstring(fmt.Sprintf("tool %q", c.name)))
					continue
				}
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(got).To(Equal(c.want))
				log = append(log, subject.ToolRun{Name: c.name, Arguments: c.args, CallID: id, Result: c.want})
			}
			g.Expect(box.Runs()).To(HaveLen(len(log)))
			for i := range log {
				g.Expect(box.Runs()[i]).To(Equal(log[i]))
			}
		})
	}
}

func TestToolboxLogsInStartOrder(t *testing.T) {
	g := NewWithT(t)
	box := subject.NewToolbox(weather(
		subject.ToolResult{Nth: 1, Result: "slow", DelayMS: 20},
		subject.ToolResult{Nth: 2, Result: "fast"}))
	slow := box.Begin("weather", "{}", "a")
	fast := box.Begin("weather", "{}", "b")
	var finished []string
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, run := range []func(context.Context) (string, error){slow, fast} {
		wg.Go(func() {
			got, err := run(context.Background())
			mu.Lock()
			defer mu.Unlock()
			finished = append(finished, got)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	g.Expect(finished).To(Equal([]string{"fast", "slow"}))
	g.Expect(box.Runs()).To(Equal([]subject.ToolRun{
		{Name: "weather", Arguments: "{}", CallID: "a", Result: "slow"},
		{Name: "weather", Arguments: "{}", CallID: "b", Result: "fast"},
	}))
}

func TestToolboxDelayEndsWithTheContext(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	box := subject.NewToolbox(weather(subject.ToolResult{Result: "r", DelayMS: int(time.Hour / time.Millisecond)}))
	run := box.Begin("weather", "{}", "")
	cancel()
	_, err := run(ctx)
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(box.Runs()).To(HaveLen(1), "the call started all the same")
}

func TestToolboxRunsIsACopyAndNeverNil(t *testing.T) {
	g := NewWithT(t)
	box := subject.NewToolbox(weather(subject.ToolResult{Result: "r"}))
	g.Expect(box.Runs()).To(Equal([]subject.ToolRun{}))
	_, _ = box.Begin("weather", "{}", "")(t.Context())
	box.Runs()[0].Result = "edited"
	g.Expect(box.Runs()[0].Result).To(Equal("r"))
}

func TestToolboxBrokenScript(t *testing.T) {
	g := NewWithT(t)
	box := subject.NewToolbox(weather(subject.ToolResult{Args: json.RawMessage(`{`), Result: "r"}))
	_, err := box.Begin("weather", "{}", "")(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring("results[0].args")))
}

func TestToolErrorClipsArguments(t *testing.T) {
	g := NewWithT(t)
	box := subject.NewToolbox(weather())
	_, err := box.Begin("weather", `{"a":"`+strings.Repeat("ü", 1<<20)+`"}`, "")(t.Context())
	g.Expect(len(err.Error())).To(BeNumerically("<", 400))
	g.Expect(err.Error()).NotTo(ContainSubstring("\ufffd"))
}

func TestToolboxAsksTheToolURL(t *testing.T) {
	g := NewWithT(t)
	var asked string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		asked = string(b)
		if strings.Contains(asked, "fail") {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		_, _ = io.WriteString(w, `{"c":7}`)
	}))
	defer srv.Close()
	task := weather(subject.ToolResult{Result: "not this"})
	task.ToolURL = &srv.URL
	box := subject.NewToolbox(task)
	got, err := box.Begin("weather", `{"q":"<&\u2028"}`, "c-1")(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(`{"c":7}`))
	g.Expect(asked).To(Equal(`{"name":"weather","arguments":"{\"q\":\"<&\\u2028\"}","call_id":"c-1"}`))
	g.Expect(box.Runs()).To(Equal([]subject.ToolRun{{Name: "weather", Arguments: `{"q":"<&\u2028"}`, CallID: "c-1", Result: `{"c":7}`}}))

	_, err = box.Begin("weather", `{"q":"fail"}`, "c-2")(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring("got status 418, want 200")))
	g.Expect(box.Runs()).To(HaveLen(2))
}
