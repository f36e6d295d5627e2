package gemini

import (
	"strconv"

	"example.com/replaycheck/fakeserver/rule"
)

// current reports whether a part is in the model's steps of the current turn.
func (r *Request) current(p *part) bool { return p.content > r.turn && r.contents[p.content].model }

// firstCall returns the first call of some contents, nil if there is none.
func (r *Request) firstCall(from, to int) *part {
	for i := r.contents[from].from; i < r.contents[to-1].to; i++ {
		if r.parts[i].kind == call {
			return &r.parts[i]
		}
	}
	return nil
}

func lacks(p *part) []rule.Hit {
	return []rule.Hit{{Fill: []string{"{name}", p.name.Text(), "{n}", strconv.Itoa(p.content + 1)}}}
}

func missingFirst(r *Request) []rule.Hit {
	for s := range r.steps {
		if s.from <= r.turn || s.calls == 0 {
			continue
		}
		if p := r.firstCall(s.from, s.to); p.state == unsigned {
			return lacks(p)
		}
	}
	return nil
}

// missingSplit is missingFirst for each entry by itself.
func missingSplit(r *Request) []rule.Hit {
	for i := r.turn + 1; i < len(r.contents); i++ {
		if p := r.firstCall(i, i+1); p != nil && p.state == unsigned {
			return lacks(p)
		}
	}
	return nil
}

// inTurn reports whether a signature of the current turn is as asked.
func (r *Request) inTurn(is func(*part) bool) []rule.Hit {
	for i := range r.parts {
		if p := &r.parts[i]; r.current(p) && is(p) {
			return broken(true)
		}
	}
	return nil
}

func corrupted(current bool) func(*Request) []rule.Hit {
	return func(r *Request) []rule.Hit {
		for i := range r.parts {
			if p := &r.parts[i]; p.state == unknown && r.current(p) == current {
				return broken(true)
			}
		}
		return nil
	}
}

func misplaced(r *Request) []rule.Hit {
	return r.inTurn(func(p *part) bool { return p.state == known && !r.minted.fits(p, p.at) })
}

func notValid(r *Request) []rule.Hit {
	if hits := misplaced(r); hits != nil {
		return hits
	}
	return r.inTurn(func(p *part) bool { return p.state == unknown })
}

func poor(r *Request) []rule.Hit {
	if hits := missingFirst(r); hits != nil {
		return broken(true)
	}
	return notValid(r)
}
