package gemini

import (
	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/wire"
)

// CheckChat is Check for the OpenAI-compatible endpoint, whose messages stand
// for contents. Its errors are in a list.
func CheckChat(root wire.Value, route string, c rule.Choice, m *Minted) (*rule.Refusal, []string) {
	if c.Profile.Name == rule.RecordOnly {
		return nil, nil
	}
	return check(readChat(root, route, c.Model, m), List, c)
}

// readChat reads messages as the contents that they stand for: those of the
// system are none, tool messages in a row are one.
func readChat(root wire.Value, route, model string, m *Minted) *Request {
	r := &Request{route: route, chat: true, model: mint.Model(model), minted: m}
	afterTool := false
	for v := range root.Get("messages").Items() {
		role := v.Get("role").Text()
		if role == "system" || role == "developer" {
			continue
		}
		if role != "tool" || !afterTool {
			r.contents = append(r.contents, content{from: len(r.parts), model: role == "assistant"})
		}
		afterTool = role == "tool"
		r.addMessage(v, role, &r.contents[len(r.contents)-1])
	}
	r.findTurn()
	return r
}

func (r *Request) addMessage(v wire.Value, role string, c *content) {
	add := func(p part) {
		p.content, p.index = len(r.contents)-1, len(r.parts)-c.from
		r.judge(&p)
		r.parts = append(r.parts, p)
		c.to = len(r.parts)
		c.all++
	}
	body := v.Get("content")
	if role == "tool" {
		c.results++
		add(part{kind: result, body: body})
		return
	}
	sig, aside := r.extra(v)
	if body.Exists() && body.Kind() != wire.Null && body.Text()+body.Raw() != `""` || sig.Exists() || aside != "" {
		add(part{kind: text, body: body, sig: sig, aside: aside})
	}
	for t := range v.Get("tool_calls").Items() {
		f := t.Get("function")
		args, _ := wire.Parse(f.Get("arguments").Text())
		c.calls++
		sig, aside := r.extra(t)
		add(part{kind: call, body: f, name: f.Get("name"), args: args, sig: sig, aside: aside})
	}
	c.to = len(r.parts)
}

// vendors are the members that hold signatures, the route's own first: Vertex has a
// name of its own for it.
func (r *Request) vendors() [2]string {
	if r.route == Vertex {
		return [2]string{"vertex", "google"}
	}
	return [2]string{"google", "vertex"}
}

// extra returns the signature beside a call or on a message. One in the member of
// the other host is none, unless a reply had that one too, as those that are
// written by hand may; aside names its member then.
func (r *Request) extra(v wire.Value) (sig wire.Value, aside string) {
	of := v.Get("extra_content")
	for i, vendor := range r.vendors() {
		for _, name := range []string{"thought_signature", "thoughtSignature"} {
			switch sig := of.Get(vendor).Get(name); {
			case !sig.Exists():
			case i == 0 || r.minted.vendors[vendor]:
				return sig, ""
			default:
				return wire.Value{}, "extra_content." + vendor
			}
		}
	}
	return wire.Value{}, ""
}
