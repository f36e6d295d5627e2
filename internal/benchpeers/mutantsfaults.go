package benchpeers

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// SelectedFaults tries the source faults of the catalogue, with the build, apart from
// those of STATE, whose agent runs are processes of their own. more are flags of mutate.
func (m Mutation) SelectedFaults(ctx context.Context, more ...string) (Mutants, error) {
	m.Package = strings.TrimSpace("the catalogue " + strings.Join(more, " "))
	copied, err := m.prepared(ctx, "ours-faults"+strings.Join(more, ""))
	if err != nil {
		return Mutants{}, err
	}
	program := filepath.Join(copied, "bin", "replaycheck")
	listed, err := output(ctx, copied, program, "list", "faults", "--json")
	if err != nil {
		return Mutants{}, err
	}
	ids, err := faultIDs([]byte(listed))
	if err != nil {
		return Mutants{}, err
	}
	args := append([]string{"mutate", "--kind", "source", "--only", strings.Join(ids, ","), "--json", "report.json"}, more...)
	out, err := m.timed(exec.CommandContext(ctx, program, args...), "replaycheck mutate", copied, 0, 4)
	if err != nil {
		return out, err
	}
	return out, out.read(filepath.Join(copied, "report.json"), ourVerdicts)
}

// faultIDs reads a listing of faults: those with a form in source and no requirement of
// STATE.
func faultIDs(text []byte) (out []string, err error) {
	var faults []struct {
		Variants []struct {
			ID           string   `json:"id"`
			Requirements []string `json:"requirements"`
			Kinds        []string `json:"kinds"`
		} `json:"variants"`
	}
	if err := json.Unmarshal(text, &faults); err != nil {
		return nil, fmt.Errorf("benchpeers: list of faults: %w", err)
	}
	for _, f := range faults {
		for _, v := range f.Variants {
			state := slices.ContainsFunc(v.Requirements, func(id string) bool { return strings.HasPrefix(id, "STATE-") })
			if slices.Contains(v.Kinds, "source") && !state {
				out = append(out, v.ID)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("benchpeers: list of faults: got none in source, want some")
	}
	return out, nil
}

// HundredTarget is that of the CPU time of a hundred source faults.
func (m Mutants) HundredTarget() Target {
	return Target{
		What: "CPU of a hundred source faults of " + m.Package, Figure: 100 / m.Rate(), Want: 3, AtMost: true, Unit: " s",
		Beside: fmt.Sprintf("%.1f s wall for %d", m.Wall.Seconds(), m.Tried),
	}
}
