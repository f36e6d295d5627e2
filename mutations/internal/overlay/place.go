package overlay

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Edit is one change of source text. It is held to its function.
type Edit struct {
	Package string // import path, or the end of one
	Func    string // "Name" or "Type.Method"; "var Name": the first function literal of a package variable
	Find    string // occurs exactly once between the function's braces
	Replace string
	// From and To, where To is more than From, are the range of Find as offsets
	// into the file instead; then Find is what stands there.
	From, To int
	Imports  map[string]string // name → import path that Replace needs beyond the file's own
}

// Fault is a set of edits that are in force together.
type Fault struct {
	Number int // from 1
	Edits  []Edit
}

// NoChangeError says that an edit leaves the code as it was.
type NoChangeError struct{ Func string }

func (e *NoChangeError) Error() string {
	return fmt.Sprintf("overlay: edit %s: the code is the same afterwards", e.Func)
}

// PlaceError says that the text to edit is not where the edit says, or not
// exactly once.
type PlaceError struct{ Func, Why string }

func (e *PlaceError) Error() string { return fmt.Sprintf("overlay: edit %s: %s", e.Func, e.Why) }

// sourceFile is one file of an edited package.
type sourceFile struct {
	name string // absolute
	text string
	tree *ast.File
	fset *token.FileSet
}

func (f *sourceFile) offset(p token.Pos) int { return f.fset.PositionFor(p, false).Offset }
func (f *sourceFile) line(offset int) int    { return 1 + strings.Count(f.text[:offset], "\n") }

// target is a function that at least one fault edits.
type target struct {
	file *sourceFile
	name string // as Edit.Func has it
	decl *ast.FuncDecl
	lit  *ast.FuncLit // instead of decl
	slot int
	// copies are the edited texts by fault number, in order.
	copies []*clone
	blocks []block // that it reports; none: not known
}

// clone is a fault's edited copy of a function.
type clone struct {
	number  int
	text    string // from "func" to the closing brace, original name
	line    int    // of "func" in the original
	inline  bool   // its body goes into the guard
	imports map[string]string
	invalid error
	// pieces applied so far: the ranges are in the original file
	edits []placed
}

type placed struct {
	from, to int
	text     string
}

func parseFiles(names []string) ([]*sourceFile, error) {
	fset := token.NewFileSet()
	var out []*sourceFile
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("overlay: %w", err)
		}
		tree, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("overlay: parse: %w", err)
		}
		out = append(out, &sourceFile{name: name, text: string(text), tree: tree, fset: fset})
	}
	return out, nil
}

// findFunc finds a function or a variable's function literal by name.
func findFunc(files []*sourceFile, name string) (*target, error) {
	variable, isVar := strings.CutPrefix(name, "var ")
	for _, f := range files {
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !isVar && declName(d) == name {
					if d.Body == nil {
						return nil, fmt.Errorf("overlay: edit %s: it has no body in Go", name)
					}
					return &target{file: f, name: name, decl: d}, nil
				}
			case *ast.GenDecl:
				if lit := literalOf(d, variable); isVar && lit != nil {
					return &target{file: f, name: name, lit: lit}, nil
				}
			}
		}
	}
	return nil, &PlaceError{name, "there is no such function in " + filepath.Base(filepath.Dir(files[0].name))}
}

// declName is "Name" or "Type.Method".
func declName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

func literalOf(d *ast.GenDecl, variable string) *ast.FuncLit {
	if d.Tok != token.VAR {
		return nil
	}
	for _, s := range d.Specs {
		spec, ok := s.(*ast.ValueSpec)
		if !ok || len(spec.Names) == 0 || spec.Names[0].Name != variable {
			continue
		}
		var lit *ast.FuncLit
		ast.Inspect(spec, func(n ast.Node) bool {
			if l, ok := n.(*ast.FuncLit); ok && lit == nil {
				lit = l
			}
			return lit == nil
		})
		return lit
	}
	return nil
}

func (t *target) start() int { return t.file.offset(t.node().Pos()) }
func (t *target) end() int   { return t.file.offset(t.node().End()) }

func (t *target) node() ast.Node {
	if t.lit != nil {
		return t.lit
	}
	return t.decl
}

func (t *target) body() *ast.BlockStmt {
	if t.lit != nil {
		return t.lit.Body
	}
	return t.decl.Body
}

func (t *target) signature() *ast.FuncType {
	if t.lit != nil {
		return t.lit.Type
	}
	return t.decl.Type
}

