package gemini_test

import (
	"strings"
	"testing"

	"example.com/replaycheck/adapters/gemini"
)

// slowSeparate is THINK-03 in the words of the contract, character by character
// and with no thought of time.
func slowSeparate(s string) (content, inline string) {
	find := func(from int, tag string) int {
		for i := from; i+len(tag) <= len(s); i++ {
			ok := true
			for k := range len(tag) {
				c := s[i+k]
				if c >= 'A' && c <= 'Z' {
					c += 'a' - 'A'
				}
				ok = ok && c == tag[k]
			}
			if ok {
				return i
			}
		}
		return -1
	}
	var inner []string
	out, at := "", 0
	for {
		open := find(at, "<think>")
		if open < 0 {
			break
		}
		end := find(open+7, "</think>")
		if end < 0 {
			break
		}
		out += s[at:open] + " "
		inner = append(inner, s[open+7:end])
		at = end + 8
	}
	if inner == nil {
		return s, ""
	}
	out += s[at:]
	out = strings.ReplaceAll(out, "\t", " ")
	for strings.Contains(out, "  ") {
		out = strings.ReplaceAll(out, "  ", " ")
	}
	return strings.Trim(out, " \t\n\v\r\x00"), strings.Trim(strings.Join(inner, "\n"), " \t\n\v\r\x00")
}

func FuzzSeparate(f *testing.F) {
	for _, row := range thinkRows {
		f.Add(row.visible)
	}
	f.Add("<<think>></think>>\xff<think>\t\x00")
	f.Fuzz(func(t *testing.T, text string) {
		content, inline := gemini.Separate(text)
		if c, i := slowSeparate(text); content != c || inline != i {
			t.Errorf("%q: got %q and %q, want %q and %q", text, content, inline, c, i)
		}
	})
}
