package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/internal/result"
)

func sample() result.Report {
	finding := func(change result.Change, level result.Level, basis result.Basis) result.Finding {
		return result.Finding{Where: "request 2, contents[1].parts[0]", Change: change, Level: level, Basis: basis}
	}
	run := func(scenario, mode string, status result.Status, f ...result.Finding) result.Run {
		return result.Run{Scenario: scenario, Mode: mode, Status: status, Findings: f}
	}
	return result.Report{
		Schema:  result.Schema,
		Kind:    "run",
		Subject: result.Subject{Name: "some-sdk", Version: "1", SDK: []result.SDK{{Name: "example.org/sdk", Version: "v1.2.3"}}, State: "json", Modes: []string{"plain", "stream"}, Capabilities: []string{"tools"}},
		Level:   result.Provider,
		Status:  result.Fail,
		Summary: result.Summary{Pass: 1, Fail: 1, Unsupported: 1},
		Requirements: []result.Requirement{
			{ID: "REPLAY-02", Status: result.Fail, Levels: result.Levels{Provider: new(result.Fail), Verbatim: new(result.Fail)}, Runs: []result.Run{
				run("gemini/signed-empty-tail", "plain/memory", result.Pass, finding(result.Reduced, result.Provider, result.Contested)),
				run("gemini/signed-empty-tail", "stream/memory", result.Fail, finding(result.Absent, result.Provider, result.Documented), finding(result.Absent, result.Provider, result.Documented)),
				run("gemini/signed-empty-tail", "stream/stored", result.Fail, finding(result.Absent, result.Provider, result.Documented)),
			}},
			{ID: "REPLAY-03", Status: result.Pass, Levels: result.Levels{Provider: new(result.Pass), Verbatim: new(result.Fail)}, Runs: []result.Run{
				run("gemini/empty-args", "plain/memory", result.Pass, finding(result.Absent, result.Verbatim, result.Documented)),
				run("gemini/single-call", "stream/memory", result.Pass),
			}},
			{ID: "REPLAY-09", Status: result.Unsupported, Runs: []result.Run{}},
		},
		NotJudged: []string{"plain/stored: the subject keeps no state"},
	}
}

func TestPageShowsModesChangesAndWhatWasNotJudged(t *testing.T) {
	const want = `
## some-sdk 1

- SDK: ` + "`example.org/sdk`" + ` v1.2.3
- modes: plain, stream; state: json; capabilities: tools
- verdict at level provider: **fail** (1 pass, 1 fail, 1 unsupported)

| requirement | provider | verbatim | plain/memory | stream/memory | stream/stored |
|---|---|---|---|---|---|
| [REPLAY-02](../specs/REPLAY-02.md) | fail | fail | reduced (contested) | absent | absent |
| [REPLAY-03](../specs/REPLAY-03.md) | pass | fail | absent (verbatim) | pass |  |

Findings, each with the first place where it was seen:

- REPLAY-02, ` + "`gemini/signed-empty-tail`" + `: reduced (contested) in plain/memory (request 2, contents[1].parts[0])
- REPLAY-02, ` + "`gemini/signed-empty-tail`" + `: absent in stream/memory, stream/stored (request 2, contents[1].parts[0])

Not judged:

- plain/stored: the subject keeps no state
`
	got := page([]result.Report{sample()})
	_, got, found := strings.Cut(got, "[specs/](../specs/).\n")
	if d := cmp.Diff(want, got); !found || d != "" {
		t.Errorf("section (-want +got):\n%s", d)
	}
}

func TestPageClaimsNothingBeyondTheReport(t *testing.T) {
	if got := page([]result.Report{sample()}); !strings.Contains(got, result.Claims) {
		t.Errorf("got a page without %q", result.Claims)
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
	rows := []struct {
		name  string
		paths func(*testing.T) []string
		want  string // "" means that it works
	}{
		{"a sound report", func(t *testing.T) []string { t.Helper(); return []string{write(t, sound)} }, ""},
		{"no report", func(*testing.T) []string { return nil }, "got no report"},
		{"no such file", func(t *testing.T) []string { t.Helper(); return []string{write(t, sound), "nowhere.json"} }, "nowhere.json"},
		{"another schema", func(t *testing.T) []string {
			t.Helper()
			return []string{write(t, func(r *result.Report) { r.Schema = "else" })}
		}, `schema: got "else", want "replaycheck/report/v1"`},
		{"a run that failed in the harness", func(t *testing.T) []string {
			t.Helper()
			return []string{write(t, func(r *result.Report) { r.Status = result.Error })}
		}, `status: got "error"`},
		{"a run of nothing", func(t *testing.T) []string {
			t.Helper()
			return []string{write(t, func(r *result.Report) { r.Requirements = nil })}
		}, "it judges no requirement"},
		{"not JSON", func(t *testing.T) []string { t.Helper(); return []string{"main.go"} }, "main.go: invalid character"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			err := run(row.paths(t), &out)
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
