package openai

import (
	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// chatReply parses a Chat Completions reply. It never gets a carrier: this API
// keeps no state of its own.
func (s source) chatReply(v wire.Value) (chat.Completion, error) {
	choice := v.At("choices[0]")
	message := choice.Get("message")
	if message.Kind() != wire.Object {
		if report := v.Get("error"); report.Kind() == wire.Object {
			return chat.Completion{}, reported(s.status, s.body, report, reasonReported)
		}
		return chat.Completion{}, s.reject(reasonNoReply)
	}
	done := s.completion(v.Get("model"))
	done.FinishReason = chat.SafeCode(choice.Get("finish_reason").Text())
	done.Usage = chatUsage(v.Get("usage"))
	text, err := s.visible(message)
	if err != nil {
		return chat.Completion{}, err
	}
	done.Content = text
	for call := range message.Get("tool_calls").Items() {
		if err := s.addCall(&done, chatToolCall(call)); err != nil {
			return chat.Completion{}, err
		}
	}
	return done, nil
}

// chatToolCall reads a call. Some compatible servers give their calls no ID;
// call and result go back with one of ours then.
func chatToolCall(v wire.Value) chat.ToolCall {
	f := v.Get("function")
	call := chat.ToolCall{ID: chat.PublicText(v.Get("id")), Name: chat.PublicText(f.Get("name")), Arguments: chat.PublicText(f.Get("arguments"))}
	if call.ID == "" {
		call.ID = chat.NewCallID()
	}
	return call
}

// visible returns the text of a message or delta. A refusal is what the model
// said instead of an answer, so it counts as text.
func (s source) visible(message wire.Value) (string, error) {
	content := message.Get("content")
	switch content.Kind() {
	case wire.String, wire.Null, wire.Absent:
		return chat.PublicText(content) + chat.PublicText(message.Get("refusal")), nil
	}
	return "", s.reject(reasonBadText)
}

func chatUsage(u wire.Value) chat.Usage {
	return chat.Usage{
		InputTokens:    count(u.Get("prompt_tokens")),
		OutputTokens:   count(u.Get("completion_tokens")),
		ThinkingTokens: count(u.At("completion_tokens_details.reasoning_tokens")),
		TotalTokens:    count(u.Get("total_tokens")),
	}
}
