package gemini

import (
	"encoding/json"
	"strconv"
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/replay"
	"example.com/replaycheck/internal/wire"
)

// turn gathers one model turn from one reply or from the chunks of a stream.
// All kinds of requests read their replies through it, so that they agree.
type turn struct {
	status int // HTTP status, for errors
	parts  []wire.Value
	finish string
	usage  wire.Value
	model  string
	raws   []string
}

// What add reads.
const (
	wholeReply = false
	chunk      = true
)

// add takes in a reply or the next chunk of one. Parts that are not objects are
// left out (REPLAY-01). The error is a *chat.ResponseError.
func (t *turn) add(root wire.Value, part bool) error {
	if root.Kind() != wire.Object {
		return rejected(t.status, reasonNotReply, root.Raw())
	}
	if root.Get("error").Kind() == wire.Object {
		return errorChunk(t.status, root)
	}
	t.raws = append(t.raws, root.Raw())
	if u := root.Get("usageMetadata"); u.Kind() == wire.Object {
		t.usage = u
	}
	if m := root.Get("modelVersion"); m.Text() != "" {
		t.model = chat.PublicText(m)
	}
	candidates := root.Get("candidates")
	if !candidates.Exists() || candidates.Kind() == wire.Null || candidates.Kind() == wire.Array && candidates.Len() == 0 {
		return t.withoutCandidate(root, part)
	}
	if candidates.Kind() != wire.Array {
		return rejected(t.status, reasonNotReply, root.Raw())
	}
	first := candidates.Index(0)
	if part {
		first = candidateZero(candidates)
	}
	switch first.Kind() {
	case wire.Absent: // a chunk of other candidates
		return nil
	case wire.Object:
	default:
		return rejected(t.status, reasonNotReply, root.Raw())
	}
	if word := first.Get("finishReason").Text(); word != "" {
		t.finish = word
	}
	if t.finish == missingSignature {
		// A normal status, but the provider refused the request.
		return &chat.ResponseError{Provider: Provider, Status: t.status, Code: missingSignature, Reason: reasonUnsigned, Shape: chat.BodyShape(root.Raw())}
	}
	if !t.addParts(first.Get("content")) {
		return rejected(t.status, reasonNotReply, root.Raw())
	}
	return nil
}

// withoutCandidate judges a reply that has no candidate. A chunk may be that,
// with usage alone.
func (t *turn) withoutCandidate(root wire.Value, part bool) error {
	if block := root.Get("promptFeedback").Get("blockReason"); block.Text() != "" {
		return &chat.ResponseError{Provider: Provider, Status: t.status, Code: chat.SafeCode(block.Text()), Reason: reasonBlocked, Shape: chat.BodyShape(root.Raw())}
	}
	if part {
		return nil
	}
	return rejected(t.status, reasonNoCandidate, root.Raw())
}

// candidateZero returns the first candidate of a chunk; absent where the chunk
// holds others only. Chunks number their candidates, a reply lists them.
func candidateZero(candidates wire.Value) wire.Value {
	for c := range candidates.Items() {
		if index := c.Get("index"); !index.Exists() || index.Raw() == "0" {
			return c
		}
	}
	return wire.Value{}
}

func (t *turn) addParts(content wire.Value) bool {
	parts := content.Get("parts")
	switch {
	case !content.Exists(), content.Kind() == wire.Null:
		return true
	case content.Kind() != wire.Object:
		return false
	case !parts.Exists(), parts.Kind() == wire.Null:
		return true
	case parts.Kind() != wire.Array:
		return false
	}
	for p := range parts.Items() {
		if p.Kind() == wire.Object {
			t.parts = append(t.parts, p)
		}
	}
	return true
}

