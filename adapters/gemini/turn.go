package gemini

import (
	"slices"
	"strings"

	"example.com/replaycheck/adapters/replay"
	"example.com/replaycheck/internal/wire"
)

// modelParts returns the parts of a model turn: the native ones where the turn
// is Gemini's own, even none at all (REPLAY-09), else rebuilt.
func modelParts(e entry) string {
	if e.capsule == nil {
		return rebuiltParts(e)
	}
	parts := make([]string, len(e.capsule.Parts))
	for i, part := range e.capsule.Parts {
		parts[i] = replayedPart(part)
	}
	return strings.Join(parts, ",")
}

// rebuiltParts makes a turn from what every provider knows of it: visible text,
// then the calls. It is never signed and has no native ID (FOREIGN-07,
// CALLID-09).
func rebuiltParts(e entry) string {
	var parts []string
	if e.Content != "" || len(e.ToolCalls) == 0 {
		parts = append(parts, textPart(e.Content))
	}
	for _, call := range e.ToolCalls {
		parts = append(parts, `{"functionCall":{"name":`+wire.Quote(call.Name)+`,"args":`+argsObject(call.Arguments)+`}}`)
	}
	return strings.Join(parts, ",")
}

// resultParts returns the results of a turn, one for each call, in the order of
// the calls whatever order they came in (REPLAY-15). Names come from the stored
// calls by ID (REPLAY-11), native IDs from the capsule (CALLID-02).
func resultParts(e entry, results []entry) (string, error) {
	texts := map[string]string{}
	for _, r := range results {
		if _, twice := texts[r.ToolCallID]; twice {
			return "", configf("gemini: build request: message %d answers a call that has its result", r.index)
		}
		texts[r.ToolCallID] = r.Content
	}
	parts := make([]string, 0, len(e.ToolCalls))
	for _, i := range callOrder(e) {
		call := e.ToolCalls[i]
		text, ok := texts[call.ID]
		if !ok {
			return "", configf("gemini: build request: call %d of message %d has no result of its own", i, e.index)
		}
		delete(texts, call.ID)
		part := `{"functionResponse":{`
		if id, ok := e.ids[call.ID]; ok {
			part += `"id":` + id.Raw() + `,`
		}
		parts = append(parts, part+`"name":`+wire.Quote(call.Name)+`,"response":`+responseObject(text)+`}}`)
	}
	if len(texts) > 0 {
		return "", configf("gemini: build request: %d results after message %d answer none of its calls", len(texts), e.index)
	}
	return strings.Join(parts, ","), nil
}

// callOrder returns the indexes of a turn's public calls in the order in which
// the calls stand in the parts that are sent. The two orders differ where
// somebody reordered the public list (CALLID-03); the provider pairs results of
// calls without IDs by order.
func callOrder(e entry) []int {
	order := make([]int, len(e.ToolCalls))
	for i := range order {
		order[i] = i
	}
	if e.capsule == nil || len(order) < 2 {
		return order
	}
	places, ok := nativePlaces(e, e.capsule.Calls())
	if !ok {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return places[a] - places[b] })
	return order
}

// nativePlaces finds the native call of each public call: by ID where it has
// one, else the first free call without an ID that is equal. Equal calls without
// IDs keep the order of the list, there is nothing else to tell them by. False
// if some call has none.
func nativePlaces(e entry, natives []replay.Call) ([]int, bool) {
	places := make([]int, len(e.ToolCalls))
	taken := make([]bool, len(natives))
	for i, call := range e.ToolCalls {
		id, bound := e.ids[call.ID]
		at := slices.IndexFunc(natives, func(n replay.Call) bool {
			if bound {
				return n.ID.Text() == id.Text()
			}
			return !n.ID.Exists() && !taken[n.Index] && n.Equals(call)
		})
		if at < 0 {
			return nil, false
		}
		taken[at], places[i] = true, at
	}
	return places, true
}
