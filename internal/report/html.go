package report

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"example.com/replaycheck/internal/page"
	"example.com/replaycheck/internal/result"
)

//go:embed report.html
var templates embed.FS

// Policy is the content security policy of the HTML report: its own style, and
// nothing else from anywhere.
func Policy() string {
	return "default-src 'none'; style-src " + page.StyleHash() + "; base-uri 'none'; form-action 'none'"
}

// htmlView is a report as its page shows it.
type htmlView struct {
	result.Report
	Policy  string
	Tone    string
	Word    string
	Says    string
	Who     string
	Failed  []page.Finding
	Mild    []page.Finding
	Errors  []htmlError
	Rows    []htmlRow
	Literal string
	Not     string
	Ran     string
}

type htmlRow struct {
	result.Requirement
	Tone        string
	Runs, Modes string
}

type htmlError struct{ Reason, In, Where string }

// HTML writes r as one page that needs nothing else: what did not come back
// first, for people. The same report gives the same bytes.
func HTML(w io.Writer, r result.Report) error {
	t, err := page.New()
	if err != nil {
		return fmt.Errorf("report: write html: %w", err)
	}
	if t, err = t.ParseFS(templates, "report.html"); err != nil {
		return fmt.Errorf("report: write html: %w", err)
	}
	var buf bytes.Buffer
	if err := t.ExecuteTemplate(&buf, "report", viewOf(r)); err != nil {
		return fmt.Errorf("report: write html: %w", err)
	}
	if _, err := w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("report: write html: %w", err)
	}
	return nil
}

func viewOf(r result.Report) htmlView {
	v := htmlView{Report: r, Policy: Policy(), Tone: page.Tone(r.Status), Who: whoText(r), Not: notJudged(r)}
	for _, q := range r.Requirements {
		v.add(q, r.Level)
		if q.Status != result.Skipped {
			v.Rows = append(v.Rows, htmlRow{q, page.Tone(q.Status), ranText(q), modesText(q)})
		}
	}
	if r.Literal != nil {
		v.Literal = literalTitle(*r.Literal)
		v.add(asRequirement(*r.Literal), result.Verbatim)
	}
	slices.SortStableFunc(v.Failed, func(a, b page.Finding) int { return cmp.Compare(lostRank(a), lostRank(b)) })
	v.Failed = told(v.Failed)
	v.Errors = errorsOf(r)
	v.headline()
	if r.Started != "" {
		v.Ran = fmt.Sprintf("%s, %.1f s", r.Started, float64(r.DurationMS)/1000)
	}
	return v
}

// told tells one fault once where several requirements say the same of it, at
// the first; the others are named there.
func told(findings []page.Finding) []page.Finding {
	var out []page.Finding
	for _, f := range findings {
		i := slices.IndexFunc(out, func(o page.Finding) bool {
			return o.Where == f.Where && o.Change == f.Change && o.Want == f.Want && o.Got == f.Got && o.In == f.In && o.ID != f.ID
		})
		if i < 0 {
			out = append(out, f)
			continue
		}
		if out[i].Also != "" {
			out[i].Also += ", "
		}
		out[i].Also += f.ID
	}
	return out
}

func lostRank(f page.Finding) int {
	if f.Lost() {
		return 0
	}
	return 1
}

// headline says how it went in the words that matter most.
func (v *htmlView) headline() {
	lost := map[string]bool{}
	for _, f := range v.Failed {
		if f.Lost() {
			lost[f.ID] = true
		}
	}
	s := v.Summary
	v.Says = fmt.Sprintf("%d passed, %d failed, %d unsupported, %d skipped, %d in error; level %s", s.Pass, s.Fail, s.Unsupported, s.Skipped, s.Error, v.Level)
	switch {
	case len(lost) > 0:
		v.Tone, v.Word = "bad", "SIGNATURES LOST OR CHANGED"
	case v.Status == result.Fail:
		v.Word = "CONTRACT BROKEN"
	case v.Status == result.Pass:
		v.Word = "Everything came back"
	case v.Status == result.Partial:
		v.Word = "Passed, in part"
	default:
		v.Word = "Not judged: " + string(v.Status)
	}
}

// add takes the findings of a requirement.
func (v *htmlView) add(q result.Requirement, level result.Level) {
	for _, k := range kinds(q, level) {
		if !k.gates && tolerated(k.first, level) {
			continue
		}
		f := page.Finding{ID: q.ID, Title: q.Title, Strength: q.Strength, Finding: k.first, Gates: k.gates, Spec: hasSpec(q.ID), Also: k.groups[0].also()}
		var in []string
		for i, g := range k.groups {
			if i == 5 && len(k.groups) > 6 {
				in = append(in, plural(len(k.groups)-i, "more scenario"))
				break
			}
			in = append(in, g.scenario+" ("+g.modes()+")")
		}
		f.In = strings.Join(in, "; ")
		if k.gates {
			v.Failed = append(v.Failed, f)
		} else {
			v.Mild = append(v.Mild, f)
		}
	}
}

func errorsOf(r result.Report) []htmlError {
	var out []htmlError
	for _, f := range troubles(r) {
		e := htmlError{Reason: clean(f.reason), In: strings.Join(f.ids, ", ")}
		if f.first != "" {
			e.Where = fmt.Sprintf("%s (%s)", f.first, plural(len(f.runs), "run"))
		}
		out = append(out, e)
	}
	return out
}

func whoText(r result.Report) string {
	s := strings.TrimSpace(r.Subject.Name + " " + r.Subject.Version)
	var sdks []string
	for _, sdk := range r.Subject.SDK {
		sdks = append(sdks, strings.TrimSpace(sdk.Name+" "+sdk.Version))
	}
	if len(sdks) > 0 {
		s += " with " + strings.Join(sdks, ", ")
	}
	if r.Subject.State != "" {
		s += "; state: " + r.Subject.State
	}
	return s
}

// Style lets the template put the style into the page.
func (htmlView) Style() template.CSS { return template.CSS(page.Style()) } //nolint:gosec // our own file
