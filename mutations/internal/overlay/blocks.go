package overlay

import (
	"fmt"
	"go/ast"
	"go/token"
)

// block is a piece of a function that is run as a whole or not at all, as far as
// its beginning goes: what stands between braces, or after a case.
type block struct {
	at, end int // offsets into the file: where its first statement may stand, and its end
	slot    int
}

// blocksOf lists the blocks of a function but its body, outer ones first.
func (t *target) blocksOf() []block {
	var out []block
	add := func(after, end token.Pos) {
		out = append(out, block{at: t.file.offset(after) + 1, end: t.file.offset(end)})
	}
	lists := map[*ast.BlockStmt]bool{t.body(): true} // of cases, not of statements
	ast.Inspect(t.body(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			lists[n.Body] = true
		case *ast.TypeSwitchStmt:
			lists[n.Body] = true
		case *ast.SelectStmt:
			lists[n.Body] = true
		case *ast.BlockStmt:
			if !lists[n] {
				add(n.Lbrace, n.Rbrace)
			}
		case *ast.CaseClause:
			add(n.Colon, n.End())
		case *ast.CommClause:
			add(n.Colon, n.End())
		}
		return true
	})
	return out
}

// probed has the function report the blocks that it enters, where it can. name is for
// the plan's list of places.
func (t *target) probed(plan *Plan, name string) {
	if callsRecover(t.body()) {
		return
	}
	t.blocks = t.blocksOf()
	for i := range t.blocks {
		b := &t.blocks[i]
		b.slot = len(plan.Functions)
		plan.Functions = append(plan.Functions, fmt.Sprintf("%s line %d", name, t.file.line(b.at)))
	}
}

// reports are the calls that report blocks, in the function as written: nothing comes
// of them unless the number is rt.Trace.
func (t *target) reports() []splice {
	var out []splice
	for _, b := range t.blocks {
		out = append(out, splice{b.at, b.at, fmt.Sprintf(" %s.Block(%d);", alias, b.slot)})
	}
	return out
}

// places returns the slots of the innermost blocks in which the edits of a copy
// stand: unless one of them is entered, the copy does what the function does.
func (t *target) places(c *clone) []int {
	var out []int
	for _, e := range c.edits {
		slot := t.slot
		for _, b := range t.blocks { // inner ones come later
			if b.at <= e.from && e.to <= b.end {
				slot = b.slot
			}
		}
		out = append(out, slot)
	}
	return out
}
