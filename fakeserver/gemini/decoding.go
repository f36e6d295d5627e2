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

func ids(r *Request) []rule.Hit {
	var out []rule.Hit
	for i := range r.parts {
		if p := &r.parts[i]; p.id.Exists() && p.id.Kind() != wire.Null {
			out = append(out, named("id", p.path()+"."+p.field()))
		}
	}
	return out
}

func lists(r *Request) []rule.Hit {
	var out []rule.Hit
	for i := range r.parts {
		p := &r.parts[i]
		if p.args.Kind() != wire.Array {
			continue
		}
		name := "args"
		if p.kind == result {
			name = "response"
		}
		out = append(out, named(name, p.path()+"."+p.field()))
	}
	return out
}

func unreadables(r *Request) []rule.Hit {
	var out []rule.Hit
	for i := range r.parts {
		p := &r.parts[i]
		if p.state != unreadable {
			continue
		}
		value := p.sig.Text()
		if p.sig.Kind() != wire.String {
			value = p.sig.Raw()
		}
		at := p.path() + ".thought_signature"
		out = append(out, rule.Hit{Field: at, Fill: []string{"{at}", at, "{value}", value}})
	}
	return out
}

func withoutData(signed bool) func(*Request) []rule.Hit {
	return func(r *Request) []rule.Hit {
		var out []rule.Hit
		for i := range r.parts {
			if p := &r.parts[i]; p.kind == empty && (p.state != unsigned) == signed {
				out = append(out, rule.Hit{Fill: []string{"{content}", strconv.Itoa(p.content), "{part}", strconv.Itoa(p.index)}})
			}
		}
		return out
	}
}
