package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/internal/result"
)

func sample() result.Report {
	finding := func(where string, change result.Change, level result.Level, basis result.Basis) result.Finding {
		return result.Finding{Where: where, Change: change, Level: level, Basis: basis}
	}
	run := func(scenario, mode string, status result.Status, f ...result.Finding) result.Run {
		return result.Run{Scenario: scenario, Mode: mode, Status: status, Findings: f}
	}
	const tail, args = "request 2, contents[1].parts[0]", "request 2, contents[1].parts[0].functionCall.args"
	return result.Report{
		Schema:  result.Schema,
		Kind:    "run",
		Subject: result.Subject{Name: "some-sdk", Version: "1", SDK: []result.SDK{{Name: "example.org/sdk", Version: "v1.2.3"}}, State: "json", Modes: []string{"plain", "stream"}, Capabilities: []string{"tools"}},
		Level:   result.Provider,
		Status:  result.Fail,
		Summary: result.Summary{Pass: 1, Fail: 1, Unsupported: 2},
		Requirements: []result.Requirement{
			{ID: "REPLAY-02", Status: result.Fail, Levels: result.Levels{Provider: new(result.Fail), Verbatim: new(result.Fail)}, Runs: []result.Run{
				run("gemini/signed-empty-tail", "plain/memory", result.Pass, finding(tail, result.Reduced, result.Provider, result.Contested)),
				run("gemini/signed-empty-tail", "stream/memory", result.Fail, finding(tail, result.Absent, result.Provider, result.Documented), finding(tail, result.Absent, result.Provider, result.Documented)),
				run("gemini/signed-empty-tail", "stream/stored", result.Fail, finding(tail, result.Absent, result.Provider, result.Documented)),
			}},
			{ID: "REPLAY-03", Status: result.Pass, Levels: result.Levels{Provider: new(result.Pass), Verbatim: new(result.Fail)}, Runs: []result.Run{
				run("gemini/empty-args", "plain/memory", result.Pass, finding(args, result.Absent, result.Verbatim, result.Documented)),
				run("gemini/empty-args-2", "plain/memory", result.Pass, finding("request 3, contents[3].parts[1].functionCall.args", result.Absent, result.Verbatim, result.Documented)),
				run("gemini/single-call", "stream/memory", result.Pass),
			}},
			{ID: "REPLAY-09", Status: result.Unsupported, Reason: "it carries no state", Runs: []result.Run{}},
			{ID: "REPLAY-12", Status: result.Unsupported, Reason: "not asked at level provider", Levels: result.Levels{Verbatim: new(result.Fail)}, Runs: []result.Run{
				run("gemini/single-call", "stream/memory", result.Fail, finding("request 2", result.Shrunk, result.Provider, result.Confirmed)),
			}},
			{ID: "REPLAY-13", Status: result.Unsupported, Reason: "it carries no state", Runs: []result.Run{}},
		},
		NotJudged: []string{"it carries no state", "plain/stored: the subject keeps no state"},
	}
}

func TestPageShowsModesChangesAndWhatWasNotJudged(t *testing.T) {
	const want = `
## some-sdk

- SDK: ` + "`example.org/sdk`" + ` v1.2.3, through version 1 of its driver
- modes: plain/memory, stream/memory, stream/stored; state: json; capabilities: tools
- verdict at level provider: **fail** (requirements: 1 pass, 1 fail, 2 not judged)

| requirement | plain/memory | stream/memory | stream/stored | provider | verbatim |
|---|---|---|---|---|---|
| [REPLAY-02](../specs/REPLAY-02.md) | pass | fail: absent | fail: absent | fail | fail |
| [REPLAY-03](../specs/REPLAY-03.md) | pass | pass |  | pass | fail |
| [REPLAY-12](../specs/REPLAY-12.md) |  | – |  | – | fail |

### What fails: some-sdk

| scenario | change | first seen at | modes | requirements |
|---|---|---|---|---|
| ` + "`gemini/signed-empty-tail`" + ` | absent | request 2, contents[1].parts[0] | stream/memory, stream/stored | REPLAY-02 |

### Contested: some-sdk

| scenario | change | first seen at | modes | requirements |
|---|---|---|---|---|
| ` + "`gemini/signed-empty-tail`" + ` | reduced | request 2, contents[1].parts[0] | plain/memory | REPLAY-02 |

### At level verbatim only: some-sdk

| change | at | scenarios |
|---|---|---|
| absent | contents.parts.functionCall.args | ` + "`gemini/empty-args`, `gemini/empty-args-2`" + ` |

### Not judged: some-sdk

- REPLAY-09, REPLAY-13: it carries no state
- plain/stored: the subject keeps no state
`
	got := page("2026-11-30", []result.Report{sample()})
	_, got, found := strings.Cut(got, "[fixtures/](../fixtures/).\n")
	if d := cmp.Diff(want, got); !found || d != "" {
		t.Errorf("section (-want +got):\n%s", d)
	}
}

