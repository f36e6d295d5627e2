package gemini

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"math"

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
// also for a stream that breaks off (STREAM-02), *chat.ResponseError.
func (c *Client) Stream(ctx context.Context, messages []chat.Message, tools []chat.ToolSpec, opts chat.Options) iter.Seq2[chat.Delta, error] {
	return func(yield func(chat.Delta, error) bool) {
		resp, err := c.open(ctx, messages, tools, opts, "streamGenerateContent?alt=sse")
		if err != nil {
			yield(chat.Delta{}, err)
			return
		}
		defer resp.Close()
		t := turn{status: resp.status}
		more, err := c.readChunks(resp, &t, yield)
		if !more {
			return
		}
		var done chat.Completion
		if err == nil {
			done, err = t.completion(c.modelOf(opts), opts.RawCapture)
		}
		if err != nil {
			yield(chat.Delta{}, err)
			return
		}
		yield(chat.Delta{Completion: &done}, nil)
	}
}

// readChunks reads the stream to its clean end. Parts after the finish reason
// count. More is false when the caller left the range.
func (c *Client) readChunks(resp *response, t *turn, yield func(chat.Delta, error) bool) (more bool, err error) {
	next := chunkReader(resp)
	for {
		text, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return true, resp.failure("read stream", err)
		}
		root, err := wire.Parse(text)
		if err != nil {
			return true, rejected(t.status, reasonNotJSON, text)
		}
		from := len(t.parts)
		if err := t.add(root, chunk); err != nil {
			return true, err
		}
		if visible, _ := splitText(t.parts[from:]); visible != "" && !yield(chat.Delta{Text: visible}, nil) {
			return false, nil
		}
	}
	if t.finish == "" {
		return true, &chat.ConnectionError{Provider: Provider, Action: "read stream", Err: io.ErrUnexpectedEOF}
	}
	return true, nil
}

// chunkReader tells the forms of a stream by their first byte, since gateways
// get the content type wrong: a JSON list, server-sent events, or one reply from
// a gateway that does not stream. The function returns io.EOF after the proper
// end.
func chunkReader(resp *response) func() (string, error) {
	in := bufio.NewReader(resp)
	first, err := firstByte(in)
	if err != nil {
		return func() (string, error) { return "", err }
	}
	const limit = math.MaxInt // the response itself is bounded
	switch first {
	case '[':
		return wire.NewArrayReader(in, limit).Next
	case '{':
		return wholeBody(in)
	}
	events := wire.NewEventReader(in, limit)
	return func() (string, error) {
		for {
			ev, err := events.Next()
			switch {
			case err != nil:
				return "", err
			case ev.Open && !wire.Valid(ev.Data): // cut inside the event
				return "", io.ErrUnexpectedEOF
			case ev.Data != "[DONE]": // some gateways add that
				return ev.Data, nil
			}
		}
	}
}

func wholeBody(in io.Reader) func() (string, error) {
	read := false
	return func() (string, error) {
		if read {
			return "", io.EOF
		}
		read = true
		text, err := io.ReadAll(in)
		return string(text), err
	}
}

// firstByte skips white space and shows the byte after it.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, in.UnreadByte()
		}
	}
}
