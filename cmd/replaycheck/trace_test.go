package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/specs"
)

// TestTraceNamesGaps: each of the four that a requirement can lack, and the
// exit code.
func TestTraceNamesGaps(t *testing.T) {
	decided := []specs.Spec{
		{ID: "REPLAY-01", Title: "whole", Faults: []string{"a", "b"}},
		{ID: "REPLAY-02", Title: "decided, not implemented"},
		{ID: "REPLAY-03", Title: "no fault"},
		{ID: "PROOF-01", Title: "about the harness"},
	}
	items := traceOf(decided, []string{"REPLAY-01", "REPLAY-03", "REPLAY-09"}, map[string][]string{
		"REPLAY-01": {"gemini/x", "gemini/y", "gemini/z"}, "REPLAY-03": {"gemini/x"}, "REPLAY-09": {"gemini/x"},
	}, map[string]map[string][]string{"REPLAY-01": {"a": {"wire", "source"}}, "REPLAY-09": {"c": {"source"}}})
	var out, errs bytes.Buffer
	a := app{stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if err := a.printTrace(items, false); !errors.Is(err, exitError(1)) {
		t.Errorf("got %v, want exit code 1", err)
	}
	const table = `REPLAY-01	fault b	specs/REPLAY-01.md	REPLAY-01	3: gemini/x, gemini/y, …	a (wire, source), b (named)
REPLAY-02	oracle, scenario, fault	specs/REPLAY-02.md	-	0	-
REPLAY-03	fault	specs/REPLAY-03.md	REPLAY-03	1: gemini/x	-
REPLAY-09	spec	-	REPLAY-09	1: gemini/x	c (source, unnamed)
`
	if d := cmp.Diff(table, out.String()); d != "" {
		t.Errorf("table (-want +got):\n%s", d)
	}
	const line = "replaycheck: list trace: missing: REPLAY-01 (fault b); REPLAY-02 (oracle, scenario, fault); REPLAY-03 (fault); REPLAY-09 (spec)\n"
	if d := cmp.Diff(line, errs.String()); d != "" {
		t.Errorf("standard error (-want +got):\n%s", d)
	}
	out.Reset()
	if err := a.printTrace(items, true); !errors.Is(err, exitError(1)) {
		t.Errorf("as JSON: got %v, want exit code 1", err)
	}
	var read []traceItem
	if err := json.Unmarshal(out.Bytes(), &read); err != nil || cmp.Diff(items, read) != "" {
		t.Errorf("as JSON: %v\n%s", err, cmp.Diff(items, read))
	}
	if strings.Contains(out.String(), "null") {
		t.Errorf("as JSON: got null for an empty list in\n%s", out.String())
	}
}

func TestTraceWithoutGaps(t *testing.T) {
	items := traceOf([]specs.Spec{{ID: "REPLAY-01", Faults: []string{"a"}}}, []string{"REPLAY-01"}, map[string][]string{"REPLAY-01": {"gemini/x"}},
		map[string]map[string][]string{"REPLAY-01": {"a": {"wire"}}})
	var out, errs bytes.Buffer
	a := app{stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if err := a.printTrace(items, false); err != nil || errs.Len() > 0 {
		t.Errorf("got %v and %q, want nothing", err, errs.String())
	}
	if slices.ContainsFunc(items, func(i traceItem) bool { return len(i.Gaps) > 0 }) {
		t.Errorf("got %+v, want no gap", items)
	}
}
