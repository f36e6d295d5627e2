package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"example.com/replaycheck/internal/subject"
)

// run plays one run and appends it to the session, also when it failed.
func (s *session) run(ctx context.Context, task subject.Task) (subject.Outcome, error) {
	if ctx.Err() != nil {
		return subject.Outcome{}, context.Cause(ctx)
	}
	sub := s.memory
	if sub == nil {
		var err error
		if sub, err = s.open(); err != nil {
			return subject.Outcome{}, fmt.Errorf("open the subject for run %d: %w", len(s.runs)+1, err)
		}
	}
	limit := s.driver.Deadline
	if limit <= 0 {
		limit = subject.DefaultDeadline
	}
	task = copyTask(task) // ours: the one for the subject is another copy
	task.DeadlineMS = max(1, int(limit.Milliseconds()))
	for i := range task.Legs {
		task.Legs[i].BaseURL, task.Legs[i].APIKey = s.play.URL(), s.key
	}

	run := Run{Task: task, Connections: NotCounted}
	begun := time.Now()
	err := s.ask(ctx, sub, &run, limit)
	if took := time.Since(begun); err == nil && took >= limit {
		err = fmt.Errorf("subject: had not ended after %v", limit)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	record := s.play.Peek()
	s.ends = append(s.ends, len(record.Exchanges))
	s.given = len(s.scenario.Replies) - record.Leftover
	if s.counting {
		total := s.server.Accepted()
		run.Connections, s.accepted = int(total-s.accepted), total
	}
	if err == nil && !s.driver.NoProbes {
		probe(ctx, sub, &run, limit)
	}
	s.runs = append(s.runs, run)
	if err != nil {
		return run.Outcome, fmt.Errorf("run %d: %w", len(s.runs), err)
	}
	return copyOutcome(run.Outcome), nil
}

// ask has the subject run the task, in its process or another.
func (s *session) ask(ctx context.Context, sub subject.Subject, run *Run, limit time.Duration) error {
	if tracer, ok := sub.(subject.Tracer); ok { // it minds the deadline itself
		o, trace, err := tracer.RunTraced(ctx, copyTask(run.Task))
		run.Outcome, run.Exit, run.Stderr = o, trace.Exit, trace.Stderr
		return err
	}
	s.inProcess = true
	o, err := guard(ctx, limit, func(ctx context.Context) (subject.Outcome, error) {
		return sub.Run(ctx, copyTask(run.Task))
	})
	if err != nil {
		return err
	}
	if o.V == 0 {
		o.V = subject.Version
	}
	run.Outcome = copyOutcome(o)
	if err := o.Check(run.Task); err != nil {
		return fmt.Errorf("subject: %w", err)
	}
	return nil
}

// grace is how long a Go subject may take to notice that its time is up.
const grace = 2 * time.Second

// guard calls foreign Go code: it may panic, and it may never return. Then its
// goroutine is left behind, as nothing can end it.
func guard[T any](ctx context.Context, limit time.Duration, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("subject: panicked: %v (%s)", p, where(debug.Stack()))
			}
			done <- a
		}()
		roomy()
		a.value, a.err = call(ctx)
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case a = <-done:
		case <-t.C:
			a.err = context.Cause(ctx)
		}
	}
	if a.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return a.value, fmt.Errorf("subject: had not ended after %v: %w", limit, a.err)
	}
	return a.value, a.err
}

// roomy makes room on a new goroutine's stack while there is nothing on it that
// would have to be moved: what subjects call goes deep, and growing step by step was
// a twentieth of a short run.
//
//go:noinline
func roomy() byte {
	var room [48 << 10]byte
	return room[time.Now().Nanosecond()&1]
}

// where returns the place of the panic in a stack: the first call below it.
func where(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+3 < len(lines) {
			place := strings.TrimSpace(lines[i+3])
			return place[strings.LastIndexByte(place, '/')+1:]
		}
	}
	return "at an unknown place"
}

// probe has a Builder build the next request, twice, from the run's state.
// What it can't build is no error: the oracle that needs it will say so. A
// conversation that failed has no next request.
func probe(ctx context.Context, sub subject.Subject, run *Run, limit time.Duration) {
	b, ok := sub.(subject.Builder)
	state, legs := run.Outcome.State, run.Task.Legs
	if !ok || state == nil || run.Outcome.Error != nil || len(legs) == 0 {
		return
	}
	task := copyTask(run.Task)
	p, err := guard(ctx, limit, func(ctx context.Context) (subject.Probe, error) {
		return b.Build(ctx, task.Legs[len(legs)-1], task.Tools, *state)
	})
	if err != nil {
		run.ProbeError = err.Error()
		return
	}
	run.Probes = []subject.Probe{p}
}

// copyTask returns a task that shares nothing with t that can be written to.
func copyTask(t subject.Task) subject.Task {
	t.Legs = slices.Clone(t.Legs)
	for i := range t.Legs {
		l := &t.Legs[i]
		l.System, l.Options, l.Prompts = copied(l.System), copied(l.Options), slices.Clone(l.Prompts)
	}
	t.Tools = slices.Clone(t.Tools)
	for i := range t.Tools {
		tool := &t.Tools[i]
		tool.Schema, tool.Results = slices.Clone(tool.Schema), slices.Clone(tool.Results)
		for j := range tool.Results {
			tool.Results[j].Args = slices.Clone(tool.Results[j].Args)
		}
	}
	t.ToolURL, t.State = copied(t.ToolURL), copied(t.State)
	if t.Agent = copied(t.Agent); t.Agent != nil {
		t.Agent.Decision = copied(t.Agent.Decision)
	}
	return t
}

// copyOutcome returns an outcome that a subject can't change any more.
func copyOutcome(o subject.Outcome) subject.Outcome {
	o.Answers, o.ToolRuns = slices.Clone(o.Answers), slices.Clone(o.ToolRuns)
	for i := range o.Answers {
		a := &o.Answers[i]
		a.Thinking, a.Meta = copied(a.Thinking), copied(a.Meta)
		if a.Meta != nil {
			a.Meta.Usage, a.Meta.Metadata = slices.Clone(a.Meta.Usage), maps.Clone(a.Meta.Metadata)
			for name, v := range a.Meta.Metadata {
				a.Meta.Metadata[name] = slices.Clone(v)
			}
		}
	}
	o.State, o.Error, o.Agent = copied(o.State), copied(o.Error), copied(o.Agent)
	return o
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
