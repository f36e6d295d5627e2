package script

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// place is where something stands.
type place struct {
	file string
	line int
}

func (p place) String() string { return p.file + ":" + strconv.Itoa(p.line) }

// reader walks the YAML of one script with its included files and collects what
// is wrong.
type reader struct {
	files  files
	left   int64 // bytes that may still be read
	count  int   // files read
	nodes  int   // YAML values visited
	stack  []string
	depth  int
	lines  map[string]int // by file
	errs   []error
	script *Script
}

// most errors are told; more would not be read.
const most = 20

func (r *reader) bad(at place, format string, args ...any) {
	// What is left out at the end of a file is on the line after its last one.
	if last := r.lines[at.file]; last > 0 {
		at.line = min(at.line, last)
	}
	if len(r.errs) < most {
		r.errs = append(r.errs, fmt.Errorf("script: %s: %s", at, fmt.Sprintf(format, args...)))
	}
}

// value is a YAML value with aliases followed, and where it stands. of is what
// it is called in errors.
type value struct {
	*yaml.Node
	file string
}

func (v value) at() place { return place{v.file, v.Line} }

// follow resolves an alias and counts the value. false: the limit is passed, or
// the alias is of a value that holds it.
func (r *reader) follow(v value) (value, bool) {
	if r.nodes++; r.nodes > maxNodes {
		if r.nodes == maxNodes+1 {
			r.bad(v.at(), "too many values: anchors and aliases may make %d at most", maxNodes)
		}
		return v, false
	}
	if v.Kind != yaml.AliasNode {
		return v, true
	}
	at := v.Line
	if holds(v.Alias, v.Node) {
		r.bad(v.at(), "*%s stands within &%s itself: an endless value", v.Value, v.Value)
		return v, false
	}
	node := *v.Alias
	node.Line = at // what is wrong is told where it is used
	return value{&node, v.file}, true
}

// holds reports whether a value holds an alias of itself, by itself or through
// other aliases.
func holds(outer, alias *yaml.Node) bool {
	seen := map[*yaml.Node]bool{}
	var in func(n *yaml.Node) bool
	in = func(n *yaml.Node) bool {
		if n == alias {
			return true
		}
		if seen[n] {
			return false
		}
		seen[n] = true
		if n.Kind == yaml.AliasNode {
			return in(n.Alias)
		}
		return slices.ContainsFunc(n.Content, in)
	}
	return in(outer)
}

// what names a kind of YAML value.
func what(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	}
	return strconv.Quote(shortened(n.Value))
}

func shortened(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}

// field is one entry of a mapping.
type field struct {
	name string
	at   place
	value
}

// fields returns the entries of a mapping, those merged with << included. Keys
// that are none of known are an error, with the nearest one; no known: any.
func (r *reader) fields(v value, of string, known ...string) []field {
	v, ok := r.follow(v)
	if !ok {
		return nil
	}
	if v.Kind != yaml.MappingNode {
		r.bad(v.at(), "%s: got %s, want a mapping", of, what(v.Node))
		return nil
	}
	var out, merged []field
	for i := 0; i+1 < len(v.Content); i += 2 {
		key, val := v.Content[i], value{v.Content[i+1], v.file}
		at := place{v.file, key.Line}
		switch {
		case key.Tag == "!!merge":
			merged = append(merged, r.merge(val, of, known...)...)
		case key.Kind != yaml.ScalarNode:
			r.bad(at, "%s: a key is %s, want a word", of, what(key))
		case slices.ContainsFunc(out, func(f field) bool { return f.name == key.Value }):
			r.bad(at, "%s: the key %q is there twice", of, shortened(key.Value))
		case len(known) > 0 && !slices.Contains(known, key.Value):
			r.bad(at, "%s: unknown key %q, %s", of, shortened(key.Value), suggestion(key.Value, known))
		default:
			out = append(out, field{key.Value, at, val})
		}
	}
	for _, f := range merged {
		if !slices.ContainsFunc(out, func(own field) bool { return own.name == f.name }) {
			out = append(out, f)
		}
	}
	return out
}

func (r *reader) merge(v value, of string, known ...string) []field {
	v, ok := r.follow(v)
	if !ok {
		return nil
	}
	if v.Kind != yaml.SequenceNode {
		return r.fields(v, of, known...)
	}
	var out []field
	for _, n := range v.Content {
		for _, f := range r.fields(value{n, v.file}, of, known...) {
			if !slices.ContainsFunc(out, func(own field) bool { return own.name == f.name }) {
				out = append(out, f)
			}
		}
	}
	return out
}

