package overlay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// objects are the packages of a program as they were compiled, and what the linker
// needs to know of them.
type objects struct {
	plan *Plan
	dir  string // where they are
	// made are the archives of what is compiled here, by import path; that of the
	// main package has the name main.
	made map[string]string
	// placed are the files in place of those on disk; "": there is none.
	placed map[string]string
	config string // file that names the archives to the compiler
}

// direct compiles what the faults change, beside the overlay in dir, and links the
// program. The error is errIndirect where only the go command can.
func (plan *Plan) direct(ctx context.Context, dir string, placed map[string]string, out string) (*objects, error) {
	p := plan.program
	o := &objects{plan: plan, dir: dir, placed: placed, made: map[string]string{}, config: filepath.Join(dir, "importcfg")}
	rebuilt := plan.rebuiltOf(p.whole, p.beside)
	if p.tools == nil || p.packages[p.main].DefaultGODEBUG != "" || exists(filepath.Join(p.packages[p.main].Dir, "default.pgo")) {
		return nil, errIndirect
	}
	for i, path := range rebuilt {
		if !p.beside[path].plain() {
			return nil, errIndirect
		}
		o.made[path] = filepath.Join(dir, fmt.Sprintf("package%d.a", i))
	}
	if err := o.writeConfig(); err != nil {
		return nil, err
	}
	if err := o.compileAll(ctx, rebuilt); err != nil {
		return nil, err
	}
	return o, o.link(ctx, o.made[p.main], out)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, os.ErrNotExist)
}

// writeConfig writes down where every package's archive is. One for all of them will
// do: what is not imported is not looked at.
func (o *objects) writeConfig() error {
	p := o.plan.program
	var b strings.Builder
	for _, path := range p.whole {
		file := p.beside[path].Export
		if made, ok := o.made[path]; ok {
			file = made
		}
		switch {
		case path == p.main:
		case file != "":
			fmt.Fprintf(&b, "packagefile %s=%s\n", path, file)
		case path != "unsafe":
			return errIndirect
		}
	}
	return os.WriteFile(o.config, []byte(b.String()), 0o600)
}

// compileAll compiles packages, each once what it needs is done.
func (o *objects) compileAll(ctx context.Context, paths []string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := map[string]chan struct{}{}
	for _, path := range paths {
		done[path] = make(chan struct{})
	}
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for _, path := range paths {
		wg.Go(func() {
			defer close(done[path])
			l := o.plan.program.beside[path]
			for _, name := range l.imports() {
				if need, ok := done[name]; ok {
					<-need
				}
			}
			turn <- struct{}{}
			defer func() { <-turn }()
			if ctx.Err() != nil {
				return
			}
			name := path
			if l.Name == "main" {
				name = "main"
			}
			if err := o.compile(ctx, name, l, o.files(l, l.GoFiles), o.made[path]); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// files are the files of a package, with those that are put beside them.
func (o *objects) files(l *listed, names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, filepath.Join(l.Dir, name))
	}
	for name := range o.placed {
		if filepath.Dir(name) == l.Dir && !slices.Contains(out, name) && !strings.HasSuffix(name, "_test.go") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// compile compiles some files into an archive. Of the flags only -l and -dwarf are not
// those of the go command.
func (o *objects) compile(ctx context.Context, path string, l *listed, files []string, out string) error {
	t := o.plan.program.tools
	var trim []string
	files = slices.Clone(files)
	for i, name := range files {
		if placed := o.placed[name]; placed != "" {
			trim = append(trim, placed+"=>"+name)
			files[i] = placed
		}
	}
	args := []string{"-o", out, "-trimpath", strings.Join(append(trim, o.dir+"=>"), ";"), "-p", path, "-lang=" + l.language(), "-complete", "-goversion", t.version}
	args = append(append(args, compileFlags...), "-c=1", "-nolocalimports", "-importcfg", o.config, "-pack")
	return t.run(ctx, o.plan.program.dir, "compile", append(args, files...)...)
}

// link links a program from its main package's archive.
func (o *objects) link(ctx context.Context, main, out string, flags ...string) error {
	p := o.plan.program
	config, err := os.ReadFile(o.config)
	if err != nil {
		return fmt.Errorf("overlay: link: %w", err)
	}
	name := o.config + ".link"
	if err := os.WriteFile(name, fmt.Appendf(config, "modinfo %q\n", p.info()), 0o600); err != nil {
		return fmt.Errorf("overlay: link: %w", err)
	}
	args := append([]string{"-o", out, "-importcfg", name, "-buildmode=exe", "-s", "-w"}, flags...)
	return p.tools.run(ctx, p.dir, "link", append(args, main)...)
}

// info is what a program says that it is built from (debug.ReadBuildInfo): modules and
// versions, without their sums. Between the marks is where it is looked for.
func (p *Program) info() string {
	const from, to = "\x30\x77\xaf\x0c\x92\x74\x08\x02\x41\xe1\xc1\x07\xe6\xd6\x18\xe6", "\xf9\x32\x43\x31\x86\x18\x20\x72\x00\x82\x42\x10\x41\x16\xd8\xf2"
	info := debug.BuildInfo{Path: p.main}
	known := map[string]bool{}
	for _, path := range p.order {
		m := p.packages[path].Module
		switch {
		case m == nil || known[m.Path]:
		case m.Main:
			info.Main = debug.Module{Path: m.Path, Version: cmp.Or(m.Version, "(devel)")}
		default:
			info.Deps = append(info.Deps, &debug.Module{Path: m.Path, Version: m.Version})
		}
		if m != nil {
			known[m.Path] = true
		}
	}
	return from + info.String() + to
}
