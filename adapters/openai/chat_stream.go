package openai

import (
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// chatStream gathers a streamed Chat Completions reply. [DONE] completes it.
type chatStream struct {
	source
	seen   bool // a choice
	model  wire.Value
	usage  wire.Value
	finish string
	text   strings.Builder
	calls  []*streamedCall
}

type streamedCall struct {
	index     string // literal of the index, "" where the server gives none
	id, name  string
	arguments strings.Builder
}

func (s *chatStream) event(data wire.Value) (string, bool, error) {
	if !data.Exists() {
		return "", true, nil
	}
	if report := data.Get("error"); report.Kind() == wire.Object {
		return "", false, reported(s.status, data.Raw(), report, reasonReported)
	}
	if s.body == "" {
		s.body = data.Raw() // what an error about the whole reply shows the shape of
	}
	if m := data.Get("model"); m.Text() != "" {
		s.model = m
	}
	if u := data.Get("usage"); u.Kind() == wire.Object {
		s.usage = u
	}
	choice := data.At("choices[0]")
	if !choice.Exists() {
		return "", false, nil // the chunk with the usage has none
	}
	s.seen = true
	if reason := chat.SafeCode(choice.Get("finish_reason").Text()); reason != "" {
		s.finish = reason
	}
	delta := choice.Get("delta")
	for call := range delta.Get("tool_calls").Items() {
		s.call(call)
	}
	text, err := s.visible(delta)
	s.text.WriteString(text)
	return text, false, err
}

// call adds a piece of a call. Pieces belong together by their index; some
// compatible servers leave it out, or give every parallel call the same one
// with an ID of its own.
func (s *chatStream) call(v wire.Value) {
	index, id, f := v.Get("index").Raw(), chat.PublicText(v.Get("id")), v.Get("function")
	var call *streamedCall
	for _, c := range s.calls {
		if c.index == index || index == "" && id == "" {
			call = c // the last one that fits
		}
	}
	if call == nil || id != "" && call.id != "" && call.id != id {
		call = &streamedCall{index: index}
		s.calls = append(s.calls, call)
	}
	if call.id == "" {
		call.id = id
	}
	if call.name == "" {
		call.name = chat.PublicText(f.Get("name"))
	}
	call.arguments.WriteString(chat.PublicText(f.Get("arguments")))
}

func (s *chatStream) completion() (chat.Completion, error) {
	if !s.seen {
		return chat.Completion{}, s.reject(reasonNoReply)
	}
	done := s.source.completion(s.model)
	done.Content = s.text.String()
	done.FinishReason = s.finish
	done.Usage = chatUsage(s.usage)
	for _, c := range s.calls {
		call := chat.ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments.String()}
		if call.ID == "" {
			call.ID = chat.NewCallID()
		}
		if err := s.addCall(&done, call); err != nil {
			return chat.Completion{}, err
		}
	}
	return done, nil
}
