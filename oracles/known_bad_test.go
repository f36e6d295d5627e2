package oracles_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/oracles"
)

// knownBad is the reference adapters behind a relay that damages what they
// send, or between hands that damage what they are given and hand out. One such
// subject per family shows that the whole way from the socket to the status can
// be red: a selfcheck.
type knownBad struct {
	name  string
	wire  func(path, body string) string // damages a request; nil: none
	given func(*oracles.Task)            // damages a task; nil: none
	said  func(*oracles.Outcome)         // damages an outcome; nil: none
}

func (b knownBad) Describe(ctx context.Context) (oracles.Description, error) {
	d, err := reference.New().Describe(ctx)
	if b.name != "" {
		d.Name = b.name
	}
	return d, err
}

func (b knownBad) Run(ctx context.Context, task oracles.Task) (oracles.Outcome, error) {
	if b.wire != nil {
		relay := b.relay(task.Legs[0].BaseURL)
		defer relay.Close()
		for i := range task.Legs {
			task.Legs[i].BaseURL = relay.URL
		}
	}
	if b.given != nil {
		b.given(&task)
	}
	out, err := reference.New().Run(ctx, task)
	if b.said != nil {
		b.said(&out)
	}
	return out, err
}

// relay passes requests on to a base URL, damaged.
func (b knownBad) relay(base string) *httptest.Server {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.RequestURI(), strings.NewReader(b.wire(r.URL.Path, string(body))))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		out.Header = r.Header.Clone()
		reply, err := client.Do(out)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer reply.Body.Close()
		w.Header().Set("Content-Type", reply.Header.Get("Content-Type"))
		// A reply that breaks off is passed on as such.
		text, err := io.ReadAll(reply.Body)
		if err != nil {
			w.Header().Set("Content-Length", "9999999")
		}
		w.WriteHeader(reply.StatusCode)
		_, _ = io.Copy(w, bytes.NewReader(text))
	}))
}

func geminiOnly(e edit) func(path, body string) string {
	return func(path, body string) string {
		if strings.Contains(path, ":") {
			return e(body)
		}
		return body
	}
}

func responsesOnly(e edit) func(path, body string) string {
	return func(path, body string) string {
		if strings.HasSuffix(path, "/responses") {
			return e(body)
		}
		return body
	}
}

