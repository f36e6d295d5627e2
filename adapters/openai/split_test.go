package openai_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/openai"
)

// pieces is a transport whose responses hand out their body in the given reads
// and then end with err, as a network might.
type pieces struct {
	reads []string
	err   error
}

func (p pieces) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, ContentLength: -1,
		Body: &reads{left: slices.Clone(p.reads), err: p.err},
	}, nil
}

type reads struct {
	left []string
	err  error
}

func (r *reads) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, r.err
	}
	n := copy(p, r.left[0])
	if r.left[0] = r.left[0][n:]; r.left[0] == "" {
		r.left = r.left[1:]
	}
	return n, nil
}

func (*reads) Close() error { return nil }

// splitItems have what a cut could hurt: characters of several bytes, escapes, a
// surrogate pair, numbers, literals.
const splitItems = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA_-=="},` +
	`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"é漢😀 \u00e9\ud83d\ude00","x":[9007199254740993,-1.0e-3,true,null]}]},` +
	`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\":\"Zürich\"}"}`

// splitStream is a Responses stream; completed is where its last event ends.
func splitStream() (body string, completed int) {
	events := []string{
		"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\"}}\n\n",
		"event: response.output_text.delta\r\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"é漢\"}\r\n\r\n",
		"data: {\"type\":\"response.output_text.delta\",\"delta\":\"😀 \\u00e9\\ud83d\\ude00\"}\n\n",
	}
	last := "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"model\":\"m\",\"output\":[" + splitItems + "]}}"
	body = strings.Join(events, "") + last
	return body + "\n\n", len(body)
}

const splitWant = "é漢😀 é😀\né漢😀 é😀\n{\"city\":\"Zürich\"}\n[" + splitItems + "]"

func read(t *testing.T, p pieces) (string, error) {
	t.Helper()
	c, err := openai.New(openai.Config{BaseURL: "http://openai.invalid", APIKey: "k", Model: "gpt-6-sol", TreatAsOpenAI: true, HTTPClient: &http.Client{Transport: p}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	texts, done, err := drain(t, c.Stream(context.Background(), []chat.Message{user("hi")}, weather(), chat.Options{}))
	if done == nil {
		return "", err
	}
	return strings.Join([]string{strings.Join(texts, ""), done.Content, done.ToolCalls[0].Arguments, string(done.Metadata[chat.ItemsKey])}, "\n"), err
}

// TestResponsesStreamsSplitAnywhere: a network that cuts a character, a token or
// a line end anywhere changes nothing (STREAM-01).
func TestResponsesStreamsSplitAnywhere(t *testing.T) {
	body, _ := splitStream()
	for i := range len(body) + 1 {
		if got, err := read(t, pieces{[]string{body[:i], body[i:]}, io.EOF}); err != nil || got != splitWant {
			t.Fatalf("split before byte %d, %.30q: %v\n%s", i, body[i:], err, cmp.Diff(splitWant, got))
		}
	}
	if got, err := read(t, pieces{strings.Split(body, ""), io.EOF}); err != nil || got != splitWant {
		t.Errorf("a character at a time: %v\n%s", err, cmp.Diff(splitWant, got))
	}
}

// TestResponsesStreamsCutAnywhere: wherever the stream ends before its last event
// is whole, there is an error and no completion (STREAM-02).
func TestResponsesStreamsCutAnywhere(t *testing.T) {
	body, completed := splitStream()
	for i := range len(body) + 1 {
		for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
			got, err := read(t, pieces{[]string{body[:i]}, end})
			if i >= completed && err == nil && got == splitWant {
				continue
			}
			if i == len(body) || err == nil || got != "" {
				t.Fatalf("ended before byte %d, %.30q, with %v: got %q and %v", i, body[i:], end, got, err)
			}
		}
	}
}
