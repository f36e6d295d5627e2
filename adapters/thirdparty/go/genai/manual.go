package main

import (
	"context"
	"slices"

	"google.golang.org/genai"
)

// byHand is Models.GenerateContent with a history that the application keeps:
// the user's entry is added before a request, the content of the first
// candidate after it. Google's guides to function calling and to thought
// signatures show it so (https://ai.google.dev/gemini-api/docs/function-calling).
func byHand() way {
	return way{name: "genai-manual", open: func(_ context.Context, client *genai.Client, model string, config *genai.GenerateContentConfig, history []*genai.Content) (conversation, error) {
		return &manualConversation{models: client.Models, model: model, config: config, contents: slices.Clone(history)}, nil
	}}
}

type manualConversation struct {
	models   *genai.Models
	model    string
	config   *genai.GenerateContentConfig
	contents []*genai.Content
}

func (c *manualConversation) send(ctx context.Context, parts []genai.Part) (reply, error) {
	var r reply
	c.contents = append(c.contents, userEntry(parts))
	resp, err := c.models.GenerateContent(ctx, c.model, c.contents, c.config)
	if err != nil {
		return r, err
	}
	r.add(resp)
	if len(resp.Candidates) > 0 && resp.Candidates[0].Content != nil {
		c.contents = append(c.contents, resp.Candidates[0].Content)
	}
	return r, nil
}

// stream collects the content of each chunk and adds all of them as one, as
// the SDK's example examples/chats/chat_stream.go ("Merge streaming response
// contents into a single Content") does.
func (c *manualConversation) stream(ctx context.Context, parts []genai.Part) (reply, error) {
	var r reply
	var chunks []*genai.Content
	c.contents = append(c.contents, userEntry(parts))
	for chunk, err := range c.models.GenerateContentStream(ctx, c.model, c.contents, c.config) {
		if err != nil {
			return r, &streamError{err}
		}
		r.add(chunk)
		if len(chunk.Candidates) > 0 && chunk.Candidates[0].Content != nil {
			chunks = append(chunks, chunk.Candidates[0].Content)
		}
	}
	if merged := mergeContents(chunks); merged != nil {
		c.contents = append(c.contents, merged)
	}
	return r, nil
}

func (c *manualConversation) history() []*genai.Content { return c.contents }

// mergeContents makes one content of all parts, nil of no content.
func mergeContents(contents []*genai.Content) *genai.Content {
	if len(contents) == 0 {
		return nil
	}
	merged := &genai.Content{}
	for _, content := range contents {
		if merged.Role == "" {
			merged.Role = content.Role
		}
		merged.Parts = append(merged.Parts, content.Parts...)
	}
	return merged
}

func userEntry(parts []genai.Part) *genai.Content {
	entry := &genai.Content{Role: genai.RoleUser}
	for _, p := range parts {
		entry.Parts = append(entry.Parts, &p)
	}
	return entry
}