func TestPageNamesItsDayAndClaimsNothingBeyondTheReport(t *testing.T) {
	got := page("2026-11-30", []result.Report{sample()})
	for _, want := range []string{result.Claims, "Measured on 2026-11-30."} {
		if !strings.Contains(got, want) {
			t.Errorf("got a page without %q", want)
		}
	}
}

func TestPageDoesNotDependOnTheOrderOfFindings(t *testing.T) {
	at := func(where string, change result.Change) result.Finding {
		return result.Finding{Where: where, Change: change, Level: result.Provider, Basis: result.Documented}
	}
	one, two := sample(), sample()
	findings := []result.Finding{at("request 10, contents[1]", result.Null), at("request 2, contents[3]", result.Null), at("request 2", result.Empty)}
	one.Requirements[0].Runs[0].Findings = slices.Clone(findings)
	slices.Reverse(findings)
	two.Requirements[0].Runs[0].Findings = findings
	a, b := page("2026-11-30", []result.Report{one}), page("2026-11-30", []result.Report{two})
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("another order (-one +two):\n%s", d)
	}
	if want := "| null | request 2, contents[3] |"; !strings.Contains(a, want) {
		t.Errorf("got a page without %q:\n%s", want, a)
	}
}

func TestRunWritesTheWholePageOrNothing(t *testing.T) {
	write := func(t *testing.T, change func(*result.Report)) string {
		t.Helper()
		r := sample()
		change(&r)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sound := func(*result.Report) {}
	const day = "-date=2026-11-30"
	rows := []struct {
		name string
		args func(*testing.T) []string
		want string // "" means that it works
	}{
		{"a sound report", func(t *testing.T) []string { t.Helper(); return []string{day, write(t, sound)} }, ""},
		{"no date", func(t *testing.T) []string { t.Helper(); return []string{write(t, sound)} }, `-date: got ""`},
		{"no such date", func(*testing.T) []string { return []string{"-date=2026-11-31"} }, `-date: got "2026-11-31"`},
		{"no such flag", func(*testing.T) []string { return []string{"-day"} }, "-day"},
		{"no report", func(*testing.T) []string { return []string{day} }, "got no report"},
		{"no such file", func(t *testing.T) []string { t.Helper(); return []string{day, write(t, sound), "nowhere.json"} }, "nowhere.json"},
		{"another schema", func(t *testing.T) []string {
			t.Helper()
			return []string{day, write(t, func(r *result.Report) { r.Schema = "else" })}
		}, `schema: got "else", want "replaycheck/report/v1"`},
		{"a run that failed in the harness", func(t *testing.T) []string {
			t.Helper()
			return []string{day, write(t, func(r *result.Report) { r.Status = result.Error })}
		}, `status: got "error"`},
		{"a run of nothing", func(t *testing.T) []string {
			t.Helper()
			return []string{day, write(t, func(r *result.Report) { r.Requirements = nil })}
		}, "it judges no requirement"},
		{"not JSON", func(t *testing.T) []string { t.Helper(); return []string{day, "main.go"} }, "main.go: invalid character"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			err := run(row.args(t), &out)
			switch {
			case row.want == "" && (err != nil || out.Len() == 0):
				t.Errorf("got error %v and %d bytes, want a page", err, out.Len())
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
				t.Errorf("error: got %v, want one with %q", err, row.want)
			case row.want != "" && out.Len() > 0:
				t.Errorf("got %d bytes besides the error, want none", out.Len())
			}
		})
	}
}
