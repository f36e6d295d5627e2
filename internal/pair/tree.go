package pair

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/replaycheck/internal/result"
)

// workshop is a temporary folder with what is built and run there.
type workshop struct {
	repo  repo
	dir   string
	flags string // GOFLAGS
}

func newWorkshop(ctx context.Context, r repo) (workshop, error) {
	// -trimpath lets both trees, the head's mutate and the next pair share what
	// they compile: without it, each folder compiles for itself.
	flags, err := runTool(ctx, call{dir: r.at, env: r.env, args: []string{"go", "env", "GOFLAGS"}})
	if err != nil {
		return workshop{}, fmt.Errorf("pair: find go: %w", err)
	}

	dir, err := os.MkdirTemp("", "replaycheck-pair-")
	if err != nil {
		return workshop{}, fmt.Errorf("pair: make temporary folder: %w", err)
	}
	// Where the system's temporary folder is a link, programs see another name.
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	w := workshop{repo: r, dir: dir, flags: strings.TrimSpace(strings.TrimSpace(flags) + " -trimpath")}
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		return w, errors.Join(fmt.Errorf("pair: make temporary folder: %w", err), w.close())
	}
	return w, nil
}

func (w workshop) close() error {
	if err := os.RemoveAll(w.dir); err != nil {
		return fmt.Errorf("pair: remove temporary folder: %w", err)
	}
	return nil
}

// program is a replaycheck built in a work tree of its own.
type program struct {
	shop      workshop
	tree, bin string
}

// adapters is the folder whose code is exchanged.
const adapters = "adapters"

// checkout writes the files of the head below name, with the adapters of
// another commit unless that is "". The work tree has an index of its own and is
// not registered anywhere: nothing is left in the repository, whatever happens.
func (w workshop) checkout(ctx context.Context, name, head, adaptersOf string) (tree string, err error) {
	tree = filepath.Join(w.dir, name)
	if err := os.Mkdir(tree, 0o700); err != nil {
		return "", fmt.Errorf("make work tree: %w", err)
	}
	env := append(append([]string{}, w.repo.env...), "GIT_DIR="+w.repo.dir, "GIT_WORK_TREE="+tree, "GIT_INDEX_FILE="+filepath.Join(w.dir, name+".index"))
	commands := [][]string{{"read-tree", head}}
	if adaptersOf != "" {
		commands = append(commands,
			[]string{"rm", "-r", "-q", "-f", "--cached", "--ignore-unmatch", "--", adapters},
			[]string{"read-tree", "--prefix=" + adapters + "/", adaptersOf + ":" + adapters})
	}
	for _, args := range append(commands, []string{"checkout-index", "--all", "--force"}) {
		// What the user set for work trees does not hold for this one.
		args = append([]string{"git", "-c", "core.sparseCheckout=false", "-c", "core.autocrlf=false", "-c", "core.fsmonitor=false"}, args...)
		if _, err := runTool(ctx, call{dir: tree, env: env, args: args}); err != nil {
			return "", fmt.Errorf("write work tree: %w", err)
		}
	}
	return tree, nil
}

// build makes a work tree and builds its replaycheck.
func (w workshop) build(ctx context.Context, name, head, adaptersOf string) (program, error) {
	tree, err := w.checkout(ctx, name, head, adaptersOf)
	if err != nil {
		return program{}, err
	}
	p := program{shop: w, tree: tree, bin: filepath.Join(w.dir, name+".exe")}
	_, err = runTool(ctx, call{dir: tree, env: w.env(), args: []string{"go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", p.bin, "./cmd/replaycheck"}})
	if err != nil {
		return program{}, fmt.Errorf("does not build: %w", err)
	}
	return p, nil
}

// env keeps a workspace of the user's out of builds, and temporary files
// together.
func (w workshop) env() []string {
	tmp := filepath.Join(w.dir, "tmp")
	return append(append([]string{}, w.repo.env...), "GOWORK=off", "GOFLAGS="+w.flags, "GOTMPDIR="+tmp, "TMPDIR="+tmp, "NO_COLOR=1")
}

// run runs the program in its work tree.
func (p program) run(ctx context.Context, args ...string) (string, error) {
	return runTool(ctx, call{dir: p.tree, env: p.shop.env(), args: append([]string{p.bin}, args...)})
}

// report runs a command that writes a report. Exit codes that have one are no
// error: it says what they mean.
func (p program) report(ctx context.Context, args ...string) (rep result.Report, code int, err error) {
	file := filepath.Join(p.shop.dir, "report.json")
	_, failed := p.run(ctx, append(args, "--no-times", "--json", file)...)
	if ctx.Err() != nil {
		return rep, 0, failed
	}
	if tool, ok := errors.AsType[*toolError](failed); ok {
		code = tool.code
	} else if failed != nil {
		return rep, 0, failed
	}
	text, err := os.ReadFile(file)
	if err != nil {
		if failed == nil {
			failed = errors.New("it wrote no report")
		}
		return rep, code, failed
	}
	if err := errors.Join(json.Unmarshal(text, &rep), os.Remove(file)); err != nil {
		return rep, code, fmt.Errorf("read report: %w", err)
	}
	if rep.Schema != result.Schema {
		return rep, code, fmt.Errorf("read report: schema is %q, want %q", rep.Schema, result.Schema)
	}
	return rep, code, nil
}

// list runs a listing and decodes its JSON. A listing that finds gaps exits
// with 1.
func (p program) list(ctx context.Context, what string, into any) error {
	out, err := p.run(ctx, "list", what, "--json")
	if tool, ok := errors.AsType[*toolError](err); err != nil && (!ok || tool.code != 1) {
		return err
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		return fmt.Errorf("read list %s: %w", what, err)
	}
	return nil
}
