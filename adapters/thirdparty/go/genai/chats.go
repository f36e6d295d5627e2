package main

import (
	"context"

	"google.golang.org/genai"
)

// chatsAPI is the SDK's Chats API (examples/chats): the chat keeps the history,
// sends it with each message and adds each response to it.
func chatsAPI() way {
	return way{name: "genai-chats", open: func(ctx context.Context, client *genai.Client, model string, config *genai.GenerateContentConfig, history []*genai.Content) (conversation, error) {
		chat, err := client.Chats.Create(ctx, model, config, history)
		if err != nil {
			return nil, err
		}
		return &chatsConversation{chat}, nil
	}}
}

type chatsConversation struct{ chat *genai.Chat }

func (c *chatsConversation) send(ctx context.Context, parts []genai.Part) (reply, error) {
	var r reply
	resp, err := c.chat.SendMessage(ctx, parts...)
	if err != nil {
		return r, err
	}
	r.add(resp)
	return r, nil
}

func (c *chatsConversation) stream(ctx context.Context, parts []genai.Part) (reply, error) {
	var r reply
	for chunk, err := range c.chat.SendMessageStream(ctx, parts...) {
		if err != nil {
			return r, &streamError{err}
		}
		r.add(chunk)
	}
	return r, nil
}

// history is the comprehensive one: Chats.Create takes that, and derives the
// curated one, which it sends, by itself.
func (c *chatsConversation) history() []*genai.Content { return c.chat.History(false) }
