package native

import (
	"slices"
	"strings"

	"example.com/replaycheck/internal/wire"
)

// ResponsesItem reads one input or output item of the Responses API.
func ResponsesItem(v wire.Value) Part {
	p := Part{Value: v}
	switch v.Get("type").Text() {
	case "function_call":
		p.Kind, p.Name, p.ID, p.Args = Call, v.Get("name").Text(), v.Get("call_id").Text(), v.Get("arguments").Text()
	case "function_call_output":
		p.Kind, p.ID, p.Body, p.Text = Result, v.Get("call_id").Text(), v.Get("output"), contentText(v.Get("output"))
	case "reasoning":
		p.Kind, p.Sig = Reasoning, v.Get("encrypted_content")
	case "message", "":
		if v.Get("type").Exists() || v.Get("role").Exists() { // else it is nothing known
			p.Kind, p.Text = Text, contentText(v.Get("content"))
		}
	}
	return p
}

// contentText returns the text of a content: a string, or the joined texts of
// a list of content parts.
func contentText(v wire.Value) string {
	if v.Kind() == wire.String {
		return v.Text()
	}
	var b strings.Builder
	for part := range v.Items() {
		b.WriteString(part.Get("text").Text())
	}
	return b.String()
}

func responsesRequest(root wire.Value) []Entry {
	input := root.Get("input")
	if input.Kind() == wire.String {
		return []Entry{{Role: "user", Value: input, Parts: []Part{{Kind: Text, Value: input, Text: input.Text()}}}}
	}
	var out []Entry
	for item := range input.Items() {
		role := item.Get("role").Text()
		p := ResponsesItem(item)
		if role == "" && p.Kind != Result {
			role = "assistant"
		}
		out = append(out, Entry{Role: role, Value: item, Parts: []Part{p}})
	}
	return out
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
