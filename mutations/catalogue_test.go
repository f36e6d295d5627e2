package mutations_test

import (
	"slices"
	"testing"

	"example.com/replaycheck/mutations"
	"example.com/replaycheck/mutations/internal/inject"
	"example.com/replaycheck/oracles"
	"example.com/replaycheck/specs"
)

func catalogue(t testing.TB) []mutations.Fault {
	t.Helper()
	all, err := mutations.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTheCatalogueCloses: every requirement with an oracle has a fault, every
// fault's requirement has an oracle, and the specs name the same faults.
func TestTheCatalogueCloses(t *testing.T) {
	byRequirement := map[string][]string{}
	for _, f := range catalogue(t) {
		for _, id := range f.Requirements {
			byRequirement[id] = append(byRequirement[id], f.ID)
		}
	}
	all, err := specs.All()
	if err != nil {
		t.Fatal(err)
	}
	judged := map[string]bool{}
	for _, o := range oracles.All() {
		judged[o.ID] = true
		if len(byRequirement[o.ID]) == 0 {
			t.Errorf("%s: has an oracle and no fault", o.ID)
		}
	}
	for id := range byRequirement {
		if !judged[id] {
			t.Errorf("%s: has a fault and no oracle", id)
		}
	}
	for _, s := range all {
		if !judged[s.ID] {
			continue
		}
		for _, id := range byRequirement[s.ID] {
			if !slices.Contains(s.Faults, id) {
				t.Errorf("specs/%s.md: does not name fault %s", s.ID, id)
			}
		}
		for _, id := range s.Faults {
			if !slices.Contains(byRequirement[s.ID], id) {
				t.Errorf("specs/%s.md: names fault %s, which names no such requirement", s.ID, id)
			}
		}
	}
}

func TestWireFaultsAndEditsAreTheSame(t *testing.T) {
	var want []string
	for _, f := range catalogue(t) {
		for _, v := range f.Variants {
			if v.Wire {
				want = append(want, f.FullID(v))
			}
		}
	}
	slices.Sort(want)
	if got := inject.Names(); !slices.Equal(got, want) {
		for _, n := range got {
			if !slices.Contains(want, n) {
				t.Errorf("edit %s belongs to no fault", n)
			}
		}
		for _, n := range want {
			if !slices.Contains(got, n) {
				t.Errorf("fault %s has no edit", n)
			}
		}
	}
}
