package subject

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	"example.com/replaycheck/internal/wire"
)

// Request is the line that a driver reads: either of the two.
type Request struct {
	Describe bool
	Task     *Task // nil when Describe is set
}

// Reply is the line that a driver writes: either of the two.
type Reply struct {
	Describe *Description
	Outcome  *Outcome
}

// EncodeRequest returns a request as one line, its end included.
func EncodeRequest(r Request) (string, error) {
	if r.Task == nil {
		return fmt.Sprintf("{\"describe\":{\"v\":%d}}\n", Version), nil
	}
	return encode("task", r.Task)
}

// EncodeReply returns a reply as one line, its end included. A state that is
// not UTF-8 is an error, since JSON can't carry it; in other strings U+FFFD
// takes the place of what is not.
func EncodeReply(r Reply) (string, error) {
	switch {
	case r.Describe != nil:
		return encode("describe", r.Describe)
	case r.Outcome != nil:
		if s := r.Outcome.State; s != nil && !isText(*s) {
			return "", errors.New("subject: write the outcome: outcome.state: got bytes that are not UTF-8, want text (base64 would do)")
		}
		return encode("outcome", r.Outcome)
	}
	return "", errors.New("subject: write a reply: got none, want a description or an outcome")
}

func encode(name string, v any) (string, error) {
	var w writer
	w.WriteString(`{"` + name + `":`)
	w.write(name, reflect.ValueOf(v))
	w.WriteString("}\n")
	if err := oneLine(w.wrong); err != nil {
		return "", fmt.Errorf("subject: write the %s: %w", name, err)
	}
	if w.Len() > MaxLine {
		return "", fmt.Errorf("subject: write the %s: got a line of %d bytes, want at most %d", name, w.Len(), MaxLine)
	}
	return w.String(), nil
}

// ReadRequest reads the one line that a driver gets. Members that the task
// leaves out are zero; unknown ones are ignored.
func ReadRequest(r io.Reader) (Request, error) {
	line, err := readLine(r)
	if err != nil {
		return Request{}, fmt.Errorf("subject: read the request: %w", err)
	}
	v, err := wire.Parse(line)
	if err != nil {
		return Request{}, fmt.Errorf("subject: read the request: %w", err)
	}
	if task := v.Get("task"); task.Exists() {
		t, err := readTask(task, false)
		if err == nil {
			err = oneLine(checkVersion("task", t.V))
		}
		if err != nil {
			return Request{}, fmt.Errorf("subject: read the request: %w", err)
		}
		return Request{Task: &t}, nil
	}
	if v.Get("describe").Kind() != wire.Object {
		return Request{}, errors.New(`subject: read the request: want an object with a member "task" or "describe"`)
	}
	return Request{Describe: true}, nil
}

// ParseTask reads the task of a scenario. Members may be left out, since the
// harness fills some in (v among them), but none may be unknown: a misspelt one
// would test nothing.
func ParseTask(text string) (Task, error) {
	v, err := wire.Parse(text)
	if err != nil {
		return Task{}, fmt.Errorf("subject: read a task: %w", err)
	}
	t, err := readTask(v, true)
	if t.V == 0 {
		t.V = Version
	}
	if err == nil {
		err = oneLine(checkVersion("task", t.V))
	}
	if err != nil {
		return Task{}, fmt.Errorf("subject: read a task: %w", err)
	}
	return t, nil
}

func readTask(v wire.Value, closed bool) (Task, error) {
	var t Task
	r := reader{closed: closed}
	r.read("task", v, reflect.ValueOf(&t).Elem())
	return t, r.err()
}

// ParseReply reads the line that a driver wrote. All members but those that
// the protocol calls optional must be there; unknown ones are ignored. What
// the members say is for Description.Check and Outcome.Check.
func ParseReply(line string) (Reply, error) {
	v, err := wire.Parse(line)
	if err != nil {
		return Reply{}, err
	}
	r := reader{strict: true}
	var out Reply
	switch describe, outcome := v.Get("describe"), v.Get("outcome"); {
	case outcome.Exists():
		out.Outcome = new(Outcome)
		r.read("outcome", outcome, reflect.ValueOf(out.Outcome).Elem())
	case describe.Exists():
		out.Describe = new(Description)
		r.read("describe", describe, reflect.ValueOf(out.Describe).Elem())
	default:
		return Reply{}, fmt.Errorf(`got %s without it, want an object with a member "outcome" or "describe"`, v.Kind())
	}
	return out, r.err()
}

// Serve is the driver's side for Go subjects: it reads one request from in,
// asks the subject and writes one reply to out. A driver's main calls it with
// standard input and output and exits other than 0 on an error.
func Serve(ctx context.Context, sub Subject, in io.Reader, out io.Writer) error {
	req, err := ReadRequest(in)
	if err != nil {
		return err
	}
	var reply Reply
	if req.Describe {
		d, err := sub.Describe(ctx)
		if err != nil {
			return fmt.Errorf("subject: describe: %w", err)
		}
		d.V = Version
		reply.Describe = &d
	} else {
		o, err := sub.Run(ctx, *req.Task)
		if err != nil {
			return fmt.Errorf("subject: run: %w", err)
		}
		o.V = Version
		reply.Outcome = &o
	}
	line, err := EncodeReply(reply)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, line); err != nil {
		return fmt.Errorf("subject: write the reply: %w", err)
	}
	return nil
}

// readLine reads up to the first line end or the end of r.
func readLine(r io.Reader) (string, error) {
	limited := &io.LimitedReader{R: r, N: MaxLine + 1}
	line, err := bufio.NewReaderSize(limited, 64<<10).ReadString('\n')
	switch {
	case errors.Is(err, io.EOF) && limited.N == 0:
		return "", fmt.Errorf("got a line over %d bytes", MaxLine)
	case errors.Is(err, io.EOF) && line == "":
		return "", errors.New("got nothing, want one line")
	case errors.Is(err, io.EOF):
		return line, nil
	}
	return line, err
}