// place adds an edit to a fault's copy of the function.
func (t *target) place(c *clone, e Edit) error {
	low, high := t.file.offset(t.body().Lbrace)+1, t.file.offset(t.body().Rbrace)
	body := t.file.text[low:high]
	p := placed{from: e.From, to: e.To, text: e.Replace}
	if e.To <= e.From {
		switch n := strings.Count(body, e.Find); {
		case e.Find == "":
			return &PlaceError{e.Func, "got no text to find"}
		case n != 1:
			return &PlaceError{e.Func, fmt.Sprintf("got %d places that match, want exactly one: %q", n, e.Find)}
		}
		p.from = low + strings.Index(body, e.Find)
		p.to = p.from + len(e.Find)
	}
	if p.from < low || p.to > high {
		return &PlaceError{e.Func, "the range is not in the function's body"}
	}
	if e.To > e.From && t.file.text[p.from:p.to] != e.Find {
		return &PlaceError{e.Func, fmt.Sprintf("the file changed meanwhile: want %q", e.Find)}
	}
	for _, other := range c.edits {
		if p.from < other.to && other.from < p.to {
			return &PlaceError{e.Func, "two edits overlap"}
		}
	}
	c.edits = append(c.edits, p)
	for name, path := range e.Imports {
		if c.imports == nil {
			c.imports = map[string]string{}
		}
		c.imports[name] = path
	}
	return nil
}

// render makes the copy's text of its edits and sees that it is still one
// function and another one.
func (t *target) render(c *clone) error {
	before := t.file.text[t.start():t.end()]
	text, marks := t.apply(c)
	if t.lit != nil { // a literal becomes a function
		text = strings.Replace(text, "func", "func Literal", 1)
		before = strings.Replace(before, "func", "func Literal", 1)
	}
	d, err := parseOne(text)
	if err != nil {
		return fmt.Errorf("overlay: edit %s: %w", t.name, err)
	}
	if sameTokens(before, text) {
		return &NoChangeError{t.name}
	}
	c.text, c.line = text, t.file.line(t.start())
	c.inline = callsRecover(d.Body)
	// Where the number of lines changed, a directive puts the lines after it
	// right again; unless the line break is inside a literal.
	if marked := t.mark(c, text, marks); sameTokens(text, marked) {
		c.text = marked
	}
	return nil
}

// apply returns the edited text, and for each edit where it ends in it.
func (t *target) apply(c *clone) (string, []int) {
	sortPlaced(c.edits)
	var b strings.Builder
	var ends []int
	at := t.start()
	for _, p := range c.edits {
		b.WriteString(t.file.text[at:p.from] + p.text)
		at = p.to
		ends = append(ends, b.Len())
	}
	b.WriteString(t.file.text[at:t.end()])
	return b.String(), ends
}

func (t *target) mark(c *clone, text string, ends []int) string {
	shift := len(text) - len(t.edited(c))
	for i, p := range slices.Backward(c.edits) {
		if strings.Count(p.text, "\n") == strings.Count(t.file.text[p.from:p.to], "\n") {
			continue
		}
		after := strings.IndexByte(t.file.text[p.to:t.end()], '\n')
		at := ends[i] + shift
		n := strings.IndexByte(text[at:], '\n')
		if after < 0 || n < 0 {
			continue
		}
		at += n + 1
		text = text[:at] + lineDirective(t.file.name, t.file.line(p.to+after)+1) + text[at:]
	}
	return text
}

func (t *target) edited(c *clone) string {
	text, _ := t.apply(c)
	return text
}

func lineDirective(name string, line int) string { return fmt.Sprintf("//line %s:%d\n", name, line) }

// parseOne parses text that has to be one function.
func parseOne(text string) (*ast.FuncDecl, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		return nil, errors.New("it no longer parses: " + firstLine(err))
	}
	if len(tree.Decls) != 1 {
		return nil, fmt.Errorf("got %d declarations after it, want one", len(tree.Decls))
	}
	d, ok := tree.Decls[0].(*ast.FuncDecl)
	if !ok {
		return nil, errors.New("it is no function any more")
	}
	return d, nil
}

// firstLine is the message of an error's first line, without its position,
// which means nothing outside.
func firstLine(err error) string {
	if list, ok := errors.AsType[scanner.ErrorList](err); ok && len(list) > 0 {
		return list[0].Msg
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// sameTokens reports whether two texts are the same but for comments and
// layout.
func sameTokens(a, b string) bool {
	x, y := tokens(a), tokens(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

func tokens(text string) []string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(text)), []byte(text), func(token.Position, string) {}, 0)
	var out []string
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok == token.SEMICOLON {
			lit = ";" // written or not
		}
		out = append(out, tok.String()+lit)
	}
}

// callsRecover reports whether a function calls recover itself, not in a
// literal inside: that works only in the function that is deferred.
func callsRecover(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
				found = true
			}
		}
		return !found
	})
	return found
}
