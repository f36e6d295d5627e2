package native

import (
	"slices"
	"strings"

	"example.com/replaycheck/internal/wire"
)

// ResponsesItem reads one input or output item of the Responses API.
func ResponsesItem(v wire.Value) Part { return reader{}.responsesItem(v) }

func (r reader) responsesItem(v wire.Value) Part {
	p := Part{Value: v, Kind: responsesKind(v)}
	switch p.Kind {
	case Call:
		p.Name, p.ID, p.Args = v.Get("name").Text(), v.Get("call_id").Text(), v.Get("arguments").Text()
	case Result:
		p.ID, p.Body, p.Text = v.Get("call_id").Text(), v.Get("output"), r.contentText(v.Get("output"))
	case Reasoning:
		p.Sig = v.Get("encrypted_content")
	case Text:
		p.Text = r.contentText(v.Get("content"))
	}
	return p
}

func responsesKind(v wire.Value) Kind { return responsesKindOf(v.Get("type"), v.Get("role")) }

func responsesKindOf(kind, role wire.Value) Kind {
	switch kind.Text() {
	case "function_call":
		return Call
	case "function_call_output":
		return Result
	case "reasoning":
		return Reasoning
	case "message", "":
		if kind.Exists() || role.Exists() { // else it is nothing known
			return Text
		}
	}
	return Other
}

// contentText returns the text of a content: a string, or the joined texts of
// a list of content parts.
func (r reader) contentText(v wire.Value) string {
	if v.Kind() == wire.String {
		return r.text(v)
	}
	var b strings.Builder
	for part := range v.Items() {
		b.WriteString(r.text(part.Get("text")))
		if r.most > 0 && b.Len() >= r.most {
			break
		}
	}
	return b.String()
}

func (r reader) responsesEntry(item wire.Value) Entry {
	if item.Kind() == wire.String { // the whole input
		return Entry{Role: "user", Value: item, Parts: []Part{{Kind: Text, Value: item, Text: r.text(item)}}}
	}
	p := r.responsesItem(item)
	return Entry{Role: responsesRole(item.Get("role"), p.Kind), Value: item, Parts: []Part{p}}
}

// responsesRole is an item's role: what is nobody's and no result is the model's.
func responsesRole(role wire.Value, kind Kind) string {
	if text := role.Text(); text != "" || kind == Result {
		return text
	}
	return "assistant"
}

func responsesTells(item wire.Value) (role string, model, answers bool) {
	if item.Kind() == wire.String {
		return "user", false, false
	}
	said := item.Get("role")
	kind := responsesKindOf(item.Get("type"), said)
	role = responsesRole(said, kind)
	return role, speaks(role) || kind == Call || kind == Reasoning, kind == Result
}

// addResponses takes the output of a whole response object.
func (r *Reply) addResponses(response wire.Value) {
	parts := r.Parts
	r.Parts = nil
	for item := range response.Get("output").Items() {
		if item.Kind() == wire.Object {
			p := ResponsesItem(item)
			for _, earlier := range parts {
				if sameItem(earlier, p) {
					p.Minted = append(slices.Clone(earlier.Minted), earlier.Sig.Text())
				}
			}
			r.Parts = append(r.Parts, p)
		}
	}
	if len(r.Parts) == 0 {
		r.Parts = parts
	}
	r.Finish = response.Get("status").Text()
}

func sameItem(a, b Part) bool {
	id := a.Value.Get("id").Text()
	return id != "" && id == b.Value.Get("id").Text()
}

// addResponsesEvent takes one event of a Responses stream.
func (r *Reply) addResponsesEvent(ev wire.Value) {
	switch ev.Get("type").Text() {
	case "response.output_item.added", "response.output_item.done":
		item := ev.Get("item")
		if item.Kind() != wire.Object {
			return
		}
		p := ResponsesItem(item)
		for i, earlier := range r.Parts {
			if sameItem(earlier, p) {
				p.Minted = append(slices.Clone(earlier.Minted), earlier.Sig.Text())
				r.Parts[i] = p
				return
			}
		}
		r.Parts = append(r.Parts, p)
	case "response.completed", "response.incomplete":
		r.addResponses(ev.Get("response"))
	}
}

// Elsewhere reports whether a request names a history that the provider keeps, so that
// it need not be in it: of the APIs here Responses has that (previous_response_id,
// conversation). null names none.
func Elsewhere(api API, root wire.Value) bool {
	named := func(member string) bool {
		v := root.Get(member)
		return v.Exists() && v.Kind() != wire.Null
	}
	return api == Responses && (named("previous_response_id") || named("conversation"))
}
