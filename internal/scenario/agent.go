package scenario

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/subject"
)

// maxAttempts ends a step of kind "finish" that never comes to its end.
const maxAttempts = 8

// ErrNoProcess says that a scenario about agent runs cannot be driven: nobody
// gave a way to start the subject as a process of its own.
var ErrNoProcess = errors.New("agent runs are judged in processes of their own, and there is no way to start one")

// agentDrive drives one scenario about agent runs. It edits the database and
// counts tool runs, and leaves what that means to the oracles.
type agentDrive struct {
	*session
	task   subject.Task
	db     *database
	tools  *toolServer
	found  artifacts
	folder string
	key    string
	crash  string
	limit  time.Duration
	// controlled: there is a control file.
	controlled bool

	mu      sync.Mutex
	digests map[string]string // of the calls that were last seen to wait, by run
}

// Variant names an agent drive: its engine, and what else there is to choose.
func Variant(engine, variant string) string { return strings.TrimSuffix(engine+"/"+variant, "/") }

func (d *Driver) agent(ctx context.Context, ev *Evidence) (err error) {
	engine, variant, _ := strings.Cut(ev.Variant, "/")
	tasks, err := d.Memo.readTasks(ev.Scenario, ev.Mode)
	if err != nil {
		return err
	}
	if tasks[0].Agent == nil || len(tasks[0].Legs) != 1 {
		return errors.New("the task: want a member agent and one leg")
	}
	s, err := d.begin(d.Server, ev, nil)
	if err != nil {
		return err
	}
	a := &agentDrive{session: s, task: tasks[0], key: newKey(), crash: d.Crash, digests: map[string]string{}}
	if a.crash == "" && variant != "" { // POINT-NTH
		i := strings.LastIndexByte(variant, '-')
		a.crash = variant[:max(i, 0)] + ":" + variant[i+1:]
	}
	if a.limit = d.Deadline; a.limit <= 0 {
		a.limit = subject.DefaultDeadline
	}
	if a.folder, err = os.MkdirTemp("", "replaycheck-agent-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(a.folder)) }()
	if a.db, err = openDatabase(ctx, engine, a.folder, d.Postgres); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.db.close()) }()
	a.tools = startTools(a.task, a.db.begun)
	defer a.tools.close()

	err = a.steps(ctx)
	record := s.end()
	a.tools.close() // a call of a process that died may have been under way
	for i := range s.runs {
		s.runs[i].Agent.Calls = a.tools.of(s.runs[i].Agent.number)
	}
	ev.Runs, ev.Leftover = s.runs, record.Leftover
	if err == nil {
		err = a.found.pages(ctx, a.db)
	}
	ev.Artifacts = a.found.list
	return errors.Join(err, record.Err)
}

func newKey() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	return base64.StdEncoding.EncodeToString(key[:])
}

func (a *agentDrive) steps(ctx context.Context) error {
	for i, step := range a.scenario.Agent {
		if err := a.step(ctx, i, step); err != nil {
			return fmt.Errorf("step %d (%s): %w", i+1, step.Do, err)
		}
	}
	return nil
}

func (a *agentDrive) step(ctx context.Context, i int, step fixtures.AgentStep) (err error) {
	id := a.task.Agent.RunID + step.Run
	restore, err := a.spoil(ctx, step.Spoil, id)
	if err != nil {
		return err
	}
	before, err := a.db.rows(ctx)
	if err != nil {
		return err
	}
	from := len(a.runs)
	switch step.Do {
	case "race":
		err = a.race(ctx, step, id)
	case "overtake":
		err = a.overtake(ctx, step, id)
	case "finish":
		err = a.finish(ctx, i, step, id)
	default:
		err = a.once(ctx, step, id)
	}
	if step.Do != "finish" { // which reads the rows of each attempt
		err = errors.Join(err, a.look(ctx, i, from, before))
	}
	if restore != nil {
		err = errors.Join(err, a.db.set(ctx, id, restore))
	}
	return err
}

// look reads the database after a step and notes it with the step's attempts.
func (a *agentDrive) look(ctx context.Context, i, from int, before []Row) error {
	after, err := a.db.rows(ctx)
	if err != nil {
		return err
	}
	for k := range a.runs[from:] {
		at := a.runs[from+k].Agent
		at.Step, at.Before, at.After = i, before, after
		o := a.runs[from+k].Outcome
		if o.State == nil || o.Agent == nil || o.Agent.Status != subject.RunWaiting || a.controlled {
			continue
		}
		if err := a.found.control(ctx, a.folder, *o.State); err != nil {
			return err
		}
		a.controlled = true
	}
	if err := a.found.rows(after); err != nil {
		return err
	}
	return a.found.files(a.db)
}

