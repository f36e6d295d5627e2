package runstore_test

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore/runstoretest"
)

// processes starts n copies of this test binary, lets them go at once and
// returns what each printed, and its exit code.
func processes(t *testing.T, n int, role, dsn string) (texts []string, codes []int) {
	t.Helper()
	cmds, starts := make([]*exec.Cmd, n), make([]io.Closer, n)
	outs := make([]strings.Builder, n)
	for i := range cmds {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "REPLAYCHECK_TEST_STORE="+role, "REPLAYCHECK_TEST_DSN="+dsn)
		cmd.Stdout, cmd.Stderr = &outs[i], &outs[i]
		in, err := cmd.StdinPipe()
		must(t, err)
		must(t, cmd.Start())
		cmds[i], starts[i] = cmd, in
	}
	for _, start := range starts {
		must(t, start.Close())
	}
	for i, cmd := range cmds {
		_ = cmd.Wait()
		texts, codes = append(texts, strings.TrimSpace(outs[i].String())), append(codes, cmd.ProcessState.ExitCode())
	}
	return texts, codes
}

func TestProcessesRaceForOneApproval(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			s := open(t, dsn)
			_, err := s.Create(t.Context(), suspended("r1", "user:1"))
			must(t, err)
			texts, codes := processes(t, 4, "claim", dsn)
			won := 0
			for i, text := range texts {
				switch {
				case codes[i] == 0 && text == "won 2":
					won++
				case codes[i] != 1 || text != chat.ErrRunDecided.Error():
					t.Errorf("process %d: got exit code %d and %q", i, codes[i], text)
				}
			}
			if won != 1 {
				t.Errorf("got %d winners, want 1", won)
			}
		})
	}
}

// Processes that open a new database at once bring its schema up together.
func TestProcessesOpenOneNewDatabase(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			texts, codes := processes(t, 6, "open", dsn)
			for i, text := range texts {
				if codes[i] != 0 || text != "" {
					t.Errorf("process %d: got exit code %d and %q, want 0 and nothing", i, codes[i], text)
				}
			}
			open(t, dsn)
		})
	}
}
