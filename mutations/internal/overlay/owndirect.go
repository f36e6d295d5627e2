package overlay

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// testImports lists what the test files in some folders import, and what a test binary
// needs besides. Files that are not to be read import nothing.
func testImports(dir string, folders []string) []string {
	var out []string
	fset := token.NewFileSet()
	for _, folder := range folders {
		names, _ := filepath.Glob(filepath.Join(dir, folder, "*_test.go")) // the pattern is one, or names no folder
		for _, name := range names {
			f, err := parser.ParseFile(fset, name, nil, parser.ImportsOnly)
			if err != nil {
				continue
			}
			for _, imported := range f.Imports {
				if path, err := strconv.Unquote(imported.Path.Value); err == nil && path != "C" && path != "unsafe" {
					out = append(out, path)
				}
			}
		}
	}
	if len(out) > 0 {
		out = append(out, "os", "reflect", "testing", "testing/internal/testdeps")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ownDirect reports whether the tests of all edited packages, where they are to be
// built, can be without the go command. Else it builds the program too: it then has
// most of the tests in its cache.
func (plan *Plan) ownDirect() bool {
	return !plan.Tested || !slices.ContainsFunc(plan.edited(), func(l *listed) bool {
		_, err := plan.ownMain(l)
		return err != nil
	})
}

// test compiles the tests of an edited package beside the program's objects and links
// them.
func (o *objects) test(ctx context.Context, l *listed, placed map[string]string, out string) error {
	text, err := o.plan.ownMain(l)
	if err != nil {
		return err
	}
	main := filepath.Join(filepath.Dir(out), "testmain.go")
	if err := os.WriteFile(main, []byte(text), 0o600); err != nil {
		return fmt.Errorf("overlay: build: %w", err)
	}
	own := *o
	own.placed = placed
	own.config = filepath.Join(o.dir, "importcfg.test")
	archive := filepath.Join(o.dir, "package.test.a")
	config, err := os.ReadFile(o.config)
	if err != nil {
		return fmt.Errorf("overlay: build: %w", err)
	}
	if err := os.WriteFile(own.config, fmt.Appendf(config, "packagefile %s_test=%s\n", l.ImportPath, archive), 0o600); err != nil {
		return fmt.Errorf("overlay: build: %w", err)
	}
	files := []string{filepath.Join(l.Dir, outsideFile)}
	for _, name := range l.XTestGoFiles {
		files = append(files, filepath.Join(l.Dir, name))
	}
	slices.Sort(files)
	if err := own.compile(ctx, l.ImportPath+"_test", l, files, archive); err != nil {
		return err
	}
	program := filepath.Join(o.dir, "main.test.a")
	if err := own.compile(ctx, "main", l, []string{main}, program); err != nil {
		return err
	}
	return own.link(ctx, program, out, "-X", "testing.testBinary=1")
}

// ownMain is the main file of a test binary, as "go test" writes it, of tests that are
// all outside the package. The error is errIndirect for what else there may be.
func (plan *Plan) ownMain(l *listed) (string, error) {
	p := plan.program
	moved, err := plan.moved(l)
	if err != nil || len(moved) < len(l.TestGoFiles) || len(l.XTestGoFiles) == 0 || len(l.TestEmbedPatterns)+len(l.XTestEmbedPatterns) > 0 {
		return "", errIndirect
	}
	if p.beside["testing/internal/testdeps"] == nil {
		return "", errIndirect
	}
	needed := map[string]bool{}
	var tests, fuzzed []string
	end := "os.Exit(m.Run())"
	for _, name := range l.XTestGoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return "", errIndirect
		}
		for _, imported := range f.Imports {
			path, err := strconv.Unquote(imported.Path.Value)
			if err != nil || path != "unsafe" && p.beside[path] == nil {
				return "", errIndirect
			}
			needs(p.beside, path, needed)
		}
		if directed(f) {
			return "", errIndirect
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || fn.Recv != nil:
			case fn.Name.Name == "TestMain":
				end = "_xtest.TestMain(m)\n\tos.Exit(int(reflect.ValueOf(m).Elem().FieldByName(\"exitCode\").Int()))"
			case isTest(fn):
				tests = append(tests, fn.Name.Name)
			case strings.HasPrefix(fn.Name.Name, "Fuzz"):
				fuzzed = append(fuzzed, fn.Name.Name)
			case strings.HasPrefix(fn.Name.Name, "Example"):
				return "", errIndirect // what they print is judged
			}
		}
	}
	if len(tests) == 0 {
		return "", errIndirect
	}
	// The tests are built without the program's tags, so these must not matter.
	for path := range needed {
		if d := p.beside[path]; p.tags != "" && !d.Standard && d.Module != nil && d.Module.Main && len(d.IgnoredGoFiles) > 0 {
			return "", errIndirect
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"os\"\n\t\"reflect\"\n\t\"testing\"\n\t\"testing/internal/testdeps\"\n\n\t_xtest %q\n)\n\n", l.ImportPath+"_test")
	b.WriteString("var _ = reflect.ValueOf\n\nvar tests = []testing.InternalTest{\n")
	for _, name := range append(tests, ServeTest) {
		fmt.Fprintf(&b, "\t{%q, _xtest.%s},\n", name, name)
	}
	b.WriteString("}\n\nvar fuzzed = []testing.InternalFuzzTarget{\n")
	for _, name := range fuzzed {
		fmt.Fprintf(&b, "\t{%q, _xtest.%s},\n", name, name)
	}
	fmt.Fprintf(&b, "}\n\nfunc init() {\n\ttestdeps.ModulePath, testdeps.ImportPath = %q, %q\n}\n\n", l.Module.Path, l.ImportPath)
	fmt.Fprintf(&b, "func main() {\n\tm := testing.MainStart(testdeps.TestDeps{}, tests, nil, fuzzed, nil)\n\t%s\n}\n", end)
	return b.String(), nil
}

// directed reports whether a file asks the go command for something.
func directed(f *ast.File) bool {
	return slices.ContainsFunc(f.Comments, func(group *ast.CommentGroup) bool {
		return slices.ContainsFunc(group.List, func(c *ast.Comment) bool {
			return strings.HasPrefix(c.Text, "//go:debug") || strings.HasPrefix(c.Text, "//go:embed")
		})
	})
}