// completion makes the completion of a whole turn. Model is what was asked for.
// The error is a *chat.ResponseError.
func (t *turn) completion(model string, capture bool) (chat.Completion, error) {
	calls, bindings, ok := publicCalls(t.parts)
	if !ok {
		return chat.Completion{}, &chat.ResponseError{Provider: Provider, Status: t.status, Reason: reasonCallID, Shape: "a reply"}
	}
	visible, native := splitText(t.parts)
	content, inline := separate(visible)
	c := chat.Completion{
		Content:      content,
		Thinking:     thinking(native, inline),
		ToolCalls:    calls,
		Usage:        usageOf(t.usage),
		Model:        model,
		Provider:     Provider,
		FinishReason: finishReason(t.finish, len(calls) > 0),
	}
	if t.model != "" {
		c.Model = t.model
	}
	if len(calls) > 0 || signed(t.parts) {
		c.Metadata = map[string]json.RawMessage{chat.ItemsKey: replay.NewCarrier(rawParts(t.parts), bindings)}
	}
	if capture {
		if c.Metadata == nil {
			c.Metadata = map[string]json.RawMessage{}
		}
		c.Metadata[chat.RawKey] = t.captured()
	}
	return c, nil
}

// captured returns the response as it came: the reply, or the list of a
// stream's chunks.
func (t *turn) captured() json.RawMessage {
	if len(t.raws) == 1 {
		return json.RawMessage(t.raws[0])
	}
	return json.RawMessage("[" + strings.Join(t.raws, ",") + "]")
}

func rawParts(parts []wire.Value) []string {
	raws := make([]string, len(parts))
	for i, p := range parts {
		raws[i] = p.Raw()
	}
	return raws
}

// signed reports whether a part has a signature, whatever its value: REPLAY-02
// asks for the member, not for a usable string.
func signed(parts []wire.Value) bool {
	for _, p := range parts {
		if p.Get("thoughtSignature").Exists() {
			return true
		}
	}
	return false
}

// splitText joins the visible and the native thought text of parts (THINK-01,
// THINK-02). Only a literal true marks a thought.
func splitText(parts []wire.Value) (visible, native string) {
	var v, n strings.Builder
	for _, p := range parts {
		if p.Get("thought").IsTrue() {
			n.WriteString(chat.PublicText(p.Get("text")))
		} else {
			v.WriteString(chat.PublicText(p.Get("text")))
		}
	}
	return v.String(), n.String()
}

// publicCalls gives each named call of the turn a fresh public ID (REPLAY-10)
// and binds it to the native one where there is one (CALLID-01). False if a
// native ID is there but no non-empty string, or not unique (CALLID-04).
func publicCalls(parts []wire.Value) ([]chat.ToolCall, []replay.Binding, bool) {
	var calls []chat.ToolCall
	var bindings []replay.Binding
	seen := map[string]bool{}
	for _, p := range parts {
		native, ok := replay.NativeCall(p)
		if !ok {
			continue
		}
		call := chat.ToolCall{ID: chat.NewCallID(), Name: native.Name, Arguments: `{}`}
		if native.Args.Exists() {
			call.Arguments = strings.ToValidUTF8(native.Args.Raw(), "\uFFFD")
		}
		calls = append(calls, call)
		if !native.ID.Exists() {
			continue
		}
		id := native.ID.Text()
		if id == "" || seen[id] {
			return nil, nil, false
		}
		seen[id] = true
		bindings = append(bindings, replay.Binding{ToolCallID: call.ID, NativeID: id})
	}
	return calls, bindings, true
}

// finishReason translates the provider's word. Words without a common meaning
// stay as they are.
func finishReason(word string, calls bool) string {
	switch word {
	case "STOP":
		if calls {
			return "tool_calls"
		}
		return "stop"
	case "MAX_TOKENS":
		return "length"
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY":
		return "content_filter"
	}
	return word
}

func usageOf(v wire.Value) chat.Usage {
	count := func(name string) int {
		n, err := strconv.Atoi(v.Get(name).Raw())
		if err != nil {
			return 0
		}
		return n
	}
	return chat.Usage{
		InputTokens:    count("promptTokenCount"),
		OutputTokens:   count("candidatesTokenCount"),
		ThinkingTokens: count("thoughtsTokenCount"),
		TotalTokens:    count("totalTokenCount"),
	}
}
