package openai

import (
	"cmp"
	"slices"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// responsesStream gathers a streamed Responses reply.
//
// The same item may appear three times, each time with another cipher: added,
// done and inside the completed response (wire-facts). We take the last: the
// completed response is the same object that a plain request would have been
// answered with, so plain and streamed carriers cannot differ in kind. Servers
// that leave its output out, or empty, are served from the done events.
type responsesStream struct {
	source
	done  []doneItem
	final wire.Value
}

type doneItem struct {
	index int
	item  wire.Value
}

func (s *responsesStream) event(data wire.Value) (string, bool, error) {
	switch data.Get("type").Text() {
	case "response.output_text.delta", "response.refusal.delta":
		return chat.PublicText(data.Get("delta")), false, nil
	case "response.output_item.done":
		// Arrival order where there is no index.
		at := len(s.done)
		if index := data.Get("output_index"); index.Kind() == wire.Number {
			at = count(index)
		}
		s.done = append(s.done, doneItem{at, data.Get("item")})
	case "response.completed", "response.incomplete":
		s.final = data.Get("response")
		s.body = s.final.Raw()
		return "", true, nil
	case "response.failed":
		return "", false, reported(s.status, data.Raw(), data.At("response.error"), reasonReported)
	case "error":
		report := data.Get("error") // the members are also seen without this wrapper
		if report.Kind() != wire.Object {
			report = data
		}
		return "", false, reported(s.status, data.Raw(), report, reasonReported)
	}
	return "", false, nil
}

func (s *responsesStream) completion() (chat.Completion, error) {
	slices.SortStableFunc(s.done, func(a, b doneItem) int { return cmp.Compare(a.index, b.index) })
	items := make([]wire.Value, len(s.done))
	for i, d := range s.done {
		items[i] = d.item
	}
	return s.response(s.final, items)
}
