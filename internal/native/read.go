package native

import (
	"errors"
	"fmt"
	"io"
	"iter"
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
	return ReadRequest(api, root)
}

// ReadRequest is ParseRequest of a body that is read as JSON already.
func ReadRequest(api API, root wire.Value) (Request, error) {
	out := Request{API: api, Root: root}
	entry := reader{}.entry(api)
	if entry == nil {
		return out, fmt.Errorf("native: read request: got API %q, want one of %q", api, APIs())
	}
	list := history(api, root)
	if n := list.Len(); n > 0 && list.Kind() == wire.Array {
		out.Entries = make([]Entry, 0, n)
	}
	for v := range entries(api, list) {
		out.Entries = append(out.Entries, entry(v))
	}
	return out, nil
}

// reader reads texts, from most bytes on not to their end; 0: all of them. Who
// only wants to know how one begins need not resolve all of it.
// inner: texts are left as they are written, escapes and all.
type reader struct {
	most  int
	inner bool
}

func (r reader) text(v wire.Value) string {
	switch {
	case r.inner:
		return v.Inner()
	case r.most == 0:
		return v.Text()
	}
	return v.Head(r.most)
}

// entry returns what reads one entry, nil for an unknown API.
func (r reader) entry(api API) func(wire.Value) Entry {
	switch api {
	case Gemini, Vertex:
		return r.geminiEntry
	case GeminiOpenAI, Chat:
		return r.chatEntry
	case Responses:
		return r.responsesEntry
	case Anthropic:
		return r.anthropicEntry
	}
	return nil
}

// history is where a request has its entries.
func history(api API, root wire.Value) wire.Value {
	switch api {
	case Gemini, Vertex:
		return root.Get("contents")
	case Responses:
		return root.Get("input")
	}
	return root.Get("messages")
}

// entries yields the entries of a list, or the one that a string stands for.
func entries(api API, list wire.Value) iter.Seq[wire.Value] {
	return func(yield func(wire.Value) bool) {
		if api == Responses && list.Kind() == wire.String {
			yield(list)
			return
		}
		list.Items()(yield)
	}
}

// ParseReply reads the turn of a reply body in any of its forms: one JSON
// object, a JSON list of chunks (Gemini), or server-sent events.
func ParseReply(api API, body string) (Reply, error) {
	r := Reply{API: api}
	add := r.adder()
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

// adder returns what takes a whole reply, nil for an unknown API.
func (r *Reply) adder() func(wire.Value) {
	switch r.API {
	case Gemini, Vertex:
		return r.addGemini
	case GeminiOpenAI, Chat:
		return r.addChat
	case Responses:
		return r.addResponses
	case Anthropic:
		return r.addAnthropic
	}
	return nil
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
