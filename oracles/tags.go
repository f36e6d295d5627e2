package oracles

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/replaycheck/internal/native"
)

// tagged reports whether a turn without anything to carry holds inline thoughts:
// it may come back as it was, or without them.
func tagged(s *step) bool {
	return s.loose() && strings.Contains(strings.ToLower(s.visible()), "<think>")
}

// What clients take for an inline thought: up to the next closing tag, up to the
// last, or up to the end where it is never closed.
var thoughtForms = []*regexp.Regexp{
	regexp.MustCompile(`(?is)<think>.*?</think>`),
	regexp.MustCompile(`(?is)<think>.*</think>`),
	regexp.MustCompile(`(?is)<think>.*?(</think>|$)`),
}

// withoutTags are the texts that may be left of one once its inline thoughts are
// taken out, white space apart: clients trim it as they like.
func withoutTags(text string) []string {
	var out []string
	for _, form := range thoughtForms {
		if left := form.ReplaceAllString(text, ""); left != text {
			out = append(out, unspaced(left))
		}
	}
	return out
}

// unspaced is a text without its white space.
func unspaced(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == 0 { // THINK-03 trims U+0000 too
			return -1
		}
		return r
	}, s)
}

// untagged returns what a request should hold of a tagged turn whose client took
// the thoughts out: the entry that says what is left, thoughts of its own apart,
// or nothing where nothing is left. n is the turn's place among those that the
// request should hold: of several entries that say the same, its own is the one
// there. False: the turn has to be as it came. Where the client's answers are
// known, cameRebuilt tells.
func (v *View) untagged(s *step, r *request, n int) ([]native.Part, bool) {
	if !v.observed || !tagged(s) {
		return nil, false
	}
	var said []native.Entry
	for _, e := range r.req.Entries {
		if e.Model() {
			said = append(said, e)
		}
	}
	if n < len(said) {
		said = append([]native.Entry{said[n]}, said...)
	}
	whole, left := unspaced(s.visible()), withoutTags(s.visible())
	for i, e := range said {
		switch text := unspaced((&step{parts: e.Parts}).visible()); {
		case text == whole:
			return nil, false
		case slices.Contains(left, text) && onlyText(e) && (i == 0 || !slices.ContainsFunc(said, func(e native.Entry) bool {
			return unspaced((&step{parts: e.Parts}).visible()) == whole
		})):
			return e.Parts, true
		}
	}
	return []native.Part{{Kind: native.Text}}, slices.Contains(left, "")
}

// onlyText reports whether an entry holds plain texts and thoughts alone.
func onlyText(e native.Entry) bool {
	return !slices.ContainsFunc(e.Parts, func(p native.Part) bool {
		return p.Kind != native.Thought && (p.Kind != native.Text || p.Value.Len() != 1)
	})
}
