package native

import "example.com/replaycheck/internal/wire"

// GeminiPart reads one part of a Gemini content.
func GeminiPart(v wire.Value) Part {
	p := Part{Value: v, Sig: either(v, "thoughtSignature", "thought_signature")}
	call := either(v, "functionCall", "function_call")
	result := either(v, "functionResponse", "function_response")
	text := v.Get("text")
	switch {
	case call.Kind() == wire.Object:
		p.Kind, p.Name, p.ID = Call, call.Get("name").Text(), call.Get("id").Text()
		p.Args = call.Get("args").Raw()
	case result.Kind() == wire.Object:
		p.Kind, p.Name, p.ID = Result, result.Get("name").Text(), result.Get("id").Text()
		p.Body = result.Get("response")
	case text.Kind() == wire.String && v.Get("thought").IsTrue():
		p.Kind, p.Text = Thought, text.Text()
	case text.Kind() == wire.String:
		p.Kind, p.Text = Text, text.Text()
	}
	return p
}

func geminiRequest(root wire.Value) []Entry {
	var out []Entry
	for c := range root.Get("contents").Items() {
		e := Entry{Role: c.Get("role").Text(), Value: c}
		for part := range c.Get("parts").Items() {
			e.Parts = append(e.Parts, GeminiPart(part))
		}
		out = append(out, e)
	}
	return out
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
