package native

import "example.com/replaycheck/internal/wire"

// AnthropicBlock reads one content block of Anthropic Messages.
func AnthropicBlock(v wire.Value) Part { return reader{}.anthropicBlock(v) }

func (r reader) anthropicBlock(v wire.Value) Part {
	p := Part{Value: v, Kind: anthropicKind(v)}
	p.Sig = v.Get("signature") // of thinking; on anything else it is one too many
	switch p.Kind {
	case Text:
		p.Text = r.text(v.Get("text"))
	case Thought:
		p.Text = r.text(v.Get("thinking"))
	case Reasoning:
		p.Sig = v.Get("data")
	case Call:
		p.ID, p.Name, p.Args = v.Get("id").Text(), v.Get("name").Text(), v.Get("input").Raw()
	case Result:
		p.ID, p.Body, p.Text = v.Get("tool_use_id").Text(), v.Get("content"), r.contentText(v.Get("content"))
	}
	return p
}

func anthropicKind(v wire.Value) Kind {
	switch v.Get("type").Text() {
	case "text":
		return Text
	case "thinking":
		return Thought
	case "redacted_thinking":
		return Reasoning
	case "tool_use":
		return Call
	case "tool_result":
		return Result
	}
	return Other
}

func (r reader) anthropicEntry(m wire.Value) Entry {
	e := Entry{Role: m.Get("role").Text(), Value: m}
	content := m.Get("content")
	if content.Kind() == wire.String {
		e.Parts = []Part{{Kind: Text, Value: content, Text: r.text(content)}}
	}
	for b := range content.Items() {
		e.Parts = append(e.Parts, r.anthropicBlock(b))
	}
	return e
}

func anthropicTells(m wire.Value) (role string, model, answers bool) {
	role = m.Get("role").Text()
	model, answers = looked(role, m.Get("content"), anthropicKind)
	return role, model, answers
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
// each begun before its deltas; what they are the beginning of is no object that
// anybody sent.
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
		p.Value = wire.Value{}
		p.Text += delta.Get("text").Text() + delta.Get("thinking").Text()
		p.Args += delta.Get("partial_json").Text()
		p.Sig = joined(p.Sig, delta.Get("signature"))
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
