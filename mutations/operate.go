package mutations

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/operators"
	"example.com/replaycheck/mutations/internal/overlay"
)

// generate makes the faults of the operators in the chosen packages.
func (cfg Config) generate(ctx context.Context) ([]attempt, error) {
	if cfg.Package == "" || cfg.Worker == "" {
		return nil, errors.New("mutations: operators: want a package to make faults from, and a worker that judges it")
	}
	var names []string
	for name := range strings.SplitSeq(cfg.Package, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	program, err := cfg.load(ctx, names, false)
	if err != nil {
		return nil, err
	}
	var out []attempt
	for _, name := range names {
		s, err := program.Syntax(name)
		if err != nil {
			return nil, err
		}
		for _, m := range operators.Make(s) {
			if !cfg.wants(m.ID) {
				continue
			}
			out = append(out, attempt{
				program: program,
				fault:   result.Fault{ID: m.ID, Kind: Operator, Requirements: []string{}, Level: result.Verbatim},
				source:  []overlay.Edit{m.Edit},
				diff:    fmt.Sprintf("%s line %d\n-%s\n+%s\n", m.Func, m.Line, strings.ReplaceAll(m.Before, "\n", "\n-"), strings.ReplaceAll(m.Edit.Replace, "\n", "\n+")),
			})
		}
	}
	if out = cfg.shard(out); len(out) == 0 {
		return nil, fmt.Errorf("mutations: operators: nothing to try in %s", cfg.Package)
	}
	return out, nil
}

// wants reports whether a generated fault is chosen: by its function, or by a
// pattern for its ID.
func (cfg Config) wants(id string) bool {
	if len(cfg.Only) == 0 {
		return true
	}
	for _, p := range cfg.Only {
		function, _, _ := strings.Cut(id, "/")
		if ok, err := path.Match(p, function); err == nil && ok {
			return true
		}
		if ok, err := path.Match(p, id); err == nil && ok {
			return true
		}
	}
	return false
}

func (cfg Config) dir() string {
	if cfg.Dir == "" {
		return "."
	}
	return cfg.Dir
}
