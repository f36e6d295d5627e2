package oracles

import (
	"fmt"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

// history reports prompts that are missing or out of place.
func (c *comparer) history() {
	entry := 0
	for t := 0; t <= c.r.turn && t < len(c.v.prompts); t++ {
		found := c.prompt(c.v.prompts[t], entry)
		if found < 0 {
			change := result.Shrunk
			got := "absent: the user's message is missing"
			if c.prompt(c.v.prompts[t], 0) >= 0 {
				change, got = result.Reordered, "sent before it"
			}
			c.add(c.firstOf(t), ofHistory, Finding{
				Where: at(c.r, c.place(nil)), Change: change, Level: result.Provider,
				Want: fmt.Sprintf("user message %d after what came before it", t+1), Got: got,
			})
			continue
		}
		entry = found + 1
		for i := range c.a.wants {
			w, g := &c.a.wants[i], c.a.at[i]
			if g < 0 || w.step.turn != t {
				continue
			}
			if c.a.gots[g].entry < found {
				c.add(w, ofHistory, Finding{
					Where: at(c.r, c.a.gots[g].part.Value.Path()), Change: result.Reordered, Level: result.Provider,
					Want: fmt.Sprintf("%s after user message %d", w.step.label(), t+1), Got: "sent before it",
				})
				break
			}
			entry = max(entry, c.a.gots[g].entry+1)
		}
	}
}

// repeated reports prompts that were sent more often than they were given.
func (c *comparer) repeated() {
	given := map[string]int{}
	for _, p := range c.v.prompts[:min(c.r.turn+1, len(c.v.prompts))] {
		given[p]++
	}
	for _, e := range c.r.req.Entries {
		for _, p := range e.Parts {
			if n, known := given[p.Text]; !e.Model() && p.Kind == native.Text && known {
				if given[p.Text]--; n == 0 {
					c.add(c.firstOf(c.r.turn), ofHistory, Finding{
						Where: at(c.r, p.Value.Path()), Change: result.Duplicated, Level: result.Provider,
						Want: "each of the user's messages once", Got: describe(p) + " again",
					})
				}
			}
		}
	}
}

// firstOf returns an expected part of a user turn, or of the last one before.
func (c *comparer) firstOf(turn int) *want {
	var last *want
	for i := range c.a.wants {
		if w := &c.a.wants[i]; w.step.turn <= turn {
			last = w
			if w.step.turn == turn {
				return w
			}
		}
	}
	return last
}

// prompt returns the first entry from on that holds a prompt as user text, -1
// if there is none.
func (c *comparer) prompt(text string, from int) int {
	for i := from; i < len(c.r.req.Entries); i++ {
		e := c.r.req.Entries[i]
		if e.Model() {
			continue
		}
		for _, p := range e.Parts {
			if p.Kind == native.Text && p.Text == text {
				return i
			}
		}
	}
	return -1
}
