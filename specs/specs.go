// Package specs holds the requirements, one Markdown file each, and their
// embedded index.
package specs

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
)

//go:embed *.md
var files embed.FS

// Spec is one requirement.
type Spec struct {
	ID       string   `yaml:"id"`       // stable, such as REPLAY-04
	Title    string   `yaml:"title"`    // the headline of a finding
	Strength string   `yaml:"strength"` // MUST, SHOULD or MAY
	Levels   []string `yaml:"levels"`   // "provider", "verbatim"
	Needs    string   `yaml:"needs"`    // who is judged, in the words of "Who must meet what"
	Source   string   `yaml:"source"`   // decision record and provider document
	Read     string   `yaml:"read"`     // YYYY-MM-DD, when the source was read
	Oracle   string   `yaml:"oracle"`   // the ID of its check
	Faults   []string `yaml:"faults"`   // the selected faults that must turn it red
	Text     string   `yaml:"-"`        // the Markdown below the front matter
}

// Family is the part of the ID before the number.
func (s Spec) Family() string {
	family, _, _ := strings.Cut(s.ID, "-")
	return family
}

// All returns the embedded specs in the order of the contract: by family as the
// contract lists them, then by number. The slice is shared: read it, don't
// change it.
var All = sync.OnceValues(func() ([]Spec, error) { return Load(files) })

var families = []string{"REPLAY", "FOREIGN", "REFUSE", "THINK", "STRUCT", "CALLID", "STATE", "OPENAI", "STREAM", "PROOF"}

// Load reads every *.md at the root of fsys, in the order of All. The error joins
// what is wrong with each file; the sound ones come with it.
func Load(fsys fs.FS) ([]Spec, error) {
	names, err := fs.Glob(fsys, "*.md")
	if err != nil {
		return nil, fmt.Errorf("specs: find files: %w", err)
	}
	var out []Spec
	var errs []error
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("specs: %w", err))
			continue
		}
		s, err := parse(string(text))
		if err == nil && s.ID+".md" != name {
			err = fmt.Errorf("id is %q, want the file's name", s.ID)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("specs: %s: %w", name, err))
			continue
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Spec) int {
		if d := slices.Index(families, a.Family()) - slices.Index(families, b.Family()); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, errors.Join(errs...)
}

func parse(text string) (Spec, error) {
	var s Spec
	head, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	if !ok || !strings.HasPrefix(text, "---\n") {
		return s, errors.New("no front matter between two lines of ---")
	}
	dec := yaml.NewDecoder(strings.NewReader(head))
	dec.KnownFields(true)
	if err := dec.Decode(&s); err != nil {
		return s, fmt.Errorf("front matter: %w", err)
	}
	s.Text = strings.TrimSpace(body)
	return s, s.check()
}

var (
	idForm    = regexp.MustCompile(`^[A-Z]+-[0-9]{2}$`)
	faultForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// check returns all that is wrong with s, always in the same order.
func (s Spec) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !idForm.MatchString(s.ID) || !slices.Contains(families, s.Family()) {
		bad("id: got %q, want a family of %q and two digits, such as REPLAY-04", s.ID, families)
	}
	if !slices.Contains([]string{"MUST", "SHOULD", "MAY"}, s.Strength) {
		bad("strength: got %q, want MUST, SHOULD or MAY", s.Strength)
	}
	if len(s.Levels) == 0 {
		bad("levels: got none, want provider, verbatim or both")
	}
	for i, l := range s.Levels {
		if l != "provider" && l != "verbatim" || slices.Contains(s.Levels[:i], l) {
			bad("levels: got %q, want provider, verbatim or both, each once", s.Levels)
		}
	}
	for i, f := range s.Faults {
		if !faultForm.MatchString(f) || slices.Contains(s.Faults[:i], f) {
			bad("faults: got %q, want lower-case words joined by hyphens, each fault once", f)
		}
	}
	if _, err := time.Parse(time.DateOnly, s.Read); err != nil {
		bad("read: got %q, want a date such as 2026-11-30", s.Read)
	}
	for _, m := range []struct{ key, value string }{
		{"title", s.Title},
		{"needs", s.Needs},
		{"source", s.Source},
		{"oracle", s.Oracle},
		{"text below the front matter", s.Text},
	} {
		if m.value == "" {
			bad("%s: got nothing, want some", m.key)
		}
	}
	return errors.Join(errs...)
}
