package report

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

// MutationText writes a report of kind "mutate" for people, as Text does: a
// table of faults, then why each that was not detected was not, with its edit.
func MutationText(w io.Writer, r result.Report, fancy bool) error {
	buf := bufio.NewWriter(w)
	t := text{w: buf, paint: plainPaint, fancy: fancy}
	if fancy {
		t.paint = ansiPaint
	}
	who := "none"
	if r.Subject.Name != "" {
		who = whoText(r)
	}
	t.line("%s; level %s", clean(r.Tool.Name+" "+r.Tool.Version+": faults made in subject "+who), r.Level)
	t.line("")
	rows := make([][]string, len(r.Faults))
	for i, f := range r.Faults {
		rows[i] = []string{clean(f.ID), f.Kind, verdictText(f), fmt.Sprintf("%d of %d", len(f.Runs), f.Tried), strings.Join(f.DetectedBy, ", ")}
	}
	writeTable(buf, []string{"FAULT", "KIND", "VERDICT", "CHANGED RUNS", "DETECTED BY"}, rows, fancy, func(row int, line string) string {
		verdict := verdictText(r.Faults[row])
		return strings.Replace(line, verdict, t.paint(verdictStatus(r.Faults[row]), verdict), 1)
	})
	for _, f := range r.Faults {
		if f.Verdict == result.Detected || f.Verdict == result.NotTried {
			continue
		}
		t.line("")
		t.line("%s (%s) %s, for %s", clean(f.ID), f.Kind, t.paint(verdictStatus(f), verdictText(f)), strings.Join(f.Requirements, ", "))
		t.line("  %s", clean(f.Reason))
		if f.Equivalent != "" {
			t.line("  reviewed as equivalent: %s", clean(f.Equivalent))
		}
		for line := range strings.Lines(f.Diff) {
			t.line("  %s", strings.ReplaceAll(clean(strings.TrimRight(line, "\n")), `\t`, "    "))
		}
	}
	t.mutation(r)
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("report: write text: %w", err)
	}
	return nil
}

// mutation writes the closing lines.
func (t text) mutation(r result.Report) {
	m := *r.Mutation
	t.line("")
	var counts []string
	for _, v := range slices.Sorted(maps.Keys(m.Verdicts)) {
		counts = append(counts, fmt.Sprintf("%d %s", m.Verdicts[v], v))
	}
	how := "each by its own requirement's assertion"
	if generated(r) {
		how = fmt.Sprintf("%d by the suite's oracles, %d by the package's own tests alone", m.Detected-m.OwnTests, m.OwnTests)
	}
	t.line("%s  %d of %s detected, %s (%s); %s", t.paint(r.Status, string(r.Status)), m.Detected, plural(m.Faults, "fault"), how, strings.Join(counts, ", "), plural(m.Runs, "run"))
	switch {
	case m.Score == nil && generated(r):
		t.line("no score: the run is in error")
	case m.Score != nil:
		t.line("score %.1f %%: %d detected of %d, that is all but %d invalid, %d in error, %d timed out and %d reviewed as equivalent", *m.Score, m.Detected,
			m.Faults-m.Verdicts[result.Invalid]-m.Verdicts[result.Errored]-m.Verdicts[result.TimedOut]-m.Equivalent,
			m.Verdicts[result.Invalid], m.Verdicts[result.Errored], m.Verdicts[result.TimedOut], m.Equivalent)
		for _, line := range m.Stale {
			t.line("a review that does not hold: %s", clean(line))
		}
	}
	if m.Sources != "" && m.Unchanged {
		t.line("source files are as they were: sha256 %.16s…", m.Sources)
	}
	t.line("%s", clean(r.Claims))
	t.line("not tried: %s", clean(notTried(r)))
}

// operator is the kind of the faults of --operators.
const operator = "operator"

// wholeRun is the test case for what is wrong whatever each fault did.
func wholeRun(r result.Report) (caseXML, bool) {
	switch {
	case r.Status == result.Error:
		return caseXML{Name: "the run proves something", Error: &notPass{Message: clean(strings.Join(r.NotJudged, "; ")), Type: string(r.Status)}}, true
	case len(r.Mutation.Stale) > 0:
		return caseXML{Name: "every review holds", Failure: &notPass{Message: clean(strings.Join(r.Mutation.Stale, "; ")), Type: string(r.Status)}}, true
	}
	return caseXML{}, false
}

// generated reports whether the faults are those of --operators, which have a
// score.
func generated(r result.Report) bool {
	return slices.ContainsFunc(r.Faults, func(f result.Fault) bool { return f.Kind == operator })
}

func verdictText(f result.Fault) string {
	if f.Cause == "" {
		return string(f.Verdict)
	}
	return fmt.Sprintf("%s (%s)", f.Verdict, f.Cause)
}

func verdictStatus(f result.Fault) result.Status {
	switch f.Verdict {
	case result.Detected:
		return result.Pass
	case result.NotTried:
		return result.Unsupported
	case result.Survived, result.DetectedElsewhere, result.NoOp:
		return result.Fail
	}
	return result.Error
}

// MutationJUnit writes a report of kind "mutate" as JUnit XML: a test suite per
// kind, a test case per fault. A fault that changed nothing or that its
// requirement did not see is a failure, one that shows nothing an error.
func MutationJUnit(w io.Writer, r result.Report) error {
	doc := suitesXML{Name: clean(strings.TrimSpace("replaycheck mutate " + r.Subject.Name))}
	for _, f := range r.Faults {
		i := slices.IndexFunc(doc.Suites, func(s suiteXML) bool { return s.Name == f.Kind })
		if i < 0 {
			i = len(doc.Suites)
			doc.Suites = append(doc.Suites, suiteXML{Name: f.Kind, Timestamp: r.Started})
		}
		c := caseXML{Class: strings.Join(f.Requirements, " "), Name: clean(f.ID)}
		not := &notPass{Message: clean(verdictText(f) + ": " + f.Reason), Type: string(f.Verdict), Text: f.Diff}
		switch status := verdictStatus(f); {
		case status == result.Pass:
		case f.Equivalent != "":
			c.Skipped = &notPass{Message: clean("reviewed as equivalent: " + f.Equivalent)}
		case status == result.Error && f.Kind == operator: // counted beside the score
			c.Skipped = &notPass{Message: not.Message}
		case status == result.Unsupported:
			c.Skipped = &notPass{Message: clean(f.Reason)}
		case status == result.Fail:
			c.Failure = not
		default:
			c.Error = not
		}
		doc.Suites[i].add(c)
	}
	if c, bad := wholeRun(r); bad {
		doc.Suites = append(doc.Suites, suiteXML{Name: "run", Timestamp: r.Started})
		doc.Suites[len(doc.Suites)-1].add(c)
	}
	for _, s := range doc.Suites {
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Errors += s.Errors
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return fmt.Errorf("report: write junit: %w", err)
	}
	if _, err := io.WriteString(w, xml.Header+string(text)+"\n"); err != nil {
		return fmt.Errorf("report: write junit: %w", err)
	}
	return nil
}
