package mutations

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Equivalent is a reviewed judgement on generated faults: they change nothing
// that the contract is about.
type Equivalent struct {
	// Func is "package.Func" or "package.Type.Method" with the last element of
	// the package's path; a pattern with * covers more.
	Func     string   `yaml:"func"`
	Operator string   `yaml:"operator"` // "" all
	IDs      []string `yaml:"ids"`      // the ends of fault IDs; none: all of the operator in the function
	Reason   string   `yaml:"reason"`
}

//go:embed equivalent/*.yaml
var equivalentFiles embed.FS

// Equivalents returns the reviewed list that ships with the product.
var Equivalents = sync.OnceValues(func() ([]Equivalent, error) {
	dir, err := fs.Sub(equivalentFiles, "equivalent")
	if err != nil {
		return nil, err
	}
	return LoadEquivalents(dir)
})

// LoadEquivalents reads every *.yaml at the root of fsys; each is a list.
func LoadEquivalents(fsys fs.FS) ([]Equivalent, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("mutations: find reviews: %w", err)
	}
	var out []Equivalent
	var errs []error
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		dec := yaml.NewDecoder(strings.NewReader(string(text)))
		dec.KnownFields(true)
		var list []Equivalent
		if err := dec.Decode(&list); err != nil {
			errs = append(errs, fmt.Errorf("mutations: %s: %w", name, err))
		}
		for _, e := range list {
			if e.Func == "" || len(strings.Fields(e.Reason)) < 3 {
				errs = append(errs, fmt.Errorf("mutations: %s: entry %q: want a function and a reason", name, e.Func))
			}
		}
		out = append(out, list...)
	}
	return out, errors.Join(errs...)
}

// reviewed returns the reason why a generated fault is equivalent, "" if nobody
// said so. Its ID is "package.Func/operator/hash".
func reviewed(all []Equivalent, id string) string {
	for _, e := range all {
		if e.covers(id) {
			return e.Reason
		}
	}
	return ""
}

// covers reports whether the judgement is on a fault.
func (e Equivalent) covers(id string) bool {
	function, rest, _ := strings.Cut(id, "/")
	operator, hash, _ := strings.Cut(rest, "/")
	ok, err := path.Match(e.Func, function)
	return err == nil && ok && (e.Operator == "" || e.Operator == operator) && (len(e.IDs) == 0 || slices.Contains(e.IDs, hash))
}
