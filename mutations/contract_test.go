package mutations_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations"
	"example.com/replaycheck/oracles"
)

func referenceConfig(scenarios ...string) oracles.Config {
	return oracles.Config{
		New: func() (oracles.Subject, error) { return reference.New(), nil }, InProcess: true, Scenarios: scenarios,
	}
}

func sourceFault(id, pkg, function, find, replace string, requirements ...string) mutations.Fault {
	return mutations.Fault{
		ID: id, Requirements: requirements, Level: result.Verbatim, Why: "test",
		Variants: []mutations.Variant{{
			What: "test", Requirements: requirements, Level: result.Verbatim,
			Source: []mutations.Edit{{Package: pkg, Func: function, Find: find, Replace: replace}},
		}},
	}
}

// TestSetUpAndPanicsProveNothing: of the reference adapters, what breaks before
// anything is sent and what panics is an error, though every oracle is red.
func TestSetUpAndPanicsProveNothing(t *testing.T) {
	faults := []mutations.Fault{
		sourceFault("breaks-set-up", "adapters/gemini", "New", `if cfg.APIKey == "" {`, `if cfg.APIKey != "" {`, "REPLAY-03"),
		sourceFault("refuses-every-reply", "adapters/gemini", "turn.add", `if root.Kind() != wire.Object {`, `if root.Kind() == wire.Object {`, "REPLAY-03"),
		sourceFault("panics", "adapters/gemini", "modelParts", "parts[i] = replayedPart(part)", "parts[len(parts)] = replayedPart(part)", "REPLAY-03"),
	}
	rep, err := mutations.Run(t.Context(), mutations.Config{Subject: referenceConfig("gemini/single-call"), Faults: faults, Kinds: []string{mutations.Source}, Worker: mutations.ReferenceWorker})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		verdict result.Verdict
		cause   result.Cause
	}{{result.Errored, result.SetUp}, {result.Detected, ""}, {result.Errored, result.Panicked}} {
		if f := rep.Faults[i]; f.Verdict != want.verdict || f.Cause != want.cause {
			t.Errorf("%s: got %s (%s) %s, want %s (%s)", f.ID, f.Verdict, f.Cause, f.Reason, want.verdict, want.cause)
		}
	}
}

// TestASelectionIsProved is the part of the proof that every test run repeats:
// one source fault or more of each family.
func TestASelectionIsProved(t *testing.T) {
	only := []string{
		"drop-signature", "signature-moved.neighbour", "results-swapped.without-ids", "foreign-text-lost", "refuse-skipped-mixed",
		"later-text-lost", "response-to-list", "id-not-echoed", "reasoning-orphaned.next", "stream-last-chunk-lost",
	}
	rep, err := mutations.Run(t.Context(), mutations.Config{
		Subject: referenceConfig("gemini/single-call", "gemini/parallel-*", "gemini/text-and-call", "gemini/parts-after-finish", "foreign/gemini-to-openai",
			"foreign/refuse-mixed-gemini", "gemini/think-parts", "gemini/struct-*", "gemini/callid-*-parallel", "openai/single-call"),
		Only: only, Worker: mutations.ReferenceWorker, Strict: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rep.Faults {
		if f.Verdict != result.Detected {
			t.Errorf("%s (%s): got %s (%s) %s", f.ID, f.Kind, f.Verdict, f.Cause, f.Reason)
		}
	}
	if rep.Status != result.Pass || mutations.ExitCode(rep) != 0 || rep.Mutation.Detected != len(rep.Faults) {
		t.Errorf("got status %s, %+v", rep.Status, rep.Mutation)
	}
}

// TestProve is the door for other people's suites, on a few conversations.
func TestProve(t *testing.T) {
	mutations.Prove(t, referenceConfig("gemini/single-call", "gemini/parallel-equal-ids", "gemini/sequential", "gemini/text-and-call", "gemini/thoughts-then-call"))
	seen := &judgement{T: t}
	mutations.Prove(seen, oracles.Config{})
	if !strings.Contains(seen.fatal, "New is nil") {
		t.Errorf("got %q, want that there is no subject", seen.fatal)
	}
	seen = &judgement{T: t}
	cfg := referenceConfig("gemini/single-call")
	cfg.Only = []string{"REPLAY-11"} // with no other oracle its faults are seen by nobody else
	mutations.Prove(seen, cfg)
	if seen.errors == 0 && seen.fatal == "" {
		t.Error("got no error where most oracles are left out")
	}
}

// judgement is a test that is to fail.
type judgement struct {
	*testing.T
	errors int
	fatal  string
}

func (j *judgement) Errorf(string, ...any) { j.errors++ }

func (j *judgement) Fatalf(format string, args ...any) { j.fatal = fmt.Sprintf(format, args...) }

func TestBadConfigurations(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  mutations.Config
		want string
	}{
		{"unknown fault", mutations.Config{Subject: referenceConfig(), Only: []string{"drop-signatur"}}, `unknown fault "drop-signatur", nearest: drop-signature`},
		{"unknown kind", mutations.Config{Subject: referenceConfig(), Kinds: []string{"wires"}}, `got "wires", want wire or source`},
		{"quick and exhaustive", mutations.Config{Subject: referenceConfig(), Quick: true, Exhaustive: true}, "quick: not with exhaustive"},
		{"quick operators", mutations.Config{Subject: referenceConfig(), Quick: true, Operators: true}, "nor with operators"},
		{"no source", mutations.Config{Subject: referenceConfig(), Kinds: []string{"source"}}, "not at hand"},
		{"nothing of the kind", mutations.Config{Subject: referenceConfig(), Kinds: []string{"wire"}, Only: []string{"refuse-after-contact"}}, "nothing to try"},
		{"nothing at all", mutations.Config{}, "nothing to try"},
		{"empty folder", mutations.Config{Faults: []mutations.Fault{}, Subject: referenceConfig()}, "nothing to try"},
		{"unknown worker", mutations.Config{Worker: "./nowhere"}, "nowhere"},
		{"a package of the judge's", mutations.Config{Worker: mutations.ReferenceWorker, Package: "internal/wire", Operators: true}, "a fault in it would be in the judge too"},
		{"no main package", mutations.Config{Worker: "./testdata/sample"}, "want a main package"},
		{"nothing judged", mutations.Config{Subject: referenceConfig("gemini/single-call"), Kinds: []string{"wire"}, Only: []string{"store-true.*"}}, "no fault was tried: 2 are unsupported"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := mutations.Run(t.Context(), row.cfg)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %s", err, row.want)
			}
		})
	}
}

func TestShardsAddUp(t *testing.T) {
	var all []string
	for shard := 1; shard <= 3; shard++ {
		rep, err := mutations.Run(t.Context(), mutations.Config{
			Subject: referenceConfig("gemini/single-call"), Kinds: []string{"wire"}, Only: []string{"REPLAY-03", "REPLAY-07"}, Shard: shard, Shards: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range rep.Faults {
			all = append(all, f.ID)
		}
	}
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != len(all) || n < 10 {
		t.Errorf("got %d faults, %d of them different", len(all), n)
	}
}

func TestAnInterruptEndsAll(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := mutations.Run(ctx, mutations.Config{
		Subject: referenceConfig("gemini/single-call"), Only: []string{"REPLAY-*"}, Worker: mutations.ReferenceWorker,
		Progress: func(int, int, string) {
			if n++; n == 90 {
				cancel()
			}
		},
	})
	if err == nil || ctx.Err() == nil {
		t.Errorf("got %v after %d faults, want the interrupt", err, n)
	}
}
