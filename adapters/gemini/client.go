// Package gemini is a client for generateContent on the Gemini API. It sends
// the model's own turns back exactly as they came: native parts are slices of
// the reply's text on their way from one socket to the next, never decoded and
// encoded again.
package gemini

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// Provider is the name in completions and errors.
const Provider = "gemini"

// Defaults of Config.
const (
	DefaultBaseURL          = "https://generativelanguage.googleapis.com"
	DefaultTimeout          = 10 * time.Minute
	DefaultMaxResponseBytes = 64 << 20
)

// Config says how to reach the API. Only APIKey has no usable zero value.
type Config struct {
	// BaseURL is the address without API version; it may have a path prefix.
	// "" means DefaultBaseURL. It must hold no user, query or fragment, where
	// keys would end up in logs.
	BaseURL string
	// APIKey is sent in the header x-goog-api-key and nowhere else.
	APIKey string `json:"-"`
	// Model is used where Options.Model is empty. "" means that every request
	// names its model. "models/" in front is understood.
	Model string
	// Timeout bounds one exchange from dialling to the last byte, a stream's
	// too. 0 means DefaultTimeout, less than 0 none but the context's.
	Timeout time.Duration
	// MaxResponseBytes bounds one response body, a whole stream's too. 0 or
	// less means DefaultMaxResponseBytes.
	MaxResponseBytes int64
	// HTTPClient is used with its own transport and timeout, but redirects are
	// never followed: they would take the key along. nil means a transport of
	// the client's own, whose idle connections Close closes.
	HTTPClient *http.Client `json:"-"`
}

// String hides the key.
func (c Config) String() string {
	return fmt.Sprintf("gemini.Config{BaseURL:%q Model:%q}", c.BaseURL, c.Model)
}

// GoString hides the key.
func (c Config) GoString() string { return c.String() }

// LogValue hides the key.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Client talks to one Gemini API. It is safe for concurrent use and keeps
// nothing of a conversation.
type Client struct {
	base    string
	key     string
	model   string
	timeout time.Duration
	limit   int64
	http    *http.Client
	own     bool
}

// New checks the configuration and makes a client; it contacts nobody. The
// error is a *chat.ConfigError.
func New(cfg Config) (*Client, error) {
	base, err := baseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if cfg.APIKey == "" {
		return nil, configf("gemini: configure: no API key")
	}
	if strings.ContainsFunc(cfg.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, configf("gemini: configure: the API key holds characters that no header can")
	}
	c := &Client{base: base, key: cfg.APIKey, model: cfg.Model, timeout: cfg.Timeout, limit: cfg.MaxResponseBytes}
	if c.timeout == 0 {
		c.timeout = DefaultTimeout
	}
	if c.limit <= 0 {
		c.limit = DefaultMaxResponseBytes
	}
	c.http = &http.Client{}
	if cfg.HTTPClient != nil {
		*c.http = *cfg.HTTPClient
	} else {
		c.http.Transport, c.own = newTransport(), true
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// newTransport has the settings of the default transport, whose state others
// share. The environment's proxy is not used for loopback addresses.
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

func baseURL(s string) (string, error) {
	if s == "" {
		return DefaultBaseURL, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", configf("gemini: configure: base URL: want http or https, a host and at most a path")
	}
	if u.User != nil || strings.ContainsAny(s, "?#") {
		return "", configf("gemini: configure: base URL: user, query and fragment are not allowed")
	}
	return strings.TrimRight(s, "/"), nil
}

// Close closes the idle connections of the client's own transport. It does
// nothing where Config.HTTPClient was given.
func (c *Client) Close() {
	if c.own {
		c.http.CloseIdleConnections()
	}
}

// String hides the key.
func (c *Client) String() string {
	return fmt.Sprintf("gemini.Client{base:%q model:%q}", c.base, c.model)
}

// GoString hides the key.
func (c *Client) GoString() string { return c.String() }

// LogValue hides the key.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Chat asks for the next message of a conversation without offering tools.
// Carriers of earlier turns are replayed all the same (REPLAY-08).
//
// Errors: *chat.ConfigError before any contact, *chat.ConnectionError,
// *chat.ResponseError. With an error the completion is the zero value.
func (c *Client) Chat(ctx context.Context, messages []chat.Message, opts chat.Options) (chat.Completion, error) {
	return c.ChatWithTools(ctx, messages, nil, opts)
}

// ChatWithTools is Chat that also offers tools. No tools are no error.
func (c *Client) ChatWithTools(ctx context.Context, messages []chat.Message, tools []chat.ToolSpec, opts chat.Options) (chat.Completion, error) {
	resp, err := c.open(ctx, messages, tools, opts, "generateContent")
	if err != nil {
		return chat.Completion{}, err
	}
	defer resp.Close()
	text, err := io.ReadAll(resp)
	if err != nil {
		return chat.Completion{}, resp.failure("read reply", err)
	}
	root, err := wire.Parse(string(text))
	if err != nil {
		return chat.Completion{}, rejected(resp.status, reasonNotJSON, string(text))
	}
	t := turn{status: resp.status}
	if err := t.add(root, wholeReply); err != nil {
		return chat.Completion{}, err
	}
	return t.completion(c.modelOf(opts), opts.RawCapture)
}

// open builds and sends a request and returns its answer, an error answer as
// the error. The response must be closed.
func (c *Client) open(ctx context.Context, messages []chat.Message, tools []chat.ToolSpec, opts chat.Options, method string) (*response, error) {
	body, err := BuildRequest(messages, tools, opts)
	if err != nil {
		return nil, err
	}
	model := c.modelOf(opts)
	if model == "" {
		return nil, configf("gemini: send request: no model")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1beta/"+resourceOf(model)+":"+method, strings.NewReader(body))
	if err != nil { // the address was checked: the context is nil
		return nil, configf("gemini: send request: no context")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Goog-Api-Key", c.key)
	var cancel context.CancelFunc
	if c.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	return c.exchange(req.WithContext(ctx), cancel)
}

func (c *Client) exchange(req *http.Request, cancel context.CancelFunc) (*response, error) {
	answer, err := c.http.Do(req) //nolint:bodyclose // response.Close closes it
	if err != nil {
		err = &chat.ConnectionError{Provider: Provider, Action: "send request", Err: cause(err)}
		cancel()
		return nil, err
	}
	resp := &response{status: answer.StatusCode, body: answer.Body, left: c.limit, cancel: cancel}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		defer resp.Close()
		text, err := io.ReadAll(resp)
		switch { // the status is known even if the body is not
		case resp.over():
			return nil, &chat.ResponseError{Provider: Provider, Status: resp.status, Shape: "over the limit"}
		case err != nil:
			return nil, &chat.ResponseError{Provider: Provider, Status: resp.status, Reason: reasonNoBody, Shape: "cut short"}
		}
		return nil, answered(resp.status, string(text))
	}
	return resp, nil
}

func (c *Client) modelOf(opts chat.Options) string {
	model := opts.Model
	if model == "" {
		model = c.model
	}
	return strings.TrimPrefix(model, "models/")
}

// resourceOf returns the path of a model. Tuned models have a collection of
// their own.
func resourceOf(model string) string {
	if name, ok := strings.CutPrefix(model, "tunedModels/"); ok {
		return "tunedModels/" + url.PathEscape(name)
	}
	return "models/" + url.PathEscape(model)
}

func configf(format string, args ...any) error {
	return &chat.ConfigError{Message: fmt.Sprintf(format, args...)}
}
