package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/replaycheck/internal/result"
)

// TestAReportThatCannotBeWrittenCostsNoOther: the file goes away between the
// check of the flags and the end of the run.
func TestAReportThatCannotBeWrittenCostsNoOther(t *testing.T) {
	dir := t.TempDir()
	say := func(text string) func(io.Writer, result.Report) error {
		return func(w io.Writer, _ result.Report) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	var out, errs bytes.Buffer
	a := app{stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	err := a.write(result.Report{}, []output{
		{"json", filepath.Join(dir, "gone", "r.json"), say("json")},
		{"junit", filepath.Join(dir, "r.xml"), say("junit")},
	}, func(w io.Writer, r result.Report, _ bool) error { return say("text")(w, r) })
	if err == nil || !strings.Contains(err.Error(), "r.json") {
		t.Errorf("got error %v, want one that names r.json", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "r.xml")); err != nil || string(text) != "junit" {
		t.Errorf("r.xml: got %q, %v, want it written", text, err)
	}
	if out.String() != "text" || errs.Len() > 0 {
		t.Errorf("got %q and %q on standard error, want the text on standard output", out.String(), errs.String())
	}
}
