package gemini_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/gemini"
)

// pieces is a transport whose responses hand out their body in the given reads
// and then end with err, as a network might.
type pieces struct {
	contentType string
	reads       []string
	err         error
}

func (p pieces) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {p.contentType}}, ContentLength: -1,
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

// splitParts have what a cut could hurt: characters of two, three and four
// bytes, escapes and surrogate pairs, numbers, literals, white space.
var splitParts = [][]string{
	{`{"text":"é漢😀 <thi"}`},
	{`{"text":"nk>x\u00e9\ud83d\ude00</think>"}`, `{"text":"T\\","thought":true}`},
	{`{"functionCall":{"id":"a","name":"w","args":{"n":[9007199254740993,-1.0e-3,true,null],"s":"\"é\/"}},"thoughtSignature":"AB+/=="}`},
	{`{"text":"","thoughtSignature":"ZW5k"}`},
}

// splitForms are the forms of one stream.
func splitForms() map[string]pieces {
	var list []string
	for i, parts := range splitParts {
		c := piece(parts...)
		if i == len(splitParts)-1 {
			c = reply(parts...)
		}
		list = append(list, c)
	}
	return map[string]pieces{
		"events":       {contentType: "text/event-stream", reads: []string{"data: " + strings.Join(list, "\n\ndata: ") + "\n\n"}},
		"events, CRLF": {contentType: "text/event-stream", reads: []string{sse(list...)}},
		"list":         {contentType: "application/json", reads: []string{"[" + strings.Join(list, "\n,\r\n") + "\n]\n"}},
	}
}

var madeUp = regexp.MustCompile(`call_[A-Z2-7]{26}`)

// read asks for the stream of a form and writes down what came of it.
func read(t *testing.T, p pieces) (string, error) {
	t.Helper()
	c, err := gemini.New(gemini.Config{BaseURL: "http://gemini.invalid", APIKey: key, Model: "m", HTTPClient: &http.Client{Transport: p}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	deltas, done, err := drain(c, context.Background(), []chat.Message{user("hi")}, tools, chat.Options{})
	if done == nil {
		return "", err
	}
	thinking := "null"
	if done.Thinking != nil {
		thinking = *done.Thinking
	}
	out := strings.Join([]string{strings.Join(deltas, ""), done.Content, thinking, done.ToolCalls[0].Arguments, string(done.Metadata[chat.ItemsKey])}, "\n")
	return madeUp.ReplaceAllString(out, "⟨call⟩"), err
}

const splitWant = `é漢😀 <think>xé😀</think>
é漢😀
T\
xé😀
{"n":[9007199254740993,-1.0e-3,true,null],"s":"\"é\/"}
[{"type":"nrllm_gemini_generate_content","parts":[{"text":"é漢😀 <thi"},{"text":"nk>x\u00e9\ud83d\ude00</think>"},{"text":"T\\","thought":true},{"functionCall":{"id":"a","name":"w","args":{"n":[9007199254740993,-1.0e-3,true,null],"s":"\"é\/"}},"thoughtSignature":"AB+/=="},{"text":"","thoughtSignature":"ZW5k"}],"tool_call_bindings":[{"tool_call_id":"⟨call⟩","native_id":"a"}]}]`

// TestStreamsSplitAnywhere: a network that cuts a character, a token, a line end
// or a list anywhere changes nothing (STREAM-01).
func TestStreamsSplitAnywhere(t *testing.T) {
	for name, form := range splitForms() {
		t.Run(name, func(t *testing.T) {
			body := form.reads[0]
			for i := range len(body) + 1 {
				got, err := read(t, pieces{form.contentType, []string{body[:i], body[i:]}, io.EOF})
				if err != nil || got != splitWant {
					t.Fatalf("split before byte %d, %.30q: %v\n%s", i, body[i:], err, cmp.Diff(splitWant, got))
				}
			}
			if got, err := read(t, pieces{form.contentType, strings.Split(body, ""), io.EOF}); err != nil || got != splitWant {
				t.Errorf("a character at a time: %v\n%s", err, cmp.Diff(splitWant, got))
			}
		})
	}
}

// TestStreamsCutAnywhere: wherever the connection breaks, there is an error and
// no completion; so it is where the body ends too early (STREAM-02).
func TestStreamsCutAnywhere(t *testing.T) {
	for name, form := range splitForms() {
		t.Run(name, func(t *testing.T) {
			body := form.reads[0]
			for i := range len(body) + 1 {
				if got, err := read(t, pieces{form.contentType, []string{body[:i]}, io.ErrUnexpectedEOF}); err == nil || got != "" {
					t.Fatalf("connection cut before byte %d: got %q and %v", i, got, err)
				}
				got, err := read(t, pieces{form.contentType, []string{body[:i]}, io.EOF})
				if err == nil && got == splitWant && strings.Trim(body[i:], "\r\n") == "" {
					continue // all of it was there
				}
				if _, ok := errors.AsType[*chat.ConnectionError](err); !ok || got != "" {
					t.Fatalf("ended before byte %d, %.30q: got %q and %v", i, body[i:], got, err)
				}
			}
		})
	}
}
