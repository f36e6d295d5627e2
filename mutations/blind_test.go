package mutations_test

import (
	"slices"
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations"
	"example.com/replaycheck/oracles"
)

// TestAnEmptiedOracleLetsItsFaultsLive: one oracle of each family, emptied as by
// hand. With it its fault is detected; without it the fault survives, unless the
// oracle of another requirement sees it too, which does not count. With all
// emptied every fault survives.
func TestAnEmptiedOracleLetsItsFaultsLive(t *testing.T) {
	rows := []struct {
		oracle, fault, scenario string
		without                 result.Verdict
	}{
		{"REPLAY-10", "id-not-unique.name", "gemini/parallel-equal", result.DetectedElsewhere},
		{"FOREIGN-05", "chat-sends-carrier.capsule", "foreign/gemini-to-chat", result.DetectedElsewhere},
		{"REFUSE-08", "refuse-quotes-content", "foreign/refuse-missing-gemini", result.Survived},
		{"THINK-04", "think-trimmed", "gemini/think-[emop]*", result.DetectedElsewhere},
		{"STRUCT-04", "old-list-rewritten-in-store", "gemini/struct-old-list", result.Survived},
		{"CALLID-04", "empty-id-accepted", "gemini/callid-rejected", result.Survived},
		{"STATE-02", "state-plain", "agent/approve", result.Survived},
		{"OPENAI-02", "store-true.store", "openai/single-call", result.Survived},
		{"STREAM-02", "stream-broken-accepted", "gemini/stream-broken", result.DetectedElsewhere},
	}
	var only, own, scenarios, all []string
	for _, r := range rows {
		only, own, scenarios = append(only, r.fault), append(own, r.oracle), append(scenarios, r.scenario)
	}
	for _, o := range oracles.All() {
		all = append(all, o.ID)
	}
	for _, pass := range []struct {
		name  string
		blind []string
	}{{"none", nil}, {"its own", own}, {"all", all}} {
		rep, err := mutations.Run(t.Context(), mutations.Config{
			Subject: referenceConfig(scenarios...), Only: only, Kinds: []string{mutations.Source}, Worker: mutations.ReferenceWorker, Blind: pass.blind,
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Faults) != len(rows) {
			t.Fatalf("got %d faults, want %d", len(rep.Faults), len(rows))
		}
		for _, r := range rows {
			i := slices.IndexFunc(rep.Faults, func(f result.Fault) bool { return f.ID == r.fault })
			want := map[string]result.Verdict{"none": result.Detected, "its own": r.without, "all": result.Survived}[pass.name]
			if f := rep.Faults[i]; f.Verdict != want {
				t.Errorf("%s oracle emptied: %s: got %s (%s) %s, want %s", pass.name, f.ID, f.Verdict, f.Cause, f.Reason, want)
			}
		}
	}
}
