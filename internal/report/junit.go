package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.com/replaycheck/internal/result"
)

type suitesXML struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Time     string     `xml:"time,attr,omitempty"`
	Suites   []suiteXML `xml:"testsuite"`
}

type suiteXML struct {
	Name      string    `xml:"name,attr"`
	Tests     int       `xml:"tests,attr"`
	Failures  int       `xml:"failures,attr"`
	Errors    int       `xml:"errors,attr"`
	Skipped   int       `xml:"skipped,attr"`
	Timestamp string    `xml:"timestamp,attr,omitempty"`
	Cases     []caseXML `xml:"testcase"`
}

type caseXML struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Skipped *notPass   `xml:"skipped"`
	Error   *notPass   `xml:"error"`
	Failure *notPass   `xml:"failure"`
	Output  *outputXML `xml:"system-out"`
}

type notPass struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

type outputXML struct {
	Text string `xml:",cdata"`
}

// JUnit writes r as JUnit XML: one test suite per requirement family, one test
// case per run (requirement, scenario and mode). What fails at the gating level
// is a failure, what the harness could not do an error, what is unsupported or
// was skipped is skipped with its reason. A requirement without runs is one test
// case. Findings that gate nothing are the case's output. The comparison with
// the literal requests is a suite of its own, PROOF.
func JUnit(w io.Writer, r result.Report) error {
	doc := suitesXML{Name: clean(strings.TrimSpace("replaycheck " + r.Subject.Name))}
	if r.DurationMS > 0 {
		doc.Time = strconv.FormatFloat(float64(r.DurationMS)/1000, 'f', 3, 64)
	}
	add := func(q result.Requirement, level result.Level) {
		family, _, _ := strings.Cut(q.ID, "-")
		i := slices.IndexFunc(doc.Suites, func(s suiteXML) bool { return s.Name == family })
		if i < 0 {
			i = len(doc.Suites)
			doc.Suites = append(doc.Suites, suiteXML{Name: family, Timestamp: r.Started})
		}
		for _, c := range cases(q, level) {
			doc.Suites[i].add(c)
		}
	}
	for _, q := range r.Requirements {
		add(q, r.Level)
	}
	if r.Literal != nil {
		add(asRequirement(*r.Literal), result.Verbatim)
	}
	for _, s := range doc.Suites {
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Errors += s.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("report: write junit: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("report: write junit: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("report: write junit: %w", err)
	}
	return nil
}

func (s *suiteXML) add(c caseXML) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func cases(q result.Requirement, level result.Level) []caseXML {
	var out []caseXML
	for _, run := range q.Runs {
		run.Status, run.Reason = effective(q, run), cmp.Or(run.Reason, q.Reason)
		out = append(out, caseOf(q, run, level))
	}
	if len(out) == 0 {
		out = append(out, caseOf(q, result.Run{Status: q.Status, Reason: q.Reason}, level))
	}
	return out
}

func caseOf(q result.Requirement, run result.Run, level result.Level) caseXML {
	name := q.Title
	if run.Scenario != "" {
		name = run.Scenario + " " + run.Mode
	}
	if run.Variant != "" {
		name += " (" + run.Variant + ")"
	}
	c := caseXML{Class: q.ID, Name: name}
	var gates, other []result.Finding
	for _, f := range run.Findings {
		if gating(q, run, f, level) {
			gates = append(gates, f)
		} else {
			other = append(other, f)
		}
	}
	if len(other) > 0 {
		c.Output = &outputXML{Text: "Reported, gates nothing:\n" + findingsText(q.ID, other)}
	}
	switch run.Status {
	case result.Pass, result.Partial:
	case result.Unsupported, result.Skipped:
		c.Skipped = &notPass{Message: clean(cmp.Or(run.Reason, string(run.Status)))}
	case result.Fail:
		c.Failure = failure(q, gates, run.Reason)
	default: // an unknown status is nothing to be green about
		c.Error = &notPass{Message: clean(cmp.Or(run.Reason, "no reason given")), Type: "harness", Text: findingsText(q.ID, gates)}
	}
	return c
}

func failure(q result.Requirement, gates []result.Finding, reason string) *notPass {
	if len(gates) == 0 {
		return &notPass{Message: clean(cmp.Or(reason, q.Title)), Type: "fail"}
	}
	first := gates[0]
	message := fmt.Sprintf("%s %s: %s at %s", q.ID, q.Strength, first.Change, first.Where)
	if more := len(gates) - 1; more > 0 {
		message += fmt.Sprintf(" and %d more", more)
	}
	return &notPass{Message: clean(message), Type: string(first.Change), Text: clean(q.Title) + "\n" + findingsText(q.ID, gates)}
}

func findingsText(id string, all []result.Finding) string {
	var b strings.Builder
	for _, f := range all {
		for _, l := range lines(id, f, "") {
			b.WriteString(l.String() + "\n")
		}
	}
	return b.String()
}
