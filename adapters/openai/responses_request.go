package openai

import (
	"strconv"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/replay"
)

// responsesBody writes a Responses request. Nothing is kept at the provider
// (store, OPENAI-02), so each turn's own items go back with every request.
func responsesBody(model string, p Profile, input []string, tools []chat.ToolSpec, opts chat.Options, stream bool) string {
	var o object
	o.text("model", model)
	o.raw("store", "false")
	if p.Reasoning {
		o.raw("include", `["reasoning.encrypted_content"]`)
	}
	o.raw("input", list(input))
	specs := make([]string, len(tools))
	for i, t := range tools {
		specs[i] = responsesTool(t)
	}
	o.raw("tools", list(specs))
	if opts.Temperature != nil {
		o.raw("temperature", number(*opts.Temperature))
	}
	if opts.MaxTokens != nil {
		o.raw("max_output_tokens", strconv.Itoa(*opts.MaxTokens))
	}
	if opts.ResponseSchema != nil {
		o.raw("text", `{"format":{"type":"json_schema","name":"response","schema":`+string(opts.ResponseSchema)+`}}`)
	}
	if stream {
		o.raw("stream", "true")
	}
	return o.done()
}

// inputOf returns the input items of a conversation. The error is
// chat.ErrReplayState.
func inputOf(msgs []chat.Message) ([]string, error) {
	var input []string
	for _, m := range msgs {
		items, err := inputItems(m)
		if err != nil {
			return nil, err
		}
		input = append(input, items...)
	}
	return input, nil
}

// inputItems returns the input items of one message.
func inputItems(m chat.Message) ([]string, error) {
	switch m.Role {
	case chat.Assistant:
		return turnItems(m)
	case chat.Tool:
		var o object
		o.text("type", "function_call_output")
		o.text("call_id", m.ToolCallID)
		o.text("output", m.Content)
		return []string{o.done()}, nil
	}
	var o object
	o.text("role", string(m.Role))
	o.text("content", m.Content)
	return []string{o.done()}, nil
}

// turnItems returns the items of an assistant turn: its own ones exactly as the
// provider wrote them (FOREIGN-04, OPENAI-03), else rebuilt from visible text
// and calls (FOREIGN-01). A carrier that is malformed or ambiguous is refused,
// whoever owns it (REFUSE).
func turnItems(m chat.Message) ([]string, error) {
	carrier, err := replay.Read(m.ProviderItems)
	if err != nil {
		return nil, err
	}
	if carrier.Capsule != nil || len(carrier.Items) == 0 {
		return rebuilt(m), nil
	}
	items := make([]string, len(carrier.Items))
	for i, item := range carrier.Items {
		items[i] = item.Raw()
	}
	return items, nil
}

// rebuilt writes a turn that this provider does not own: the text first, and
// only if there is any, then the calls. The calls get no id: an invented one
// would make the provider look for the reasoning that belongs to it.
func rebuilt(m chat.Message) []string {
	var items []string
	if m.Content != "" {
		var o object
		o.text("type", "message")
		o.text("role", "assistant")
		o.text("content", m.Content)
		items = append(items, o.done())
	}
	for _, call := range m.ToolCalls {
		var o object
		o.text("type", "function_call")
		o.text("call_id", call.ID)
		o.text("name", call.Name)
		o.text("arguments", call.Arguments)
		items = append(items, o.done())
	}
	return items
}

func responsesTool(t chat.ToolSpec) string {
	var o object
	o.text("type", "function")
	o.text("name", t.Name)
	if t.Description != "" {
		o.text("description", t.Description)
	}
	o.raw("parameters", parameters(t))
	o.raw("strict", "false")
	return o.done()
}
