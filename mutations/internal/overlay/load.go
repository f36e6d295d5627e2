// Package overlay compiles any number of edits of Go source into one binary,
// chosen by number at run time, without writing a source file: every edit
// becomes a copy of its function beside the original, in a build overlay.
package overlay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// listed is a package as "go list" describes it.
type listed struct {
	ImportPath string
	Dir        string
	Export     string
	Standard   bool
	Name       string
	GoFiles    []string
	CgoFiles   []string

	TestGoFiles, XTestGoFiles []string
	IgnoredGoFiles            []string // by build constraints

	// What the compiler is not called for by itself (direct.go).
	CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles []string
	EmbedPatterns, TestEmbedPatterns, XTestEmbedPatterns                                 []string
	DefaultGODEBUG                                                                       string

	Imports   []string
	ImportMap map[string]string
	Module    *struct {
		Path, Version, Dir, GoMod, GoVersion string
		Main                                 bool
	}
	Error   *struct{ Err string }
	DepOnly bool // it was not asked for
}

// fields are those of listed.
const fields = "ImportPath,Dir,Export,Standard,Name,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles," +
	"CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,EmbedPatterns,TestEmbedPatterns,XTestEmbedPatterns,DefaultGODEBUG," +
	"Imports,ImportMap,Module,Error,DepOnly"

// Program is a main package with everything that it needs, as it lies on disk.
type Program struct {
	dir      string // where the go command runs
	main     string // import path
	tags     string // of the build, with commas
	packages map[string]*listed
	order    []string
	kept     map[string]string // packages that may not be edited, and why
	// beside are all packages that were listed, in the order of whole: those of the
	// program and what its packages' tests need.
	beside map[string]*listed
	whole  []string
	tools  *tools // nil: the go command builds

	importer types.Importer // nil: nothing was imported yet
}

// Keep lets no package that another needs be edited, nor that one; why says why.
func (p *Program) Keep(path, why string) {
	if p.kept == nil {
		p.kept = map[string]string{}
	}
	l, ok := p.packages[path]
	if !ok || l.Standard || p.kept[path] != "" {
		return
	}
	p.kept[path] = why
	for _, name := range l.imports() {
		p.Keep(name, why)
	}
}

// Load lists the main package mainPkg, as the go command names packages in
// folder dir, and compiles what is not in the build cache yet. tested are folders of
// packages, below dir, whose own tests may be built too. tags are those of the
// program's build; its tests are built without.
func Load(ctx context.Context, dir, mainPkg string, tested []string, tags ...string) (_ *Program, err error) {
	p := &Program{dir: dir, tags: strings.Join(tags, ",")}
	scratch, remove, err := Scratch()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	beside := testImports(dir, tested)
	err = p.list(ctx, scratch, mainPkg, beside...)
	if err != nil && len(beside) > 0 && ctx.Err() == nil { // the tests may well be of another system
		err = p.list(ctx, scratch, mainPkg)
	}
	if err != nil {
		return nil, err
	}
	if name := p.packages[p.main].Name; name != "main" {
		return nil, fmt.Errorf("overlay: %s: got package %s, want a main package", p.main, name)
	}
	p.tools = findTools(ctx, dir, scratch)
	return p, nil
}

// list lists a main package with all that it needs; those beside it with what they
// need go to p.beside.
func (p *Program) list(ctx context.Context, scratch, mainPkg string, beside ...string) error {
	var out, stderr bytes.Buffer
	err := goCommand{dir: p.dir, scratch: scratch, stdout: &out, stderr: &stderr}.run(ctx, slices.Concat(
		[]string{"list", "-export", "-deps"}, p.tagged(), []string{"-json=" + fields, "--", mainPkg}, beside)...)
	if err != nil {
		return fmt.Errorf("overlay: list %s: %w", mainPkg, said(err, stderr.String()))
	}
	all := map[string]*listed{}
	var order []string // dependencies come first
	p.main = ""
	dec := json.NewDecoder(&out)
	for {
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("overlay: read the list of %s: %w", mainPkg, err)
		}
		if l.Error != nil {
			return fmt.Errorf("overlay: list %s: %s", mainPkg, l.Error.Err)
		}
		all[l.ImportPath] = &l
		order = append(order, l.ImportPath)
		if !l.DepOnly && !slices.Contains(beside, l.ImportPath) {
			p.main = l.ImportPath
		}
	}
	if p.main == "" {
		return fmt.Errorf("overlay: list %s: got no package", mainPkg)
	}
	own := map[string]bool{}
	needs(all, p.main, own)
	p.packages, p.order, p.beside, p.whole = map[string]*listed{}, nil, all, order
	for _, path := range order {
		if own[path] {
			p.packages[path] = all[path]
			p.order = append(p.order, path)
		}
	}
	return nil
}

