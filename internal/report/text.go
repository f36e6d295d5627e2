package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/replaycheck/internal/result"
)

// Text writes r for people. On a terminal (fancy) it has a header, an aligned
// table and colour. Otherwise the table's rows are separated by tabs, without
// header, and no escape code is written: for pipes, logs and whoever wants no colour.
//
// The last line names everything that was not judged, and why.
func Text(w io.Writer, r result.Report, fancy bool) error {
	buf := bufio.NewWriter(w)
	t := text{w: buf, paint: plainPaint, fancy: fancy}
	if fancy {
		t.paint = ansiPaint
	}
	t.subject(r)
	t.table(r)
	for _, q := range r.Requirements {
		t.reported(q, r.Level)
	}
	for _, q := range r.Requirements {
		t.failed(q, r.Level)
	}
	if r.Literal != nil {
		t.failed(asRequirement(*r.Literal), result.Verbatim)
	}
	t.errors(r)
	t.end(r)
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("report: write text: %w", err)
	}
	return nil
}

type text struct {
	w     *bufio.Writer
	paint func(result.Status, string) string
	fancy bool
}

// line needs no error: the writer keeps the first one until Flush.
func (t text) line(format string, args ...any) { _, _ = fmt.Fprintf(t.w, format+"\n", args...) }

func (t text) subject(r result.Report) {
	t.line("%s; level %s", clean(r.Tool.Name+" "+r.Tool.Version+": subject "+whoText(r)), r.Level)
	t.line("")
}

// unseen reports whether a requirement is one of the many of which an app in front
// of a fake provider showed nothing.
func unseen(r result.Report, q result.Requirement) bool {
	return r.Kind == "serve" && q.Status == result.Unsupported && len(q.Runs) == 0
}

func (t text) table(r result.Report) {
	var shown []result.Requirement
	var rows [][]string
	for _, q := range r.Requirements {
		if q.Status == result.Skipped || unseen(r, q) { // the last line names it
			continue
		}
		shown = append(shown, q)
		rows = append(rows, []string{q.ID, string(q.Status), ranText(q), modesText(q), clean(q.Title)})
	}
	if len(rows) == 0 {
		return
	}
	paint := func(row int, line string) string {
		status := shown[row].Status
		return strings.Replace(line, string(status), t.paint(status, string(status)), 1)
	}
	writeTable(t.w, []string{"REQUIREMENT", "STATUS", "RUNS", "MODES", "TITLE"}, rows, t.fancy, paint)
}

// ranText is "9 of 12": runs that passed, of those that were judged.
func ranText(q result.Requirement) string {
	passed, judged := 0, 0
	for _, run := range q.Runs {
		switch effective(q, run) {
		case result.Pass:
			passed++
			judged++
		case result.Unsupported, result.Skipped:
		default:
			judged++
		}
	}
	if judged == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d", passed, judged)
}

var allModes = []string{"plain/memory", "plain/stored", "stream/memory", "stream/stored"}

// modesText names the modes in which the requirement was judged.
func modesText(q result.Requirement) string {
	var modes []string
	for _, run := range q.Runs {
		if !neutral(effective(q, run)) && !slices.Contains(modes, run.Mode) {
			modes = append(modes, run.Mode)
		}
	}
	slices.Sort(modes)
	switch {
	case len(modes) == 0:
		return "-"
	case slices.Equal(modes, allModes):
		return "all four"
	}
	return strings.Join(modes, ", ")
}

// reported writes what was found of q that gates nothing, before all that does:
// what matters most is nearest to the verdict.
func (t text) reported(q result.Requirement, level result.Level) {
	all := slices.DeleteFunc(kinds(q, level), func(k kind) bool { return k.gates || tolerated(k.first, level) })
	t.block(q, all, result.Partial, " (reported, gates nothing)")
}

// failed writes what makes q fail.
func (t text) failed(q result.Requirement, level result.Level) {
	all := slices.DeleteFunc(kinds(q, level), func(k kind) bool { return !k.gates })
	t.block(q, all, result.Fail, "")
}

// tolerated findings are what level provider asks nobody to mind; they are
// counted at the end.
func tolerated(f result.Finding, level result.Level) bool {
	return level == result.Provider && f.Level == result.Verbatim && f.Basis != result.Contested
}

func (t text) block(q result.Requirement, all []kind, colour result.Status, note string) {
	if len(all) == 0 {
		return
	}
	t.line("")
	t.line("%s  %s%s", t.paint(colour, q.ID+" "+q.Strength), clean(q.Title), note)
	for _, k := range all {
		for _, l := range k.lines(q.ID) {
			t.line("%s", l)
		}
	}
}

