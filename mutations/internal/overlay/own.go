package overlay

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ServeTest is the test function that BuildTest adds: it makes single tests on
// request (rt.Own).
const ServeTest = "TestReplaycheckServe"

// outsideFile is the file of it in the package of the tests.
const outsideFile = "replaycheck_outside_test.go"

// ownFiles returns test files to add to a package, by their names, so that its test
// binary can make single tests on request. None where it has no test functions.
func (l *listed) ownFiles() (map[string]string, error) {
	out := map[string]string{}
	host := true // one of the two packages serves for both
	for _, p := range []struct {
		name, file string
		files      []string
	}{
		{l.Name + "_test", outsideFile, l.XTestGoFiles},
		{l.Name, "replaycheck_inside_test.go", l.TestGoFiles},
	} {
		tests, err := testFunctions(l.Dir, p.files)
		if err != nil {
			return nil, err
		}
		if len(tests) == 0 {
			continue
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "package %s\n\nimport (\n", p.name)
		if host {
			fmt.Fprintf(&b, "\treplaycheckTesting \"testing\"\n")
		}
		fmt.Fprintf(&b, "\treplaycheckRT %s\n)\n\nfunc init() {\n", strconv.Quote(support))
		for _, name := range tests {
			fmt.Fprintf(&b, "\treplaycheckRT.OwnTests[%q] = %s\n", name, name)
		}
		b.WriteString("}\n")
		if host {
			fmt.Fprintf(&b, serveText, ServeTest)
		}
		host = false
		out[filepath.Join(l.Dir, p.file)] = b.String()
	}
	return out, nil
}

const serveText = `
func %s(t *replaycheckTesting.T) {
	all := func(_, _ string) (bool, error) { return true, nil }
	replaycheckRT.OwnTests.Serve(func(name string, test any) bool {
		f, ok := test.(func(*replaycheckTesting.T))
		return ok && replaycheckTesting.RunTests(all, []replaycheckTesting.InternalTest{{Name: name, F: f}})
	})
}
`

// testFunctions lists the test functions in some files of a folder.
func testFunctions(dir string, files []string) ([]string, error) {
	var out []string
	fset := token.NewFileSet()
	for _, name := range files {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("overlay: the tests: %w", err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isTest(fn) {
				out = append(out, fn.Name.Name)
			}
		}
	}
	return out, nil
}

// isTest reports whether go test takes a function for a test.
func isTest(fn *ast.FuncDecl) bool {
	const prefix = "Test"
	name, t := fn.Name.Name, fn.Type
	if fn.Recv != nil || t.TypeParams != nil || t.Results != nil || len(name) <= len(prefix) || name[:len(prefix)] != prefix {
		return false
	}
	if first, _ := utf8.DecodeRuneInString(name[len(prefix):]); unicode.IsLower(first) || len(t.Params.List) != 1 || len(t.Params.List[0].Names) > 1 {
		return false
	}
	star, ok := t.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "T"
}

// edited lists the packages that the faults are in.
func (plan *Plan) edited() []*listed {
	var out []*listed
	for _, path := range plan.program.order {
		l := plan.program.packages[path]
		if slices.ContainsFunc(plan.files, func(e emitted) bool { return filepath.Dir(e.file.name) == l.Dir }) {
			out = append(out, l)
		}
	}
	return out
}

// rebuiltOf lists, of some packages in their order, those that are compiled for the
// sake of the faults: those that they are in, and what imports one of these.
func (plan *Plan) rebuiltOf(order []string, packages map[string]*listed) []string {
	var out []string
	again := map[string]bool{}
	for _, l := range plan.edited() {
		again[l.ImportPath] = true
	}
	for _, path := range order { // dependencies come first
		again[path] = again[path] || slices.ContainsFunc(packages[path].imports(), func(name string) bool { return again[name] })
		if again[path] {
			out = append(out, path)
		}
	}
	return out
}

// moved returns what the test files inside a package add to it, as files of the
// package itself. None where that would be more than helpers of the tests: tests,
// what runs by itself or a file that is not always built.
func (plan *Plan) moved(l *listed) (map[string]string, error) {
	out := map[string]string{}
	if !plan.Tested {
		return out, nil
	}
	fset := token.NewFileSet()
	for i, name := range l.TestGoFiles {
		text, err := os.ReadFile(filepath.Join(l.Dir, name))
		if err != nil {
			return nil, fmt.Errorf("overlay: the tests: %w", err)
		}
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("overlay: the tests: %w", err)
		}
		if !plan.program.helper(f) {
			return map[string]string{}, nil
		}
		out[filepath.Join(l.Dir, fmt.Sprintf("replaycheck_helper%d.go", i))] = string(text)
	}
	return out, nil
}

// helper reports whether a test file only adds declarations to its package, made of
// what the program is made of anyway.
func (p *Program) helper(f *ast.File) bool {
	for _, imported := range f.Imports {
		path, err := strconv.Unquote(imported.Path.Value)
		if err != nil || path == "testing" || p.packages[path] == nil {
			return false
		}
	}
	for _, group := range f.Comments {
		if group.Pos() < f.Package && slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:build") }) {
			return false
		}
	}
	return !slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && (fn.Name.Name == "init" || testName.MatchString(fn.Name.Name))
	})
}

var testName = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)`)
