package benchpeers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Gremlins is the peer of mutate, at the version that is installed.
const (
	Gremlins        = "gremlins"
	gremlinsProgram = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"
)

// Mutants is what a tool made of a package's mutants.
type Mutants struct {
	Tool, Package string
	Tried         int
	CPU, Wall     time.Duration // all processes of the tool, builds included
	Verdicts      string
}

// Rate is in mutants tried for a second of CPU.
func (m Mutants) Rate() float64 { return float64(m.Tried) / m.CPU.Seconds() }

// Mutation tries a package's mutants, each tool in a copy of its own of the
// module below root. Ours is in a new folder each time, so that it does not find its
// own builds of another run in Go's cache; gremlins makes such folders itself. The
// program without mutants is built before.
type Mutation struct {
	Root    string // of the module
	Dir     string // for copies and tools
	Package string // path below the root, such as "adapters/replay"
	// Files, unless empty, are the files of the package that gremlins is to try
	// mutants in, so that it ends in time. Ours are always tried in all.
	Files []string
}

// Chosen reads "adapters/replay", or "adapters/gemini=reply.go+turn.go" with files
// for gremlins. The error names what is missing.
func Chosen(text string) (pkg string, files []string, err error) {
	pkg, list, limited := strings.Cut(strings.TrimSpace(text), "=")
	if pkg = strings.Trim(pkg, "./"); pkg == "" {
		return "", nil, fmt.Errorf("benchpeers: got %q, want a package below the root, such as adapters/replay", text)
	}
	if !limited {
		return pkg, nil, nil
	}
	files = strings.Split(list, "+")
	for _, name := range files {
		if !strings.HasSuffix(name, ".go") || strings.ContainsRune(name, '/') {
			return "", nil, fmt.Errorf("benchpeers: %s: got file %q, want one of the package's Go files", pkg, name)
		}
	}
	return pkg, files, nil
}

// Ours tries those of "replaycheck mutate --operators".
func (m Mutation) Ours(ctx context.Context) (Mutants, error) {
	copied, err := m.prepared(ctx, "ours", []string{"test", "-c", "-o", os.DevNull, "./" + m.Package})
	if err != nil {
		return Mutants{}, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(copied, "bin", "replaycheck"), "mutate", "--operators", "--package", m.Package, "--json", "report.json")
	out, err := m.timed(cmd, "replaycheck mutate", copied, 0, 1, 4)
	if err != nil {
		return out, err
	}
	return out, out.read(filepath.Join(copied, "report.json"), ourVerdicts)
}

// prepared copies the module into a new folder, in place of earlier ones of the name,
// and builds what runs without a mutant, with the commands named besides.
func (m Mutation) prepared(ctx context.Context, name string, more ...[]string) (copied string, err error) {
	earlier, err := filepath.Glob(filepath.Join(m.Dir, name+".*"))
	for _, dir := range earlier {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err == nil {
		copied, err = os.MkdirTemp(m.Dir, name+".*")
	}
	if err != nil {
		return "", fmt.Errorf("benchpeers: %w", err)
	}
	files, err := output(ctx, m.Root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return "", err
	}
	if err := copyFiles(m.Root, copied, strings.Split(strings.Trim(files, "\x00"), "\x00")); err != nil {
		return "", err
	}
	builds := [][]string{{"build", "-o", "bin/replaycheck", "./cmd/replaycheck"}, {"build", "-tags", "replaycheck_lean", "-o", os.DevNull, "./mutations/internal/refworker"}}
	for _, args := range append(builds, more...) {
		if _, err := output(ctx, copied, "go", args...); err != nil {
			return "", err
		}
	}
	return copied, nil
}

// Theirs tries those of gremlins. The error is a *NotRunError where it can't be had.
func (m Mutation) Theirs(ctx context.Context) (Mutants, error) {
	bin, err := filepath.Abs(m.Dir)
	if err != nil {
		return Mutants{}, err
	}
	install := exec.CommandContext(ctx, "go", "install", gremlinsProgram)
	install.Dir, install.Env = m.Dir, append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	if text, err := install.CombinedOutput(); err != nil {
		return Mutants{}, &NotRunError{Gremlins, "go install: " + lastLine(text, err)}
	}
	copied := filepath.Join(m.Dir, "theirs")
	if err := m.copyPackage(ctx, copied); err != nil {
		return Mutants{}, err
	}
	if _, err := output(ctx, copied, "go", "test", "./"+m.Package); err != nil {
		return Mutants{}, err
	}
	args := []string{"unleash", "--timeout-coefficient", "200", "-o", "report.json"}
	left, err := m.leftOut()
	if err != nil {
		return Mutants{}, err
	}
	for _, name := range left {
		args = append(args, "--exclude-files", "(^|/)"+regexp.QuoteMeta(name)+"$")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, Gremlins), append(args, "./"+m.Package)...)
	out, err := m.timed(cmd, Gremlins, copied, 0)
	if err != nil {
		return out, err
	}
	return out, out.read(filepath.Join(copied, "report.json"), gremlinsVerdicts)
}

