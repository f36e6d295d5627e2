package oracles

import (
	"fmt"
	"slices"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/subject"
)

// Showing returns, by requirement, the IDs of the scenarios that hold evidence
// for it in at least one mode and variant, on a subject that declares all there
// is. They are in the order given.
func Showing(scenarios []*fixtures.Scenario) (map[string][]string, error) {
	out := map[string][]string{}
	for _, sc := range scenarios {
		views, err := viewsOf(sc)
		if err != nil {
			return nil, err
		}
		for _, o := range All() {
			if slices.ContainsFunc(views, o.Scope) {
				out[o.ID] = append(out[o.ID], sc.ID)
			}
		}
	}
	return out, nil
}

// viewsOf returns a view without runs of every mode and variant of a scenario.
func viewsOf(sc *fixtures.Scenario) ([]*View, error) {
	variants := sc.Variants
	if len(variants) == 0 {
		variants = []string{""}
	}
	var out []*View
	for _, m := range []Mode{{}, {Stored: true}, {Stream: true}, {Stream: true, Stored: true}} {
		if !applies(sc, m) {
			continue
		}
		for _, variant := range variants {
			v, err := NewView(Evidence{Scenario: sc, Mode: m, Variant: variant, Subject: Description{Carrier: subject.Carrier}})
			if err != nil {
				return nil, fmt.Errorf("oracles: scenario %s: %w", sc.ID, err)
			}
			out = append(out, v)
		}
	}
	return out, nil
}
