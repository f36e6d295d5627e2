package native

import "example.com/replaycheck/internal/wire"

func (r reader) chatEntry(m wire.Value) Entry {
	e := Entry{Role: m.Get("role").Text(), Value: m}
	if content := m.Get("content"); e.Role == "tool" {
		e.Parts = []Part{{Kind: Result, Value: m, ID: m.Get("tool_call_id").Text(), Body: content, Text: r.contentText(content)}}
	} else {
		e.Parts = r.chatParts(m)
	}
	return e
}

// chatParts returns the text, if any, and the calls of a message.
func (r reader) chatParts(m wire.Value) []Part {
	var out []Part
	if text, sig := r.contentText(m.Get("content")), extraSig(m); text != "" || sig.Exists() {
		out = append(out, Part{Kind: Text, Value: m.Get("content"), Text: text, Sig: sig})
	}
	for c := range m.Get("tool_calls").Items() {
		f := c.Get("function")
		out = append(out, Part{Kind: Call, Value: c, ID: c.Get("id").Text(), Name: f.Get("name").Text(), Args: f.Get("arguments").Text(), Sig: extraSig(c)})
	}
	return out
}

func chatTells(m wire.Value) (role string, model, answers bool) {
	role = m.Get("role").Text()
	answers = role == "tool"
	model = speaks(role) || !answers && m.Get("tool_calls").Kind() == wire.Array && m.Get("tool_calls").Len() > 0
	return role, model, answers
}

// extraSig returns the signature that Google's OpenAI-compatible endpoint puts
// beside a call or on a message, on whichever host; absent from everybody
// else's.
func extraSig(v wire.Value) wire.Value { return ExtraSig(v, "google", "vertex") }

// ExtraSig is the signature beside a call or on a message that stands in the first
// of some members of its extra_content that has one, absent where none does.
func ExtraSig(v wire.Value, vendors ...string) wire.Value {
	extra := v.Get("extra_content")
	for _, vendor := range vendors {
		if sig := either(extra.Get(vendor), "thought_signature", "thoughtSignature"); sig.Exists() {
			return sig
		}
	}
	return wire.Value{}
}

// addChat takes a whole completion or one chunk of a stream.
func (r *Reply) addChat(root wire.Value) {
	choice := root.Get("choices").Index(0)
	if f := choice.Get("finish_reason"); f.Kind() == wire.String {
		r.Finish = f.Text()
	}
	if m := choice.Get("message"); m.Exists() {
		r.Parts = append(r.Parts, reader{}.chatParts(m)...)
		return
	}
	delta := choice.Get("delta")
	if text, sig := delta.Get("content").Text(), extraSig(delta); text != "" || sig.Exists() {
		r.addText(text, sig)
	}
	for c := range delta.Get("tool_calls").Items() {
		r.addCall(c)
	}
}

// addText adds to the text of a streamed message, which stands first.
func (r *Reply) addText(text string, sig wire.Value) {
	if len(r.Parts) == 0 || r.Parts[0].Kind != Text {
		r.Parts = append([]Part{{Kind: Text}}, r.Parts...)
	}
	r.Parts[0].Text += text
	r.Parts[0].Sig = joined(r.Parts[0].Sig, sig)
}

// joined is an opaque value of a stream with one more piece of it. The whole of
// it once more adds nothing.
func joined(value, piece wire.Value) wire.Value {
	switch {
	case value.Text() == "":
		if piece.Exists() {
			return piece
		}
		return value
	case piece.Text() == "" || piece.Text() == value.Text():
		return value
	}
	out, err := wire.Parse(wire.Quote(value.Text() + piece.Text()))
	if err != nil { // a quoted string is JSON
		return piece
	}
	return out
}

// addCall adds a piece of a streamed call: of the call that has its index, or
// of the last one where it has none, as Google's endpoint sends them.
func (r *Reply) addCall(c wire.Value) {
	index, f := c.Get("index").Raw(), c.Get("function")
	if id := c.Get("id").Text(); id != "" {
		r.Parts = append(r.Parts, Part{Kind: Call, ID: id, Name: f.Get("name").Text()})
		r.indexes = append(r.indexes, index)
	}
	// The calls stand last, one per index.
	at := len(r.indexes) - 1
	for i, known := range r.indexes {
		if index != "" && index == known {
			at = i
		}
	}
	if at < 0 {
		return
	}
	p := &r.Parts[len(r.Parts)-len(r.indexes)+at]
	p.Args += f.Get("arguments").Text()
	p.Sig = joined(p.Sig, extraSig(c))
}
