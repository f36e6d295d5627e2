package openai

import (
	"math"
	"strconv"
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// The endpoints, below the base URL.
const (
	PathResponses = "/v1/responses"
	PathChat      = "/v1/chat/completions"
)

// Request is a request that could be sent: where it goes below the base URL,
// and its exact body.
type Request struct {
	Path   string
	Body   string
	model  string
	stream bool
}

// BuildRequest builds the request of a conversation without sending it. It
// changes nothing it is given, and the same input gives the same bytes
// (REPLAY-12). The error is a *chat.ConfigError.
func (c *Client) BuildRequest(msgs []chat.Message, tools []chat.ToolSpec, opts chat.Options, stream bool) (Request, error) {
	model := opts.Model
	if model == "" {
		model = c.model
	}
	if model == "" {
		return Request{}, configError("model: got none, want one")
	}
	p := profileOf(model, c.profiles)
	onResponses := len(tools) > 0 && c.openai && p.ToolsOnResponses
	var input []string
	if onResponses { // first of all, so that a bad carrier is always refused as one
		var err error
		if input, err = inputOf(msgs); err != nil {
			return Request{}, err
		}
	}
	if err := checkOptions(p, opts, onResponses); err != nil {
		return Request{}, err
	}
	if err := checkMessages(msgs); err != nil {
		return Request{}, err
	}
	if err := checkTools(tools); err != nil {
		return Request{}, err
	}
	r := Request{Path: PathChat, model: model, stream: stream}
	if onResponses {
		r.Path, r.Body = PathResponses, responsesBody(model, p, input, tools, opts, stream)
	} else {
		r.Body = chatBody(model, p, msgs, tools, opts, stream)
	}
	return r, nil
}

func checkOptions(p Profile, opts chat.Options, onResponses bool) error {
	if t := opts.Temperature; t != nil {
		switch {
		case !p.Temperature:
			return configError("temperature: got one, want none: model family %s takes only its default", p.Model)
		case !(*t >= 0 && *t <= math.MaxFloat64): // NaN is neither
			return configError("temperature: got %v, want a number from 0", *t)
		}
	}
	if opts.MaxTokens != nil && *opts.MaxTokens < 1 {
		return configError("max tokens: got %d, want 1 or more", *opts.MaxTokens)
	}
	if len(opts.Stop) > 0 && (onResponses || !p.Stop) {
		return configError("stop: got %d sequences, want none: model family %s does not take them here", len(opts.Stop), p.Model)
	}
	if s := opts.ResponseSchema; s != nil && !isObject(string(s)) {
		return configError("response schema: got no JSON object, want one")
	}
	return nil
}

func checkMessages(msgs []chat.Message) error {
	if len(msgs) == 0 {
		return configError("messages: got none, want at least one")
	}
	for i, m := range msgs {
		switch m.Role {
		case chat.System, chat.User, chat.Assistant:
		case chat.Tool:
			if m.ToolCallID == "" {
				return configError("messages[%d]: got a tool result without the ID of its call, want one", i)
			}
		default:
			return configError("messages[%d]: got an unknown role, want system, user, assistant or tool", i)
		}
		for j, call := range m.ToolCalls {
			if m.Role == chat.Assistant && (call.ID == "" || call.Name == "") {
				return configError("messages[%d].tool_calls[%d]: got no ID or no name, want both", i, j)
			}
		}
	}
	return nil
}

func checkTools(tools []chat.ToolSpec) error {
	for i, t := range tools {
		if t.Name == "" {
			return configError("tools[%d]: got no name, want one", i)
		}
		if t.Parameters != nil && !isObject(string(t.Parameters)) {
			return configError("tools[%d]: got parameters that are no JSON object, want a schema", i)
		}
	}
	return nil
}

func isObject(text string) bool {
	v, err := wire.Parse(text)
	return err == nil && v.Kind() == wire.Object
}

// parameters returns the schema of a tool as it is, and that of a tool without
// parameters spelled out: the Responses API demands one.
func parameters(t chat.ToolSpec) string {
	if t.Parameters == nil {
		return `{"type":"object","properties":{}}`
	}
	return string(t.Parameters)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// object writes a JSON object member by member, at least one, in the order of
// the calls.
// Raw values pass through untouched; encoding/json would rewrite them.
type object struct{ strings.Builder }

func (o *object) raw(name, value string) {
	if o.Len() == 0 {
		o.WriteByte('{')
	} else {
		o.WriteByte(',')
	}
	o.WriteString(`"` + name + `":`)
	o.WriteString(value)
}

func (o *object) text(name, value string) { o.raw(name, wire.Quote(value)) }

func (o *object) done() string {
	o.WriteByte('}')
	return o.String()
}

func list(items []string) string { return "[" + strings.Join(items, ",") + "]" }

func texts(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = wire.Quote(s)
	}
	return list(quoted)
}
