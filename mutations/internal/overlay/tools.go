package overlay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
)

// tools are the compiler and the linker, to be called as the go command calls them.
// Between them and us it would look up two hundred packages in its cache, which "go
// list" has just done, and hash a program that runs once.
type tools struct {
	dir     string // of their files
	version string // of Go, such as go1.26.1
	env     []string
}

// findTools asks the go command for its tools. nil: its settings ask for more than
// what is done here, or for what is not known here, and it has to build itself.
func findTools(ctx context.Context, dir, scratch string) *tools {
	var out bytes.Buffer
	target := []string{"GOOS", "GOARCH", "GOROOT", "GOAMD64", "GOARM", "GOARM64", "GO386", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOEXPERIMENT"}
	names := append([]string{"env", "-json", "GOFLAGS", "GOHOSTOS", "GOHOSTARCH", "GOFIPS140", "GOTOOLDIR", "GOVERSION"}, target...)
	if (goCommand{dir: dir, scratch: scratch, stdout: &out}).run(ctx, names...) != nil {
		return nil
	}
	var env map[string]string
	if json.Unmarshal(out.Bytes(), &env) != nil {
		return nil
	}
	for flag := range strings.FieldsSeq(env["GOFLAGS"]) {
		switch name, _, _ := strings.Cut(flag, "="); strings.TrimLeft(name, "-") {
		case "buildvcs", "mod", "modfile", "tags", "p", "v": // they tell what is built, and no more
		default:
			return nil
		}
	}
	plain := env["GOOS"] == "linux" && env["GOHOSTOS"] == "linux" && env["GOARCH"] == env["GOHOSTARCH"] &&
		env["GOEXPERIMENT"] == "" && (env["GOFIPS140"] == "" || env["GOFIPS140"] == "off")
	if !plain || env["GOTOOLDIR"] == "" || env["GOROOT"] == "" || !strings.HasPrefix(env["GOVERSION"], "go1.") || strings.Contains(env["GOVERSION"], " ") {
		return nil
	}
	t := &tools{dir: env["GOTOOLDIR"], version: env["GOVERSION"]}
	for _, name := range target {
		t.env = append(t.env, name+"="+env[name])
	}
	return t
}

// run runs a tool. The error has what it wrote.
func (t *tools) run(ctx context.Context, dir, tool string, args ...string) error {
	var text bytes.Buffer
	// One thread each: what they would do in others is mostly to collect garbage.
	env := append([]string{"GOMAXPROCS=1"}, t.env...)
	err := goCommand{tool: filepath.Join(t.dir, tool), env: env, dir: dir, stdout: &text, stderr: &text}.run(ctx, args...)
	if err != nil {
		return said(err, text.String())
	}
	return nil
}

// errIndirect says that the go command has to build: something is asked for that only
// it does.
var errIndirect = errors.New("overlay: not to be built without the go command")

// plain reports whether a package is compiled from its Go files and nothing else.
func (l *listed) plain() bool {
	others := [][]string{l.CgoFiles, l.CFiles, l.CXXFiles, l.MFiles, l.HFiles, l.FFiles, l.SFiles, l.SwigFiles, l.SwigCXXFiles, l.SysoFiles, l.EmbedPatterns}
	for _, files := range others {
		if len(files) > 0 {
			return false
		}
	}
	return l.Module != nil && len(l.ImportMap) == 0 && !strings.Contains(l.ImportPath, " ")
}

// language is the version of the language that a package is written in, as the
// compiler wants it.
func (l *listed) language() string {
	v := l.Module.GoVersion
	if v == "" {
		v = "1.16" // what the go command takes a go.mod without one for
	}
	major, rest, _ := strings.Cut(v, ".")
	minor := rest
	if i := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' }); i >= 0 {
		minor = rest[:i]
	}
	return "go" + major + "." + minor
}
