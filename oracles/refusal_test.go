package oracles_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

// enforced drives the reference adapters against a fake that refuses.
func enforced(t *testing.T, sc *fixtures.Scenario, m oracles.Mode, variant string, edit func(fakeserver.Incoming) fakeserver.Incoming) oracles.Evidence {
	t.Helper()
	server, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	desc, err := reference.New().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := &scenario.Driver{Server: server, Open: newReference, Enforce: true, Edit: edit}
	ev, err := d.Drive(t.Context(), sc, m, variant, desc)
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

func scenarioOf(t *testing.T, id string) *fixtures.Scenario {
	t.Helper()
	return good(t, id, plainMemory, "").Scenario
}

// The change in the middle of a turn: the refusal is the answer, and nobody's
// fault.
func TestAnExpectedRefusalEndsTheConversationAndIsNoFailure(t *testing.T) {
	all, err := fixtures.All()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, sc := range all {
		if len(sc.Refusals) == 0 {
			continue
		}
		for _, m := range []oracles.Mode{plainMemory, streamMemory, plainStored, streamStored} {
			if m.Stored && sc.MemoryOnly {
				continue
			}
			for _, variant := range append([]string{""}, sc.Variants...) {
				if variant == "" && len(sc.Variants) > 0 {
					continue
				}
				ev := enforced(t, sc, m, variant, nil)
				for _, run := range slices.Concat(ev.Runs, ev.Control) {
					for _, x := range run.Exchanges {
						if x.Refused {
							seen[sc.ID+" "+m.String()] = true
						}
					}
				}
				v := view(t, ev)
				for _, o := range oracles.All() {
					if !o.Scope(v) {
						continue
					}
					if found := o.Check(v); len(found) > 0 {
						t.Errorf("%s on %s %s %s: got\n%s\nwant nothing", o.ID, sc.ID, m, variant, showAll(found))
					}
				}
			}
		}
	}
	for _, want := range []string{"foreign/mid-turn-to-gemini plain/memory", "foreign/mid-turn-to-gemini stream/stored", "gemini/odd-parts stream/memory"} {
		if !seen[want] {
			t.Errorf("%s: got no refusal, want one", want)
		}
	}
}

func TestARefusalThatIsTheSubjectsFault(t *testing.T) {
	strip := func(in fakeserver.Incoming) fakeserver.Incoming {
		for _, p := range places(in.Body, isSigned) {
			in.Body = remove(in.Body, p.path()+".thoughtSignature")
		}
		return in
	}
	const means = "refused by gemini-3 (confirmed): 400 Function call is missing a thought_signature in functionCall parts"
	for _, row := range []struct{ requirement, scenario, change, where, means string }{
		{"REPLAY-03", "gemini/single-call", "absent", "request 2, contents[1].parts[0].thoughtSignature", means},
		// The later steps were never played: that is no pass.
		{"REPLAY-05", "gemini/sequential", "refused", "request 2", means + "; the conversation ended there"},
	} {
		v := view(t, enforced(t, scenarioOf(t, row.scenario), plainMemory, "", strip))
		found := oracle(t, row.requirement).Check(v)
		if !slices.ContainsFunc(found, func(f oracles.Finding) bool {
			return string(f.Change) == row.change && strings.HasPrefix(f.Where, row.where) && f.Means == row.means && f.Gates(result.Provider)
		}) {
			t.Errorf("%s on %s: got\n%s\nwant %s at %s", row.requirement, row.scenario, showAll(found), row.change, row.where)
		}
	}
}

func TestAFindingNamesTheRefusalThatItIsAbout(t *testing.T) {
	sc := scenarioOf(t, "gemini/parallel-different")
	swap := func(in fakeserver.Incoming) fakeserver.Incoming {
		for _, p := range places(in.Body, isSigned) {
			in.Body = setText(in.Body, p.path()+".thoughtSignature", "AAAA"+text(in.Body, p.path()+".thoughtSignature")[4:])
		}
		return in
	}
	found := oracle(t, "REPLAY-07").Check(view(t, enforced(t, sc, plainMemory, "", swap)))
	if !slices.ContainsFunc(found, func(f oracles.Finding) bool {
		return f.Means == "refused by gemini-3 (confirmed): 400 Corrupted thought signature. [contents[1].parts[0]: edited from character 1 of 3124 on: the signature of the call weather]"
	}) {
		t.Errorf("got\n%s\nwant the corrupted signature", showAll(found))
	}
}
