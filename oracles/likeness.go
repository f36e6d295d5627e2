package oracles

import (
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// strong is the likeness that pairs two parts wherever they stand.
const strong = 4

// likeness scores how probably g is what became of w; 0: not at all.
func likeness(w want, g native.Part) int {
	p, score := w.part, 0
	textual := func(k native.Kind) bool { return k == native.Text || k == native.Thought }
	if p.Kind != g.Kind && !(textual(p.Kind) && textual(g.Kind)) {
		// An empty text without its text is {} (C2), a thought {"thought":true}.
		if textual(p.Kind) && p.Text == "" && !p.Sig.Exists() && reducedTo(p, g) {
			return 1
		}
		// A part reduced to its signature still answers its own.
		if p.Signed() && p.Sig.Text() == g.Sig.Text() {
			return strong
		}
		return 0
	}
	if p.Signed() && g.Sig.Text() == p.Sig.Text() {
		if score += 2; p.Kind != native.Call {
			score += 2 // calls have names and arguments to go by
		}
	}
	switch p.Kind {
	case native.Call:
		if p.Name != g.Name {
			return score
		}
		score += 2
		if p.Args == g.Args {
			score += 2
		}
		if p.ID != "" && p.ID == g.ID {
			score += 2
		}
	case native.Reasoning, native.Other:
		score++
		if p.Value.Get("id").Exists() && p.Value.Get("id").Text() == g.Value.Get("id").Text() {
			score += 4
		}
	default:
		if p.Text == g.Text {
			if score++; p.Text != "" {
				score += 3
			}
		} else if a, b := fold(p.Text), fold(g.Text); a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a)) {
			score += 2
		}
	}
	return score
}

// reducedTo reports whether g is p without its empty text.
func reducedTo(p, g native.Part) bool {
	if g.Value.Kind() != wire.Object || g.Value.Get("text").Exists() || g.Value.Len() != p.Value.Len()-1 {
		return false
	}
	for name, m := range g.Value.Members() {
		if !wire.SameTokens(m, p.Value.Get(name)) {
			return false
		}
	}
	return true
}

// fold drops what trimming and normalising change.
func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }
