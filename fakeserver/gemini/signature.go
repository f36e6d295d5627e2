package gemini

import (
	"strconv"

	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/wire"
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
	hit := rule.Hit{Fill: []string{"{name}", p.name.Text(), "{n}", strconv.Itoa(p.content + 1)}}
	if p.aside != "" {
		hit.Why = p.path() + ": " + p.besides()
	}
	return []rule.Hit{hit}
}

// besides says of a signature in the member of the other host what it is.
func (p *part) besides() string {
	return "the signature is in " + p.aside + ", which this endpoint does not read"
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

// hit is a part whose signature breaks a rule.
func (r *Request) hit(p *part) []rule.Hit { return []rule.Hit{{Why: r.why(p)}} }

// why says where a signature is and what is known of it.
func (r *Request) why(p *part) string {
	return p.path() + ": " + r.minted.Values.Why(mint.Gemini, "signature", r.text(p), r.model)
}

// text is a signature as it was registered: in the standard alphabet.
func (r *Request) text(p *part) string {
	if p.sig.Kind() != wire.String {
		return p.sig.Raw()
	}
	if len(p.at) > 0 {
		return r.minted.parts[p.at[0]].Sig.Text()
	}
	return p.sig.Text()
}

// notes are what people should know of signatures that no rule is known to
// refuse.
func (r *Request) notes() []string {
	var out []string
	add := func(p *part, text string) {
		if len(out) < mostLines {
			out = append(out, p.path()+": "+text)
		}
	}
	sits := make([][]*part, len(r.minted.parts)) // by the part that a signature was given for
	for i := range r.parts {
		p := &r.parts[i]
		switch {
		case p.aside != "":
			add(p, p.besides())
		case p.state == unknown || p.state == unreadable:
			add(p, r.minted.Values.Why(mint.Gemini, "signature", r.text(p), r.model))
		case p.state == known && len(p.at) > 0:
			seen := &sits[p.at[0]]
			switch of := &r.minted.parts[p.at[0]]; {
			case len(*seen) >= r.minted.times(p.at):
				add(p, "copied, "+(*seen)[0].path()+" has the same signature: "+of.says())
			case !r.minted.fits(p, p.at), !r.minted.said(p):
				add(p, "on other content than it was given for: "+of.says())
			}
			*seen = append(*seen, p)
		}
	}
	return out
}

// inTurn reports whether a signature of the current turn is as asked.
func (r *Request) inTurn(is func(*part) bool) []rule.Hit {
	for i := range r.parts {
		if p := &r.parts[i]; r.current(p) && is(p) {
			return r.hit(p)
		}
	}
	return nil
}

func corrupted(current bool) func(*Request) []rule.Hit {
	return func(r *Request) []rule.Hit {
		for i := range r.parts {
			if p := &r.parts[i]; p.state == unknown && r.current(p) == current {
				return r.hit(p)
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
		return hits
	}
	return notValid(r)
}

// asContents is a condition that holds on Google's own routes only.
func asContents(broken func(*Request) []rule.Hit) func(*Request) []rule.Hit {
	return func(r *Request) []rule.Hit {
		if r.chat {
			return nil
		}
		return broken(r)
	}
}
