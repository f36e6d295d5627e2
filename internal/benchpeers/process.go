package benchpeers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Server is a server to be measured, in processes of its own.
type Server struct {
	Name string
	// Command starts it so that it listens on a loopback address; keep asks it to
	// keep all that comes.
	Command func(address string, keep bool) []string
	// Paths are what it is asked by, for each shape.
	Paths map[string]string
}

// process is a server that runs.
type process struct {
	cmd     *exec.Cmd
	address string
	begun   time.Time
	ended   chan struct{} // closed when it has ended
	stderr  bytes.Buffer  // to be read then
}

// start begins a process of the server and waits until it takes connections.
func (s Server) start(ctx context.Context, keep bool) (*process, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	args := s.Command(address, keep)
	p := &process{cmd: exec.CommandContext(ctx, args[0], args[1:]...), address: address, begun: time.Now(), ended: make(chan struct{})}
	p.cmd.WaitDelay, p.cmd.Stderr = time.Second, &p.stderr
	if keep {
		p.cmd.Env = append(os.Environ(), "GOGC=2")
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("benchpeers: %s: %w", s.Name, err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // a kill is its error, or see died
	}()
	ready := func() (bool, error) {
		if err := p.died(); err != nil {
			return false, err
		}
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			err = conn.Close()
		}
		return err == nil, nil
	}
	if err := until(ctx, time.Millisecond, 20*time.Second, ready); err != nil {
		p.stop()
		return nil, fmt.Errorf("benchpeers: %s does not listen: %w", s.Name, err)
	}
	return p, nil
}

// died says that the process ended by itself, nil: it did not.
func (p *process) died() error {
	select {
	case <-p.ended:
		return fmt.Errorf("its process ended by itself: %v: %s", p.cmd.ProcessState, lastLine(p.stderr.Bytes(), nil))
	default:
		return nil
	}
}

// stop ends the process, waits for it and returns the CPU time that it used.
func (p *process) stop() time.Duration {
	_ = p.cmd.Process.Kill() // it has ended already
	<-p.ended
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// until asks again and again until the answer is yes.
func until(ctx context.Context, every, atMost time.Duration, ask func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if yes, err := ask(); yes || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// freeAddress is one that nobody listened on a moment ago. It is below the ports
// that systems give out by themselves, so that no other program gets it in the
// meantime by asking for any.
func freeAddress(ctx context.Context) (string, error) {
	for range 100 {
		ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(10000)))
		if err == nil {
			return ln.Addr().String(), ln.Close()
		}
	}
	return "", errors.New("benchpeers: found no free port of 127.0.0.1 from 10000 to 19999")
}

// usage is what a process used, as the kernel tells on Linux.
type usage struct {
	cpu time.Duration
	rss int64 // bytes
}

// ErrNoUsage says that memory and CPU of a process are not to be had here.
var ErrNoUsage = errors.New("benchpeers: the system does not tell what a process uses (want Linux's /proc)")

// usage reads what the process itself used, without its children.
func (p *process) usage() (usage, error) {
	dir := filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return usage{}, ErrNoUsage
	}
	statm, err := os.ReadFile(filepath.Join(dir, "statm"))
	if err != nil {
		return usage{}, ErrNoUsage
	}
	return readUsage(string(stat), string(statm), int64(os.Getpagesize()))
}

// readUsage reads stat (times in hundredths of a second) and statm (in pages).
func readUsage(stat, statm string, page int64) (usage, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	pages := strings.Fields(statm)
	if len(fields) < 13 || len(pages) < 2 {
		return usage{}, ErrNoUsage
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	resident, err3 := strconv.ParseInt(pages[1], 10, 64)
	return usage{time.Duration(user+system) * 10 * time.Millisecond, resident * page}, errors.Join(err1, err2, err3)
}
