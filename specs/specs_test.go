package specs_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/specs"
)

// scope is how many requirements each family has. IDs are never reused and have
// no gaps, so the count is the whole list; a new requirement raises it.
var scope = []struct {
	family string
	count  int
}{
	{"REPLAY", 15},
	{"FOREIGN", 7},
	{"REFUSE", 9},
	{"THINK", 8},
	{"STRUCT", 4},
	{"CALLID", 9},
	{"STATE", 7},
	{"OPENAI", 4},
	{"STREAM", 2},
}

func TestEveryRequirementInScopeHasOneFileInTheOrderOfTheContract(t *testing.T) {
	all := load(t)
	var want, got []string
	for _, f := range scope {
		for n := range f.count {
			want = append(want, fmt.Sprintf("%s-%02d", f.family, n+1))
		}
	}
	for _, s := range all {
		got = append(got, s.ID)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("IDs (-want +got):\n%s", d)
	}
}

func TestEverySpecIsWhole(t *testing.T) {
	titles := map[string]string{}
	for _, s := range load(t) {
		if s.Oracle != s.ID {
			t.Errorf("%s: oracle: got %q, want the ID: one oracle decides one requirement", s.ID, s.Oracle)
		}
		if len(s.Faults) == 0 {
			t.Errorf("%s: faults: got none, want at least one that turns it red (PROOF-01)", s.ID)
		}
		if other, ok := titles[s.Title]; ok {
			t.Errorf("%s: title is that of %s", s.ID, other)
		}
		titles[s.Title] = s.ID
		if len(s.Title) > 90 || strings.HasSuffix(s.Title, ".") {
			t.Errorf("%s: title: got %q, want a headline of at most 90 bytes without a full stop", s.ID, s.Title)
		}
		at := 0
		for _, section := range []string{"\n## Why\n", "\n## Oracle\n", "\n## Levels\n"} {
			i := strings.Index(s.Text, section)
			if i <= at {
				t.Errorf("%s: section %q is missing, empty or out of order", s.ID, strings.TrimSpace(section))
			}
			at = i
		}
		if !strings.Contains(s.Text, "\nFails as *") {
			t.Errorf("%s: the oracle does not say how missing evidence fails", s.ID)
		}
		_, judged, _ := strings.Cut(s.Text, "## Levels")
		for _, l := range []string{"provider", "verbatim"} {
			if slices.Contains(s.Levels, l) != (strings.Contains(judged, l+":") || strings.Contains(judged, l+" only") || strings.Contains(judged, "alike")) {
				t.Errorf("%s: levels %q and the section on levels disagree about %s", s.ID, s.Levels, l)
			}
		}
	}
}

