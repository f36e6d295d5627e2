package gemini

import "strings"

// thinkTrim are the characters that THINK-03 strips from the ends: not all white
// space, a no-break space stays.
const thinkTrim = " \t\n\v\r\x00"

// separate takes the inline thinking out of visible text (THINK-03): content is
// what is left, inline the inner texts joined by LF, "" where there are none.
// Text without a complete pair of tags stays byte for byte.
func separate(visible string) (content, inline string) {
	var outer strings.Builder
	var inner []string
	rest := visible
	for {
		before, thought, after, ok := cutThought(rest)
		if !ok {
			break
		}
		outer.WriteString(before)
		outer.WriteByte(' ')
		inner = append(inner, thought)
		rest = after
	}
	if len(inner) == 0 {
		return visible, ""
	}
	outer.WriteString(rest)
	return strings.Trim(squeeze(outer.String()), thinkTrim), strings.Trim(strings.Join(inner, "\n"), thinkTrim)
}

// cutThought splits s around the leftmost <think> and the first </think> after
// it. An opening tag without a closing one ends the search for good: no later
// one can have it either. So the whole text is read once.
func cutThought(s string) (before, thought, after string, ok bool) {
	open := indexTag(s, "<think>")
	if open < 0 {
		return "", "", "", false
	}
	from := open + len("<think>")
	n := indexTag(s[from:], "</think>")
	if n < 0 {
		return "", "", "", false
	}
	return s[:open], s[from : from+n], s[from+n+len("</think>"):], true
}

// indexTag finds a tag, letters in either ASCII case. Unicode folding would take
// the Kelvin sign for a k.
func indexTag(s, tag string) int {
	for at := 0; len(s)-at >= len(tag); at++ {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			return -1
		}
		if at += i; len(s)-at >= len(tag) && tagAt(s[at:], tag) {
			return at
		}
	}
	return -1
}

// tagAt reports whether s, long enough and begun with <, begins with the tag.
func tagAt(s, tag string) bool {
	for i := 1; i < len(tag); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != tag[i] {
			return false
		}
	}
	return true
}

// squeeze makes every run of blanks and tabs one blank. Line breaks stay.
func squeeze(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for _, c := range []byte(s) {
		if c == ' ' || c == '\t' {
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		blank = false
		b.WriteByte(c)
	}
	return b.String()
}

// thinking joins native and inline thinking (THINK-05); nil where there is none.
func thinking(native, inline string) *string {
	switch {
	case native == "" && inline == "":
		return nil
	case native == "":
		return &inline
	case inline == "":
		return &native
	}
	both := native + "\n" + inline
	return &both
}
