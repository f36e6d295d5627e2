package fakeserver_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/subject"
)

// expected are the refusals that requests of the reference adapters, which do
// as the contract says, would get: the contract asks for what a provider may
// refuse.
var expected = map[string]string{
	// A call of another provider has no signature, and must get none (FOREIGN-07).
	"foreign/mid-turn-to-gemini request 2": "gemini/missing-signature of gemini-3",
	// {} came and goes back (REPLAY-01).
	"gemini/odd-parts request 2":                            "gemini/part-without-data of gemini-3",
	"foreign/refuse-member-gemini bool-first request 1":     "gemini/part-without-data of gemini-3",
	"foreign/refuse-member-gemini list-last request 1":      "gemini/part-without-data of gemini-3",
	"foreign/refuse-member-gemini lists-only request 1":     "gemini/part-without-data of gemini-3",
	"foreign/refuse-member-gemini null-last request 1":      "gemini/part-without-data of gemini-3",
	"foreign/refuse-member-gemini null-only request 1":      "gemini/part-without-data of gemini-3",
	"foreign/refuse-member-gemini number-between request 1": "gemini/part-without-data of gemini-3",
	"foreign/refuse-member-gemini on-answer request 1":      "gemini/part-without-data of gemini-3",
	"foreign/refuse-member-gemini string-first request 1":   "gemini/part-without-data of gemini-3",
	// Calls of a capsule without a call list are never run, so nothing answers
	// them (CALLID-07).
	"gemini/callid-07-accepted empty-list request 1":             "gemini/response-count of gemini-3",
	"gemini/callid-07-accepted no-ids-no-list request 1":         "gemini/response-count of gemini-3",
	"gemini/callid-07-accepted no-list request 1":                "gemini/response-count of gemini-3",
	"gemini/callid-07-accepted no-list-empty-bindings request 1": "gemini/response-count of gemini-3",
}

func TestTheReferenceAdaptersAreRefusedNothingElse(t *testing.T) {
	all, err := fixtures.All()
	if err != nil {
		t.Fatal(err)
	}
	s, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := &scenario.Driver{Server: s, Open: func() (subject.Subject, error) { return reference.New(), nil }}
	desc, err := reference.New().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, sc := range all {
		if len(sc.Agent) > 0 {
			continue // driven in processes of their own
		}
		variants := sc.Variants
		if len(variants) == 0 {
			variants = []string{""}
		}
		for _, stream := range []bool{false, true} {
			if !sc.HasMode(stream) {
				continue
			}
			for _, variant := range variants {
				mode := scenario.Mode{Stream: stream, Stored: len(sc.Tasks) > 1}
				ev, err := d.Drive(t.Context(), sc, mode, variant, desc)
				if err != nil {
					t.Error(err)
				}
				for _, run := range slices.Concat(ev.Runs, ev.Control) {
					for _, x := range run.Exchanges {
						if x.Refusal != nil {
							if !slices.Contains(sc.Refusals, x.Refusal.Rule) {
								t.Errorf("%s: got refusal %s, want it in meta.yaml: refusals %q", sc.ID, x.Refusal.Rule, sc.Refusals)
							}
							got[fmt.Sprintf("%s request %d", strings.TrimSpace(sc.ID+" "+variant), x.Seq)] = x.Refusal.Rule + " of " + x.Refusal.Profile
						}
					}
				}
			}
		}
	}
	for _, where := range slices.Sorted(maps.Keys(got)) {
		if got[where] != expected[where] {
			t.Errorf("%s: got refusal %q, want %q", where, got[where], expected[where])
		}
	}
	for where, want := range expected {
		if got[where] == "" {
			t.Errorf("%s: got no refusal, want %q", where, want)
		}
	}
}
