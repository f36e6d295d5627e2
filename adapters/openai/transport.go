package openai

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// maxErrorBody bounds how much of an error answer is read.
const maxErrorBody = 1 << 20

// newTransport has the settings of the default transport, whose state others
// share.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          100,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

var errTooLong = errors.New("openai: the reply is over the size limit")

// limited reads at most left bytes and fails with errTooLong past them. A
// plain io.LimitReader would make a long reply look like one cut short.
type limited struct {
	in   io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.in.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n, errTooLong
	}
	return n, err
}

// post sends a request and returns the response when its status is a success.
// The caller closes the body.
func (c *Client) post(ctx context.Context, r Request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return nil, configError("base url: got one that makes no request, want one such as %s", DefaultBaseURL)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if r.stream {
		req.Header.Set("Accept", "text/event-stream")
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, connectionError(ctx, "send request", err)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	// What can be read is enough to say what the answer was.
	body, _ := io.ReadAll(io.LimitReader(resp.Body, min(maxErrorBody, c.limit)))
	reason := ""
	if resp.StatusCode < 400 {
		reason = reasonRedirect
	}
	return nil, answered(resp.StatusCode, string(body), reason)
}

// bound returns the context of one exchange.
func (c *Client) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.timeout < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.timeout)
}

// exchange makes one plain exchange and parses the reply.
func (c *Client) exchange(ctx context.Context, r Request, keepRaw bool) (chat.Completion, error) {
	ctx, cancel := c.bound(ctx)
	defer cancel()
	resp, err := c.post(ctx, r)
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
		done, err = from.response(v, v.Get("output"))
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
