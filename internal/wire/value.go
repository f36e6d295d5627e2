// Package wire reads JSON and server-sent events without changing a byte.
//
// Everything it hands out is a slice of the text that was read: numbers stay
// literals, escapes stay escapes, member order and repeated members stay
// visible. It is the base of every judgement about "the same bytes", so it
// never decodes and encodes again.
package wire

import (
	"iter"
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// Kind is the kind of a JSON value. The zero Kind is Absent.
type Kind uint8

// The kinds of JSON values, and Absent for a value that is not there.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"absent", "null", "boolean", "number", "string", "list", "object"}

// String names the kind as JSON users call it ("list" for an array).
func (k Kind) String() string { return kindNames[k] }

// node is one value on the tape. The nodes of a container follow it directly;
// next is the index of the first node after its whole subtree. In objects a
// name node stands before each value node.
type node struct {
	start, end uint32
	next       uint32
	kind       Kind
	escaped    bool // a string with at least one backslash
}

type doc struct {
	text  string
	nodes []node
}

// Value is one JSON value inside a parsed text. The zero Value is absent: its
// kind is Absent, its Raw is empty and every look-up in it is absent too.
// Values are immutable and safe for concurrent use.
type Value struct {
	d *doc
	i int
}

// Exists reports whether the value is there (a JSON null is there).
func (v Value) Exists() bool { return v.d != nil }

// Kind returns the kind of the value, Absent for the zero Value.
func (v Value) Kind() Kind {
	if v.d == nil {
		return Absent
	}
	return v.d.nodes[v.i].kind
}

// Raw returns the exact text of the value, white space inside included and
// around it not. It is empty only for an absent value.
func (v Value) Raw() string {
	if v.d == nil {
		return ""
	}
	n := v.d.nodes[v.i]
	return v.d.text[n.start:n.end]
}

// Source returns the whole text that the value is from, "" when it is absent.
func (v Value) Source() string {
	if v.d == nil {
		return ""
	}
	return v.d.text
}

// Held returns how many bytes of memory the reading of the whole text takes, the
// text apart; 0 for an absent value.
func (v Value) Held() int {
	if v.d == nil {
		return 0
	}
	return cap(v.d.nodes) * int(unsafe.Sizeof(node{}))
}

// Offset returns where the value starts in the parsed text, in bytes; -1 when
// it is absent.
func (v Value) Offset() int {
	if v.d == nil {
		return -1
	}
	return int(v.d.nodes[v.i].start)
}

// Text returns the string that a JSON string stands for, escapes resolved, and
// "" for every other kind. A lone surrogate escape becomes its three-byte
// generalised UTF-8 form, so that different escapes never look equal.
func (v Value) Text() string {
	return v.Head(math.MaxInt)
}

// Head returns the first n bytes of Text, or more of them. It reads no more of a
// long text than it has to.
func (v Value) Head(n int) string {
	if v.Kind() != String {
		return ""
	}
	node := v.d.nodes[v.i]
	inner := v.d.text[node.start+1 : node.end-1]
	if !node.escaped {
		return inner
	}
	return unescape(inner, n)
}

// Inner returns what stands between the quotes of a JSON string, escapes as they
// are, and "" for every other kind. InnerContains looks into it.
func (v Value) Inner() string {
	if v.Kind() != String {
		return ""
	}
	node := v.d.nodes[v.i]
	return v.d.text[node.start+1 : node.end-1]
}

// IsTrue reports whether the value is the literal true.
func (v Value) IsTrue() bool { return v.Kind() == Bool && v.Raw() == "true" }

// Len returns the number of members of an object (repeated ones counted) or of
// items of a list, 0 for every other kind.
func (v Value) Len() int {
	n := 0
	switch v.Kind() {
	case Object:
		for range v.Members() {
			n++
		}
	case Array:
		for range v.Items() {
			n++
		}
	}
	return n
}

// Members yields the members of an object in order, repeated names included,
// with the unescaped name. It yields nothing for other kinds.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		nodes := v.d.nodes
		end := int(nodes[v.i].next)
		for i := v.i + 1; i < end; i = int(nodes[i+1].next) {
			if !yield(Value{v.d, i}.Text(), Value{v.d, i + 1}) {
				return
			}
		}
	}
}

