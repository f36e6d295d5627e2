package openai

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// maxErrorBody bounds how much of an error answer is read.
const maxErrorBody = 1 << 20

// newTransport returns a copy of the default transport, whose state others
// share.
func newTransport() *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}    // where a program put something else in the default's place
	if d, ok := http.DefaultTransport.(*http.Transport); ok { //nolint:forbidigo // copied, not used
		t = d.Clone()
	}
	t.MaxIdleConnsPerHost = t.MaxIdleConns // they all go to one
	return t
}

var errTooLong = errors.New("openai: the reply is over the size limit")

// limited hands out at most left bytes and fails with errTooLong past them; the
// read that passes them hands out none. A plain io.LimitReader would make a long
// reply look like one cut short.
type limited struct {
	in   io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

// newRequest makes the HTTP request.
func (c *Client) newRequest(ctx context.Context, r Request) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+r.Path, strings.NewReader(r.Body))
	if err != nil { // the address was checked by New
		return nil, configError("context: got none, want one")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if r.stream {
		req.Header.Set("Accept", "text/event-stream")
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	return req, nil
}

// post sends a request and returns the response when its status is a success.
// The caller closes the body.
func (c *Client) post(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, connectionError(req.Context(), "send request", err)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	reason := ""
	if resp.StatusCode < 400 {
		reason = reasonRedirect
	}
	return nil, answered(resp.StatusCode, c.errorBody(resp), reason)
}

// errorBody reads the body of an answer that is no reply. What can be read is
// enough to say what it was.
func (c *Client) errorBody(resp *http.Response) string {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, min(maxErrorBody, c.limit)))
	return string(body)
}

// bound returns the context of one exchange.
func (c *Client) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.timeout)
}

// exchange makes one plain exchange and parses the reply.
func (c *Client) exchange(ctx context.Context, r Request, keepRaw bool) (chat.Completion, error) {
	req, err := c.newRequest(ctx, r)
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
	raw, err := io.ReadAll(&limited{in: resp.Body, left: c.limit})
	if errors.Is(err, errTooLong) {
		return chat.Completion{}, tooLong(resp.StatusCode)
	}
	if err != nil {
		return chat.Completion{}, connectionError(ctx, "read reply", err)
	}
	body := string(raw)
	v, err := wire.Parse(body)
	if err != nil || v.Kind() != wire.Object {
		return chat.Completion{}, rejected(resp.StatusCode, body, reasonNotJSON)
	}
	from := source{request: r, status: resp.StatusCode, body: body}
	var done chat.Completion
	if r.Path == PathResponses {
		done, err = from.response(v, nil)
	} else {
		done, err = from.chatReply(v)
	}
	if err != nil {
		return chat.Completion{}, err
	}
	if keepRaw {
		setMetadata(&done, chat.RawKey, v.Raw())
	}
	return done, nil
}

func tooLong(status int) error {
	return &chat.ResponseError{Provider: Provider, Status: status, Reason: reasonTooLong, Shape: "over the limit"}
}

func isEventStream(h http.Header) bool {
	value := h.Get("Content-Type")
	if value == "" {
		return true // some servers say nothing, and the events speak for themselves
	}
	kind, _, err := mime.ParseMediaType(value)
	return err == nil && kind == "text/event-stream"
}
