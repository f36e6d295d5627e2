package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/subject"
)

const (
	callReply = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"weather","args":{"n":%d}},"thoughtSignature":"AA+/"}]},"finishReason":"STOP"}]}`
	textReply = `{"candidates":[{"content":{"role":"model","parts":[{"text":"answer %d"}]},"finishReason":"STOP"}]}`
	meta      = "title: t\nsource: s\ndate: 2026-11-30\norigin: hand-made\n"
	tools     = `"tools":[{"name":"weather","description":"","schema":{},"results":[{"args":{"n":1},"result":"{\"r\":1}"},{"args":{"n":2},"result":"{\"r\":2}"}]}]`
)

func oneLeg(prompts string) string {
	return `{"legs":[{"provider":"gemini","model":"m","prompts":[` + prompts + `]}],` + tools + `}`
}

// script makes a scenario of files; each reply is a letter, c for a call, t for
// text.
func script(t *testing.T, metaMore, replies string, files map[string]string) *fixtures.Scenario {
	t.Helper()
	dir := fstest.MapFS{}
	calls := 0
	endpoints := make([]string, len(replies))
	for i, letter := range replies {
		text := fmt.Sprintf(textReply, i+1)
		if letter == 'c' {
			calls++
			text = fmt.Sprintf(callReply, calls)
		}
		endpoints[i] = "gemini"
		dir[fmt.Sprintf("gemini/x/reply-%d.json", i+1)] = &fstest.MapFile{Data: []byte(text)}
		dir[fmt.Sprintf("gemini/x/reply-%d.sse", i+1)] = &fstest.MapFile{Data: []byte("data: " + text + "\n\n")}
	}
	dir["gemini/x/meta.yaml"] = &fstest.MapFile{Data: []byte(meta + metaMore + "replies: [" + strings.Join(endpoints, ", ") + "]\n")}
	for name, text := range files {
		dir["gemini/x/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	all, err := fixtures.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func driver(t *testing.T, open scenario.Open) *scenario.Driver {
	t.Helper()
	server, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return &scenario.Driver{Server: server, Open: open}
}

func always(s subject.Subject) scenario.Open {
	return func() (subject.Subject, error) { return s, nil }
}

// steps says per run: prompts of each leg, stop_at, exchanges.
func steps(runs []scenario.Run) []string {
	var out []string
	for _, r := range runs {
		var legs []string
		for _, l := range r.Task.Legs {
			legs = append(legs, strings.Join(l.Prompts, "+"))
		}
		out = append(out, fmt.Sprintf("[%s] %s %d", strings.Join(legs, "|"), r.Task.StopAt, len(r.Exchanges)))
	}
	return out
}

func TestDriveModes(t *testing.T) {
	twoLegs := `{"legs":[{"provider":"gemini","model":"m","prompts":["a"]},{"provider":"gemini","model":"m","prompts":["b"]}],` + tools + `}`
	for _, row := range []struct {
		name, replies  string
		files          map[string]string
		memory, stored []string
	}{
		{
			"one call", "ct",
			map[string]string{"task.json": oneLeg(`"a"`)},
			[]string{"[a]  2"},
			[]string{"[a] tool_calls 1", "[]  1"},
		},
		{
			"sequential calls", "cct",
			map[string]string{"task.json": oneLeg(`"a"`)},
			[]string{"[a]  3"},
			[]string{"[a] tool_calls 1", "[] tool_calls 1", "[]  1"},
		},
		{
			"two turns", "ctt",
			map[string]string{"task.json": oneLeg(`"a","b"`)},
			[]string{"[a+b]  3"},
			[]string{"[a+b] tool_calls 1", "[b] answer 1", "[b]  1"},
		},
		{
			"a call in the second turn", "tct",
			map[string]string{"task.json": oneLeg(`"a","b"`)},
			[]string{"[a+b]  3"},
			[]string{"[a+b] answer 1", "[b] tool_calls 1", "[]  1"},
		},
		{
			"two legs", "ctct",
			map[string]string{"task.json": twoLegs},
			[]string{"[a|b]  4"},
			[]string{"[a|b] tool_calls 1", "[|b] answer 1", "[b] tool_calls 1", "[]  1"},
		},
		{
			"two tasks", "ctt",
			map[string]string{"task.json": oneLeg(`"a"`), "task-2.json": oneLeg(`"b"`)},
			[]string{"[a]  2", "[b]  1"},
			[]string{"[a] tool_calls 1", "[]  1", "[b]  1"},
		},
		{
			"a change in the middle of a turn", "ct",
			map[string]string{
				"task.json":   strings.Replace(oneLeg(`"a"`), "{", `{"stop_at":"tool_calls",`, 1),
				"task-2.json": oneLeg(``),
			},
			[]string{"[a] tool_calls 1", "[]  1"},
			[]string{"[a] tool_calls 1", "[]  1"},
		},
	} {
		for _, m := range []scenario.Mode{{}, {Stream: true}, {Stored: true}, {Stream: true, Stored: true}} {
			t.Run(row.name+"/"+m.String(), func(t *testing.T) {
				g := NewWithT(t)
				opened := 0
				d := driver(t, func() (subject.Subject, error) { opened++; return &tiny{}, nil })
				ev, err := d.Drive(t.Context(), script(t, "", row.replies, row.files), m, "", describe())
				g.Expect(err).NotTo(HaveOccurred())
				want, opens := row.memory, 1
				if m.Stored {
					want, opens = row.stored, len(row.stored)
				}
				g.Expect(steps(ev.Runs)).To(Equal(want))
				g.Expect(opened).To(Equal(opens))
				g.Expect(ev.Leftover).To(BeZero())
				g.Expect(ev.Strays).To(BeZero())
				g.Expect(ev.SameProcess).To(Equal(m.Stored))
				g.Expect(ev.Control).To(BeEmpty())
				seq := 0
				for i, r := range ev.Runs {
					g.Expect(r.Outcome.Error).To(BeNil())
					g.Expect(r.Connections).To(Equal(scenario.NotCounted))
					g.Expect(r.Task.DeadlineMS).To(Equal(30000))
					g.Expect(r.Task.State == nil).To(Equal(i == 0))
					for _, ex := range r.Exchanges {
						seq++
						g.Expect(ex.Seq).To(Equal(seq))
						g.Expect(ex.Step).To(Equal(seq))
						g.Expect(ex.Stream).To(Equal(m.Stream))
					}
				}
				g.Expect(seq).To(Equal(len(row.replies)))
			})
		}
	}
}

func TestDriveKeepsAStreamThatTheLegSets(t *testing.T) {
	g := NewWithT(t)
	task := `{"legs":[{"provider":"gemini","model":"m","prompts":["a"]},{"provider":"gemini","model":"m","stream":true,"prompts":["b"]},{"provider":"gemini","model":"m","stream":false,"prompts":["c"]}],"tools":[]}`
	d := driver(t, always(&tiny{}))
	sc := script(t, "", "ttt", map[string]string{"task.json": task})
	for _, stream := range []bool{false, true} {
		ev, err := d.Drive(t.Context(), sc, scenario.Mode{Stream: stream}, "", describe())
		g.Expect(err).NotTo(HaveOccurred())
		var got []bool
		for _, ex := range ev.Runs[0].Exchanges {
			got = append(got, ex.Stream)
		}
		g.Expect(got).To(Equal([]bool{stream, true, false}))
	}
}

func TestDriveStopsOnlyWhereTheSubjectCan(t *testing.T) {
	g := NewWithT(t)
	d := driver(t, always(&tiny{}))
	desc := describe()
	desc.Stops = []string{subject.StopAtAnswer}
	ev, err := d.Drive(t.Context(), script(t, "", "ctt", map[string]string{"task.json": oneLeg(`"a","b"`)}), scenario.Mode{Stored: true}, "", desc)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(steps(ev.Runs)).To(Equal([]string{"[a+b] answer 2", "[b]  1"}))
}

func outcome(o subject.Outcome) func(context.Context, *subject.Task) (*subject.Outcome, error) {
	return func(context.Context, *subject.Task) (*subject.Outcome, error) { return &o, nil }
}

// What the subject did badly is evidence, no error.
func TestDriveSubjectFailures(t *testing.T) {
	state := `{}`
	for _, row := range []struct {
		name     string
		before   func(context.Context, *subject.Task) (*subject.Outcome, error)
		stored   bool
		runs     int
		leftover int
		kind     string
		strays   int64
	}{
		{"answers without sending anything", outcome(subject.Outcome{Answers: []subject.Answer{{Content: "made up"}}}), false, 1, 3, "", 0},
		{"says that it failed", outcome(subject.Outcome{Error: &subject.Error{Kind: subject.FromSubject, Message: "m"}}), true, 1, 3, subject.FromSubject, 0},
		{"stops without a state", outcome(subject.Outcome{Stopped: subject.StopAtToolCalls}), true, 1, 3, "", 0},
		{"stops without having asked", outcome(subject.Outcome{Stopped: subject.StopAtToolCalls, State: &state}), true, 1, 3, "", 0},
		{"does not stop", func(_ context.Context, task *subject.Task) (*subject.Outcome, error) {
			task.StopAt = ""
			return nil, nil
		}, true, 1, 0, "", 0},
		{"drops the path of the base URL", func(_ context.Context, task *subject.Task) (*subject.Outcome, error) {
			base, _, _ := strings.Cut(task.Legs[0].BaseURL, "/r/")
			task.Legs[0].BaseURL = base
			return nil, nil
		}, false, 1, 3, subject.FromProvider, 1},
		{"calls with other arguments", func(_ context.Context, task *subject.Task) (*subject.Outcome, error) {
			task.Tools[0].Results = task.Tools[0].Results[1:]
			return nil, nil
		}, false, 1, 2, subject.FromSubject, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			d := driver(t, always(&tiny{before: row.before}))
			sc := script(t, "", "ctt", map[string]string{"task.json": oneLeg(`"a","b"`)})
			ev, err := d.Drive(t.Context(), sc, scenario.Mode{Stored: row.stored}, "", describe())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(ev.Runs).To(HaveLen(row.runs))
			g.Expect(ev.Leftover).To(Equal(row.leftover))
			kind := ""
			if e := ev.Runs[0].Outcome.Error; e != nil {
				kind = e.Kind
			}
			g.Expect(kind).To(Equal(row.kind))
			g.Expect(ev.Strays).To(Equal(row.strays))
			g.Expect(ev.Runs[0].Task.Tools[0].Results).To(HaveLen(2), "the evidence shares nothing with the subject")
		})
	}
}

func TestDriveEndsAtTheFirstTaskThatGivesNoState(t *testing.T) {
	g := NewWithT(t)
	d := driver(t, always(&tiny{before: outcome(subject.Outcome{})}))
	sc := script(t, "", "tt", map[string]string{"task.json": oneLeg(`"a"`), "task-2.json": oneLeg(`"b"`)})
	ev, err := d.Drive(t.Context(), sc, scenario.Mode{}, "", describe())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ev.Runs).To(HaveLen(1))
	g.Expect(ev.Leftover).To(Equal(2))
}

// What makes the evidence worthless is an error.
func TestDriveHarnessFailures(t *testing.T) {
	plain := map[string]string{"task.json": oneLeg(`"a"`)}
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	for _, row := range []struct {
		name    string
		open    scenario.Open
		variant string
		files   map[string]string
		want    string
	}{
		{
			"can't be opened", func() (subject.Subject, error) { return nil, errors.New("no such thing") }, "", plain,
			"scenario: gemini/x (plain/memory): open the subject: no such thing",
		},
		{"could not run", always(&tiny{before: func(context.Context, *subject.Task) (*subject.Outcome, error) {
			return &subject.Outcome{}, errors.New("first\nsecond")
		}}), "", plain, "scenario: gemini/x (plain/memory): run 1: first; second"},
		{
			"panics", always(&tiny{before: func(context.Context, *subject.Task) (*subject.Outcome, error) {
				panic("ouch") //nolint:forbidigo // that is the case
			}}), "", plain,
			"run 1: subject: panicked: ouch (drive_test.go:",
		},
		{
			"answers nonsense", always(&tiny{before: outcome(subject.Outcome{Stopped: "somewhere"})}), "", plain,
			`run 1: subject: outcome.stopped: got "somewhere"`,
		},
		{"hangs until its time is up", always(&tiny{before: func(ctx context.Context, _ *subject.Task) (*subject.Outcome, error) {
			<-ctx.Done()
			return &subject.Outcome{}, ctx.Err()
		}}), "", plain, "run 1: subject: had not ended after 100ms"},
		{"hangs and answers", always(&tiny{before: func(ctx context.Context, _ *subject.Task) (*subject.Outcome, error) {
			<-ctx.Done()
			return &subject.Outcome{}, nil
		}}), "", plain, "run 1: subject: had not ended after 100ms"},
		{"hangs for ever", always(&tiny{before: func(context.Context, *subject.Task) (*subject.Outcome, error) {
			<-hold
			return &subject.Outcome{}, nil
		}}), "", plain, "run 1: subject: had not ended after 100ms"},
		{
			"prints garbage", always(subject.Process([]string{os.Args[0]}, subject.ProcessOptions{Pass: []string{driverVariable + "=garbage", "GORACE=atexit_sleep_ms=0"}})), "", plain,
			"run 1: driver: scenario.test: printed no reply of the protocol",
		},
		{"unknown variant", always(&tiny{}), "nope", plain, `got variant "nope"`},
		{
			"misspelt task", always(&tiny{}), "",
			map[string]string{"task.json": strings.Replace(oneLeg(`"a"`), "prompts", "promts", 1)},
			`task 1: subject: read a task: task.legs[0] has no member "promts"`,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			d := driver(t, row.open)
			d.Deadline = 100 * time.Millisecond
			if row.name == "prints garbage" {
				d.Deadline = 0
			}
			_, err := d.Drive(t.Context(), script(t, "", "t", row.files), scenario.Mode{}, row.variant, describe())
			g.Expect(err).To(MatchError(ContainSubstring(row.want)))
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
		})
	}
}

func TestDriveCancelled(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	d := driver(t, always(&tiny{before: func(context.Context, *subject.Task) (*subject.Outcome, error) {
		cancel()
		return &subject.Outcome{}, nil
	}}))
	ev, err := d.Drive(ctx, script(t, "", "t", map[string]string{"task.json": oneLeg(`"a"`)}), scenario.Mode{}, "", describe())
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(ev.Runs).To(HaveLen(1), "the evidence so far comes with the error")
	_, err = d.Drive(ctx, ev.Scenario, scenario.Mode{}, "", describe())
	g.Expect(err).To(MatchError(context.Canceled))
}

func TestDriveRecordingLimit(t *testing.T) {
	g := NewWithT(t)
	server, err := fakeserver.Start(fakeserver.Options{MaxBody: 10})
	g.Expect(err).NotTo(HaveOccurred())
	defer server.Close()
	d := &scenario.Driver{Server: server, Open: always(&tiny{})}
	_, err = d.Drive(t.Context(), script(t, "", "t", map[string]string{"task.json": oneLeg(`"a"`)}), scenario.Mode{}, "", describe())
	_, limit := errors.AsType[*fakeserver.LimitError](err)
	g.Expect(limit).To(BeTrue(), "got %v", err)
}
