package native

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/replaycheck/internal/wire"
)

// ParseRequest reads the history of a request body. The error says where the
// body stops being JSON; a body of another shape has no entries.
func ParseRequest(api API, body string) (Request, error) {
	root, err := wire.Parse(body)
	if err != nil {
		return Request{API: api}, err
	}
	read := map[API]func(wire.Value) []Entry{
		Gemini: geminiRequest, Vertex: geminiRequest, GeminiOpenAI: chatRequest, Responses: responsesRequest, Chat: chatRequest, Anthropic: anthropicRequest,
	}[api]
	if read == nil {
		return Request{API: api, Root: root}, fmt.Errorf("native: read request: got API %q, want one of %q", api, APIs())
	}
	return Request{API: api, Root: root, Entries: read(root)}, nil
}

// ParseReply reads the turn of a reply body in any of its forms: one JSON
// object, a JSON list of chunks (Gemini), or server-sent events.
func ParseReply(api API, body string) (Reply, error) {
	r := Reply{API: api}
	add := map[API]func(wire.Value){
		Gemini: r.addGemini, Vertex: r.addGemini, GeminiOpenAI: r.addChat, Responses: r.addResponses, Chat: r.addChat, Anthropic: r.addAnthropic,
	}[api]
	if add == nil {
		return r, fmt.Errorf("native: read reply: got API %q, want one of %q", api, APIs())
	}
	switch trimmed := strings.TrimLeft(body, " \r\n\t"); {
	case strings.HasPrefix(trimmed, "{"):
		root, err := wire.Parse(body)
		if err != nil {
			return r, err
		}
		add(root)
		return r, nil
	case strings.HasPrefix(trimmed, "["):
		if api == Gemini || api == Vertex {
			add = r.addGeminiChunk
		}
		return r, r.chunks(wire.NewArrayReader(strings.NewReader(body), 0).Next, add)
	}
	switch api {
	case Gemini, Vertex:
		add = r.addGeminiChunk
	case Responses:
		add = r.addResponsesEvent
	case Anthropic:
		add = r.addAnthropicEvent
	}
	events := wire.NewEventReader(strings.NewReader(body), 0)
	return r, r.chunks(func() (string, error) {
		ev, err := events.Next()
		return ev.Data, err
	}, add)
}

// APIs returns all APIs.
func APIs() []API { return []API{Gemini, Vertex, GeminiOpenAI, Responses, Chat, Anthropic} }

func (r *Reply) chunks(next func() (string, error), add func(wire.Value)) error {
	for {
		text, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if text == "[DONE]" {
			continue
		}
		root, err := wire.Parse(text)
		if err != nil {
			return err
		}
		add(root)
	}
}