// Items yields the items of a list in order, nothing for other kinds.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		nodes := v.d.nodes
		end := int(nodes[v.i].next)
		for i := v.i + 1; i < end; i = int(nodes[i].next) {
			if !yield(Value{v.d, i}) {
				return
			}
		}
	}
}

// Get returns the member of an object by name. Where the name is repeated the
// last one is returned, as the providers' own readers do; Count tells.
func (v Value) Get(name string) Value {
	var found Value
	if v.Kind() != Object {
		return found
	}
	nodes := v.d.nodes
	end := int(nodes[v.i].next)
	for i := v.i + 1; i < end; i = int(nodes[i+1].next) {
		if v.d.named(i, name) {
			found = Value{v.d, i + 1}
		}
	}
	return found
}

// named reports whether the string at node i is name, without resolving
// escapes where there are none.
func (d *doc) named(i int, name string) bool {
	n := &d.nodes[i]
	if n.escaped {
		return Value{d, i}.Text() == name
	}
	return d.text[n.start+1:n.end-1] == name
}

// Sole returns the one member of an object that has no other; false for every
// other value.
func (v Value) Sole() (name string, m Value, ok bool) {
	if v.Kind() != Object {
		return "", Value{}, false
	}
	first, end := v.i+1, int(v.d.nodes[v.i].next)
	if first == end || int(v.d.nodes[first+1].next) != end {
		return "", Value{}, false
	}
	return Value{v.d, first}.Text(), Value{v.d, first + 1}, true
}

// Count returns how many members of an object have the name.
func (v Value) Count(name string) int {
	c := 0
	for n := range v.Members() {
		if n == name {
			c++
		}
	}
	return c
}

// Index returns item i of a list, absent when there is none.
func (v Value) Index(i int) Value {
	for item := range v.Items() {
		if i == 0 {
			return item
		}
		i--
	}
	return Value{}
}

// At returns the value at a path such as contents[1].parts[0].text, absent when
// a step of it is not there or the path is malformed. The empty path is v.
func (v Value) At(path string) Value {
	for path != "" && v.Exists() {
		switch path[0] {
		case '.':
			path = path[1:]
		case '[':
			end := strings.IndexByte(path, ']')
			if end < 0 {
				return Value{}
			}
			i, err := strconv.Atoi(path[1:end])
			if err != nil || i < 0 {
				return Value{}
			}
			v, path = v.Index(i), path[end+1:]
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			v, path = v.Get(path[:end]), path[end:]
		}
	}
	return v
}

// Path returns where the value stands in its text, as At reads it; "" for the
// root and for an absent value.
func (v Value) Path() string {
	if v.d == nil {
		return ""
	}
	var b strings.Builder
	nodes := v.d.nodes
	for at := 0; at != v.i; {
		i, index := at+1, 0
		for {
			value := i
			if nodes[at].kind == Object {
				value = i + 1
			}
			if v.i < int(nodes[value].next) {
				if nodes[at].kind == Object {
					if b.Len() > 0 {
						b.WriteByte('.')
					}
					b.WriteString(Value{v.d, i}.Text())
				} else {
					b.WriteString("[" + strconv.Itoa(index) + "]")
				}
				at = value
				break
			}
			i, index = int(nodes[value].next), index+1
		}
	}
	return b.String()
}

// All yields v and every value below it, in the order of the text. Names of
// members are not values; Names yields those.
func (v Value) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		v.walk(yield)
	}
}

func (v Value) walk(yield func(Value) bool) bool {
	if v.d == nil {
		return true
	}
	if !yield(v) {
		return false
	}
	for _, m := range v.Members() {
		if !m.walk(yield) {
			return false
		}
	}
	for item := range v.Items() {
		if !item.walk(yield) {
			return false
		}
	}
	return true
}

// Repeated returns the paths of all members whose name occurs twice or more in
// their object, below v and in v, each name once per object.
func (v Value) Repeated() []string {
	var out []string
	for o := range v.All() {
		if o.Kind() != Object {
			continue
		}
		seen := map[string]int{}
		for name, m := range o.Members() {
			if seen[name]++; seen[name] == 2 {
				out = append(out, m.Path())
			}
		}
	}
	return out
}
