package subject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/replaycheck/internal/group"
)

// DefaultDeadline is how long a run may take where nobody says otherwise.
const DefaultDeadline = 30 * time.Second

// ProcessOptions are the settings of a driver. The zero value is usable.
type ProcessOptions struct {
	// Dir is the working folder, "" the harness's own.
	Dir string
	// Pass names variables that the driver gets besides those of the design:
	// NAME hands on the harness's value, NAME=value sets one. The home, the
	// temporary folder and the proxies can't be set.
	Pass []string
	// Deadline bounds Describe, and Run where the task has no deadline_ms; 0
	// means DefaultDeadline. A task's own deadline gets a tenth more (at most
	// 2 s), so that a driver that keeps it can still say so.
	Deadline time.Duration
}

// Trace is what a process showed besides its line.
type Trace struct {
	Exit   int    // exit code, -1 when it died by a signal or never ran
	Stderr string // the last 64 KiB, keys redacted
}

// Tracer is a Subject that runs outside the harness's process.
type Tracer interface {
	Subject
	// RunTraced is Run that tells what else there was to see, also with an error.
	RunTraced(ctx context.Context, task Task) (Outcome, Trace, error)
}

// Passer is a Tracer whose processes can be told more.
type Passer interface {
	Tracer
	// With returns the same subject with further variables (ProcessOptions.Pass).
	With(pass ...string) Tracer
}

// CrashVariable names the place of an agent run at which a driver that knows it
// kills itself, "POINT:NTH": so the harness sees what a process that dies
// half-way leaves behind. docs/driver-protocol.md lists the points.
const CrashVariable = "REPLAYCHECK_CRASH_AT"

// Process returns the subject behind a driver: an executable and its arguments
// (docs/driver-protocol.md). Each call is one process of its own, in a process
// group of its own, of which nothing is left when the call returns. A failure
// of the driver is a *HostError; when ctx ends, the error is its cause.
//
// The subject keeps no state and may be used from several goroutines.
func Process(command []string, opts ProcessOptions) Tracer {
	return &process{command: command, opts: opts}
}

type process struct {
	command []string
	opts    ProcessOptions
}

// Describe asks the driver what it is.
func (p *process) Describe(ctx context.Context) (Description, error) {
	reply, _, err := p.exchange(ctx, Request{Describe: true}, p.deadline())
	if err != nil {
		return Description{}, err
	}
	if reply.Describe == nil {
		return Description{}, p.fault(FaultGarbage, nil, `printed {"outcome":…}, want {"describe":…}`)
	}
	if err := reply.Describe.Check(); err != nil {
		return Description{}, p.fault(FaultGarbage, err, "%v", err)
	}
	return *reply.Describe, nil
}

// Run plays one run in a process of its own.
func (p *process) Run(ctx context.Context, task Task) (Outcome, error) {
	o, _, err := p.RunTraced(ctx, task)
	return o, err
}

// RunTraced is Run with the exit code and standard error.
func (p *process) RunTraced(ctx context.Context, task Task) (Outcome, Trace, error) {
	limit := p.deadline()
	if task.DeadlineMS > 0 {
		limit = time.Duration(task.DeadlineMS) * time.Millisecond
		limit += min(limit/10, 2*time.Second)
	}
	reply, trace, err := p.exchange(ctx, Request{Task: &task}, limit)
	if err != nil {
		return Outcome{}, trace, err
	}
	if reply.Outcome == nil {
		return Outcome{}, trace, p.fault(FaultGarbage, nil, `printed {"describe":…}, want {"outcome":…}`)
	}
	if err := reply.Outcome.Check(task); err != nil {
		return Outcome{}, trace, p.fault(FaultGarbage, err, "%v", err)
	}
	return *reply.Outcome, trace, nil
}

// With implements Passer.
func (p *process) With(pass ...string) Tracer {
	opts := p.opts
	opts.Pass = append(slices.Clip(opts.Pass), pass...)
	return &process{command: p.command, opts: opts}
}

func (p *process) deadline() time.Duration {
	if p.opts.Deadline > 0 {
		return p.opts.Deadline
	}
	return DefaultDeadline
}

func (p *process) fault(f Fault, cause error, format string, args ...any) *HostError {
	name := "no command"
	if len(p.command) > 0 {
		name = filepath.Base(p.command[0])
	}
	return &HostError{Fault: f, Command: name, Detail: fmt.Sprintf(format, args...), Err: cause}
}

