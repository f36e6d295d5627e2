// Package mutations proves the oracles: it makes faults that real adapters had,
// on the wire and in source, and shows that each turns the requirements that it
// violates red, by assertion.
package mutations

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/overlay"
)

// Kinds of faults.
const (
	Wire     = "wire"     // a change of requests on their way; works on every subject
	Source   = "source"   // a change of the subject's own Go code
	Operator = "operator" // generated from the syntax of a package
)

// Fault is a class of bug that a requirement forbids.
type Fault struct {
	ID           string       `yaml:"id"`           // stable, such as drop-signature
	Requirements []string     `yaml:"requirements"` // each must turn red; of a variant, those that it names
	Level        result.Level `yaml:"level"`        // "" is provider
	Reports      int          `yaml:"reports"`      // public reports that showed it, 0 unknown
	Why          string       `yaml:"why"`          // why it is real
	Variants     []Variant    `yaml:"variants"`     // at least one; the only one may have no name
}

// Variant is one form of a fault.
type Variant struct {
	Name         string       `yaml:"name"`
	What         string       `yaml:"what"` // the change, in words
	Requirements []string     `yaml:"requirements"`
	Level        result.Level `yaml:"level"`
	// Wire: package inject has an edit of this name.
	Wire bool `yaml:"wire"`
	// Source are the edits of Go source, in force together.
	Source []Edit `yaml:"source"`
}

// Edit is one change of Go source, held to a function.
type Edit struct {
	Package string            `yaml:"package"` // import path, or the end of one
	Func    string            `yaml:"func"`    // "Name", "Type.Method", or "var Name" for the function literal in a variable
	Find    string            `yaml:"find"`    // occurs exactly once between the braces
	Replace string            `yaml:"replace"`
	Imports map[string]string `yaml:"imports"` // name → path of packages that Replace needs
}

func (e Edit) overlay() overlay.Edit {
	return overlay.Edit{Package: e.Package, Func: e.Func, Find: e.Find, Replace: e.Replace, Imports: e.Imports}
}

// FullID is "id" or "id.variant".
func (f Fault) FullID(v Variant) string {
	if v.Name == "" {
		return f.ID
	}
	return f.ID + "." + v.Name
}

// Kinds lists the kinds that the fault can be made in.
func (f Fault) Kinds() []string {
	var out []string
	for _, v := range f.Variants {
		if v.Wire && !slices.Contains(out, Wire) {
			out = append(out, Wire)
		}
	}
	for _, v := range f.Variants {
		if len(v.Source) > 0 && !slices.Contains(out, Source) {
			out = append(out, Source)
		}
	}
	return out
}

// LoadFaults reads every *.yaml at the root of fsys, in the order of names; a
// file is a list of faults. The error joins all that is wrong with them.
func LoadFaults(fsys fs.FS) ([]Fault, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("mutations: find faults: %w", err)
	}
	if len(names) == 0 {
		if _, err := fs.Stat(fsys, "."); err != nil {
			return nil, errors.New("mutations: find faults: there is no such folder")
		}
		return nil, errors.New("mutations: find faults: got no *.yaml file, want one at least")
	}
	var out []Fault
	var errs []error
	for _, name := range names {
		file, err := loadFile(fsys, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("mutations: %s: %w", name, err))
		}
		out = append(out, file...)
	}
	seen := map[string]bool{}
	for _, f := range out {
		if seen[f.ID] {
			errs = append(errs, fmt.Errorf("mutations: fault %s: it is there twice", f.ID))
		}
		seen[f.ID] = true
	}
	return out, errors.Join(errs...)
}

func loadFile(fsys fs.FS, name string) ([]Fault, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	dec.KnownFields(true)
	var out []Fault
	if err := dec.Decode(&out); err != nil {
		return nil, plain(err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("a second document begins in it, want one")
	}
	var errs []error
	for i := range out {
		out[i].fill()
		if err := out[i].check(); err != nil {
			errs = append(errs, fmt.Errorf("fault %d (%s): %w", i+1, out[i].ID, err))
		}
	}
	return out, errors.Join(errs...)
}

// plain says what is wrong with a file in words of its own, not in Go's.
func plain(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("it is empty, want a list of faults")
	}
	return errors.New(strings.NewReplacer(
		"yaml: unmarshal errors:\n  ", "", "yaml: ", "", "cannot unmarshal", "got", " into ", ", want ", "not found in type", "is no member of",
		"[]mutations.Fault", "a list of faults", "mutations.Fault", "a fault", "mutations.Variant", "a variant", "mutations.Edit", "an edit", "result.Level", "text", "[]", "a list of ",
	).Replace(err.Error()))
}

// fill gives variants what they leave to the fault.
func (f *Fault) fill() {
	if f.Level == "" {
		f.Level = result.Provider
	}
	for i := range f.Variants {
		v := &f.Variants[i]
		if v.Level == "" {
			v.Level = f.Level
		}
		if len(v.Requirements) == 0 {
			v.Requirements = f.Requirements
		}
	}
}

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (f Fault) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !nameForm.MatchString(f.ID) {
		bad("id: got %q, want lower-case words joined by hyphens", f.ID)
	}
	if len(f.Requirements) == 0 {
		bad("requirements: got none, want those that must turn red")
	}
	if strings.TrimSpace(f.Why) == "" {
		bad("why: got nothing, want why it is real")
	}
	if len(f.Variants) == 0 {
		bad("variants: got none, want one at least")
	}
	named := map[string]bool{}
	for _, v := range f.Variants {
		for _, id := range v.Requirements {
			named[id] = true
			if !slices.Contains(f.Requirements, id) {
				bad("variant %q: requirement %s is not one of the fault's", v.Name, id)
			}
		}
		switch {
		case v.Name != "" && !nameForm.MatchString(v.Name), v.Name == "" && len(f.Variants) > 1:
			bad("variant %q: want lower-case words joined by hyphens", v.Name)
		case v.Level != result.Provider && v.Level != result.Verbatim:
			bad("variant %q: level: got %q, want provider or verbatim", v.Name, v.Level)
		case !v.Wire && len(v.Source) == 0:
			bad("variant %q: got no edit, want one on the wire or in source", v.Name)
		case strings.TrimSpace(v.What) == "":
			bad("variant %q: what: got nothing, want the change in words", v.Name)
		}
		for i, e := range v.Source {
			if e.Package == "" || e.Func == "" || e.Find == "" {
				bad("variant %q: edit %d: want package, func and find", v.Name, i+1)
			}
		}
	}
	for _, id := range f.Requirements {
		if !named[id] {
			bad("requirement %s: no variant must turn it red", id)
		}
	}
	return errors.Join(errs...)
}
