package overlay_test

import (
	"context"
	"debug/buildinfo"
	"go/ast"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/mutations/internal/overlay"
)

// TestDirect: what is built without the go command is what it builds, and it builds
// where its settings ask for more.
func TestDirect(t *testing.T) {
	for _, row := range []struct {
		flags, program, tested string
		want                   bool
	}{
		{"-buildvcs=false", "./testdata/own/worker", "testdata/own", true},
		{"", "./internal/refworker", "../adapters/gemini", true},
		{indirect, "./testdata/own/worker", "testdata/own", false},
		{"", "./internal/refworker", "../adapters/chat", false}, // some of its tests are inside
	} {
		t.Run(row.tested+" "+row.flags, func(t *testing.T) {
			t.Setenv("GOFLAGS", row.flags)
			direct, listed := built(t, row.program, row.tested)
			if want := row.want && runtime.GOOS == "linux"; direct != want {
				t.Errorf("got it without the go command: %t, want %t", direct, want)
			}
			t.Setenv("GOFLAGS", indirect)
			if again, want := built(t, row.program, row.tested); again || listed != want {
				t.Errorf("got tests %q, the go command makes it %q (%t)", listed, want, !again)
			}
		})
	}
}

// indirect is a setting that changes nothing, but is not one of those known not to.
const indirect = "-a=false"

// built builds a program and the tests of a package in which the first function has a
// fault, and returns whether it was without the go command, and what tests there are.
func built(t *testing.T, program, tested string) (direct bool, listed string) {
	t.Helper()
	ctx := context.Background()
	p, err := overlay.Load(ctx, "../..", program, []string{tested})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(filepath.Dir(tested)) + "/" + filepath.Base(tested)
	syntax, err := p.Syntax(name)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan([]overlay.Fault{{Number: 1, Edits: []overlay.Edit{firstBody(syntax)}}})
	if err != nil || len(plan.Invalid) > 0 {
		t.Fatal(err, plan.Invalid)
	}
	plan.Tested = true
	dir := t.TempDir()
	if err := plan.Build(ctx, filepath.Join(dir, "program")); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.BuildTest(ctx, name, filepath.Join(dir, "tests")); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "tests"), "-test.list=Test|Fuzz").Output()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(filepath.Join(dir, "program"))
	if err != nil || info.Main.Path != "example.com/replaycheck" {
		t.Errorf("what it is built from: got %+v, %v", info, err)
	}
	names := strings.Fields(string(out))
	slices.Sort(names)
	return plan.Direct(), strings.Join(names, " ")
}

// firstBody is an edit of the first function that does something: it panics.
func firstBody(s *overlay.Syntax) overlay.Edit {
	for _, f := range s.Files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || len(fn.Body.List) == 0 {
				continue
			}
			from, to := s.Offset(fn.Body.List[0].Pos()), s.Offset(fn.Body.Rbrace)
			return overlay.Edit{Package: s.Path, Func: overlay.FuncName(fn), From: from, To: to, Find: s.Text[f][from:to], Replace: `panic("never")` + "\n"}
		}
	}
	return overlay.Edit{}
}
