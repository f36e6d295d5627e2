package operators

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// statements drops each statement that the code compiles without.
func (m *maker) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if !m.reserves(s.X) {
				m.replace(Drop, s, "")
			}
		case *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt:
			m.replace(Drop, s, "")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE && !blank(s.Lhs) {
				m.replace(Drop, s, "")
			}
		}
	}
}

// reserves reports whether a call only reserves memory: Grow of a builder or a
// buffer.
func (m *maker) reserves(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Grow" {
		return false
	}
	f, ok := m.s.Info.Uses[method.Sel].(*types.Func)
	return ok && (f.FullName() == "(*strings.Builder).Grow" || f.FullName() == "(*bytes.Buffer).Grow")
}

// capacity returns the argument of make that only reserves memory, nil where
// there is none: the third one, and the size of a map.
func (m *maker) capacity(n *ast.CallExpr) ast.Expr {
	id, ok := n.Fun.(*ast.Ident)
	if !ok {
		return nil
	}
	if b, ok := m.s.Info.Uses[id].(*types.Builtin); !ok || b.Name() != "make" {
		return nil
	}
	if len(n.Args) == 3 {
		return n.Args[2]
	}
	if t := m.s.Info.TypeOf(n); len(n.Args) == 2 && t != nil {
		if _, ok := t.Underlying().(*types.Map); ok {
			return n.Args[1]
		}
	}
	return nil
}

func blank(list []ast.Expr) bool {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}

// condition negates the condition of an if, or, where it looks at an error and
// its body leaves, takes the body out.
func (m *maker) condition(n *ast.IfStmt) {
	if n.Else == nil && m.looksAtError(n.Cond) && leaves(n.Body) {
		m.replace(Ignore, n.Body, "{}")
	}
	m.replace(Negate, n.Cond, "!("+m.source(n.Cond)+")")
}

// cases negates the conditions of a switch that has nothing to compare them with.
func (m *maker) cases(n *ast.SwitchStmt) {
	if n.Tag != nil {
		return
	}
	for _, s := range n.Body.List {
		if c, ok := s.(*ast.CaseClause); ok {
			for _, e := range c.List {
				m.replace(Negate, e, "!("+m.source(e)+")")
			}
		}
	}
}

// operator puts another operator in its place.
func (m *maker) operator(n *ast.BinaryExpr) {
	others := map[token.Token]struct{ operator, text string }{
		token.LAND: {Logic, "||"}, token.LOR: {Logic, "&&"},
		token.LSS: {Bound, "<="}, token.LEQ: {Bound, "<"}, token.GTR: {Bound, ">="}, token.GEQ: {Bound, ">"},
	}
	if other, ok := others[n.Op]; ok {
		at := m.s.Offset(n.OpPos)
		m.add(other.operator, at, at+len(n.Op.String()), other.text)
	}
}

// looksAtError reports whether a condition is "err != nil".
func (m *maker) looksAtError(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ {
		return false
	}
	id, ok := b.Y.(*ast.Ident)
	return ok && id.Name == "nil" && isError(m.s.Info.TypeOf(b.X))
}

func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE || s.Tok == token.BREAK
	}
	return false
}

// loop ends a loop after one turn.
func (m *maker) loop(body *ast.BlockStmt) {
	if len(body.List) == 0 || leaves(body) {
		return
	}
	at := m.s.Offset(body.Rbrace)
	m.add(Cut, at-1, at, m.text[at-1:at]+"break; ")
}

// zero returns zeros, where it does not already.
func (m *maker) zero(n *ast.ReturnStmt) {
	if len(n.Results) == 0 {
		return
	}
	var out []string
	zeros := true
	for _, r := range n.Results {
		t := m.s.Info.TypeOf(r)
		if _, tuple := t.(*types.Tuple); tuple || t == nil {
			return // return f(), of several results
		}
		zeros = zeros && m.isZero(r)
		out = append(out, m.zeroOf(t))
	}
	if sig := m.resultsAround(n); sig != nil && sig.Len() == len(out) {
		for i := range out { // the result's own type may be an interface
			out[i] = m.zeroOf(sig.At(i).Type())
		}
	}
	if !zeros {
		m.replace(Zero, n, "return "+strings.Join(out, ", "))
	}
}

