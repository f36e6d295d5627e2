package mutations_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations"
)

// TestQuick: the same verdicts from fewer runs, and the report says what is not shown.
// A fault that is not detected is tried in as many runs as ever.
func TestQuick(t *testing.T) {
	all, err := mutations.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	faults := slices.DeleteFunc(slices.Clone(all), func(f mutations.Fault) bool {
		return !slices.Contains([]string{"drop-signature", "id-not-echoed", "parallel-split"}, f.ID)
	})
	// One names a requirement that it does not violate.
	elsewhere := faults[slices.IndexFunc(faults, func(f mutations.Fault) bool { return f.ID == "parallel-split" })]
	elsewhere.ID, elsewhere.Requirements = "elsewhere", []string{"REPLAY-12"}
	elsewhere.Variants = slices.Clone(elsewhere.Variants)
	for i := range elsewhere.Variants {
		elsewhere.Variants[i].Wire, elsewhere.Variants[i].Requirements = false, elsewhere.Requirements
	}
	faults = append(faults, elsewhere)
	made := map[bool]map[string]result.Fault{}
	for _, quick := range []bool{false, true} {
		rep, err := mutations.Run(t.Context(), mutations.Config{
			Subject: referenceConfig("gemini/single-call", "gemini/parallel-*", "gemini/sequential", "gemini/no-carrier"),
			Faults:  faults, Worker: mutations.ReferenceWorker, Strict: true, Quick: quick,
		})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(strings.Join(rep.NotJudged, "\n"), "(--quick)"); said != quick {
			t.Errorf("quick %t: got not judged %q", quick, rep.NotJudged)
		}
		made[quick] = map[string]result.Fault{}
		for _, f := range rep.Faults {
			made[quick][f.ID+" "+f.Kind] = f
		}
	}
	fewer := 0
	for id, full := range made[false] {
		quick := made[true][id]
		if quick.Verdict != full.Verdict || quick.Cause != full.Cause {
			t.Errorf("%s: got %s (%s) %s, in full %s (%s) %s", id, quick.Verdict, quick.Cause, quick.Reason, full.Verdict, full.Cause, full.Reason)
		}
		switch {
		case full.Verdict != result.Detected && quick.Tried < full.Tried:
			t.Errorf("%s: got %s after %d runs, want the %d of a full run", id, quick.Verdict, quick.Tried, full.Tried)
		case full.Verdict == result.Detected && quick.Tried < full.Tried:
			fewer++
		}
		for _, r := range full.Requirements {
			if full.Verdict == result.Detected && slices.Contains(full.DetectedBy, r) != slices.Contains(quick.DetectedBy, r) {
				t.Errorf("%s: got red %v, in full %v", id, quick.DetectedBy, full.DetectedBy)
			}
		}
		t.Log(id, quick.Verdict, quick.Tried, full.Tried)
	}
	if fewer < 3 {
		t.Errorf("got fewer runs for %d faults, want 3 at least", fewer)
	}
}
