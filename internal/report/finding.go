package report

import (
	"fmt"
	"strings"
	"unicode"

	"example.com/replaycheck/internal/result"
)

// line is one of the labelled lines of a finding.
type line struct{ label, text string }

func (l line) String() string { return fmt.Sprintf("  %-6s %s", l.label, clean(l.text)) }

// lines are the five lines of a finding of requirement id: where, want, got,
// means, raw. The context, if any, follows the place in brackets.
func lines(id string, f result.Finding, context string) []line {
	where := f.Where
	if context != "" {
		where += "   (" + context + ")"
	}
	got := f.Got
	if f.Change != "" && !strings.Contains(got, string(f.Change)) {
		got = strings.TrimPrefix(got+", "+string(f.Change), ", ")
	}
	means := f.Means
	if f.Basis == result.Contested && !strings.Contains(means, string(f.Basis)) {
		means = strings.TrimPrefix(means+"; contested", "; ")
	}
	if !strings.Contains(means, "specs/") && hasSpec(id) {
		means = strings.TrimPrefix(means+"; see specs/"+id+".md", "; ")
	}
	out := []line{{"where", where}, {"want", f.Want}, {"got", got}, {"means", means}}
	switch {
	case f.Raw != "":
		return append(out, line{"raw", f.Raw})
	case strings.Contains(context, ", live"): // its requests were on the page
		return out
	}
	return append(out, line{"raw", "not kept; run again with --keep DIR"})
}

// hasSpec reports whether specs/ has a file for it: what is about the harness or
// the provider's own rules has none.
func hasSpec(id string) bool {
	return !strings.HasPrefix(id, "PROOF-") && !strings.HasPrefix(id, "PROVIDER-")
}

// place is a run as a person names it.
type place struct{ mode, variant string }

func (p place) String() string {
	if p.variant == "" {
		return p.mode
	}
	return p.mode + " (" + p.variant + ")"
}

// clean makes text from elsewhere safe for a terminal and keeps it on one line:
// control characters and other unprintable ones become escapes.
func clean(s string) string {
	s = strings.ToValidUTF8(s, string(unicode.ReplacementChar))
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unprintable(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
