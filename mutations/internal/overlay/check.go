package overlay

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// rounds bounds how often a package is checked again after a repair. Each
// repairs or drops every copy that has an error left.
const rounds = 12

// check type-checks one package with all its copies at once. A copy with an
// error is repaired where only a variable is unused, else marked invalid.
func (p *Program) check(path string, files []*sourceFile, targets []*target) ([]emitted, error) {
	for range rounds {
		out := emit(files, targets)
		errs, err := p.typeErrors(path, out)
		if err != nil {
			return nil, err
		}
		if len(errs) == 0 {
			return out, nil
		}
		if err := settle(errs); err != nil {
			return nil, fmt.Errorf("overlay: check %s: %w", path, err)
		}
	}
	return nil, fmt.Errorf("overlay: check %s: still errors after %d rounds", path, rounds)
}

// typeError is an error inside a copy.
type typeError struct {
	clone *clone
	text  string // with the original place
	msg   string
	at    int // in the copy's text, before it was renamed
}

func (p *Program) typeErrors(path string, out []emitted) ([]typeError, error) {
	fset := token.NewFileSet()
	var trees []*ast.File
	byName := map[string]*emitted{}
	for i := range out {
		e := &out[i]
		tree, err := parser.ParseFile(fset, e.file.name, e.text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("overlay: the generated form of %s does not parse: %w", e.file.name, err)
		}
		trees = append(trees, tree)
		byName[e.file.name] = e
	}
	var errs []typeError
	var strange error
	l := p.packages[path]
	conf := types.Config{
		Importer: mapped{p.imports(), l.ImportMap},
		Error: func(err error) {
			te, ok := errors.AsType[types.Error](err)
			if !ok {
				strange = errors.Join(strange, err)
				return
			}
			raw := fset.PositionFor(te.Pos, false)
			r := byName[raw.Filename].region(raw.Offset)
			if r == nil {
				if !te.Soft || len(errs) == 0 {
					strange = errors.Join(strange, err)
				}
				return
			}
			shown := fset.Position(te.Pos)
			c := r.target.clone(r.number)
			errs = append(errs, typeError{
				clone: c, msg: te.Msg, at: raw.Offset - r.from - r.renamed(c),
				text: fmt.Sprintf("%s:%d: %s", filepath.Base(shown.Filename), shown.Line, te.Msg),
			})
		},
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		conf.GoVersion = "go" + l.Module.GoVersion
	}
	_, _ = conf.Check(path, fset, trees, nil) // every error goes to conf.Error
	if len(errs) == 0 && strange != nil {
		return nil, fmt.Errorf("overlay: check %s: %w", path, strange)
	}
	return errs, nil
}

func (e *emitted) region(offset int) *region {
	for i := range e.regions {
		if r := &e.regions[i]; offset >= r.from && offset < r.to {
			return r
		}
	}
	return nil
}

// renamed is by how much the copy's longer name moves what stands after it.
func (r *region) renamed(c *clone) int {
	name := r.target.name[strings.LastIndexByte(r.target.name, '.')+1:]
	if r.target.lit != nil {
		name = "Literal"
	}
	return len(r.target.copyName(c)) - len(name)
}

func (t *target) clone(number int) *clone {
	for _, c := range t.copies {
		if c.number == number {
			return c
		}
	}
	return nil
}

// settle repairs each copy in which only variables are unused, and drops the others
// that have errors.
func settle(errs []typeError) error {
	byClone := map[*clone][]typeError{}
	for _, e := range errs {
		if e.clone == nil {
			return errors.New(e.text)
		}
		byClone[e.clone] = append(byClone[e.clone], e)
	}
	for c, mine := range byClone {
		for _, e := range mine {
			if _, unused := e.unused(); c.invalid == nil && (!unused || c.inline) {
				c.invalid = errors.New(e.text)
			}
		}
		// The last one first: what is inserted moves what comes after it.
		slices.SortStableFunc(mine, func(a, b typeError) int { return b.at - a.at })
		for _, e := range mine {
			if name, _ := e.unused(); c.invalid == nil && !c.use(name, e.at) {
				c.invalid = errors.New(e.text)
			}
		}
	}
	return nil
}

// unused is the variable of an error that says that it is not used.
func (e typeError) unused() (name string, ok bool) {
	return strings.CutPrefix(e.msg, "declared and not used: ")
}

// use adds "_ = name" after the declaration at an offset of the copy's text.
func (c *clone) use(name string, at int) bool {
	const head = "package p\n"
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", head+c.text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset - len(head) }
	insert := -1
	text := "; _ = " + name
	inside := func(n ast.Node) bool { return offset(n.Pos()) <= at && at < offset(n.End()) }
	atStart := func(b *ast.BlockStmt) { insert, text = offset(b.Lbrace)+1, " _ = "+name+";" }
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil || !inside(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, s := range n.List {
				if inside(s) {
					insert, text = offset(s.End()), "; _ = "+name
				}
			}
		case *ast.CaseClause:
			for _, s := range n.Body {
				if inside(s) {
					insert, text = offset(s.End()), "; _ = "+name
				}
			}
		case *ast.IfStmt:
			if n.Init != nil && inside(n.Init) {
				atStart(n.Body)
			}
		case *ast.ForStmt:
			if n.Init != nil && inside(n.Init) {
				atStart(n.Body)
			}
		case *ast.RangeStmt:
			if offset(n.X.Pos()) > at {
				atStart(n.Body)
			}
		case *ast.SwitchStmt:
			if n.Init != nil && inside(n.Init) {
				insert = -1
			}
		}
		return true
	})
	if insert < 0 {
		return false
	}
	if _, err := parseOne(c.text[:insert] + text + c.text[insert:]); err != nil {
		return false
	}
	c.text = c.text[:insert] + text + c.text[insert:]
	return true
}

// mapped imports what a package's import paths stand for (vendoring).
type mapped struct {
	types.Importer
	paths map[string]string
}

func (m mapped) Import(path string) (*types.Package, error) {
	if mapped, ok := m.paths[path]; ok {
		path = mapped
	}
	return m.Importer.Import(path)
}
