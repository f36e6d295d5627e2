package pair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"example.com/replaycheck/internal/group"
)

// repo is a Git repository, of which only commits are read: no index, no work
// tree, no hook of the user's takes part.
type repo struct {
	dir string // its Git folder, absolute
	at  string // where the user named it
	env []string
}

// ofOneRepository are the variables by which Git's own hooks and aliases hand a
// repository on. They would turn commands to the user's index.
var ofOneRepository = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE", "GIT_EXTERNAL_DIFF", "GIT_TRACE",
}

// environment is this process's without what would bend Git or the go command.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(ofOneRepository, name)
	})
	return append(env, "LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
}

func openRepo(ctx context.Context, dir string) (repo, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return repo{}, fmt.Errorf("pair: find git: %w", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return repo{}, fmt.Errorf("pair: open repository: got %q, want a folder of a Git repository", dir)
	}
	r := repo{at: dir, env: environment()}
	out, err := runTool(ctx, call{dir: dir, env: r.env, args: []string{"git", "rev-parse", "--absolute-git-dir"}})
	if err != nil {
		return repo{}, fmt.Errorf("pair: open repository: %w", err)
	}
	r.dir = strings.TrimSpace(out)
	// What a shallow clone lacks looks like what was never there.
	if shallow, err := r.git(ctx, "rev-parse", "--is-shallow-repository"); err != nil || shallow != "false" {
		return repo{}, errors.Join(err, errors.New("pair: open repository: it is a shallow clone, want all history: git fetch --unshallow"))
	}
	return r, nil
}

// git runs a command on the repository's commits and returns what it wrote,
// without the last newline.
func (r repo) git(ctx context.Context, args ...string) (string, error) {
	out, err := runTool(ctx, call{dir: r.at, env: r.env, args: append([]string{"git", "--git-dir=" + r.dir, "--no-pager"}, args...)})
	return strings.TrimSuffix(out, "\n"), err
}

// commit resolves what a user calls a commit.
func (r repo) commit(ctx context.Context, name string) (string, error) {
	id, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("got %q, which names no commit of the repository", name)
	}
	return id, nil
}

// change is a file that differs between two trees.
type change struct {
	path   string
	status byte // A, M, T or D
}

// diff lists the files that differ, sorted by path. What was renamed is removed
// and added.
func (r repo) diff(ctx context.Context, from, to string) ([]change, error) {
	out, err := r.git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--name-status", "--no-commit-id", from, to)
	if err != nil {
		return nil, err
	}
	var all []change
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for pair := range slices.Chunk(fields, 2) {
		if len(pair) == 2 && pair[0] != "" {
			all = append(all, change{path: pair[1], status: pair[0][0]})
		}
	}
	return all, nil
}

// call is a command line to run.
type call struct {
	dir  string
	env  []string
	args []string
}

// grace is how long a command may take to end after an interrupt.
const grace = 5 * time.Second

// toolError is a command that failed: its exit code, -1 where a signal ended
// it, and the last thing that it said.
type toolError struct {
	name   string
	code   int
	said   string
	stderr string
}

func (e *toolError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("%s: exit code %d", e.name, e.code)
	}
	return e.name + ": " + e.said
}

// runTool runs a command and returns its standard output, also when it fails.
// At the context's end the command is interrupted, so that it can clean up.
func runTool(ctx context.Context, c call) (string, error) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, c.env, &stdout, &stderr
	cmd.WaitDelay = grace
	cmd.Cancel = func() error { return group.Interrupt(cmd.Process) }
	group.Own(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			group.Kill(cmd.Process) // whatever it left behind
		}
		return "", fmt.Errorf("pair: interrupted: %w", ctx.Err())
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return stdout.String(), &toolError{name: baseName(c.args[0]), code: exit.ExitCode(), said: gist(stderr.String()), stderr: stderr.String()}
	}
	if err != nil {
		return "", fmt.Errorf("start %s: %w", baseName(c.args[0]), err)
	}
	return stdout.String(), nil
}

func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// gist is the first line of an output that says something: compilers put what
// matters first, after a line with the package.
func gist(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "go: downloading") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	if len(lines) > 1 {
		return fmt.Sprintf("%s (and %d more)", lines[0], len(lines)-1)
	}
	return lines[0]
}
