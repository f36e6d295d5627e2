package tests

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"example.com/replaycheck/mutations/internal/overlay"
	"example.com/replaycheck/mutations/internal/worker"
	"example.com/replaycheck/mutations/rt"
)

// server is a process of the test binary that makes single tests with any fault.
// What it says is believed where a process for the fault alone would say the same;
// else that is asked.
type server struct {
	cmd      *exec.Cmd
	requests *os.File
	replies  chan reply    // closed when the process has ended
	ended    chan struct{} // closed when all that it wrote is in said
	said     *words
}

// reply is what came of a test.
type reply struct {
	passed bool
	took   time.Duration
	left   int // goroutines
}

// start starts a server.
func (s *Suite) start(ctx context.Context) (*server, error) {
	requestsIn, requests, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	answers, answersOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start: %w", err), requestsIn.Close(), requests.Close())
	}
	p := &server{requests: requests, replies: make(chan reply), ended: make(chan struct{}), said: &words{}}
	p.cmd = exec.CommandContext(ctx, s.binary, "-test.paniconexit0", "-test.timeout=0", only(overlay.ServeTest))
	p.cmd.Dir, p.cmd.WaitDelay = s.dir, time.Second
	p.cmd.Env = append(worker.Offline(os.Environ()), "GOMAXPROCS=1", "GOGC=400", rt.Variable+"=0", rt.OwnVariable+"=1")
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	p.cmd.ExtraFiles = []*os.File{requestsIn, answersOut}
	err = p.cmd.Start()
	_, _ = requestsIn.Close(), answersOut.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start: %w", err), answers.Close(), requests.Close())
	}
	go p.read(answers)
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait()     // how it ended is in what it said
		_ = answers.Close()  // a process that a test began may still hold its other end
		_ = requests.Close() // nobody reads any more
	}()
	return p, nil
}

func (p *server) read(answers *os.File) {
	defer close(p.replies)
	in := bufio.NewReader(answers)
	for {
		var r reply
		var nanoseconds int64
		if _, err := fmt.Fscanln(in, &r.passed, &nanoseconds, &r.left); err != nil {
			return
		}
		r.took = time.Duration(nanoseconds)
		p.replies <- r
	}
}

// stop ends the process and waits for it.
func (p *server) stop() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	for range p.replies {    // so that read ends
	}
	<-p.ended
}

// how a test ended that was made by a server.
type how int

const (
	answered how = iota
	gone         // the process ended
	busy         // it used up its time on the CPU
	late         // it did not end, and may have waited
)

// patience is how long a test may wait at least, or be kept waiting by others.
const patience = 500 * time.Millisecond

// ask has a test made with a fault. The limit is one of CPU time; it may wait as long
// again. Where there is no answer the process is ended.
func (p *server) ask(number int, name string, limit time.Duration) (reply, how) {
	p.said.reset()
	if _, err := fmt.Fprintln(p.requests, number, name); err != nil {
		p.stop()
		return reply{}, gone
	}
	begun, used := time.Now(), cpuOf(p.cmd.Process.Pid)
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case r, ok := <-p.replies:
			if !ok {
				<-p.ended
				return reply{}, gone
			}
			return r, answered
		case <-t.C:
			switch cpu := cpuOf(p.cmd.Process.Pid) - used; {
			case cpu > limit:
				p.stop()
				return reply{}, busy
			case time.Since(begun) > max(2*limit, patience):
				p.stop()
				return reply{}, late
			}
		}
	}
}

// words keeps the beginning of what a server wrote since the last reset.
type words struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if room := 1<<20 - w.buf.Len(); room > 0 {
		w.buf.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

func (w *words) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Reset()
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}
