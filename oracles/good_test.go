package oracles_test

import "testing"

func TestEveryOraclePassesOnGoodEvidence(t *testing.T) {
	scopes := scopesOf(t)
	for i, d := range cells(t) {
		v := view(t, d.ev)
		for _, o := range scopes[i] {
			if found := o.Check(v); len(found) > 0 {
				t.Errorf("%s on %s: got\n%s\nwant nothing", o.ID, d.cell, showAll(found))
			}
		}
	}
}
