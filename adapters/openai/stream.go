package openai

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// Stream asks for the next message and yields it as it arrives: pieces of
// visible text, then one last delta with the completion, which equals that of
// ChatWithTools for the same reply. tools may be empty. The request is sent when
// the range begins, once per range; leaving the range ends the exchange.
//
// An error is yielded last, with the zero delta, and then no completion and no
// carrier comes: *chat.ConfigError before any contact, *chat.ConnectionError
// also for a stream that ends before the provider completed it (STREAM-02),
// *chat.ResponseError.
func (c *Client) Stream(ctx context.Context, msgs []chat.Message, tools []chat.ToolSpec, opts chat.Options) iter.Seq2[chat.Delta, error] {
	return func(yield func(chat.Delta, error) bool) {
		done, err := c.stream(ctx, msgs, tools, opts, func(text string) bool { return yield(chat.Delta{Text: text}, nil) })
		switch {
		case errors.Is(err, errLeft):
		case err != nil:
			yield(chat.Delta{}, err)
		default:
			yield(chat.Delta{Completion: &done}, nil)
		}
	}
}

// errLeft says that the caller left the range.
var errLeft = errors.New("openai: the range was left")

func (c *Client) stream(ctx context.Context, msgs []chat.Message, tools []chat.ToolSpec, opts chat.Options, each func(text string) bool) (chat.Completion, error) {
	asked, err := c.BuildRequest(msgs, tools, opts, true)
	if err != nil {
		return chat.Completion{}, err
	}
	req, err := c.newRequest(ctx, asked)
	if err != nil {
		return chat.Completion{}, err
	}
	ctx, cancel := c.bound(ctx)
	defer cancel()
	resp, err := c.post(req.WithContext(ctx))
	if err != nil {
		return chat.Completion{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	if !isEventStream(resp.Header) {
		return chat.Completion{}, answered(resp.StatusCode, c.errorBody(resp), reasonNoStream)
	}
	from := source{request: asked, status: resp.StatusCode}
	var p parser = &chatStream{source: from}
	if asked.Path == PathResponses {
		p = &responsesStream{source: from}
	}
	raw, err := read(ctx, from, wire.NewEventReader(&limited{in: resp.Body, left: c.limit}, math.MaxInt), p, each)
	if err != nil {
		return chat.Completion{}, err
	}
	done, err := p.completion()
	if err != nil {
		return chat.Completion{}, err
	}
	if opts.RawCapture {
		setMetadata(&done, chat.RawKey, list(raw))
	}
	return done, nil
}

// parser takes the events of one streamed reply.
type parser interface {
	// event takes one event's data and returns the visible text in it, and
	// whether the reply is complete with it. data is absent for "[DONE]".
	event(data wire.Value) (text string, complete bool, err error)
	// completion returns the whole reply, once event said it is complete.
	completion() (chat.Completion, error)
}

// read feeds events to the parser until the reply is complete. It returns the
// events' data, which is what a raw capture of a stream is.
func read(ctx context.Context, from source, events *wire.EventReader, p parser, each func(text string) bool) ([]string, error) {
	var raw []string
	for {
		ev, err := events.Next()
		switch {
		case errors.Is(err, errTooLong):
			return nil, tooLong(from.status)
		case errors.Is(err, io.EOF): // however clean the end, nothing completed the reply
			return nil, connectionError(ctx, "read stream", io.ErrUnexpectedEOF)
		case err != nil:
			return nil, connectionError(ctx, "read stream", err)
		}
		var data wire.Value
		if strings.TrimSpace(ev.Data) != "[DONE]" {
			data, err = wire.Parse(ev.Data)
			switch {
			case err != nil && ev.Open: // cut inside the event
				return nil, connectionError(ctx, "read stream", io.ErrUnexpectedEOF)
			case err != nil:
				return nil, rejected(from.status, ev.Data, reasonNotJSON)
			}
			raw = append(raw, data.Raw())
		}
		text, complete, err := p.event(data)
		if err != nil {
			return nil, err
		}
		if text != "" && !each(text) {
			return nil, errLeft
		}
		if complete {
			return raw, nil
		}
	}
}
