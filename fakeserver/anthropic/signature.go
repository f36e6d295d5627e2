package anthropic

import (
	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/fakeserver/rule"
)

// because is find with what is known of each block that is asked for, "" for
// those that are not.
func (r *Request) because(why func(n, m int, b block) string) []rule.Hit {
	for n, t := range r.turns {
		for m, b := range t.blocks {
			if text := why(n, m, b); text != "" {
				hits := at(n, m)
				hits[0].Why = rule.Fill("messages[{n}].content[{m}]: ", hits...) + text
				return hits
			}
		}
	}
	return nil
}

// edited reports whether thinking that this server gave out came back with
// another text.
func (r *Request) edited(b block) bool {
	texts := r.minted.thinking[b.secret.Text()]
	return b.kind == thinking && texts != nil && !texts[b.text]
}

func modified(r *Request) []rule.Hit {
	return r.because(func(n, _ int, b block) string {
		if n != r.lastOwn || !r.edited(b) {
			return ""
		}
		return "the text of its thinking was edited: " + r.why(b)
	})
}

func notValid(r *Request) []rule.Hit {
	var last map[int]int // reply → the last of its blocks in the message
	return r.because(func(_, m int, b block) string {
		if m == 0 {
			last = map[int]int{}
		}
		if b.kind != thinking {
			return ""
		}
		sig := b.secret.Text()
		own, placed := r.minted.places[sig]
		before, seen := last[own.reply]
		if placed {
			last[own.reply] = own.block
		}
		switch {
		case !r.minted.knows(sig), rule.OtherModel(sig, r.model):
			return r.why(b)
		case r.edited(b):
			return "the text of its thinking was edited: " + r.why(b)
		case placed && seen && before > own.block:
			return "thinking of one reply in another order: " + r.why(b)
		}
		return ""
	})
}

func (r *Request) why(b block) string {
	return r.minted.Values.Why(mint.Anthropic, "signature", b.secret.Text(), r.model)
}

// knows reports whether this server gave a signature out, in an earlier life
// too.
func (m *Minted) knows(sig string) bool {
	if m.thinking[sig] != nil {
		return true
	}
	_, genuine := m.Values.Genuine(mint.Anthropic, sig)
	return genuine
}

func notOurs(r *Request) []rule.Hit {
	return r.because(func(_, _ int, b block) string {
		if b.kind != redacted || r.minted.redacted[b.secret.Text()] {
			return ""
		}
		return r.minted.Values.Why(mint.Anthropic, "data", b.secret.Text(), r.model)
	})
}
