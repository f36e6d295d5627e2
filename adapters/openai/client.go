// Package openai talks to the OpenAI API and to servers that are compatible
// with it: Chat Completions for most requests, the Responses API where a model
// keeps its reasoning across tool calls.
//
// State that a Responses reply left behind travels as the carrier of its
// message and goes back byte for byte; Chat Completions requests neither send a
// carrier nor look into one.
package openai

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/replaycheck/adapters/chat"
)

// Provider is what completions and errors of this package call the provider.
const Provider = "openai"

// Defaults of a Config.
const (
	DefaultBaseURL          = "https://api.openai.com"
	DefaultTimeout          = 10 * time.Minute
	DefaultMaxResponseBytes = 64 << 20
)

// Config says how to reach the provider. Only Model (or Options.Model on every
// request) is needed, and APIKey for OpenAI itself.
type Config struct {
	// BaseURL has no API version; it may have a path prefix. A final slash or
	// /v1 is not repeated. "" means DefaultBaseURL.
	BaseURL string
	// APIKey goes into the Authorization header and nowhere else. "" sends no
	// such header, which only other servers than OpenAI's accept.
	APIKey string
	// Model is the model of requests that name none.
	Model string
	// TreatAsOpenAI makes BaseURL count as OpenAI's own, for a gateway that
	// also serves the Responses API. Without it every other host than OpenAI's
	// is spoken to in Chat Completions only (OPENAI-01).
	TreatAsOpenAI bool
	// Timeout bounds one exchange from its start to the last byte, a stream's
	// too. 0 means DefaultTimeout, less than 0 none but the context's.
	Timeout time.Duration
	// MaxResponseBytes bounds one response body, a whole stream's too. 0 or
	// less means DefaultMaxResponseBytes.
	MaxResponseBytes int64
	// HTTPClient is used with its own transport and timeout and is not changed.
	// Redirects are never followed: they would take the conversation along. nil
	// means a transport of the client's own, whose idle connections Close
	// closes.
	HTTPClient *http.Client
	// Profiles are looked up before the built-in rows of the same name.
	Profiles []Profile
}

// String hides the key.
func (c Config) String() string {
	return fmt.Sprintf("openai.Config{BaseURL:%q Model:%q}", c.BaseURL, c.Model)
}

// GoString hides the key.
func (c Config) GoString() string { return c.String() }

// LogValue hides the key.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Client makes requests. It is safe for concurrent use and keeps nothing of a
// conversation.
type Client struct {
	base     string
	openai   bool // the base URL counts as OpenAI's own
	key      string
	model    string
	timeout  time.Duration
	limit    int64
	http     *http.Client
	owned    bool // the transport is ours to close
	profiles []Profile
}

// New returns a client. The error is a *chat.ConfigError.
func New(cfg Config) (*Client, error) {
	base, err := parseBase(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	official := isOpenAI(base)
	switch {
	case cfg.APIKey == "" && official:
		return nil, configError("api key: got none, want one")
	case strings.ContainsFunc(cfg.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, configError("api key: got characters that no header takes, want visible ASCII")
	}
	c := &Client{
		base:     strings.TrimSuffix(strings.TrimRight(base.String(), "/"), "/v1"),
		openai:   official || cfg.TreatAsOpenAI,
		key:      cfg.APIKey,
		model:    cfg.Model,
		timeout:  cmp.Or(cfg.Timeout, DefaultTimeout),
		limit:    cfg.MaxResponseBytes,
		http:     &http.Client{},
		profiles: slices.Clone(cfg.Profiles),
	}
	if c.limit <= 0 {
		c.limit = DefaultMaxResponseBytes
	}
	if cfg.HTTPClient != nil {
		*c.http = *cfg.HTTPClient
	} else {
		c.http.Transport, c.owned = newTransport(), true
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// Close closes the idle connections of the client's own transport. It does
// nothing where Config.HTTPClient was given.
func (c *Client) Close() {
	if c.owned {
		c.http.CloseIdleConnections()
	}
}

// String hides the key.
func (c *Client) String() string {
	return fmt.Sprintf("openai.Client{base:%q model:%q}", c.base, c.model)
}

// GoString hides the key.
func (c *Client) GoString() string { return c.String() }

// LogValue hides the key.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

func parseBase(text string) (*url.URL, error) {
	if text == "" {
		text = DefaultBaseURL
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, configError("base url: got no URL, want one such as %s", DefaultBaseURL)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, configError("base url: got no http(s) URL with a host, want one such as %s", DefaultBaseURL)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, configError("base url: got a user, query or fragment, want none: keys belong in a header")
	}
	return u, nil
}

// isOpenAI reports whether a base URL is OpenAI's own, its regions included.
func isOpenAI(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com")
}

// Chat asks for an answer without offering tools. It always uses Chat
// Completions, which replays no state.
//
// Errors: *chat.ConfigError before any contact, *chat.ConnectionError,
// *chat.ResponseError. With an error the completion is the zero value.
func (c *Client) Chat(ctx context.Context, msgs []chat.Message, opts chat.Options) (chat.Completion, error) {
	return c.ChatWithTools(ctx, msgs, nil, opts)
}

// ChatWithTools asks for an answer or for calls of the tools. Without a tool it
// is the same as Chat. Errors are those of Chat.
func (c *Client) ChatWithTools(ctx context.Context, msgs []chat.Message, tools []chat.ToolSpec, opts chat.Options) (chat.Completion, error) {
	req, err := c.BuildRequest(msgs, tools, opts, false)
	if err != nil {
		return chat.Completion{}, err
	}
	return c.exchange(ctx, req, opts.RawCapture)
}

func configError(format string, args ...any) error {
	return &chat.ConfigError{Message: Provider + ": " + fmt.Sprintf(format, args...)}
}