// exchange runs the driver once: one line in, one line out.
func (p *process) exchange(ctx context.Context, req Request, limit time.Duration) (reply Reply, trace Trace, err error) {
	trace.Exit = -1
	line, err := EncodeRequest(req)
	if err != nil {
		return reply, trace, err
	}
	if len(p.command) == 0 {
		return reply, trace, p.fault(FaultStart, nil, "got an empty command")
	}
	if err := ctx.Err(); err != nil {
		return reply, trace, context.Cause(ctx)
	}
	home, err := newDen()
	if err != nil {
		return reply, trace, err
	}
	defer func() { err = errors.Join(err, home.remove()) }()

	runCtx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sink, err := StartSink(func(host string) {
		stop(p.fault(FaultNetwork, nil, "asked for %s, want only the base_url it was given", host))
	})
	if err != nil {
		return reply, trace, err
	}
	timer := time.AfterFunc(limit, func() {
		stop(p.fault(FaultDeadline, context.DeadlineExceeded, "had not ended after %v", limit))
	})
	defer timer.Stop()

	cmd := exec.Command(p.command[0], p.command[1:]...) //nolint:gosec,noctx // the command is the user's; the whole group is ended, not one process
	cmd.Dir = p.opts.Dir
	environ := environment(os.Environ(), p.opts.Pass, home, sink.URL())
	cmd.Env = environ
	group.Own(cmd)
	r := running{cmd: cmd, in: line}
	if err := r.start(); err != nil {
		sink.Close()
		return reply, trace, p.fault(FaultStart, err, "can't be started: %v", err)
	}
	r.finish(runCtx, func(stream string, bound int) {
		stop(p.fault(FaultFlood, nil, "wrote more than %d MiB to %s", bound>>20, stream))
	})

	sink.Close()
	hidden := secrets(environ, p.opts.Pass, req.Task)
	trace = Trace{Exit: cmd.ProcessState.ExitCode(), Stderr: redact(r.stderr.String(), hidden)}
	if hosts := sink.Hosts(); len(hosts) > 0 && ctx.Err() == nil {
		return reply, trace, p.fault(FaultNetwork, nil, "asked for %s, want only the base_url it was given", hosts[0])
	}
	if cause := context.Cause(runCtx); cause != nil {
		if he, ok := errors.AsType[*HostError](cause); ok && ctx.Err() == nil {
			he.Detail += because(trace.Stderr)
		}
		return reply, trace, cause
	}
	reply, err = p.judge(cmd.ProcessState, &r.stdout, trace)
	return reply, trace, err
}

// judge reads the line of a process that ended by itself.
func (p *process) judge(state *os.ProcessState, out *answer, trace Trace) (Reply, error) {
	if name := deathSignal(state); name != "" {
		return Reply{}, p.fault(FaultSignal, nil, "died by signal %q%s", name, because(trace.Stderr))
	}
	if trace.Exit != 0 {
		return Reply{}, p.fault(FaultExit, nil, "exited with %d, want 0%s", trace.Exit, because(trace.Stderr))
	}
	switch {
	case out.lines == 0:
		return Reply{}, p.fault(FaultSilent, nil, "printed nothing, want one line%s", because(trace.Stderr))
	case out.lines > 1:
		return Reply{}, p.fault(FaultLines, nil, "printed more than one line, want one (logs belong on standard error)")
	case !utf8.Valid(out.text):
		return Reply{}, p.fault(FaultEncoding, nil, "printed a line that is not UTF-8, want a JSON object in UTF-8")
	}
	reply, err := ParseReply(string(out.text))
	if err != nil {
		return Reply{}, p.fault(FaultGarbage, err, "printed no reply of the protocol: %v", err)
	}
	return reply, nil
}

// because adds what the driver said last, if it said anything.
func because(stderr string) string {
	if last := lastWords(stderr, 300); last != "" {
		return "; its last words: " + last
	}
	return ""
}

// running is one process with its pipes. They are ours, not exec's, so that a
// grandchild that holds one open can't keep us waiting.
type running struct {
	cmd    *exec.Cmd
	in     string
	ours   []*os.File // write end of stdin, read ends of stdout and stderr
	stdout answer
	stderr tail
}

func (r *running) start() error {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close()
		}
	}()
	for i := range 3 {
		read, write, err := os.Pipe()
		if err != nil {
			r.close()
			return err
		}
		if i == 0 {
			read, write = write, read
		}
		r.ours, theirs = append(r.ours, read), append(theirs, write)
	}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err := r.cmd.Start(); err != nil {
		r.close()
		return err
	}
	return nil
}

func (r *running) close() {
	for _, f := range r.ours {
		_ = f.Close()
	}
}

// finish writes the line, reads both outputs and waits, until the process ends
// or ctx does. Then nothing of its group is left.
func (r *running) finish(ctx context.Context, flood func(stream string, bound int)) {
	unhook := context.AfterFunc(ctx, func() { group.Kill(r.cmd.Process) })
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.WriteString(r.ours[0], r.in) // a driver need not read it
		_ = r.ours[0].Close()
	})
	wg.Go(func() {
		drain(r.ours[1], r.stdout.write, func() {
			bound := MaxLine
			if r.stdout.stray > 0 {
				bound = maxStray
			}
			flood("standard output", bound)
		})
	})
	wg.Go(func() {
		drain(r.ours[2], r.stderr.write, func() { flood("standard error", maxStderr) })
	})
	_ = r.cmd.Wait() // ProcessState tells
	unhook()
	group.Kill(r.cmd.Process) // whatever it left behind
	// What was written is in the pipes by now. One that left the group may
	// hold them open for ever.
	for _, f := range r.ours {
		_ = f.SetDeadline(time.Now().Add(time.Second))
	}
	wg.Wait()
	r.close()
}
