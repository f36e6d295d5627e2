package gemini

import (
	"strconv"

	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/wire"
)

func named(name, at string) rule.Hit {
	return rule.Hit{Field: at, Fill: []string{"{name}", name, "{at}", at}}
}

func strangers(r *Request) []rule.Hit {
	var out []rule.Hit
	for _, s := range r.strangers {
		out = append(out, named(s.name, s.at()))
	}
	return out
}

// places returns a hit for each part that is as asked, up to a bound.
func (r *Request) places(hit func(*part) (rule.Hit, bool)) []rule.Hit {
	var out []rule.Hit
	for i := range r.parts {
		if h, ok := hit(&r.parts[i]); ok && len(out) < mostLines {
			out = append(out, h)
		}
	}
	return out
}

func ids(r *Request) []rule.Hit {
	return r.places(func(p *part) (rule.Hit, bool) {
		if !p.id.Exists() || p.id.Kind() == wire.Null {
			return rule.Hit{}, false
		}
		return named("id", p.path()+"."+p.field()), true
	})
}

func lists(r *Request) []rule.Hit {
	return r.places(func(p *part) (rule.Hit, bool) {
		if p.args.Kind() != wire.Array {
			return rule.Hit{}, false
		}
		name := "args"
		if p.kind == result {
			name = "response"
		}
		return named(name, p.path()+"."+p.field()), true
	})
}

func unreadables(r *Request) []rule.Hit {
	return r.places(func(p *part) (rule.Hit, bool) {
		if p.state != unreadable {
			return rule.Hit{}, false
		}
		value := p.sig.Text()
		if p.sig.Kind() != wire.String {
			value = p.sig.Raw()
		}
		at := p.path() + ".thought_signature"
		return rule.Hit{Field: at, Fill: []string{"{at}", at, "{value}", value}, Why: r.why(p)}, true
	})
}

func withoutData(signed bool) func(*Request) []rule.Hit {
	return func(r *Request) []rule.Hit {
		return r.places(func(p *part) (rule.Hit, bool) {
			if p.kind != empty || (p.state != unsigned) != signed {
				return rule.Hit{}, false
			}
			return rule.Hit{Fill: []string{"{content}", strconv.Itoa(p.content), "{part}", strconv.Itoa(p.index)}}, true
		})
	}
}