// The selected faults of the requirements in scope, by the fault. Written by
// hand: a fault that loses a requirement, or a requirement that loses a fault,
// shows here.
var faults = map[string][]string{
	"drop-signature":               {"REPLAY-03", "REPLAY-04"},
	"drop-signature-second-step":   {"REPLAY-05"},
	"drop-signature-on-text":       {"REPLAY-02", "REPLAY-06"},
	"trailing-empty-part-dropped":  {"STREAM-01"},
	"signature-moved":              {"REPLAY-06"},
	"signature-copied-to-siblings": {"REPLAY-04"},
	"signature-swapped":            {"REPLAY-05"},
	"signature-invented":           {"REPLAY-07", "FOREIGN-07"},
	"signature-truncated":          {"REPLAY-07"},
	"signature-reencoded":          {"REPLAY-07"},
	"signature-decoded":            {"REPLAY-07"},
	"signature-concatenated":       {"REPLAY-07"},
	"signed-content-edited":        {"REPLAY-03", "REPLAY-06"},
	"parts-reordered":              {"REPLAY-06"},
	"text-merged":                  {"REPLAY-06"},
	"parallel-split":               {"REPLAY-04"},
	"parallel-collapsed":           {"REPLAY-04"},
	"call-duplicated":              {"REPLAY-04"},
	"results-interleaved":          {"REPLAY-15"},
	"results-swapped":              {"REPLAY-15", "CALLID-03"},
	"result-name-by-position":      {"REPLAY-11"},
	"result-missing":               {"REPLAY-15"},
	"result-extra":                 {"REPLAY-15"},
	"unknown-member-dropped":       {"REPLAY-01"},
	"empty-part-dropped":           {"REPLAY-01", "REPLAY-09"},
	"number-normalised":            {"REPLAY-01"},
	"carrier-on-unsigned-plain":    {"REPLAY-02"},
	"carrier-dropped-by-chat":      {"REPLAY-08"},
	"carrier-dropped-by-stream":    {"REPLAY-08"},
	"carrier-mutated":              {"REPLAY-12"},
	"wrapper-sent":                 {"REPLAY-13"},
	"native-text-as-answer":        {"REPLAY-14", "THINK-01"},
	"thought-resent-as-text":       {"REPLAY-06", "REPLAY-14"},
	"id-not-unique":                {"REPLAY-10"},
	"foreign-items-sent":           {"FOREIGN-02", "FOREIGN-03"},
	"foreign-text-lost":            {"FOREIGN-01"},
	"foreign-calls-lost":           {"FOREIGN-01"},
	"foreign-items-dropped":        {"FOREIGN-04"},
	"own-turn-rebuilt-on-return":   {"FOREIGN-06"},
	"chat-sends-carrier":           {"FOREIGN-05"},
	"refuse-skipped-missing":       {"REFUSE-01"},
	"refuse-skipped-scalar":        {"REFUSE-02"},
	"refuse-skipped-member":        {"REFUSE-03"},
	"refuse-skipped-duplicate":     {"REFUSE-04"},
	"refuse-skipped-mixed":         {"REFUSE-05"},
	"refuse-skipped-not-objects":   {"REFUSE-06"},
	"refuse-skipped-bindings":      {"REFUSE-07"},
	"refuse-quotes-content":        {"REFUSE-08"},
	"refuse-after-contact":         {"REFUSE-09"},
	"thought-visible":              {"THINK-01"},
	"loose-thought":                {"THINK-01"},
	"later-text-lost":              {"THINK-02"},
	"think-tag-split-missed":       {"THINK-03"},
	"think-trimmed":                {"THINK-04"},
	"think-joined-wrong":           {"THINK-05"},
	"tool-chat-own-parser":         {"THINK-06"},
	"thinking-resets-finish":       {"THINK-07"},
	"unclosed-swallowed":           {"THINK-08"},
	"args-to-list":                 {"STRUCT-01"},
	"response-to-list":             {"STRUCT-02"},
	"response-scalar":              {"STRUCT-02"},
	"nested-cast":                  {"STRUCT-03"},
	"old-list-sent":                {"STRUCT-04"},
	"old-list-rewritten-in-store":  {"STRUCT-04"},
	"bindings-not-made":            {"CALLID-01"},
	"id-not-echoed":                {"CALLID-02"},
	"id-invented":                  {"CALLID-02"},
	"ids-swapped":                  {"CALLID-03"},
	"bindings-by-position":         {"CALLID-03", "CALLID-06"},
	"duplicate-id-accepted":        {"CALLID-04"},
	"empty-id-accepted":            {"CALLID-04"},
	"bindings-unchecked":           {"CALLID-05", "CALLID-08"},
	"idless-bindings-accepted":     {"CALLID-07"},
	"native-id-to-foreign":         {"CALLID-09"},
	"state-plain":                  {"STATE-02"},
	"state-stripped":               {"STATE-01"},
	"state-column-255":             {"STATE-01"},
	"state-unbound":                {"STATE-03"},
	"state-cleared-before-request": {"STATE-06"},
	"rejection-drops-carrier":      {"STATE-07"},
	"approve-twice":                {"STATE-05"},
	"digest-ignored":               {"STATE-04"},
	"actor-ignored":                {"STATE-04"},
	"budget-reset":                 {"STATE-04"},
	"wrong-endpoint":               {"OPENAI-01"},
	"encrypted-content-dropped":    {"OPENAI-02", "OPENAI-03"},
	"store-true":                   {"OPENAI-02"},
	"reasoning-orphaned":           {"OPENAI-03", "OPENAI-04"},
	"reasoning-dropped":            {"OPENAI-03"},
	"reasoning-reordered":          {"OPENAI-03"},
	"item-id-dropped":              {"OPENAI-03"},
	"item-duplicated":              {"OPENAI-03"},
	"stream-last-chunk-lost":       {"STREAM-01"},
	"stream-broken-accepted":       {"STREAM-02"},
}