// items returns the items of a list.
func (r *reader) items(v value, of string) []value {
	v, ok := r.follow(v)
	if !ok {
		return nil
	}
	if v.Kind != yaml.SequenceNode {
		r.bad(v.at(), "%s: got %s, want a list", of, what(v.Node))
		return nil
	}
	out := make([]value, len(v.Content))
	for i, n := range v.Content {
		out[i] = value{n, v.file}
	}
	return out
}

// text returns a scalar as it is written.
func (r *reader) text(v value, of string) string {
	v, ok := r.follow(v)
	if !ok {
		return ""
	}
	if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
		r.bad(v.at(), "%s: got %s, want text", of, what(v.Node))
		return ""
	}
	return v.Value
}

// flag returns a boolean.
func (r *reader) flag(v value, of string) bool {
	v, ok := r.follow(v)
	if !ok {
		return false
	}
	var out bool
	if v.Kind != yaml.ScalarNode || v.Tag != "!!bool" || v.Decode(&out) != nil {
		r.bad(v.at(), "%s: got %s, want true or false", of, what(v.Node))
	}
	return out
}

// number returns a whole number of a range.
func (r *reader) number(v value, of string, low, high int) int {
	v, ok := r.follow(v)
	if !ok {
		return 0
	}
	var out int
	if v.Kind != yaml.ScalarNode || v.Tag != "!!int" || v.Decode(&out) != nil || out < low || out > high {
		r.bad(v.at(), "%s: got %s, want a whole number from %d to %d", of, what(v.Node), low, high)
		return 0
	}
	return out
}

// suggestion names the key that was meant, or all there are.
func suggestion(got string, known []string) string {
	best, least := "", len(got)/2+2
	for _, k := range known {
		if d := edits(got, k); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "want " + strings.Join(known, ", ")
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for k := range len(b) {
			cost := diagonal
			if a[i] != b[k] {
				cost++
			}
			diagonal = row[k+1]
			row[k+1] = min(cost, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}

const empty = "the script is empty, want replies"

// breaks are what ends a line in YAML.
var breaks = regexp.MustCompile(`\r\n|[\n\r\x{85}\x{2028}\x{2029}]`)

// parse reads the YAML of one file.
func (r *reader) parse(file, text string) (value, bool) {
	r.lines[file] = len(breaks.Split(strings.TrimRight(text, "\r\n\u0085\u2028\u2029"), -1))
	if line, what := unreadable(text); what != "" {
		r.bad(place{file, line}, "%s", what)
		return value{}, false
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if strings.TrimSpace(text) == "" || err.Error() == "EOF" {
			r.bad(place{file, 1}, empty)
		} else {
			at, reason := yamlError(file, text, err)
			r.bad(at, "%s", reason)
		}
		return value{}, false
	}
	if doc.Content[0].Tag == "!!null" {
		r.bad(place{file, 1}, empty)
		return value{}, false
	}
	if err := dec.Decode(&more); err == nil {
		r.bad(place{file, more.Line}, "a second document begins here, want one")
		return value{}, false
	}
	return value{doc.Content[0], file}, true
}

// unreadable says what of a text YAML can't hold, and in which line: its reader
// does not. "": nothing.
func unreadable(text string) (line int, what string) {
	line = 1
	for i, c := range text {
		switch {
		case c == '\n':
			line++
		case c == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			return line, fmt.Sprintf("is no text in UTF-8: it holds the byte %#x", text[i])
		case c < ' ' && c != '\t' && c != '\r', c >= 0x7f && c < 0xa0 && c != 0x85, c == 0xFFFE, c == 0xFFFF:
			return line, fmt.Sprintf("holds the control character %U", c)
		}
	}
	return 0, ""
}

// yamlError takes an error of the YAML reader, "yaml: line 3: …", apart.
func yamlError(file, source string, err error) (place, string) {
	text := strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "yaml: ")
	at := place{file, 1}
	if rest, found := strings.CutPrefix(text, "line "); found {
		number, reason, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			at.line, text = n, reason
		}
	}
	if rest, found := strings.CutPrefix(text, "unknown anchor '"); found { // which has no line
		name, _, _ := strings.Cut(rest, "'")
		if before, _, found := strings.Cut(source, "*"+name); found {
			at.line = 1 + strings.Count(before, "\n")
		}
	}
	return at, text
}