// spoil changes the stored row of a run and returns what it held.
func (a *agentDrive) spoil(ctx context.Context, how, id string) (map[string]string, error) {
	if how == "" {
		return nil, nil
	}
	rows, err := a.db.rows(ctx)
	if err != nil {
		return nil, err
	}
	row, ok := findRow(rows, id)
	other, there := findRow(rows, a.task.Agent.RunID+"-other")
	sealed := row.Columns["sealed"]
	if !ok || sealed == "" || strings.HasPrefix(how, "swapped") && !there {
		return nil, nil // no state to spoil: the attempt will show what there is
	}
	was := map[string]string{"sealed": sealed}
	now := map[string]string{"sealed": sealed[:len(sealed)/2]}
	switch how {
	case "tampered":
		changed := []byte(sealed)
		changed[len(changed)/2] ^= 1
		now["sealed"] = string(changed)
	case "swapped":
		now["sealed"] = other.Columns["sealed"]
	case "swapped-row":
		now["sealed"], now["owner"], was["owner"] = other.Columns["sealed"], other.Columns["owner"], row.Columns["owner"]
	}
	return was, a.db.set(ctx, id, now)
}

// once makes the one attempt of a step.
func (a *agentDrive) once(ctx context.Context, step fixtures.AgentStep, id string) error {
	crash := step.Crash
	if crash == "variant" {
		crash = a.crash
	}
	run, err := a.attempt(ctx, a.taskOf(step, id), crash)
	a.note(run)
	return err
}

// note adds a run that has ended.
func (a *agentDrive) note(run Run) {
	a.runs = append(a.runs, run)
	a.ends = append(a.ends, len(a.play.Record().Exchanges))
}

// taskOf is the task of a step.
func (a *agentDrive) taskOf(step fixtures.AgentStep, id string) subject.Task {
	t := copyTask(a.task)
	t.DeadlineMS = max(1, int(a.limit.Milliseconds()))
	t.Legs[0].BaseURL, t.Legs[0].APIKey = a.play.URL(), a.session.key
	t.Agent.RunID, t.Agent.Store, t.Agent.Key = id, a.db.dsn, a.key
	if step.Actor != "" {
		t.Agent.Actor = step.Actor
	}
	if step.Budget != 0 {
		t.Agent.Budget = step.Budget
	}
	if step.Key == "wrong" {
		t.Agent.Key = newKey()
	}
	t.Tools = slices.DeleteFunc(t.Tools, func(tool subject.Tool) bool { return tool.Name == step.Without })
	if step.Do == "start" {
		return t
	}
	t.Legs[0].Prompts = []string{}
	if step.Do == "resume" {
		return t
	}
	digest := a.digests[id]
	switch step.Digest {
	case "changed":
		digest = digest[:max(len(digest)-1, 0)] + map[bool]string{true: "1", false: "0"}[strings.HasSuffix(digest, "0")]
	case "other":
		digest = a.digests[a.task.Agent.RunID+"-other"]
	}
	t.Agent.Decision = &subject.Decision{Kind: subject.Approve, Digest: digest}
	if step.Do == "reject" {
		t.Agent.Decision.Kind = subject.Reject
	}
	return t
}

// attempt is one process. One that died where it was told to is no error.
func (a *agentDrive) attempt(ctx context.Context, task subject.Task, crash string) (Run, error) {
	url, n := a.tools.url(task.Agent.RunID)
	task.ToolURL = &url
	run := Run{Task: task, Connections: NotCounted, Agent: &Attempt{RunID: task.Agent.RunID, number: n}}
	sub, err := a.open()
	if err != nil {
		return run, fmt.Errorf("open the subject: %w", err)
	}
	process, ok := sub.(subject.Tracer)
	if !ok {
		return run, ErrNoProcess
	}
	if crash != "" {
		passer, ok := sub.(subject.Passer)
		if !ok {
			return run, errors.New("the subject's process can't be told where to die")
		}
		process = passer.With(subject.CrashVariable + "=" + crash)
	}
	o, trace, err := process.RunTraced(ctx, copyTask(task))
	run.Outcome, run.Exit, run.Stderr = o, trace.Exit, trace.Stderr
	if host, ok := errors.AsType[*subject.HostError](err); ok && crash != "" && host.Fault == subject.FaultSignal {
		run.Agent.Died, err = true, nil
	}
	if err != nil {
		return run, err
	}
	if s := o.Agent; s != nil && s.Status == subject.RunWaiting {
		a.seen(task.Agent.RunID, s.Digest)
	}
	return run, nil
}

func (a *agentDrive) seen(id, digest string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.digests[id] = digest
}

// finish goes on until the run is finished, whatever dies on the way.
func (a *agentDrive) finish(ctx context.Context, i int, step fixtures.AgentStep, id string) error {
	crash := step.Crash
	if crash == "variant" {
		crash = a.crash
	}
	next := "start"
	for range maxAttempts {
		before, err := a.db.rows(ctx)
		if err != nil {
			return err
		}
		if next == "resume" {
			if _, there := findRow(before, id); !there {
				next = "start" // nothing of it was stored
			}
		}
		now := step
		now.Do = next
		run, err := a.attempt(ctx, a.taskOf(now, id), crash)
		a.note(run)
		if err := errors.Join(err, a.look(ctx, i, len(a.runs)-1, before)); err != nil {
			return err
		}
		state := run.Outcome.Agent
		switch {
		case run.Agent.Died:
			crash, next = "", "resume"
		case state != nil && state.Status == subject.RunWaiting && next != "approve":
			next = "approve"
		default:
			return nil
		}
	}
	return nil
}
