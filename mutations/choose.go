package mutations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// attempts lists what is to be tried, in the order of the catalogue.
func (cfg Config) attempts(ctx context.Context) ([]attempt, error) {
	if cfg.Operators {
		return cfg.generate(ctx)
	}
	faults := cfg.Faults
	if faults == nil {
		var err error
		if faults, err = Catalogue(); err != nil {
			return nil, err
		}
	}
	kinds, err := cfg.kinds()
	if err != nil {
		return nil, err
	}
	chosen, err := choose(faults, cfg.Only)
	if err != nil {
		return nil, err
	}
	var out []attempt
	for _, f := range faults {
		for _, v := range f.Variants {
			id := f.FullID(v)
			if !chosen[id] {
				continue
			}
			base := result.Fault{ID: id, Requirements: v.Requirements, Level: v.Level}
			if v.Wire && slices.Contains(kinds, Wire) {
				a := attempt{fault: base, diff: v.What + "\n"}
				a.fault.Kind = Wire
				out = append(out, a)
			}
			if len(v.Source) > 0 && slices.Contains(kinds, Source) && cfg.edits(v) {
				a := attempt{fault: base}
				a.fault.Kind = Source
				for _, e := range v.Source {
					a.source = append(a.source, e.overlay())
					a.diff += e.diff()
				}
				out = append(out, a)
			}
		}
	}
	if out = cfg.shard(out); len(out) == 0 {
		return nil, errors.New("mutations: nothing to try: no chosen fault is of the chosen kind")
	}
	return out, nil
}

// edits reports whether a variant edits the chosen package.
func (cfg Config) edits(v Variant) bool {
	return cfg.Package == "" || slices.ContainsFunc(v.Source, func(e Edit) bool {
		return e.Package == cfg.Package || strings.HasSuffix("/"+cfg.Package, "/"+e.Package) || strings.HasSuffix("/"+e.Package, "/"+cfg.Package)
	})
}

func (cfg Config) kinds() ([]string, error) {
	if len(cfg.Kinds) == 0 {
		var out []string
		if cfg.Subject.New != nil && cfg.Package == "" {
			out = append(out, Wire)
		}
		if cfg.Worker != "" {
			out = append(out, Source)
		}
		return out, nil
	}
	for _, k := range cfg.Kinds {
		switch {
		case k != Wire && k != Source:
			return nil, fmt.Errorf("mutations: kind: got %q, want %s or %s", k, Wire, Source)
		case k == Source && cfg.Worker == "":
			return nil, errors.New("mutations: kind source: the subject's code is not at hand, only its requests; try kind wire")
		}
	}
	return cfg.Kinds, nil
}

// choose returns the full IDs that patterns name: of faults, variants or
// requirements.
func choose(faults []Fault, only []string) (map[string]bool, error) {
	out := map[string]bool{}
	var names []string
	for _, f := range faults {
		names = append(names, f.ID)
		for _, v := range f.Variants {
			if v.Name != "" {
				names = append(names, f.FullID(v))
			}
		}
	}
	requirements := map[string]bool{}
	for _, f := range faults {
		for _, id := range f.Requirements {
			if !requirements[id] {
				names = append(names, id)
			}
			requirements[id] = true
		}
	}
	kept, err := oracles.Choose("fault", names, only)
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		for _, v := range f.Variants {
			id := f.FullID(v)
			out[id] = slices.Contains(kept, f.ID) || slices.Contains(kept, id) ||
				slices.ContainsFunc(v.Requirements, func(r string) bool { return slices.Contains(kept, r) })
		}
	}
	return out, nil
}

// shard returns every Shards-th attempt.
func (cfg Config) shard(all []attempt) []attempt {
	if cfg.Shards < 2 {
		return all
	}
	var out []attempt
	for i, a := range all {
		if i%cfg.Shards == cfg.Shard-1 {
			out = append(out, a)
		}
	}
	return out
}

// diff shows an edit.
func (e Edit) diff() string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s.%s\n", e.Package, e.Func)
	for line := range strings.SplitSeq(e.Find, "\n") {
		b.WriteString("-" + line + "\n")
	}
	for line := range strings.SplitSeq(e.Replace, "\n") {
		b.WriteString("+" + line + "\n")
	}
	return b.String()
}
