package reference

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/gemini"
	"example.com/replaycheck/adapters/openai"
	"example.com/replaycheck/internal/subject"
)

// client is what the adapters have in common.
type client interface {
	Chat(context.Context, []chat.Message, chat.Options) (chat.Completion, error)
	ChatWithTools(context.Context, []chat.Message, []chat.ToolSpec, chat.Options) (chat.Completion, error)
	Stream(context.Context, []chat.Message, []chat.ToolSpec, chat.Options) iter.Seq2[chat.Delta, error]
	Close()
}

// model asks the model of one leg.
type model struct {
	client client
	stream bool
	system []chat.Message // none or one
	tools  []chat.ToolSpec
	opts   chat.Options
	// build returns the body of the request of a conversation, unsent.
	build func([]chat.Message) (string, error)
}

// unsupportedError says that the subject has no adapter for a provider.
type unsupportedError struct{ provider string }

func (e *unsupportedError) Error() string {
	return fmt.Sprintf("reference: provider %q: got no adapter for it, want one of %s, %s, %s", e.provider, subject.Gemini, subject.OpenAIResponses, subject.OpenAIChat)
}

// open returns the model of a leg, asked through a client of the adapter's own
// where http is nil.
func open(l subject.Leg, tools []chat.ToolSpec, http *http.Client) (*model, error) {
	m := &model{stream: l.Stream, tools: tools}
	if l.Options != nil {
		m.opts.RawCapture = l.Options.RawCapture
	}
	if l.System != nil {
		m.system = []chat.Message{{Role: chat.System, Content: *l.System}}
	}
	switch l.Provider {
	case subject.Gemini:
		c, err := gemini.New(gemini.Config{BaseURL: l.BaseURL, APIKey: l.APIKey, Model: l.Model, HTTPClient: http})
		if err != nil {
			return nil, err
		}
		m.client = c
		m.build = func(msgs []chat.Message) (string, error) { return gemini.BuildRequest(msgs, m.tools, m.opts) }
	case subject.OpenAIResponses, subject.OpenAIChat:
		c, err := openai.New(openai.Config{
			BaseURL: l.BaseURL, APIKey: l.APIKey, Model: l.Model, HTTPClient: http,
			TreatAsOpenAI: l.Provider == subject.OpenAIResponses,
		})
		if err != nil {
			return nil, err
		}
		m.client = c
		m.build = func(msgs []chat.Message) (string, error) {
			r, err := c.BuildRequest(msgs, m.tools, m.opts, m.stream)
			return r.Body, err
		}
	default:
		return nil, &unsupportedError{l.Provider}
	}
	return m, nil
}

func (m *model) close() { m.client.Close() }

// request returns the conversation as this leg asks it: with its own system
// prompt, which is the leg's and not the conversation's.
func (m *model) request(messages []chat.Message) []chat.Message {
	return append(slices.Clip(m.system), messages...)
}

// ask gets the next message of the conversation.
func (m *model) ask(ctx context.Context, messages []chat.Message) (chat.Completion, error) {
	messages = m.request(messages)
	if !m.stream && len(m.tools) == 0 {
		return m.client.Chat(ctx, messages, m.opts)
	}
	if !m.stream {
		return m.client.ChatWithTools(ctx, messages, m.tools, m.opts)
	}
	for d, err := range m.client.Stream(ctx, messages, m.tools, m.opts) {
		if err != nil {
			return chat.Completion{}, streamError(err)
		}
		if d.Completion != nil {
			return *d.Completion, nil
		}
	}
	return chat.Completion{}, errors.New("reference: the stream ended without a completion")
}
