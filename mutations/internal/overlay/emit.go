package overlay

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// support is the package that guards call, and the name under which edited
// files import it.
const (
	support = "example.com/replaycheck/mutations/rt"
	alias   = "proofrt"
)

// splice replaces a range of a file's text.
type splice struct {
	at, end int
	text    string
}

// region is where a fault's text stands in an emitted file.
type region struct {
	from, to int
	number   int
	target   *target
}

// emitted is a file of an edited package as it goes into the build.
type emitted struct {
	file    *sourceFile
	text    string
	regions []region
}

// emit writes the files of one package with a guard in each edited function and
// the copies at the end.
func emit(files []*sourceFile, targets []*target) []emitted {
	out := make([]emitted, 0, len(files))
	for _, f := range files {
		var splices []splice
		var mine []*target
		for _, t := range targets {
			if t.file == f && t.alive() {
				mine = append(mine, t)
			}
		}
		if len(mine) > 0 || hasRecover(f.tree) {
			splices = append(splices, importSplice(f, mine))
		}
		for _, t := range mine {
			splices = append(splices, t.reports()...) // before a recover that a block begins with
		}
		splices = append(splices, wrapRecovers(f.tree, f.offset)...)
		for _, t := range mine {
			splices = append(splices, t.nameParameters()...)
		}
		e := emitted{file: f}
		e.guarded(mine, splices)
		for _, t := range mine {
			e.copies(t)
		}
		out = append(out, e)
	}
	return out
}

// alive reports whether a copy of the target is left.
func (t *target) alive() bool {
	return slices.ContainsFunc(t.copies, func(c *clone) bool { return c.invalid == nil })
}

// guarded writes the file's own text with guards and splices.
func (e *emitted) guarded(targets []*target, splices []splice) {
	type guard struct {
		splice
		t *target
	}
	var all []guard
	for _, s := range splices {
		all = append(all, guard{splice: s})
	}
	for _, t := range targets {
		at := e.file.offset(t.body().Lbrace) + 1
		all = append(all, guard{splice{at, at, ""}, t})
	}
	slices.SortStableFunc(all, func(a, b guard) int { return a.at - b.at })
	var b strings.Builder
	from := 0
	for _, g := range all {
		b.WriteString(e.file.text[from:g.at])
		from = g.end
		if g.t == nil {
			b.WriteString(g.text)
			continue
		}
		e.guard(&b, g.t)
	}
	b.WriteString(e.file.text[from:])
	if !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	e.text = b.String()
}

// guard writes the switch that calls a copy.
func (e *emitted) guard(b *strings.Builder, t *target) {
	fmt.Fprintf(b, " switch proofn := %s.Active(); proofn { case %s.Early, %s.Trace: %s.Met(%d);", alias, alias, alias, alias, t.slot)
	var apart []*clone
	for _, c := range t.copies {
		switch {
		case c.invalid != nil:
		case c.inline:
			from := b.Len()
			e.inline(b, t, c)
			e.regions = append(e.regions, region{from, b.Len(), c.number, t})
		default:
			apart = append(apart, c)
		}
	}
	if len(apart) > 0 {
		t.dispatch(b, apart)
	}
	b.WriteString(" };")
}

// inline writes the copy's body into the guard, for a function that calls
// recover itself. It is not watched for panics: it may mean to see them.
func (e *emitted) inline(b *strings.Builder, t *target, c *clone) {
	open := strings.IndexByte(c.text, '\n')
	body := c.text
	if d, err := parseOne(c.text); err == nil {
		open = int(d.Body.Lbrace) - 1 - len("package p\n")
		body = c.text[open+1 : len(c.text)-1]
	}
	line := c.line + strings.Count(c.text[:max(open, 0)], "\n")
	fmt.Fprintf(b, " case %d: proofv := %s.Enter(); proofv.Left(); proofv.Gone()\n%s%s", c.number, alias, lineDirective(e.file.name, line), body)
	if t.signature().Results.NumFields() == 0 || named(t.signature().Results) {
		b.WriteString("; return")
	}
	b.WriteString("\n" + lineDirective(e.file.name, e.file.line(e.file.offset(t.body().Lbrace))))
}

func named(l *ast.FieldList) bool { return l != nil && len(l.List) > 0 && len(l.List[0].Names) > 0 }

// inlineProblem says why a body cannot stand inside the guard, "" where it can.
func inlineProblem(d *ast.FuncDecl) string {
	outer := map[string]bool{}
	for _, l := range []*ast.FieldList{d.Recv, d.Type.Params, d.Type.Results} {
		if l == nil {
			continue
		}
		for _, f := range l.List {
			for _, n := range f.Names {
				outer[n.Name] = true
			}
		}
	}
	for _, s := range d.Body.List {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE {
			continue
		}
		for _, l := range a.Lhs {
			if id, ok := l.(*ast.Ident); ok && outer[id.Name] {
				return fmt.Sprintf("the function calls recover, and %s would be another variable in its copy", id.Name)
			}
		}
	}
	if d.Type.Results.NumFields() > 0 && !named(d.Type.Results) {
		if n := len(d.Body.List); n > 0 {
			if _, ok := d.Body.List[n-1].(*ast.ReturnStmt); ok {
				return ""
			}
		}
		return "the function calls recover and does not end with a return"
	}
	return ""
}

