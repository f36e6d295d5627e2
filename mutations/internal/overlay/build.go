package overlay

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Plan is a program with all faults in it, ready to build.
type Plan struct {
	program *Program
	files   []emitted
	// Invalid says of a fault's number why it cannot be compiled, or, as a
	// *NoChangeError, that it changes nothing.
	Invalid map[int]error
	// Slots lists the guards of each fault.
	Slots map[int][]int
	// Blocks lists of each fault the slots of the innermost blocks that its edits
	// stand in; the guard's where nothing better is known. Where a run enters none
	// of them, the fault changes nothing.
	Blocks map[int][]int
	// Functions names the guarded functions by slot, with the package, and then
	// their blocks.
	Functions []string
	// Tested: tests are to be built too. What test files add to an edited package
	// is then part of it in the program as well, so that it is compiled once.
	Tested bool

	objects *objects // what Build compiled without the go command; nil: nothing
}

// Plan places every fault and checks the copies. Its error is for what no
// single fault is to blame for.
func (p *Program) Plan(faults []Fault) (*Plan, error) {
	plan := &Plan{program: p, Invalid: map[int]error{}, Slots: map[int][]int{}, Blocks: map[int][]int{}}
	byPackage := map[string]*edited{}
	for _, f := range faults {
		if err := p.place(f, byPackage); err != nil {
			plan.Invalid[f.Number] = err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(byPackage)) {
		e := byPackage[path]
		for _, t := range e.targets {
			t.slot = len(plan.Functions)
			plan.Functions = append(plan.Functions, path+"."+t.name)
			t.render1(plan)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(byPackage)) {
		for _, t := range byPackage[path].targets {
			t.probed(plan, path+"."+t.name)
		}
	}
	// A fault of several edits is whole or not there.
	for _, path := range slices.Sorted(maps.Keys(byPackage)) {
		e := byPackage[path]
		plan.drop(e)
		out, err := p.check(path, e.files, e.targets)
		if err != nil {
			return nil, err
		}
		plan.collect(e)
		plan.files = append(plan.files, out...)
	}
	plan.again(byPackage)
	for _, e := range byPackage {
		for _, t := range e.targets {
			for _, c := range t.copies {
				if c.invalid == nil {
					plan.Slots[c.number] = append(plan.Slots[c.number], t.slot)
					plan.Blocks[c.number] = append(plan.Blocks[c.number], t.places(c)...)
				}
			}
		}
	}
	return plan, nil
}

// edited is a package that faults edit.
type edited struct {
	files   []*sourceFile
	targets []*target
}

func (p *Program) place(f Fault, all map[string]*edited) error {
	if len(f.Edits) == 0 {
		return errors.New("overlay: got no edit")
	}
	for _, e := range f.Edits {
		path, err := p.Find(e.Package)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(e.Imports)) {
			if _, ok := p.packages[e.Imports[name]]; !ok {
				return fmt.Errorf("overlay: edit %s: package %q is not part of %s", e.Func, e.Imports[name], p.main)
			}
		}
		pkg := all[path]
		if pkg == nil {
			files, err := parseFiles(p.Files(path))
			if err != nil {
				return err
			}
			pkg = &edited{files: files}
			all[path] = pkg
		}
		t := pkg.target(e.Func)
		if t == nil {
			if t, err = findFunc(pkg.files, e.Func); err != nil {
				return err
			}
			if err := t.unsupported(); err != nil {
				return fmt.Errorf("overlay: edit %s: %w", e.Func, err)
			}
			pkg.targets = append(pkg.targets, t)
		}
		c := t.clone(f.Number)
		if c == nil {
			c = &clone{number: f.Number}
			t.copies = append(t.copies, c)
		}
		if err := t.place(c, e); err != nil {
			c.invalid = err
			return err
		}
	}
	return nil
}

func (e *edited) target(name string) *target {
	for _, t := range e.targets {
		if t.name == name {
			return t
		}
	}
	return nil
}

// render1 renders the copies of a target.
func (t *target) render1(plan *Plan) {
	for _, c := range t.copies {
		if c.invalid == nil && plan.Invalid[c.number] == nil {
			c.invalid = t.render(c)
		}
		if c.invalid == nil && c.text != "" {
			c.text = wrapped(c.text)
			if d, err := parseOne(c.text); err == nil && c.inline {
				if problem := inlineProblem(d); problem != "" {
					c.invalid = errors.New(problem)
				}
			}
		}
		if c.invalid != nil && plan.Invalid[c.number] == nil {
			plan.Invalid[c.number] = c.invalid
		}
	}
}

// drop takes the copies of invalid faults out.
func (plan *Plan) drop(e *edited) {
	for _, t := range e.targets {
		for _, c := range t.copies {
			if err := plan.Invalid[c.number]; err != nil && c.invalid == nil {
				c.invalid = err
			}
		}
	}
}

func (plan *Plan) collect(e *edited) {
	for _, t := range e.targets {
		for _, c := range t.copies {
			if c.invalid != nil && plan.Invalid[c.number] == nil {
				plan.Invalid[c.number] = c.invalid
			}
		}
	}
}

// again emits packages checked before a later one made one of their faults
// invalid.
func (plan *Plan) again(all map[string]*edited) {
	plan.files = nil
	for _, path := range slices.Sorted(maps.Keys(all)) {
		plan.drop(all[path])
		plan.files = append(plan.files, emit(all[path].files, all[path].targets)...)
	}
}

// Build compiles the program into the file out, which lies in a folder of its
// own outside the module. Every file of an edited package comes from the bytes
// that were read when the plan was made.
func (plan *Plan) Build(ctx context.Context, out string) error {
	more := map[string]string{}
	for _, l := range plan.edited() {
		moved, err := plan.moved(l)
		if err != nil {
			return err
		}
		maps.Copy(more, moved)
	}
	placed, err := plan.write(filepath.Dir(out), more)
	if err != nil {
		return err
	}
	if plan.ownDirect() {
		// Whatever goes wrong there, the go command has its try, and the last word.
		plan.objects, err = plan.direct(ctx, filepath.Dir(out), placed, out)
	}
	if plan.objects != nil && err == nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	plan.objects = nil
	return plan.compile(ctx, filepath.Dir(out), placed, "build", append(plan.program.tagged(), "-ldflags=-s -w", "-o", out, "--", plan.program.main)...)
}

// BuildTest compiles the tests of an edited package, with the faults in it and
// ServeTest beside them, and returns the folder that they run in.
func (plan *Plan) BuildTest(ctx context.Context, name, out string) (dir string, err error) {
	path, err := plan.program.Find(name)
	if err != nil {
		return "", err
	}
	l := plan.program.packages[path]
	more, err := l.ownFiles()
	if err != nil {
		return "", err
	}
	if plan.objects != nil {
		placed, err := plan.write(filepath.Dir(out), more)
		if err != nil {
			return "", err
		}
		if err = plan.objects.test(ctx, l, placed, out); err == nil || ctx.Err() != nil {
			return l.Dir, err
		}
	}
	for _, e := range plan.edited() {
		moved, err := plan.moved(e)
		if err != nil {
			return "", err
		}
		maps.Copy(more, moved)
		for _, file := range e.TestGoFiles {
			if len(moved) > 0 {
				more[filepath.Join(e.Dir, file)] = "" // it is not there
			}
		}
	}
	placed, err := plan.write(filepath.Dir(out), more)
	if err != nil {
		return "", err
	}
	return l.Dir, plan.compile(ctx, filepath.Dir(out), placed, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", out, path)
}

// write writes the edited files, and some more, into a folder. It returns where each
// is, by the name whose place it takes; "": there is to be none of that name.
func (plan *Plan) write(dir string, more map[string]string) (placed map[string]string, err error) {
	texts := maps.Clone(more)
	for _, e := range plan.files {
		texts[e.file.name] = e.text
	}
	placed = map[string]string{}
	for i, file := range slices.Sorted(maps.Keys(texts)) {
		if texts[file] == "" {
			placed[file] = ""
			continue
		}
		name := filepath.Join(dir, fmt.Sprintf("%d-%s", i, filepath.Base(file)))
		if err := os.WriteFile(name, []byte(texts[file]), 0o600); err != nil {
			return nil, fmt.Errorf("overlay: build: %w", err)
		}
		placed[file] = name
	}
	return placed, nil
}

// compileFlags are for what is compiled for the sake of the faults. Inlining costs
// more than it brings, with a hundred copies, and nobody debugs them.
var compileFlags = []string{"-l", "-dwarf=false"}

// compile runs the go command with some files in place of those on disk.
func (plan *Plan) compile(ctx context.Context, dir string, placed map[string]string, verb string, args ...string) error {
	args = slices.Clone(args)
	for _, path := range plan.rebuiltOf(plan.program.order, plan.program.packages) {
		args = slices.Insert(args, 0, "-gcflags="+path+"="+strings.Join(compileFlags, " "))
	}
	text, err := json.Marshal(map[string]any{"Replace": placed})
	if err != nil {
		return fmt.Errorf("overlay: build: %w", err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return fmt.Errorf("overlay: build: %w", err)
	}
	var stderr bytes.Buffer
	err = goCommand{dir: plan.program.dir, scratch: dir, stderr: &stderr}.run(ctx, append([]string{verb, "-overlay", name}, args...)...)
	if err != nil {
		return fmt.Errorf("overlay: %s %s: %w", verb, args[len(args)-1], said(err, stderr.String()))
	}
	return nil
}

// Sums is the SHA-256 of every source file, by name.
type Sums map[string]string

// Hash reads the files.
func Hash(names []string) (Sums, error) {
	out := Sums{}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("overlay: hash: %w", err)
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err = cmp.Or(err, f.Close()); err != nil {
			return nil, fmt.Errorf("overlay: hash %s: %w", name, err)
		}
		out[name] = hex.EncodeToString(h.Sum(nil))
	}
	return out, nil
}

// Changed lists the files that are not what they were.
func (s Sums) Changed(now Sums) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if now[name] != s[name] {
			out = append(out, name)
		}
	}
	return out
}

// Total is one sum over all files, in the order of their names.
func (s Sums) Total() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(h, "%s  %s\n", s[name], filepath.Base(name))
	}
	return hex.EncodeToString(h.Sum(nil))
}
