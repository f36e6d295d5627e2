package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"example.com/replaycheck/internal/result"
)

// PairText writes a report of kind "pair" for people, as Text does: a table of
// items, each with one line why.
func PairText(w io.Writer, r result.Report, fancy bool) error {
	buf := bufio.NewWriter(w)
	t := text{w: buf, paint: plainPaint, fancy: fancy}
	if fancy {
		t.paint = ansiPaint
	}
	t.line("%s", clean(r.Tool.Name+" "+r.Tool.Version+": "+pairTitle(*r.Pair)))
	t.line("%s", clean(decidedText(*r.Pair)))
	t.line("")
	items := r.Pair.Items
	rows := make([][]string, len(items))
	for i, it := range items {
		rows[i] = []string{it.Name, string(it.Status), clean(it.Reason)}
	}
	writeTable(buf, []string{"ITEM", "STATUS", "WHY"}, rows, fancy, func(row int, line string) string {
		status := string(items[row].Status)
		return strings.Replace(line, status, t.paint(items[row].Status, status), 1)
	})
	t.line("")
	t.line("%s  %s", t.paint(r.Status, string(r.Status)), pairCounts(r))
	t.line("%s", clean(r.Claims))
	t.line("not judged: %s", clean(cmp.Or(strings.Join(r.NotJudged, "; "), "nothing")))
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("report: write text: %w", err)
	}
	return nil
}

// PairMarkdown writes a report of kind "pair" as Markdown, for a comment under
// the two changes.
func PairMarkdown(w io.Writer, r result.Report) error {
	buf := bufio.NewWriter(w)
	p := *r.Pair
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(buf, format+"\n", args...) } // kept until Flush
	line("## Decision and implementation: %s", r.Status)
	line("")
	line("Decision commit `%s`, head `%s`.", cell(p.Decision), cell(p.Head))
	line("%s.", cell(capital(decidedText(p))))
	line("")
	line("| item | status | what must hold | why |")
	line("|---|---|---|---|")
	for _, it := range p.Items {
		line("| %s | **%s** | %s | %s |", cell(it.Name), it.Status, cell(it.Title), cell(it.Reason))
	}
	line("")
	line("%s. %s", capital(pairCounts(r)), cell(r.Claims))
	line("")
	line("Not judged: %s.", cell(cmp.Or(strings.Join(r.NotJudged, "; "), "nothing")))
	line("")
	line("%s", cell(r.Tool.Name+" "+r.Tool.Version))
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("report: write markdown: %w", err)
	}
	return nil
}

func pairTitle(p result.Pair) string {
	return fmt.Sprintf("decision %.12s, head %.12s", p.Decision, p.Head)
}

// decidedText says what the decision adds, changes and takes away.
func decidedText(p result.Pair) string {
	var out []string
	for _, d := range []struct {
		verb string
		ids  []string
	}{{"adds", p.Added}, {"changes", p.Changed}, {"takes away", p.Removed}} {
		if len(d.ids) > 0 {
			out = append(out, d.verb+" "+strings.Join(d.ids, ", "))
		}
	}
	return "the decision " + cmp.Or(strings.Join(out, ", "), "decides no requirement")
}

func pairCounts(r result.Report) string {
	s := r.Summary
	return fmt.Sprintf("%d of %s passed, %d failed, %d in error, %d not judged", s.Pass, plural(len(r.Pair.Items), "item"), s.Fail, s.Error, s.Unsupported+s.Skipped)
}

// cell keeps text from ending a table's cell or being taken for markup.
func cell(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", `\<`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "@", "&#64;").Replace(clean(s))
}

func capital(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }
