package oracles_test

import (
	"slices"
	"testing"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
	"example.com/replaycheck/specs"
)

// TestEveryRequirementHasItsOracle holds specs and oracles against each other:
// none is missing, none is there twice.
func TestEveryRequirementHasItsOracle(t *testing.T) {
	all, err := specs.All()
	if err != nil {
		t.Fatal(err)
	}
	var decided, checked []string
	for _, s := range all {
		if s.Family() == "PROOF" {
			continue // about the harness itself
		}
		if s.Oracle != s.ID {
			t.Errorf("specs/%s.md: oracle is %q, want the same ID", s.ID, s.Oracle)
		}
		decided = append(decided, s.ID)
	}
	for _, o := range oracles.All() {
		if slices.Contains(checked, o.ID) {
			t.Errorf("oracle %s is there twice", o.ID)
		}
		checked = append(checked, o.ID)
		if !slices.Contains(decided, o.ID) {
			t.Errorf("oracle %s has no spec", o.ID)
		}
	}
	for _, id := range decided {
		if !slices.Contains(checked, id) {
			t.Errorf("specs/%s.md has no oracle", id)
		}
	}
}

// TestEveryOracleHasAScenario asks each oracle for at least one scenario that
// holds evidence for it, in every mode that its scenarios have.
func TestEveryOracleHasAScenario(t *testing.T) {
	all, err := fixtures.All()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, sc := range all {
		covered := false
		for _, mode := range []scenario.Mode{{}, {Stored: true}, {Stream: true}, {Stream: true, Stored: true}} {
			if !sc.HasMode(mode.Stream) {
				continue
			}
			v, err := oracles.NewView(oracles.Evidence{Scenario: sc, Mode: mode, Variant: first(sc.Variants)})
			if err != nil {
				t.Fatalf("%s: %v", sc.ID, err)
			}
			for _, o := range oracles.All() {
				if o.Scope(v) {
					found[o.ID]++
					covered = true
				}
			}
		}
		if !covered {
			t.Errorf("scenario %s: no oracle has evidence in it", sc.ID)
		}
	}
	for _, o := range oracles.All() {
		if found[o.ID] == 0 {
			t.Errorf("oracle %s: no scenario holds evidence for it", o.ID)
		}
	}
}

func first(variants []string) string {
	if len(variants) == 0 {
		return ""
	}
	return variants[0]
}