// trouble is a reason why the harness could not judge, and where.
type trouble struct {
	reason, first string
	runs          map[string]bool // scenario and mode
	ids           []string
}

// errors writes what the harness could not do, each reason once.
func (t text) errors(r result.Report) {
	for _, f := range troubles(r) {
		t.line("")
		t.line("%s  %s", t.paint(result.Error, "error"), clean(f.reason))
		t.line("%s", line{"in", strings.Join(f.ids, ", ")})
		if f.first != "" {
			t.line("%s", line{"where", fmt.Sprintf("%s (%s)", f.first, plural(len(f.runs), "run"))})
		}
	}
}

// troubles are what the harness could not do, each reason once.
func troubles(r result.Report) []*trouble {
	var all []*trouble
	add := func(reason, id, where string) {
		i := slices.IndexFunc(all, func(f *trouble) bool { return f.reason == reason })
		if i < 0 {
			i = len(all)
			all = append(all, &trouble{reason: reason, first: where, runs: map[string]bool{}})
		}
		all[i].runs[where] = true
		if !slices.Contains(all[i].ids, id) {
			all[i].ids = append(all[i].ids, id)
		}
	}
	for _, q := range r.Requirements {
		if q.Status == result.Error && len(q.Runs) == 0 {
			add(cmp.Or(q.Reason, "no reason given"), q.ID, "")
		}
		for _, run := range q.Runs {
			if run.Status == result.Error {
				add(cmp.Or(bareReason(run), q.Reason, "no reason given"), q.ID, run.Scenario+" "+place{run.Mode, run.Variant}.String())
			}
		}
	}
	return all
}

// bareReason is a run's reason without the scenario and mode that it may begin
// with, so that the same trouble in many of them is said once.
func bareReason(run result.Run) string {
	rest, ok := strings.CutPrefix(run.Reason, fmt.Sprintf("scenario: %s (%s", run.Scenario, run.Mode))
	if _, reason, found := strings.Cut(rest, "): "); ok && found {
		return reason
	}
	return run.Reason
}

// end writes the verdict, the claim and what was not judged.
func (t text) end(r result.Report) {
	s := r.Summary
	t.line("")
	t.line("%s  %d passed, %d failed, %d unsupported, %d skipped, %d in error", t.paint(r.Status, string(r.Status)),
		s.Pass, s.Fail, s.Unsupported, s.Skipped, s.Error)
	if r.Literal != nil {
		t.line("%s", literalTitle(*r.Literal))
	}
	if n := countTolerated(r); n > 0 {
		t.line("%s tolerated at level provider; --level verbatim shows them", plural(n, "difference"))
	}
	t.line("%s", r.Claims)
	t.line("not judged: %s", clean(notJudged(r)))
}

func countTolerated(r result.Report) int {
	n := 0
	for _, q := range r.Requirements {
		for _, k := range kinds(q, r.Level) {
			if k.gates || !tolerated(k.first, r.Level) {
				continue
			}
			for _, g := range k.groups {
				n += g.count
			}
		}
	}
	return n
}

// Table writes rows with a header, aligned, when fancy; else rows alone, their
// cells separated by tabs.
func Table(w io.Writer, header []string, rows [][]string, fancy bool) error {
	buf := bufio.NewWriter(w)
	writeTable(buf, header, rows, fancy, func(_ int, line string) string { return line })
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("report: write table: %w", err)
	}
	return nil
}

func writeTable(w *bufio.Writer, header []string, rows [][]string, fancy bool, paint func(row int, line string) string) {
	if !fancy {
		for _, row := range rows {
			_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
		}
		return
	}
	var aligned strings.Builder
	tab := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		_, _ = fmt.Fprintln(tab, strings.Join(row, "\t"))
	}
	_ = tab.Flush() // a strings.Builder takes everything
	for i, line := range strings.Split(strings.TrimSuffix(aligned.String(), "\n"), "\n") {
		if i > 0 {
			line = paint(i-1, line)
		}
		_, _ = fmt.Fprintln(w, line)
	}
}

func plainPaint(_ result.Status, s string) string { return s }

func ansiPaint(status result.Status, s string) string {
	code := map[result.Status]string{result.Pass: "32", result.Fail: "1;31", result.Error: "1;35"}[status]
	return "\x1b[" + cmp.Or(code, "33") + "m" + s + "\x1b[0m"
}