func TestKnownBadAdapters(t *testing.T) {
	for _, row := range []struct {
		family    string
		subject   knownBad
		scenarios []string
		only      []string // requirements; none: all
		red       []string // exactly these fail
		finding   string   // one of what is said
	}{
		{
			"REPLAY drops every signature",
			knownBad{name: "drops-signatures", wire: geminiOnly(func(body string) string {
				return model(body, func(parts []string) []string {
					out := slices.Clone(parts)
					for i := range out {
						out[i] = dropSig(out[i])
					}
					return out
				})
			})},
			[]string{"gemini/single-call", "gemini/parallel-different", "gemini/sequential", "gemini/signed-text"},
			[]string{"REPLAY-*"},
			[]string{"REPLAY-01", "REPLAY-02", "REPLAY-03", "REPLAY-04", "REPLAY-05"},
			"provider documented, absent: request 2, contents[1].parts[0].thoughtSignature",
		},
		{
			"REPLAY answers with its thoughts",
			knownBad{name: "thinks-aloud", said: func(o *oracles.Outcome) {
				for i := range o.Answers {
					o.Answers[i].Content = "**Planning the look-up**\n\nThe user asks about rain, so the weather tool is due." + o.Answers[i].Content
				}
			}},
			[]string{"gemini/thoughts-then-call"},
			[]string{"REPLAY-*"},
			[]string{"REPLAY-14"},
			"provider documented, leaked: run 1, answer 1",
		},
		{
			"FOREIGN takes the signature along",
			knownBad{name: "takes-along", wire: responsesOnly(func(body string) string {
				return setItems(body, "input", onItem(isRebuiltCall, func(item string) []string { return []string{setText(item, sig, "AAAA")} })(items(body, "input")))
			})},
			[]string{"foreign/gemini-to-openai"},
			[]string{"FOREIGN-*"},
			[]string{"FOREIGN-02"},
			"provider documented, foreign: request 3, input[2].thoughtSignature",
		},
		{
			"FOREIGN drops the text of a turn with calls",
			knownBad{name: "drops-text", wire: responsesOnly(func(body string) string {
				return setItems(body, "input", onItem(isRebuiltText, drop)(items(body, "input")))
			})},
			[]string{"foreign/gemini-to-openai"},
			[]string{"FOREIGN-*"},
			[]string{"FOREIGN-01"},
			"provider documented, absent: request 3, input[1]",
		},
		{
			"REFUSE drops what it can't read",
			knownBad{name: "drops-carriers", given: func(task *oracles.Task) {
				if task.State == nil {
					return
				}
				state := *task.State
				for i := range items(state, "messages") {
					state = remove(state, pathTo("messages", i)+".provider_items")
				}
				task.State = &state
			}},
			[]string{"foreign/refuse-missing-*", "foreign/refuse-not-objects-*", "foreign/refuse-duplicate-*"},
			[]string{"REFUSE-*"},
			[]string{"REFUSE-01", "REFUSE-04", "REFUSE-06", "REFUSE-08", "REFUSE-09"},
			"verbatim documented, accepted: run 1 (bare)",
		},
		{
			"REFUSE quotes the state",
			knownBad{name: "quotes", said: func(o *oracles.Outcome) {
				if o.Error != nil && o.Error.Kind == subject.Refused && o.State != nil {
					o.Error.Message += ": " + *o.State
				}
			}},
			[]string{"foreign/refuse-missing-gemini"},
			[]string{"REFUSE-*"},
			[]string{"REFUSE-08"},
			"verbatim documented, changed: run 1 (bare), error message",
		},
		{
			"OPENAI lets the provider keep the conversation",
			knownBad{name: "stores", wire: responsesOnly(func(body string) string { return setRaw(body, "store", "true") })},
			[]string{"openai/single-call"},
			[]string{"OPENAI-*"},
			[]string{"OPENAI-02"},
			"provider documented, changed: request 1, store",
		},
		{
			"OPENAI drops reasoning",
			knownBad{name: "drops-reasoning", wire: responsesOnly(func(body string) string {
				return setItems(body, "input", filter(items(body, "input"), not(isReasoning)))
			})},
			[]string{"openai/single-call", "openai/interleaved"},
			[]string{"OPENAI-*"},
			[]string{"OPENAI-03", "OPENAI-04"},
			"provider confirmed, absent: request 2, input[1]",
		},
		{
			"OPENAI asks the other endpoint",
			knownBad{given: func(task *oracles.Task) { // it says that it is the reference
				for i := range task.Legs {
					task.Legs[i].Provider = subject.OpenAIChat
				}
			}},
			[]string{"openai/single-call"},
			[]string{"OPENAI-01"},
			[]string{"OPENAI-01"},
			"provider confirmed, added: request 1",
		},
		{
			"STREAM drops the empty tail",
			knownBad{name: "drops-tail", wire: geminiOnly(func(body string) string {
				return model(body, func(parts []string) []string {
					return filter(parts, func(p string) bool { return !isText(p) || text(p, "text") != "" })
				})
			})},
			[]string{"gemini/signed-empty-tail", "gemini/single-call"},
			[]string{"STREAM-*"},
			[]string{"STREAM-01", "STREAM-02"},
			"provider documented, absent: request 2, contents[1]",
		},
		{
			"STREAM takes half for whole",
			knownBad{name: "half-for-whole", said: func(o *oracles.Outcome) {
				if o.Error != nil && o.Error.Kind == subject.FromStream {
					o.Error = nil
				}
			}},
			[]string{"gemini/stream-broken", "gemini/single-call"},
			[]string{"STREAM-*"},
			[]string{"STREAM-02"},
			"provider documented, accepted: run 1",
		},
	} {
		t.Run(row.family, func(t *testing.T) {
			t.Parallel()
			rep, err := oracles.Judge(t.Context(), oracles.Config{
				New: func() (oracles.Subject, error) { return row.subject, nil }, InProcess: true,
				Scenarios: row.scenarios, Only: row.only, Level: result.Verbatim,
			})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Status != result.Fail {
				t.Errorf("got status %s, want fail", rep.Status)
			}
			var red []string
			said := false
			for _, r := range rep.Requirements {
				if r.Status == result.Error {
					t.Errorf("%s: got an error, want a verdict: %s", r.ID, oracles.Explain(r, rep.Level))
				}
				if r.Status != result.Fail {
					continue
				}
				red = append(red, r.ID)
				for _, run := range r.Runs {
					for _, f := range run.Findings {
						said = said || strings.HasPrefix(show(f), row.finding+"\n")
					}
				}
			}
			slices.Sort(red)
			if !slices.Equal(red, row.red) {
				t.Errorf("got %q red, want %q", red, row.red)
			}
			if !said {
				t.Errorf("nothing says %q", row.finding)
			}
		})
	}
}

// TestKnownGoodAdapter: the relay alone damages nothing.
func TestKnownGoodAdapter(t *testing.T) {
	rep, err := oracles.Judge(t.Context(), oracles.Config{
		New: func() (oracles.Subject, error) {
			return knownBad{name: "relayed", wire: func(_, body string) string { return body }}, nil
		},
		InProcess: true, Level: result.Verbatim,
		Scenarios: []string{"gemini/single-call", "gemini/stream-broken", "openai/single-call", "foreign/there-and-back", "foreign/refuse-missing-gemini"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Requirements {
		if r.Status == result.Fail || r.Status == result.Error {
			t.Error(oracles.Explain(r, rep.Level))
		}
	}
}
