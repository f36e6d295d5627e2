package native

import "example.com/replaycheck/internal/wire"

// AnthropicBlock reads one content block of Anthropic Messages.
func AnthropicBlock(v wire.Value) Part {
	p := Part{Value: v}
	switch v.Get("type").Text() {
	case "text":
		p.Kind, p.Text = Text, v.Get("text").Text()
	case "thinking":
		p.Kind, p.Text, p.Sig = Thought, v.Get("thinking").Text(), v.Get("signature")
	case "redacted_thinking":
		p.Kind, p.Sig = Reasoning, v.Get("data")
	case "tool_use":
		p.Kind, p.ID, p.Name, p.Args = Call, v.Get("id").Text(), v.Get("name").Text(), v.Get("input").Raw()
	case "tool_result":
		p.Kind, p.ID, p.Body, p.Text = Result, v.Get("tool_use_id").Text(), v.Get("content"), contentText(v.Get("content"))
	}
	return p
}

func anthropicRequest(root wire.Value) []Entry {
	var out []Entry
	for m := range root.Get("messages").Items() {
		e := Entry{Role: m.Get("role").Text(), Value: m}
		content := m.Get("content")
		if content.Kind() == wire.String {
			e.Parts = []Part{{Kind: Text, Value: content, Text: content.Text()}}
		}
		for b := range content.Items() {
			e.Parts = append(e.Parts, AnthropicBlock(b))
		}
		out = append(out, e)
	}
	return out
}

// addAnthropic takes a whole message.
func (r *Reply) addAnthropic(message wire.Value) {
	for b := range message.Get("content").Items() {
		if b.Kind() == wire.Object {
			r.Parts = append(r.Parts, AnthropicBlock(b))
		}
	}
	r.Finish = message.Get("stop_reason").Text()
}

// addAnthropicEvent takes one event of a stream. Blocks come one after another,
// each begun before its deltas.
func (r *Reply) addAnthropicEvent(ev wire.Value) {
	delta := ev.Get("delta")
	switch ev.Get("type").Text() {
	case "content_block_start":
		if b := ev.Get("content_block"); b.Kind() == wire.Object {
			p := AnthropicBlock(b)
			if p.Kind == Call {
				p.Args = "" // {} stands for what is to come
			}
			r.Parts = append(r.Parts, p)
		}
	case "content_block_delta":
		if len(r.Parts) == 0 {
			return
		}
		p := &r.Parts[len(r.Parts)-1]
		p.Text += delta.Get("text").Text() + delta.Get("thinking").Text()
		p.Args += delta.Get("partial_json").Text()
		if sig := delta.Get("signature"); sig.Exists() {
			p.Sig = sig
		}
	case "content_block_stop":
		if n := len(r.Parts); n > 0 && r.Parts[n-1].Kind == Call && r.Parts[n-1].Args == "" {
			r.Parts[n-1].Args = "{}"
		}
	case "message_delta":
		if s := delta.Get("stop_reason"); s.Exists() {
			r.Finish = s.Text()
		}
	}
}
