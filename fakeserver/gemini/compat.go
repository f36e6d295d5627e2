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
	r := &Request{route: route, model: mint.Model(model), minted: m}
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
	sig := extra(v)
	if body.Exists() && body.Kind() != wire.Null && body.Text()+body.Raw() != `""` || sig.Exists() {
		add(part{kind: text, body: body, sig: sig})
	}
	for t := range v.Get("tool_calls").Items() {
		f := t.Get("function")
		args, _ := wire.Parse(f.Get("arguments").Text())
		c.calls++
		add(part{kind: call, body: f, name: f.Get("name"), args: args, sig: extra(t)})
	}
	c.to = len(r.parts)
}

// extra returns the signature beside a call or on a message.
func extra(v wire.Value) wire.Value {
	for _, vendor := range []string{"google", "vertex"} {
		of := v.Get("extra_content").Get(vendor)
		for _, name := range []string{"thought_signature", "thoughtSignature"} {
			if sig := of.Get(name); sig.Exists() {
				return sig
			}
		}
	}
	return wire.Value{}
}