// needs adds a package and all that it needs to a set.
func needs(all map[string]*listed, path string, set map[string]bool) {
	l := all[path]
	if l == nil || set[path] {
		return
	}
	set[path] = true
	for _, name := range l.imports() {
		needs(all, name, set)
	}
}

// imports are the import paths of what the package imports.
func (l *listed) imports() []string {
	out := slices.Clone(l.Imports)
	for i, name := range out {
		if full, ok := l.ImportMap[name]; ok {
			out[i] = full
		}
	}
	return out
}

// tagged is the flag for the program's tags; without any those of GOFLAGS hold.
func (p *Program) tagged() []string {
	if p.tags == "" {
		return nil
	}
	return []string{"-tags=" + p.tags}
}

// said adds to an error what a command wrote about it.
func said(err error, stderr string) error {
	if text := strings.TrimSpace(stderr); text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// Find returns the import path that a name stands for: an import path, or the
// end of one such as "adapters/gemini", of a package that the program needs.
// The error names what is wrong with it.
func (p *Program) Find(name string) (string, error) {
	name = strings.TrimPrefix(filepath.ToSlash(name), "./")
	if _, ok := p.packages[name]; ok {
		return name, p.editable(name)
	}
	var found []string
	for _, path := range p.order {
		if strings.HasSuffix(path, "/"+name) && !p.packages[path].Standard {
			found = append(found, path)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("overlay: package %q is not part of %s", name, p.main)
	case 1:
		return found[0], p.editable(found[0])
	}
	return "", fmt.Errorf("overlay: package %q: got %s, want one", name, strings.Join(found, " and "))
}

// Whole reports whether a package has no files that build constraints leave out.
func (p *Program) Whole(name string) bool {
	path, err := p.Find(name)
	return err == nil && len(p.packages[path].IgnoredGoFiles) == 0
}

// editable says why a package cannot be edited; nil: it can.
func (p *Program) editable(path string) error {
	l := p.packages[path]
	switch {
	case p.kept[path] != "":
		return fmt.Errorf("overlay: package %s: %s", path, p.kept[path])
	case l.Standard:
		return fmt.Errorf("overlay: package %s: it is part of Go itself", l.ImportPath)
	case len(l.CgoFiles) > 0:
		return fmt.Errorf("overlay: package %s: it uses cgo", l.ImportPath)
	case l.Module != nil && !l.Module.Main && strings.Contains(filepath.ToSlash(l.Dir), "/pkg/mod/"):
		return fmt.Errorf("overlay: package %s: it lies in the module cache, whose files no overlay may replace; use a copy with a replace directive, or vendor it", l.ImportPath)
	}
	return nil
}

// Files returns the Go files of a package, absolute.
func (p *Program) Files(path string) []string {
	l := p.packages[path]
	out := make([]string, len(l.GoFiles))
	for i, name := range l.GoFiles {
		out[i] = filepath.Join(l.Dir, name)
	}
	return out
}

// Sources returns every file of the program's own modules that goes into the
// build: Go files, go.mod and go.sum. Those of the module cache cannot change.
func (p *Program) Sources() []string {
	seen := map[string]bool{}
	var out []string
	add := func(name string) {
		if _, err := os.Stat(name); err == nil && !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, path := range p.order {
		l := p.packages[path]
		if l.Standard || l.Module == nil || strings.Contains(filepath.ToSlash(l.Dir), "/pkg/mod/") {
			continue
		}
		for _, name := range p.Files(path) {
			add(name)
		}
		add(l.Module.GoMod)
		add(strings.TrimSuffix(l.Module.GoMod, ".mod") + ".sum")
	}
	slices.Sort(out)
	return out
}

// imports returns an importer that reads the export data which go list named, each
// package's once.
func (p *Program) imports() types.Importer {
	if p.importer == nil {
		p.importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
			l, ok := p.packages[path]
			if !ok || l.Export == "" {
				return nil, fmt.Errorf("overlay: no export data of %s", path)
			}
			return os.Open(l.Export)
		})
	}
	return p.importer
}
