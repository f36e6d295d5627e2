package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/subject"
)

// exchanging is a subject that does something with its HTTP client and reports what
// it saw.
type exchanging struct {
	client *http.Client
	do     func(ctx context.Context, c *http.Client, base string) string
}

func (e exchanging) Describe(context.Context) (subject.Description, error) { return describe(), nil }

func (e exchanging) Through(c *http.Client) subject.Subject { return exchanging{c, e.do} }

func (e exchanging) Run(ctx context.Context, task subject.Task) (subject.Outcome, error) {
	base := task.Legs[0].BaseURL
	host, path, _ := strings.Cut(base, "/r/")
	text := strings.NewReplacer(host, "HOST", path, "PATH").Replace(e.do(ctx, e.client, base))
	return subject.Outcome{Answers: []subject.Answer{{Content: text}}}, nil
}

func asked(ctx context.Context, method, url, body string, more ...string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return &http.Request{}
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	return r
}

// seen is all of a response that a client can see, the date apart, and how its
// reading ends.
func seen(resp *http.Response, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	fmt.Fprintln(&b, resp.Status, resp.StatusCode, resp.Proto, resp.ContentLength)
	resp.Header.Del("Date")
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		fmt.Fprintln(&b, name, resp.Header[name])
	}
	text, err := io.ReadAll(resp.Body)
	fmt.Fprintln(&b, string(text), err)
	_ = resp.Body.Close()
	_, err = resp.Body.Read(make([]byte, 1))
	fmt.Fprintln(&b, err)
	return b.String()
}

// TestDirect: a request that is handed to the play shows the subject and the record
// what it shows through a connection.
func TestDirect(t *testing.T) {
	const plain, stream = "/v1beta/models/m:generateContent", "/v1beta/models/m:streamGenerateContent?alt=sse"
	one := func(method, path, body string, more ...string) func(context.Context, *http.Client, string) string {
		return func(ctx context.Context, c *http.Client, base string) string {
			return seen(c.Do(asked(ctx, method, base+path, body, more...)))
		}
	}
	broken := script(t, "modes: [stream]\nexpect: stream-error\n", "t", map[string]string{"task.json": oneLeg(`"a"`)})
	cut := script(t, "modes: [stream]\nexpect: stream-error\ncut: 1\n", "t", map[string]string{"task.json": oneLeg(`"a"`)})
	good := script(t, "", "tt", map[string]string{"task.json": oneLeg(`"a","b"`)})
	for _, row := range []struct {
		name string
		sc   *fixtures.Scenario
		do   func(context.Context, *http.Client, string) string
	}{
		{"plain", good, one(http.MethodPost, plain, `{"contents":[]}`, "X-Goog-Api-Key", "k")},
		{"streamed", good, one(http.MethodPost, stream, `{"contents":[]}`, "Authorization", "Bearer k", "Accept", "text/event-stream")},
		{"another header", good, one(http.MethodPost, plain, `{}`, "X-More", "1")},
		{"another method", good, one(http.MethodGet, "/v1beta/models", "")},
		{"no body", good, one(http.MethodPost, plain, "")},
		{"escaped path", good, one(http.MethodPost, "/v1beta/models/a%2Fb%20c:generateContent?x=%41&y", `{"contents":[]}`)},
		{"unknown path", good, one(http.MethodPost, "/nowhere", `{}`)},
		{"no path", good, one(http.MethodPost, "", `{}`)},
		{"a path with dots", good, one(http.MethodPost, "/../v1beta", `{}`)},
		{"no JSON", good, one(http.MethodPost, plain, `{`)},
		{"a header that no server takes", good, one(http.MethodPost, plain, `{}`, "Authorization", "a\nb")},
		{"broken stream", broken, one(http.MethodPost, stream, `{"contents":[]}`)},
		{"cut stream", cut, one(http.MethodPost, stream, `{"contents":[]}`)},
		{"too many requests", good, func(ctx context.Context, c *http.Client, base string) string {
			var out string
			for range 3 {
				out += seen(c.Do(asked(ctx, http.MethodPost, base+plain, `{"contents":[]}`)))
			}
			return out
		}},
		{"cancelled before", good, func(ctx context.Context, c *http.Client, base string) string {
			ctx, cancel := context.WithCancelCause(ctx)
			cancel(errors.New("never mind"))
			return seen(c.Do(asked(ctx, http.MethodPost, base+plain, `{"contents":[]}`)))
		}},
		{"body shorter than announced", good, func(ctx context.Context, c *http.Client, base string) string {
			r := asked(ctx, http.MethodPost, base+plain, `{"contents":[]}`)
			r.ContentLength, r.GetBody = 99, nil
			resp, err := c.Do(r)
			if err == nil {
				_ = resp.Body.Close()
			}
			return fmt.Sprint(err)
		}},
		{"body read after its context", good, func(ctx context.Context, c *http.Client, base string) string {
			ctx, cancel := context.WithCancel(ctx)
			resp, err := c.Do(asked(ctx, http.MethodPost, base+stream, `{"contents":[]}`))
			cancel()
			if err != nil {
				return err.Error()
			}
			defer func() { _ = resp.Body.Close() }()
			return fmt.Sprint(resp.StatusCode)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			var shown [2]string
			var records [2][]fakeserver.Exchange
			for i, direct := range []bool{false, true} {
				d := driver(t, always(exchanging{do: row.do}))
				transport := &http.Transport{}
				d.HTTP, d.Direct, d.NoProbes = &http.Client{Transport: transport}, direct, true
				ev, err := d.Drive(t.Context(), row.sc, scenario.Mode{Stream: row.sc.Expect != ""}, "", describe())
				transport.CloseIdleConnections()
				if err != nil {
					shown[i] = err.Error()
				}
				for _, r := range ev.Runs {
					for _, a := range r.Outcome.Answers {
						shown[i] += a.Content
					}
					records[i] = append(records[i], r.Exchanges...)
				}
				shown[i] += fmt.Sprint(ev.Leftover, ev.Strays)
			}
			if row.name == "body shorter than announced" { // the server's record of that depends on the moment
				g.Expect(shown[1]).To(ContainSubstring("ContentLength=99 with Body length 15"))
				return
			}
			g.Expect(shown[1]).To(Equal(shown[0]))
			g.Expect(records[1]).To(Equal(records[0]))
		})
	}
}

// TestDirectPieces: a streamed reply comes in the pieces that were flushed.
func TestDirectPieces(t *testing.T) {
	g := NewWithT(t)
	sc := script(t, "", "t", map[string]string{"task.json": oneLeg(`"a"`), "reply-1.sse": "data: {\"candidates\":[]}\n\ndata: " + fmt.Sprintf(textReply, 1) + "\n\n"})
	d := driver(t, always(exchanging{do: func(ctx context.Context, c *http.Client, base string) string {
		resp, err := c.Do(asked(ctx, http.MethodPost, base+"/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[]}`))
		if err != nil {
			return err.Error()
		}
		defer func() { _ = resp.Body.Close() }()
		buf := make([]byte, 1000)
		n, err := resp.Body.Read(buf)
		return fmt.Sprintf("%q %v", buf[:n], err)
	}}))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	d.HTTP, d.Direct, d.NoProbes = &http.Client{Transport: transport}, true, true
	ev, err := d.Drive(t.Context(), sc, scenario.Mode{Stream: true}, "", describe())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ev.Runs[0].Outcome.Answers[0].Content).To(Equal(`"data: {\"candidates\":[]}\n\n" <nil>`))
	g.Expect(d.Server.Accepted()).To(BeZero())
}
