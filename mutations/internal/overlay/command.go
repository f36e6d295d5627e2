package overlay

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"time"

	"example.com/replaycheck/internal/group"
)

// grace is how long a go command that is interrupted may take to clean up.
const grace = 2 * time.Second

// goCommand is how the go command is run, or one of its tools.
type goCommand struct {
	tool           string    // its file; "": the go command
	env            []string  // beyond that of this process
	dir            string    // where
	scratch        string    // where its temporary folder is made; "": where it is by default
	stdout, stderr io.Writer // nil: dropped
}

// run runs it with the compilers that it starts as a process group of its own. At
// the context's end the group is interrupted: a go command that is killed leaves its
// temporary folder and its compilers behind.
func (g goCommand) run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, cmp.Or(g.tool, "go"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = g.dir, g.stdout, g.stderr, grace
	// Half of what the go command does by itself would else be collecting garbage, and
	// a tenth of what compilers do.
	cmd.Env = append(append([]string{"GOGC=off", "GOMEMLIMIT=512MiB"}, os.Environ()...), g.env...)
	if g.scratch != "" {
		cmd.Env = append(cmd.Env, "GOTMPDIR="+g.scratch)
	}
	cmd.Cancel = func() error { return group.Interrupt(cmd.Process) }
	group.Own(cmd)
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		group.Kill(cmd.Process) // what is left of it
	}
	return err
}
