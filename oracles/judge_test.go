package oracles_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/oracles"
)

// odd is a subject made of functions; nil ones are the reference adapters'.
type odd struct {
	describe func(*oracles.Description) error
	run      func(context.Context, oracles.Task) (oracles.Outcome, error)
}

func (o odd) Describe(ctx context.Context) (oracles.Description, error) {
	d, err := reference.New().Describe(ctx)
	d.Name = "odd"
	if o.describe != nil && err == nil {
		err = o.describe(&d)
	}
	return d, err
}

func (o odd) Run(ctx context.Context, task oracles.Task) (oracles.Outcome, error) {
	if o.run != nil {
		return o.run(ctx, task)
	}
	return reference.New().Run(ctx, task)
}

func judged(t *testing.T, s oracles.Subject, cfg oracles.Config) oracles.Report {
	t.Helper()
	cfg.New, cfg.InProcess = func() (oracles.Subject, error) { return s, nil }, true
	rep, err := oracles.Judge(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func statusOf(t *testing.T, rep oracles.Report, id string) result.Status {
	t.Helper()
	return requirementOf(t, rep, id).Status
}

func requirementOf(t *testing.T, rep oracles.Report, id string) result.Requirement {
	t.Helper()
	for _, r := range rep.Requirements {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("%s is not in the report", id)
	return result.Requirement{}
}

// answers gives each prompt of a task an answer, without asking anybody.
func answers(task oracles.Task) oracles.Outcome {
	out := oracles.Outcome{V: subject.Version, State: task.State}
	for i, leg := range task.Legs {
		for j := range leg.Prompts {
			out.Answers = append(out.Answers, oracles.Answer{Leg: i, Prompt: j, Content: "Certainly."})
		}
	}
	return out
}

func TestSubjectThatSendsNothingFails(t *testing.T) {
	for _, level := range []oracles.Level{result.Provider, result.Verbatim} {
		rep := judged(t, odd{run: func(_ context.Context, task oracles.Task) (oracles.Outcome, error) { return answers(task), nil }},
			oracles.Config{Level: level})
		if rep.Status != result.Fail || rep.Summary.Pass > 0 || rep.Summary.Error > 0 {
			t.Errorf("%s: got %s, %+v, want fail and no pass", level, rep.Status, rep.Summary)
		}
		for _, r := range rep.Requirements {
			for _, run := range r.Runs {
				if run.Status == result.Pass && r.Status != result.Unsupported {
					t.Errorf("%s at %s: passes on %s %s %s", r.ID, level, run.Scenario, run.Mode, run.Variant)
				}
			}
		}
		f := requirementOf(t, rep, "REPLAY-03").Runs[0].Findings[0]
		want := "provider confirmed, shrunk: request 1\nwant a first request\ngot  it never came: the subject ended with 0 answers"
		if got := show(f); !strings.HasPrefix(got, strings.TrimSuffix(want, "0 answers")) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestSubjectThatStopsAfterTheFirstRequestFails(t *testing.T) {
	var sent atomic.Int64
	relay := knownBad{name: "stops", wire: func(_, body string) string {
		if sent.Add(1) > 1 {
			return "stop" // the fake refuses what is no JSON
		}
		return body
	}}
	for _, id := range []string{"gemini/single-call", "openai/single-call", "gemini/signed-text"} {
		sent.Store(0)
		s := odd{run: func(ctx context.Context, task oracles.Task) (oracles.Outcome, error) {
			out, err := relay.Run(ctx, task)
			return out, err
		}}
		first := odd{describe: func(d *oracles.Description) error { d.Modes, d.State = []string{"plain"}, "none"; return nil }, run: s.run}
		rep := judged(t, first, oracles.Config{Scenarios: []string{id}, Workers: 1})
		if rep.Status != result.Fail {
			t.Errorf("%s: got %s, want fail", id, rep.Status)
		}
	}

	// One that ends of its own accord: the replies are left over.
	rep := judged(t, odd{run: func(ctx context.Context, task oracles.Task) (oracles.Outcome, error) {
		for i := range task.Legs {
			task.Legs[i].Prompts = task.Legs[i].Prompts[:min(1, len(task.Legs[i].Prompts))]
		}
		return reference.New().Run(ctx, task)
	}}, oracles.Config{Scenarios: []string{"gemini/second-turn"}, Only: []string{"REPLAY-02"}})
	r := requirementOf(t, rep, "REPLAY-02")
	if r.Status != result.Fail {
		t.Fatalf("got %s, want fail", r.Status)
	}
	want := "provider confirmed, shrunk: request 3\nwant request 3, after reply 2\ngot  it never came: the subject ended with 1 answer"
	if got := show(r.Runs[0].Findings[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// One that plays the first leg of several is told how many there were.
func TestSubjectThatPlaysTheFirstLegOnlyFails(t *testing.T) {
	rep := judged(t, odd{run: func(ctx context.Context, task oracles.Task) (oracles.Outcome, error) {
		task.Legs = task.Legs[:min(1, len(task.Legs))]
		return reference.New().Run(ctx, task)
	}}, oracles.Config{Scenarios: []string{"gemini/other-model"}, Only: []string{"REPLAY-02"}})
	r := requirementOf(t, rep, "REPLAY-02")
	want := "provider confirmed, shrunk: request 3\nwant request 3, after reply 2\ngot  it never came: the subject ended with 1 answer to the 2 prompts of 2 legs"
	if got := show(r.Runs[0].Findings[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSubjectWithoutCapabilities(t *testing.T) {
	rep := judged(t, odd{describe: func(d *oracles.Description) error {
		d.Capabilities, d.Unsupported = nil, map[string]string{subject.Parallel: "one call at a time"}
		d.State, d.Stops, d.Carrier = "none", nil, ""
		return nil
	}}, oracles.Config{})
	for _, id := range []string{"REPLAY-03", "REPLAY-06", "REPLAY-07", "REPLAY-11", "REPLAY-15"} {
		if r := requirementOf(t, rep, id); r.Status != result.Pass || len(r.Runs) == 0 {
			t.Errorf("%s: got %s on %d runs, want pass: it can't be opted out of", id, r.Status, len(r.Runs))
		}
	}
	for id, reason := range map[string]string{
		"REPLAY-04":  "capability parallel: one call at a time",
		"REPLAY-05":  "capability sequential: not declared",
		"FOREIGN-01": "capability cross-provider: not declared",
		"REPLAY-13":  `the subject carries no "nrllm/v1" state`,
		"REFUSE-01":  `the subject carries no "nrllm/v1" state`,
		"OPENAI-01":  "asked of the reference adapters only",
	} {
		if r := requirementOf(t, rep, id); r.Status != result.Unsupported || r.Reason != reason || len(r.Runs) > 0 {
			t.Errorf("%s: got %s (%s), want unsupported (%s)", id, r.Status, r.Reason, reason)
		}
	}
	for _, line := range []string{"capability parallel: one call at a time", "capability cross-provider: not declared", "plain/stored: the subject keeps no state", "stream/stored: the subject keeps no state"} {
		if !slices.Contains(rep.NotJudged, line) {
			t.Errorf("got not judged %q, want %q among them", rep.NotJudged, line)
		}
	}
	for _, r := range rep.Requirements {
		if r.Status == result.Unsupported && r.Reason == "" {
			t.Errorf("%s: unsupported without a reason", r.ID)
		}
	}
}

func TestSubjectThatFailsItselfIsAnError(t *testing.T) {
	for _, row := range []struct {
		name, want string
		run        func(context.Context, oracles.Task) (oracles.Outcome, error)
	}{
		{"returns an error", "run 1: out of ink", func(context.Context, oracles.Task) (oracles.Outcome, error) {
			return oracles.Outcome{}, errors.New("out of ink")
		}},
		{"panics", "run 1: subject: panicked: runtime error: index out of range", func(_ context.Context, task oracles.Task) (oracles.Outcome, error) {
			_ = make([]int, 0)[len(task.Legs)]
			return oracles.Outcome{}, nil
		}},
		{"answers nonsense", "outcome.stopped", func(_ context.Context, task oracles.Task) (oracles.Outcome, error) {
			out := answers(task)
			out.Stopped = "lunch"
			return out, nil
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			rep := judged(t, odd{run: row.run}, oracles.Config{Scenarios: []string{"gemini/single-call"}, Only: []string{"REPLAY-0[1-3]"}})
			if rep.Status != result.Error {
				t.Errorf("got %s, want error", rep.Status)
			}
			r := requirementOf(t, rep, "REPLAY-03")
			if r.Status != result.Error || len(r.Runs) == 0 || !strings.HasPrefix(r.Runs[0].Reason, "scenario: gemini/single-call (plain/memory): ") || strings.Contains(r.Runs[0].Reason, "\n") {
				t.Errorf("got %s: %q", r.Status, r.Runs[0].Reason)
			}
			if !strings.Contains(r.Runs[0].Reason, row.want) {
				t.Errorf("got %q, want it to hold %q", r.Runs[0].Reason, row.want)
			}
		})
	}
}

func TestConfigurationErrors(t *testing.T) {
	ok := func() (oracles.Subject, error) { return odd{}, nil }
	for _, row := range []struct {
		name string
		cfg  oracles.Config
		want string
	}{
		{"no subject", oracles.Config{}, "oracles: config: New is nil, want a function that returns the subject"},
		{"a subject that can't be opened", oracles.Config{New: func() (oracles.Subject, error) { return nil, errors.New("no such program") }}, "oracles: open subject: no such program"},
		{"one that can't be described", oracles.Config{New: func() (oracles.Subject, error) {
			return odd{describe: func(*oracles.Description) error { return errors.New("mute") }}, nil
		}}, "oracles: describe subject: mute"},
		{"one without a name", oracles.Config{New: func() (oracles.Subject, error) {
			return odd{describe: func(d *oracles.Description) error { d.Name = ""; return nil }}, nil
		}}, "oracles: describe subject: describe.name is empty"},
		{"an unknown level", oracles.Config{New: ok, Level: "strict"}, `oracles: config: level is "strict", want "provider" or "verbatim"`},
		{"an unknown requirement", oracles.Config{New: ok, Only: []string{"REPLAY-01", "REPLAY-99"}}, `unknown requirement "REPLAY-99", nearest: `},
		{"a pattern that fits nothing", oracles.Config{New: ok, Only: []string{"RPLAY-*"}}, `unknown requirement "RPLAY-*", nearest: `},
		{"NOPE", oracles.Config{New: ok, Only: []string{"NOPE"}}, `unknown requirement "NOPE", nearest: `},
		{"an unknown scenario", oracles.Config{New: ok, Scenarios: []string{"gemini/single-cal"}}, `unknown scenario "gemini/single-cal", nearest: gemini/single-call, `},
		{"a folder with nothing in it", oracles.Config{New: ok, Scenarios: []string{"cohere/*"}}, `unknown scenario "cohere/*", nearest: `},
		{"a pattern that is none", oracles.Config{New: ok, Only: []string{"REPLAY-[01"}}, `pattern "REPLAY-[01": syntax error in pattern`},
		{"nothing to run", oracles.Config{New: ok, Only: []string{"FOREIGN-01"}, Scenarios: []string{"gemini/single-call"}}, "oracles: nothing to run: the chosen scenarios hold no evidence for the chosen requirements"},
		{"no scenarios at all", oracles.Config{New: ok, All: []*fixtures.Scenario{}}, "oracles: nothing to run: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			rep, err := oracles.Judge(t.Context(), row.cfg)
			if err == nil || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, row.want)
			}
			if rep.Schema != "" || rep.Requirements != nil {
				t.Errorf("got a report: %+v", rep.Summary)
			}
			if unknown, ok := errors.AsType[*oracles.UnknownError](err); ok && len(unknown.Nearest) != 3 {
				t.Errorf("got nearest %q, want three", unknown.Nearest)
			}
		})
	}
}

func TestNearestNames(t *testing.T) {
	_, err := oracles.Judge(t.Context(), oracles.Config{New: newReference, Only: []string{"reply-04"}})
	unknown, ok := errors.AsType[*oracles.UnknownError](err)
	if !ok || unknown.Nearest[0] != "REPLAY-04" || unknown.What != "requirement" || unknown.Name != "reply-04" {
		t.Errorf("got %v, want REPLAY-04 first", err)
	}
}

func TestChosenRequirements(t *testing.T) {
	rep := judged(t, reference.New(), oracles.Config{Only: []string{"replay-0[34]"}, Scenarios: []string{"gemini/parallel-*", "gemini/single-call"}})
	if rep.Status != result.Partial || rep.Level != result.Verbatim {
		t.Errorf("got %s at %s, want partial: something was skipped", rep.Status, rep.Level)
	}
	for _, r := range rep.Requirements {
		want := result.Skipped
		if r.ID == "REPLAY-03" || r.ID == "REPLAY-04" {
			want = result.Pass
		}
		if r.Status != want {
			t.Errorf("%s: got %s, want %s", r.ID, r.Status, want)
		}
	}
}

func TestInterruptedJudgeIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := oracles.Judge(ctx, oracles.Config{New: newReference}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestKeepWritesWhatWasSent(t *testing.T) {
	dir := t.TempDir()
	rep := judged(t, knownBad{name: "drops", wire: geminiOnly(func(b string) string {
		for _, p := range places(b, isSigned) {
			b = remove(b, p.path()+"."+sig)
		}
		return b
	})}, oracles.Config{Keep: dir, Scenarios: []string{"gemini/single-call"}, Only: []string{"REPLAY-03"}})
	run := requirementOf(t, rep, "REPLAY-03").Runs[0]
	raw := run.Findings[0].Raw
	if want := filepath.ToSlash(filepath.Join(dir, "gemini/single-call/plain/memory/request-2.json")); raw != want {
		t.Fatalf("got raw %q, want %q", raw, want)
	}
	body, err := os.ReadFile(raw)
	if err != nil || strings.Contains(string(body), sig) || !strings.Contains(string(body), `"functionCall"`) {
		t.Errorf("got %.100s, %v", body, err)
	}
}

// TestFindingsOfTwoLevelsAtOnePlace: of two findings that read alike, the one
// that gates at provider is not lost.
func TestFindingsOfTwoLevelsAtOnePlace(t *testing.T) {
	reply := func(parts string) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, `{"candidates":[{"content":{"role":"model","parts":[%s]},"finishReason":"STOP"}]}`, parts)}
	}
	all, err := fixtures.Load(fstest.MapFS{
		"gemini/two/meta.yaml":    {Data: []byte("title: t\nsource: s\ndate: \"2026-11-30\"\norigin: hand-made\nreplies: [gemini, gemini]\nmodes: [plain]\nmemory_only: true\n")},
		"gemini/two/task.json":    {Data: []byte(`{"v":1,"legs":[{"provider":"gemini","model":"gemini-3.8-flash","stateless":true,"system":null,"prompts":["a","b"]}],"tools":[]}`)},
		"gemini/two/reply-1.json": reply(`{"text":""},{"text":"","inlineData":{"mimeType":"a/b","data":"AA=="}},{"text":"x","thoughtSignature":"ErECCq4CAb4+9vtA+GYNX5aCjQd+AP2EzVazGdB4Kwr8DBGy8B9WOO7ra+CxtQ=="}`),
		"gemini/two/reply-2.json": reply(`{"text":"done"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	rep := judged(t, knownBad{name: "drops-empty", wire: geminiOnly(func(body string) string {
		return model(body, func(parts []string) []string {
			return filter(parts, func(p string) bool { return text(p, "text") != "" })
		})
	})}, oracles.Config{All: all, Level: result.Provider, Only: []string{"REPLAY-02"}})
	if got := statusOf(t, rep, "REPLAY-02"); got != result.Fail {
		t.Errorf("got %s, want fail", got)
	}
}
