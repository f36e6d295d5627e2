package overlay

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Syntax is a package as it lies on disk, parsed and type-checked, to make edits
// from.
type Syntax struct {
	Path  string
	Fset  *token.FileSet
	Files []*ast.File
	Text  map[*ast.File]string
	Info  *types.Info
	Pkg   *types.Package
}

// Syntax reads and type-checks one package of the program.
func (p *Program) Syntax(name string) (*Syntax, error) {
	path, err := p.Find(name)
	if err != nil {
		return nil, err
	}
	files, err := parseFiles(p.Files(path))
	if err != nil {
		return nil, err
	}
	s := &Syntax{Path: path, Text: map[*ast.File]string{}, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	for _, f := range files {
		s.Fset = f.fset
		s.Files = append(s.Files, f.tree)
		s.Text[f.tree] = f.text
	}
	var errs error
	conf := types.Config{Importer: mapped{p.imports(), p.packages[path].ImportMap}, Error: func(err error) { errs = errors.Join(errs, err) }}
	s.Pkg, _ = conf.Check(path, s.Fset, s.Files, s.Info) // every error goes to conf.Error
	if errs != nil {
		return nil, fmt.Errorf("overlay: check %s: %w", path, errs)
	}
	return s, nil
}

// Offset is where a node's position stands in its file.
func (s *Syntax) Offset(p token.Pos) int { return s.Fset.PositionFor(p, false).Offset }

// Line is the line of a position.
func (s *Syntax) Line(p token.Pos) int { return s.Fset.PositionFor(p, false).Line }

// FuncName is the name of a function as Edit.Func has it.
func FuncName(d *ast.FuncDecl) string { return declName(d) }
