// Package operators makes faults from the syntax of a package: statements
// dropped, conditions negated, "and" and "or" exchanged, bounds moved by one,
// constants and JSON keys changed, arguments swapped, zeros returned, loops cut
// short, errors ignored. They are typed, so that what could not compile or could
// not matter is not made.
package operators

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"strings"

	"example.com/replaycheck/mutations/internal/overlay"
)

// Names of the operators.
const (
	Drop   = "drop"   // a statement is dropped
	Negate = "negate" // a condition is negated
	Const  = "const"  // a constant is another one
	Key    = "key"    // a JSON key is another one
	Swap   = "swap"   // two arguments of one type change places
	Zero   = "zero"   // zeros are returned
	Cut    = "cut"    // a loop ends after one turn
	Ignore = "ignore" // an error is not looked at
	Logic  = "logic"  // "and" is "or", or the other way round
	Bound  = "bound"  // a bound belongs to the other side: < is <=
)

// Mutant is one generated fault.
type Mutant struct {
	// ID is made of package, function, operator and a hash of the text: it stays
	// when lines move.
	ID       string
	Func     string // as overlay.Edit.Func has it
	Operator string
	Edit     overlay.Edit
	Line     int
	Before   string // the text that is replaced
}

// Make returns the mutants of every function of a package, in the order of the
// files.
func Make(s *overlay.Syntax) []Mutant {
	m := &maker{s: s, seen: map[string]int{}}
	for _, f := range s.Files {
		m.file, m.text = f, s.Text[f]
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && fn.Name.Name != "init" {
				m.function(fn)
			}
		}
	}
	return m.out
}

type maker struct {
	s    *overlay.Syntax
	file *ast.File
	text string
	fn   *ast.FuncDecl
	seen map[string]int
	out  []Mutant
}

// add notes a mutant that replaces a range of the file.
func (m *maker) add(operator string, from, to int, replace string) {
	name := overlay.FuncName(m.fn)
	before := m.text[from:to]
	sum := sha256.Sum256([]byte(before + "\x00" + replace))
	pkg := m.s.Path[strings.LastIndexByte(m.s.Path, '/')+1:]
	id := fmt.Sprintf("%s.%s/%s/%s", pkg, name, operator, hex.EncodeToString(sum[:3]))
	if m.seen[id]++; m.seen[id] > 1 {
		id = fmt.Sprintf("%s-%d", id, m.seen[id])
	}
	m.out = append(m.out, Mutant{
		ID: id, Func: name, Operator: operator, Line: 1 + strings.Count(m.text[:from], "\n"), Before: before,
		Edit: overlay.Edit{Package: m.s.Path, Func: name, Find: before, Replace: replace, From: from, To: to},
	})
}

func (m *maker) source(n ast.Node) string { return m.text[m.s.Offset(n.Pos()):m.s.Offset(n.End())] }

func (m *maker) replace(operator string, n ast.Node, text string) {
	m.add(operator, m.s.Offset(n.Pos()), m.s.Offset(n.End()), text)
}

// function walks over one function. A range that is empty cannot be edited, so
// what is inserted replaces the byte before it.
func (m *maker) function(fn *ast.FuncDecl) {
	m.fn = fn
	skip := map[ast.Node]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if n == nil || skip[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			m.statements(n.List)
		case *ast.CaseClause:
			m.statements(n.Body)
		case *ast.IfStmt:
			m.condition(n)
		case *ast.SwitchStmt:
			m.cases(n)
		case *ast.BinaryExpr:
			m.operator(n)
		case *ast.ForStmt:
			m.loop(n.Body)
		case *ast.RangeStmt:
			m.loop(n.Body)
		case *ast.ReturnStmt:
			m.zero(n)
		case *ast.CallExpr:
			if m.makesError(n) {
				return false // what a message says is promised nowhere
			}
			m.swap(n)
			if c := m.capacity(n); c != nil {
				skip[c] = true
			}
		case *ast.BasicLit:
			m.literal(n)
		case *ast.ImportSpec:
			return false
		}
		return true
	})
}
