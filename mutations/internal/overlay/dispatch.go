package overlay

import (
	"fmt"
	"strconv"
	"strings"
)

// dispatch writes the case that calls one of several copies: one case for all, since
// what watches the call takes the compiler longer than the call.
func (t *target) dispatch(b *strings.Builder, copies []*clone) {
	numbers := make([]string, len(copies))
	for i, c := range copies {
		numbers[i] = strconv.Itoa(c.number)
	}
	name, args := t.call(copies[0])
	fmt.Fprintf(b, " case %s: proofv := %s.Enter(); defer proofv.Gone(); proofc := %s;", strings.Join(numbers, ", "), alias, name)
	if len(copies) > 1 {
		b.WriteString(" switch proofn {")
		for _, c := range copies[1:] {
			name, _ := t.call(c)
			fmt.Fprintf(b, " case %d: proofc = %s;", c.number, name)
		}
		b.WriteString(" };")
	}
	results := t.signature().Results.NumFields()
	if results == 0 {
		fmt.Fprintf(b, " proofc%s; proofv.Left(); return;", args)
		return
	}
	names := make([]string, results)
	for i := range names {
		names[i] = fmt.Sprintf("proofq%d", i)
	}
	list := strings.Join(names, ", ")
	fmt.Fprintf(b, " %s := proofc%s; proofv.Left(); return %s;", list, args, list)
}

func (t *target) copyName(c *clone) string {
	return fmt.Sprintf("proofF%d_%s", c.number, strings.ReplaceAll(strings.TrimPrefix(t.name, "var "), ".", "_"))
}

// call is the name of a copy and the arguments that it is called with.
func (t *target) call(c *clone) (name, arguments string) {
	name = t.copyName(c)
	if t.decl != nil && t.decl.Recv != nil {
		recv := "proofr"
		if f := t.decl.Recv.List[0]; len(f.Names) > 0 && f.Names[0].Name != "_" {
			recv = f.Names[0].Name
		}
		name = recv + "." + name
	} else if p := t.signature().TypeParams; p != nil {
		var params []string
		for _, f := range p.List {
			for _, n := range f.Names {
				params = append(params, n.Name)
			}
		}
		name += "[" + strings.Join(params, ", ") + "]"
	}
	var args []string
	for i, p := range t.parameters() {
		arg := p.name
		if arg == "" || arg == "_" {
			arg = fmt.Sprintf("proofp%d", i)
		}
		if p.variadic {
			arg += "..."
		}
		args = append(args, arg)
	}
	return name, "(" + strings.Join(args, ", ") + ")"
}