// leftOut lists the files of the package in which gremlins is to try nothing. A
// chosen file that is not there is an error: then it would try nothing at all.
func (m Mutation) leftOut() ([]string, error) {
	if len(m.Files) == 0 {
		return nil, nil
	}
	entries, err := os.ReadDir(filepath.Join(m.Root, m.Package))
	if err != nil {
		return nil, fmt.Errorf("benchpeers: %w", err)
	}
	var out []string
	found := 0
	for _, e := range entries {
		switch name := e.Name(); {
		case slices.Contains(m.Files, name):
			found++
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			out = append(out, name)
		}
	}
	if found < len(m.Files) {
		return nil, fmt.Errorf("benchpeers: %s: %d of the files %s are there, want all", m.Package, found, strings.Join(m.Files, ", "))
	}
	return out, nil
}

// ourVerdicts reads a report of mutate.
func ourVerdicts(text []byte) (out []string, err error) {
	var report struct {
		Faults []struct {
			Verdict string `json:"verdict"`
		} `json:"faults"`
	}
	err = json.Unmarshal(text, &report)
	for _, f := range report.Faults {
		out = append(out, f.Verdict)
	}
	return out, err
}

// gremlinsVerdicts reads a report of gremlins.
func gremlinsVerdicts(text []byte) (out []string, err error) {
	var report struct {
		Files []struct {
			Mutations []struct {
				Status string `json:"status"`
			} `json:"mutations"`
		} `json:"files"`
	}
	err = json.Unmarshal(text, &report)
	for _, f := range report.Files {
		for _, mutation := range f.Mutations {
			out = append(out, strings.ToLower(mutation.Status))
		}
	}
	return out, err
}

// untried are the verdicts on mutants that no test ran for.
var untried = []string{"not covered", "skipped", "runnable", "unsupported"}

// read counts the verdicts of a report.
func (m *Mutants) read(file string, verdicts func([]byte) ([]string, error)) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	all, err := verdicts(text)
	if err != nil {
		return fmt.Errorf("benchpeers: report of %s: %w", m.Tool, err)
	}
	count := map[string]int{}
	for _, v := range all {
		if count[v]++; !slices.Contains(untried, v) {
			m.Tried++
		}
	}
	var words []string
	for _, name := range sortedKeys(count) {
		words = append(words, fmt.Sprintf("%d %s", count[name], name))
	}
	m.Verdicts = strings.Join(words, ", ")
	if m.Tried == 0 || m.CPU <= 0 {
		return fmt.Errorf("benchpeers: %s tried %d mutants of %s in %v of CPU", m.Tool, m.Tried, m.Package, m.CPU)
	}
	return nil
}

// timed runs the tool and takes the time of it and of all that it waited for.
func (m Mutation) timed(cmd *exec.Cmd, tool, dir string, codes ...int) (Mutants, error) {
	var text bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &text, &text
	begun := time.Now()
	err := cmd.Run()
	out := Mutants{Tool: tool, Package: m.Package, Wall: time.Since(begun)}
	if cmd.ProcessState == nil || !slices.Contains(codes, cmd.ProcessState.ExitCode()) {
		return out, fmt.Errorf("benchpeers: %s: %w: %s", tool, err, lastLine(text.Bytes(), err))
	}
	out.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return out, nil
}

// copyPackage copies the package with what it and its tests need of the module,
// since gremlins copies a whole module for each of its workers.
func (m Mutation) copyPackage(ctx context.Context, to string) error {
	list, err := output(ctx, m.Root, "go", "list", "-deps", "-test", "-f",
		`{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .TestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`+
			`{{range .EmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .TestEmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestEmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`, "./"+m.Package)
	if err != nil {
		return err
	}
	root, err := filepath.Abs(m.Root)
	if err != nil {
		return err
	}
	files := []string{"go.mod", "go.sum"}
	for line := range strings.Lines(list) {
		if rel, ok := strings.CutPrefix(strings.TrimSpace(line), root+string(filepath.Separator)); ok && !slices.Contains(files, rel) {
			files = append(files, rel)
		}
	}
	if err := copyFiles(root, to, files); err != nil {
		return err
	}
	data := filepath.Join(m.Package, "testdata")
	if _, err := os.Stat(filepath.Join(root, data)); err != nil {
		return nil //nolint:nilerr // the package has none
	}
	return os.CopyFS(filepath.Join(to, data), os.DirFS(filepath.Join(root, data)))
}

// copyFiles copies regular files from one folder to another, which is emptied
// before.
func copyFiles(from, to string, files []string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(target, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// output runs a command in a folder.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("benchpeers: %s %s: %w: %s", name, args[0], err, lastLine(stderr.Bytes(), err))
	}
	return string(out), nil
}

// lastLine is the last line that a command wrote, else its error.
func lastLine(text []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	if err != nil {
		return err.Error()
	}
	return "it wrote nothing"
}