func TestFaultsNameTheRequirementsTheyViolate(t *testing.T) {
	got := map[string][]string{}
	for _, s := range load(t) {
		for _, f := range s.Faults {
			got[f] = append(got[f], s.ID)
		}
	}
	want := maps.Clone(faults)
	for _, m := range []map[string][]string{got, want} {
		for f := range m {
			m[f] = slices.Sorted(slices.Values(m[f]))
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("faults by requirement (-want +got):\n%s", d)
	}
}

// Nothing may claim that a provider accepts something (PROOF-04): all that is
// known is what a fake recorded.
func TestNoSpecClaimsLiveAcceptance(t *testing.T) {
	for _, s := range load(t) {
		for line := range strings.Lines(s.Text) {
			low := strings.ToLower(line)
			for _, claim := range []string{"google accepts", "openai accepts", "gemini accepts", "provider accepts", "accepted by the provider", "accepted by google", "accepted by openai"} {
				if strings.Contains(low, claim) {
					t.Errorf("%s: %q claims what only a provider could say", s.ID, strings.TrimSpace(line))
				}
			}
		}
	}
}

const sound = `---
id: REPLAY-01
title: A title
strength: MUST
levels: [provider]
needs: any
source: ADR-222
read: 2026-11-30
oracle: REPLAY-01
faults: [a-fault]
---

Text.
`

func TestLoadNamesWhatIsWrong(t *testing.T) {
	rows := []struct {
		name     string
		old, new string
		want     string
	}{
		{"no front matter", "---\nid", "id", "specs: REPLAY-01.md: no front matter between two lines of ---"},
		{"front matter not closed", "\n---\n\n", "\n\n", "specs: REPLAY-01.md: no front matter between two lines of ---"},
		{"unknown key", "needs: any", "need: any", "field need not found in type specs.Spec"},
		{"key twice", "needs: any", "needs: any\nneeds: all", `mapping key "needs" already defined`},
		{"id is not the file's name", "id: REPLAY-01", "id: REPLAY-02", `specs: REPLAY-01.md: id is "REPLAY-02", want the file's name`},
		{"id of no family", "id: REPLAY-01", "id: REPLY-01", `id: got "REPLY-01", want a family of ["REPLAY"`},
		{"id without two digits", "id: REPLAY-01", "id: REPLAY-1", `id: got "REPLAY-1", want a family of ["REPLAY"`},
		{"strength", "MUST", "must", `strength: got "must", want MUST, SHOULD or MAY`},
		{"no level", "[provider]", "[]", "levels: got none, want provider, verbatim or both"},
		{"unknown level", "[provider]", "[strict]", `levels: got ["strict"], want provider, verbatim or both, each once`},
		{"level twice", "[provider]", "[provider, provider]", `levels: got ["provider" "provider"], want provider, verbatim or both, each once`},
		{"fault's form", "[a-fault]", "[A Fault]", `faults: got "A Fault", want lower-case words joined by hyphens, each fault once`},
		{"fault twice", "[a-fault]", "[a-fault, a-fault]", `faults: got "a-fault", want lower-case words joined by hyphens, each fault once`},
		{"no date", "read: 2026-11-30", "read: November", `read: got "November", want a date such as 2026-11-30`},
		{"no title", "title: A title", "title:", "title: got nothing, want some"},
		{"no needs", "needs: any", "needs:", "needs: got nothing, want some"},
		{"no source", "source: ADR-222", "source:", "source: got nothing, want some"},
		{"no oracle", "oracle: REPLAY-01", "oracle:", "oracle: got nothing, want some"},
		{"no text", "Text.", "", "text below the front matter: got nothing, want some"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			broken := strings.Replace(sound, row.old, row.new, 1)
			if broken == sound {
				t.Fatal("the row changes nothing")
			}
			got, err := specs.Load(fstest.MapFS{
				"REPLAY-01.md":  {Data: []byte(broken)},
				"FOREIGN-03.md": {Data: []byte(strings.ReplaceAll(sound, "REPLAY-01", "FOREIGN-03"))},
			})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error: got %v, want one with %q", err, row.want)
			}
			if len(got) != 1 || got[0].ID != "FOREIGN-03" {
				t.Errorf("specs: got %v, want the sound one all the same", got)
			}
		})
	}
}

func TestLoadJoinsAllErrorsInTheSameOrder(t *testing.T) {
	broken := strings.NewReplacer("MUST", "WILL", "title: A title", "title:", "needs: any", "needs:", "source: ADR-222", "source:").Replace(sound)
	fsys := fstest.MapFS{"REPLAY-01.md": {Data: []byte(broken)}, "REPLAY-02.md": {Data: []byte("nothing")}}
	const want = `specs: REPLAY-01.md: strength: got "WILL", want MUST, SHOULD or MAY
title: got nothing, want some
needs: got nothing, want some
source: got nothing, want some
specs: REPLAY-02.md: no front matter between two lines of ---`
	for range 20 {
		if _, err := specs.Load(fsys); err == nil || err.Error() != want {
			t.Fatalf("error: got\n%v\nwant\n%s", err, want)
		}
	}
}

func TestLoadSortsByFamilyThenNumber(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, id := range []string{"STREAM-01", "FOREIGN-01", "REPLAY-10", "OPENAI-01", "REPLAY-02"} {
		fsys[id+".md"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(sound, "REPLAY-01", id))}
	}
	all, err := specs.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all {
		got = append(got, s.ID)
	}
	if d := cmp.Diff([]string{"REPLAY-02", "REPLAY-10", "FOREIGN-01", "OPENAI-01", "STREAM-01"}, got); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
}

func load(t *testing.T) []specs.Spec {
	t.Helper()
	all, err := specs.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}
