package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"example.com/replaycheck/mutations/rt"
)

// process is one worker under way.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	results *os.File
	lines   chan answer // closed when the worker's results end
	stderr  *tail
	early   []int
	rejects error // what could not be read of its results
}

// start starts a worker. active is a fault in force from the beginning, 0 none.
func (s *Supervisor) start(ctx context.Context, active int) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("worker: start: %w", err)
	}
	p := &process{cmd: exec.CommandContext(ctx, s.Binary), results: r, lines: make(chan answer), stderr: &tail{}}
	p.cmd.Env = append(Offline(os.Environ()), Variable+"=1", "GOMAXPROCS=1", "GOGC=400", "GOTRACEBACK=all")
	if active > 0 {
		p.cmd.Env = append(p.cmd.Env, rt.Variable+"="+strconv.Itoa(active))
	}
	p.cmd.Dir = s.Dir
	p.cmd.ExtraFiles = []*os.File{w}
	p.cmd.Stderr = p.stderr
	p.cmd.SysProcAttr = dieWithUs()
	p.in, err = p.cmd.StdinPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("worker: start: %w", err)
	}
	go p.read()
	return p, nil
}

func (p *process) read() {
	defer close(p.lines)
	in := bufio.NewReaderSize(p.results, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.rejects = err
			}
			return
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			p.rejects = fmt.Errorf("worker: its answer: %w", err)
			return
		}
		p.lines <- a
	}
}

func (p *process) send(m message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("worker: send: %w", err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("worker: send: %w", err)
	}
	return nil
}

// stop ends the worker and waits for it.
func (p *process) stop() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill() // it may have ended by itself
	for range p.lines {      // so that read ends
	}
	_ = p.cmd.Wait() // it was killed; how it ended is no matter
	_ = p.results.Close()
}

// end is how a worker ended.
type end struct {
	reason string
	number int  // of the fault whose copy is in the traces that it left, 0 for none
	exited bool // it left no trace: somebody called exit
	hung   bool // it did not end by itself
}

// died waits for a worker whose results ended.
func (p *process) died() end {
	for range p.lines {
	}
	err := p.cmd.Wait()
	_ = p.in.Close()
	_ = p.results.Close()
	e := end{reason: "the process ended with exit code 0"}
	if err != nil {
		e.reason = "the process ended: " + err.Error()
	}
	text := p.stderr.String()
	if m := copyForm.FindStringSubmatch(text); m != nil {
		e.number, _ = strconv.Atoi(m[1])
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			e.reason += ": " + line
			return e
		}
	}
	e.exited = p.cmd.ProcessState != nil && p.cmd.ProcessState.Exited()
	return e
}

// tail keeps the beginning of what a worker writes to standard error, where a
// crash says what it is.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 1<<20 - len(t.buf); room > 0 {
		t.buf = append(t.buf, b[:min(room, len(b))]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
