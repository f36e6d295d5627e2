package openai

import (
	"strconv"

	"example.com/replaycheck/adapters/chat"
)

// chatBody writes a Chat Completions request. Messages have their wire shape
// only: a carrier is neither sent nor looked at, even a malformed one
// (FOREIGN-05).
func chatBody(model string, p Profile, msgs []chat.Message, tools []chat.ToolSpec, opts chat.Options, stream bool) string {
	var o object
	o.text("model", model)
	entries := make([]string, len(msgs))
	for i, m := range msgs {
		entries[i] = chatMessage(m)
	}
	o.raw("messages", list(entries))
	if len(tools) > 0 {
		specs := make([]string, len(tools))
		for i, t := range tools {
			specs[i] = chatTool(t)
		}
		o.raw("tools", list(specs))
	}
	if opts.Temperature != nil {
		o.raw("temperature", number(*opts.Temperature))
	}
	if opts.MaxTokens != nil {
		name := "max_tokens"
		if p.MaxCompletionTokens {
			name = "max_completion_tokens"
		}
		o.raw(name, strconv.Itoa(*opts.MaxTokens))
	}
	if len(opts.Stop) > 0 {
		o.raw("stop", texts(opts.Stop))
	}
	if opts.ResponseSchema != nil {
		o.raw("response_format", `{"type":"json_schema","json_schema":{"name":"response","schema":`+string(opts.ResponseSchema)+`}}`)
	}
	if stream {
		o.raw("stream", "true")
		o.raw("stream_options", `{"include_usage":true}`)
	}
	return o.done()
}

func chatMessage(m chat.Message) string {
	var o object
	o.text("role", string(m.Role))
	if m.Role == chat.Tool {
		o.text("tool_call_id", m.ToolCallID)
	}
	if m.Role != chat.Assistant || len(m.ToolCalls) == 0 {
		o.text("content", m.Content)
		return o.done()
	}
	if m.Content == "" {
		o.raw("content", "null") // no text is not the same as an empty text next to calls
	} else {
		o.text("content", m.Content)
	}
	calls := make([]string, len(m.ToolCalls))
	for i, call := range m.ToolCalls {
		calls[i] = chatCall(call)
	}
	o.raw("tool_calls", list(calls))
	return o.done()
}

func chatCall(call chat.ToolCall) string {
	var f, o object
	f.text("name", call.Name)
	f.text("arguments", call.Arguments)
	o.text("id", call.ID)
	o.text("type", "function")
	o.raw("function", f.done())
	return o.done()
}

func chatTool(t chat.ToolSpec) string {
	var f, o object
	f.text("name", t.Name)
	if t.Description != "" {
		f.text("description", t.Description)
	}
	f.raw("parameters", parameters(t))
	o.text("type", "function")
	o.raw("function", f.done())
	return o.done()
}