// resultsAround returns the results of the function that a statement returns
// from.
func (m *maker) resultsAround(n ast.Node) *types.Tuple {
	var sig *types.Signature
	if def, ok := m.s.Info.Defs[m.fn.Name].(*types.Func); ok {
		sig, _ = def.Type().(*types.Signature)
	}
	ast.Inspect(m.fn.Body, func(x ast.Node) bool {
		if lit, ok := x.(*ast.FuncLit); ok && lit.Pos() <= n.Pos() && n.End() <= lit.End() {
			sig, _ = m.s.Info.TypeOf(lit).(*types.Signature)
		}
		return true
	})
	if sig == nil {
		return nil
	}
	return sig.Results()
}

func (m *maker) isZero(e ast.Expr) bool {
	if tv, ok := m.s.Info.Types[e]; ok && tv.Value != nil {
		switch tv.Value.Kind() {
		case constant.Bool:
			return !constant.BoolVal(tv.Value)
		case constant.String:
			return constant.StringVal(tv.Value) == ""
		case constant.Int, constant.Float:
			return constant.Sign(tv.Value) == 0
		}
	}
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "nil"
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}

func (m *maker) zeroOf(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.UntypedNil:
			return "nil"
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return "nil"
	case *types.Interface:
		if _, param := t.(*types.TypeParam); !param {
			return "nil"
		}
	}
	return "*new(" + types.TypeString(t, m.qualify) + ")"
}

// qualify spells a package as the file imports it.
func (m *maker) qualify(p *types.Package) string {
	if p == m.s.Pkg {
		return ""
	}
	for _, i := range m.file.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && path == p.Path() && i.Name != nil {
			return i.Name.Name
		}
	}
	return p.Name()
}

// swap exchanges neighbouring arguments of one type.
func (m *maker) swap(n *ast.CallExpr) {
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		if b == m.capacity(n) {
			continue // a length above the capacity panics
		}
		x, y := m.s.Info.TypeOf(a), m.s.Info.TypeOf(b)
		if x == nil || y == nil || !types.Identical(types.Default(x), types.Default(y)) || m.source(a) == m.source(b) {
			continue
		}
		if tv, ok := m.s.Info.Types[n.Fun]; ok && tv.IsType() {
			continue
		}
		from, to := m.s.Offset(a.Pos()), m.s.Offset(b.End())
		between := m.text[m.s.Offset(a.End()):m.s.Offset(b.Pos())]
		m.add(Swap, from, to, m.source(b)+between+m.source(a))
	}
}

// makesError reports whether a call makes an error of a message.
func (m *maker) makesError(n *ast.CallExpr) bool {
	if !isError(m.s.Info.TypeOf(n)) && m.s.Info.TypeOf(n) != nil {
		if _, pointer := m.s.Info.TypeOf(n).(*types.Pointer); !pointer {
			return false
		}
	}
	return len(n.Args) > 0 && m.isString(n.Args[0]) && isError(m.s.Info.TypeOf(n))
}

func (m *maker) isString(e ast.Expr) bool {
	tv, ok := m.s.Info.Types[e]
	return ok && tv.Value != nil && tv.Value.Kind() == constant.String
}

var keyForm = regexp.MustCompile(`"([A-Za-z_]+)"\s*:`)

// literal changes a number or a string; of JSON text a key of it.
func (m *maker) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			m.replace(Const, n, strconv.FormatInt(v+1, 10))
		}
	case token.STRING:
		text, err := strconv.Unquote(n.Value)
		if err != nil {
			return
		}
		if at := keyForm.FindStringSubmatchIndex(n.Value); at != nil {
			m.replace(Key, n, n.Value[:at[3]]+"X"+n.Value[at[3]:])
			return
		}
		if text == "" {
			m.replace(Const, n, `"x"`)
			return
		}
		m.replace(Const, n, n.Value[:len(n.Value)-1]+"x"+n.Value[len(n.Value)-1:])
	}
}
