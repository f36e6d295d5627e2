package openai

import (
	"slices"
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// response parses a finished response object. earlier are the items that a
// stream brought before it, for servers that leave the output out there, or
// empty. A reply with items gets them as its carrier, whether it has calls or
// not: the next request of the conversation has to hold them all (OPENAI-03).
func (s source) response(v wire.Value, earlier []wire.Value) (chat.Completion, error) {
	output := slices.Collect(v.Get("output").Items())
	if len(output) == 0 {
		output = earlier
	}
	status := v.Get("status").Text()
	switch {
	case status == "failed" || v.Get("error").Kind() == wire.Object:
		return chat.Completion{}, reported(s.status, s.body, v.Get("error"), reasonReported)
	case status != "" && status != "completed" && status != "incomplete":
		return chat.Completion{}, s.reject(reasonUnended)
	case len(output) == 0 && v.Get("output").Kind() != wire.Array:
		return chat.Completion{}, s.reject(reasonNoReply)
	}
	done := s.completion(v.Get("model"))
	done.Usage = responsesUsage(v.Get("usage"))
	items, err := s.finished(output)
	if err != nil {
		return chat.Completion{}, err
	}
	var text, summary strings.Builder
	for _, item := range items {
		switch item.Get("type").Text() {
		case "message":
			for part := range item.Get("content").Items() {
				text.WriteString(chat.PublicText(part.Get("text")) + chat.PublicText(part.Get("refusal")))
			}
		case "reasoning":
			for part := range item.Get("summary").Items() {
				if summary.Len() > 0 {
					summary.WriteByte('\n')
				}
				summary.WriteString(chat.PublicText(part.Get("text")))
			}
		case "function_call":
			if err := s.addCall(&done, responsesCall(item)); err != nil {
				return chat.Completion{}, err
			}
		}
	}
	done.Content = text.String()
	if summary.Len() > 0 {
		thinking := summary.String()
		done.Thinking = &thinking
	}
	done.FinishReason = finishReason(v, len(done.ToolCalls) > 0)
	if carrier := replayable(items); len(carrier) > 0 {
		setMetadata(&done, chat.ItemsKey, list(carrier))
	}
	return done, nil
}

func responsesCall(item wire.Value) chat.ToolCall {
	return chat.ToolCall{
		ID:        chat.PublicText(item.Get("call_id")),
		Name:      chat.PublicText(item.Get("name")),
		Arguments: chat.PublicText(item.Get("arguments")),
	}
}

// finished returns the output items up to the first call that broke off. Its
// arguments are cut, so it cannot run, and without an output it cannot go back.
func (s source) finished(output []wire.Value) ([]wire.Value, error) {
	for i, item := range output {
		if item.Kind() != wire.Object {
			return nil, s.reject(reasonBadItem)
		}
		if item.Get("type").Text() == "function_call" && item.Get("status").Text() == "incomplete" {
			return output[:i], nil
		}
	}
	return output, nil
}

// replayable returns the raw items that can go back. Reasoning at the end, of a
// reply that broke off while thinking, is left out: the provider refuses a
// reasoning item without the item that followed it (OPENAI-04).
func replayable(items []wire.Value) []string {
	n := len(items)
	for n > 0 && items[n-1].Get("type").Text() == "reasoning" {
		n--
	}
	raw := make([]string, n)
	for i, item := range items[:n] {
		raw[i] = item.Raw()
	}
	return raw
}

func finishReason(v wire.Value, calls bool) string {
	if v.Get("status").Text() == "incomplete" {
		switch reason := chat.SafeCode(v.At("incomplete_details.reason").Text()); reason {
		case "max_output_tokens":
			return "length"
		case "":
			return "incomplete"
		default:
			return reason // content_filter, or a newer word
		}
	}
	if calls {
		return "tool_calls"
	}
	return "stop"
}

func responsesUsage(u wire.Value) chat.Usage {
	return chat.Usage{
		InputTokens:    count(u.Get("input_tokens")),
		OutputTokens:   count(u.Get("output_tokens")),
		ThinkingTokens: count(u.At("output_tokens_details.reasoning_tokens")),
		TotalTokens:    count(u.Get("total_tokens")),
	}
}
