package native

import "example.com/replaycheck/internal/wire"

// GeminiPart reads one part of a Gemini content.
func GeminiPart(v wire.Value) Part { return reader{}.geminiPart(v) }

func (r reader) geminiPart(v wire.Value) Part {
	m := geminiMembers(v)
	p := Part{Value: v, Kind: m.kind(), Sig: m.sig()}
	switch p.Kind {
	case Call:
		call := m.call()
		p.Name, p.ID, p.Args = call.Get("name").Text(), call.Get("id").Text(), call.Get("args").Raw()
	case Result:
		result := m.result()
		p.Name, p.ID, p.Body = result.Get("name").Text(), result.Get("id").Text(), result.Get("response")
	case Thought, Text:
		p.Text = r.text(m.text)
	}
	return p
}

// geminiPart is the members of a part that it is told by, each in both
// spellings.
type geminiPart struct {
	text, thought wire.Value
	calls         [2]wire.Value
	results       [2]wire.Value
	sigs          [2]wire.Value
}

// geminiMembers goes through a part once. Of a repeated name the last one counts.
func geminiMembers(v wire.Value) geminiPart {
	var m geminiPart
	for name, value := range v.Members() {
		switch name {
		case "text":
			m.text = value
		case "thought":
			m.thought = value
		case "functionCall":
			m.calls[0] = value
		case "function_call":
			m.calls[1] = value
		case "functionResponse":
			m.results[0] = value
		case "function_response":
			m.results[1] = value
		case "thoughtSignature":
			m.sigs[0] = value
		case "thought_signature":
			m.sigs[1] = value
		}
	}
	return m
}

func (m *geminiPart) call() wire.Value   { return first(m.calls) }
func (m *geminiPart) result() wire.Value { return first(m.results) }
func (m *geminiPart) sig() wire.Value    { return first(m.sigs) }

func first(spellings [2]wire.Value) wire.Value {
	if spellings[0].Exists() {
		return spellings[0]
	}
	return spellings[1]
}

func (m *geminiPart) kind() Kind {
	switch {
	case m.call().Kind() == wire.Object:
		return Call
	case m.result().Kind() == wire.Object:
		return Result
	case m.text.Kind() == wire.String && m.thought.IsTrue():
		return Thought
	case m.text.Kind() == wire.String:
		return Text
	}
	return Other
}

// geminiContent is role and parts of a content.
func geminiContent(v wire.Value) (role string, parts wire.Value) {
	for name, m := range v.Members() {
		switch name {
		case "role":
			role = m.Text()
		case "parts":
			parts = m
		}
	}
	return role, parts
}

func (r reader) geminiEntry(v wire.Value) Entry {
	role, parts := geminiContent(v)
	e := Entry{Role: role, Value: v}
	if n := parts.Len(); n > 0 && parts.Kind() == wire.Array {
		e.Parts = make([]Part, 0, n)
	}
	for part := range parts.Items() {
		e.Parts = append(e.Parts, r.geminiPart(part))
	}
	return e
}

func geminiTells(v wire.Value) (role string, model, answers bool) {
	role = v.Get("role").Text()
	model, answers = looked(role, v.Get("parts"), geminiKind)
	return role, model, answers
}

func geminiKind(part wire.Value) Kind {
	// Most of a history is this.
	if name, m, ok := part.Sole(); ok && name == "text" && m.Kind() == wire.String {
		return Text
	}
	m := geminiMembers(part)
	return m.kind()
}

// addGemini adds the parts of one whole response to a reply: those of the
// candidate that is listed first.
func (r *Reply) addGemini(root wire.Value) { r.addCandidate(root.Get("candidates").Index(0)) }

// addGeminiChunk adds the parts of one chunk of a stream. Chunks number their
// candidates, and one may hold another candidate's piece alone.
func (r *Reply) addGeminiChunk(root wire.Value) {
	for c := range root.Get("candidates").Items() {
		if index := c.Get("index"); !index.Exists() || index.Raw() == "0" {
			r.addCandidate(c)
			return
		}
	}
}

func (r *Reply) addCandidate(first wire.Value) {
	for part := range first.Get("content").Get("parts").Items() {
		if part.Kind() == wire.Object {
			r.Parts = append(r.Parts, GeminiPart(part))
		}
	}
	if f := either(first, "finishReason", "finish_reason"); f.Exists() {
		r.Finish = f.Text()
	}
}