// copies appends the edited functions of a target.
func (e *emitted) copies(t *target) {
	var b strings.Builder
	b.WriteString(e.text)
	for _, c := range t.copies {
		if c.invalid != nil || c.inline {
			continue
		}
		b.WriteString(lineDirective(e.file.name, c.line))
		from := b.Len()
		text := c.text
		if d, err := parseOne(text); err == nil {
			at := int(d.Name.Pos()) - 1 - len("package p\n")
			text = text[:at] + t.copyName(c) + text[at+len(d.Name.Name):]
		}
		b.WriteString(text)
		e.regions = append(e.regions, region{from, b.Len(), c.number, t})
		b.WriteByte('\n')
	}
	e.text = b.String()
}

type parameter struct {
	name     string
	at, end  int // of the name; of nothing before the type where there is none
	variadic bool
}

func (t *target) parameters() []parameter {
	var out []parameter
	for _, f := range t.signature().Params.List {
		_, variadic := f.Type.(*ast.Ellipsis)
		if len(f.Names) == 0 {
			at := t.file.offset(f.Type.Pos())
			out = append(out, parameter{"", at, at, variadic})
		}
		for _, n := range f.Names {
			out = append(out, parameter{n.Name, t.file.offset(n.Pos()), t.file.offset(n.End()), variadic})
		}
	}
	return out
}

// nameParameters gives names to blank and missing parameters and receivers, as
// the guard has to pass them on.
func (t *target) nameParameters() []splice {
	var out []splice
	for i, p := range t.parameters() {
		switch p.name {
		case "":
			out = append(out, splice{p.at, p.at, fmt.Sprintf("proofp%d ", i)})
		case "_":
			out = append(out, splice{p.at, p.end, fmt.Sprintf("proofp%d", i)})
		}
	}
	if t.decl == nil || t.decl.Recv == nil {
		return out
	}
	recv := t.decl.Recv.List[0]
	switch at := t.file.offset(recv.Type.Pos()); {
	case len(recv.Names) == 0:
		out = append(out, splice{at, at, "proofr "})
	case recv.Names[0].Name == "_":
		out = append(out, splice{t.file.offset(recv.Names[0].Pos()), t.file.offset(recv.Names[0].End()), "proofr"})
	}
	return out
}

// unsupported says why a function cannot have a copy, nil where it can.
func (t *target) unsupported() error {
	params := t.signature().TypeParams
	if params != nil && slices.ContainsFunc(params.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == "_" })
	}) {
		return errors.New("a type parameter has no name")
	}
	if t.decl != nil && t.decl.Recv == nil && t.decl.Name.Name == "init" {
		return errors.New("init runs before anything can be chosen")
	}
	return nil
}

// importSplice adds imports on the line of the package clause, so that line
// numbers stand.
func importSplice(f *sourceFile, targets []*target) splice {
	extra := map[string]string{}
	for _, t := range targets {
		for _, c := range t.copies {
			if c.invalid == nil {
				maps.Copy(extra, c.imports)
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "; import %s %q", alias, support)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		fmt.Fprintf(&text, "; import %s %q", name, extra[name])
	}
	at := f.offset(f.tree.Name.End())
	return splice{at, at, text.String()}
}

func hasRecover(tree *ast.File) bool {
	return len(wrapRecovers(tree, func(token.Pos) int { return 0 })) > 0
}

// wrapRecovers makes every call of recover report what it returned. Wrapped, it
// still is a direct call.
func wrapRecovers(tree ast.Node, offset func(token.Pos) int) []splice {
	var out []splice
	skip := map[*ast.CallExpr]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			skip[n.Call] = true
		case *ast.GoStmt:
			skip[n.Call] = true
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" && len(n.Args) == 0 && !skip[n] {
				out = append(out, splice{offset(n.Pos()), offset(n.Pos()), alias + ".Recovered("}, splice{offset(n.End()), offset(n.End()), ")"})
			}
		}
		return true
	})
	return out
}

// wrapped is a copy's text with its calls of recover wrapped.
func wrapped(text string) string {
	const head = "package p\n"
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", head+text, parser.SkipObjectResolution)
	if err != nil {
		return text
	}
	splices := wrapRecovers(tree, func(p token.Pos) int { return fset.PositionFor(p, false).Offset - len(head) })
	slices.SortStableFunc(splices, func(a, b splice) int { return b.at - a.at })
	for _, s := range splices {
		text = text[:s.at] + s.text + text[s.end:]
	}
	return text
}

func sortPlaced(p []placed) {
	slices.SortFunc(p, func(a, b placed) int { return a.from - b.from })
}
