package gemini_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/gemini"
)

// streamedParts is one turn in chunks: text deltas, one parallel call per chunk,
// a signed empty text after the finish reason.
var streamedParts = [][]string{
	{`{"text":"T","thought":true}`},
	{`{"text":"a <thi"}`},
	{`{"text":"nk>x</think>"}`, `{"text":"T2","thought":true}`, `{"text":" b"}`},
	{`{"functionCall":{"id":"a","name":"w","args":{}},` + sig + `}`},
	{`{"functionCall":{"id":"b","name":"w","args":{}}}`},
	{`{"text":"","thoughtSignature":"ZW5k"}`},
}

func chunks() []string {
	var out []string
	for _, parts := range streamedParts {
		out = append(out, piece(parts...))
	}
	out[4] = strings.Replace(out[4], `"index":0`, `"finishReason":"STOP","index":0`, 1)
	return append(out, `{"usageMetadata":{"totalTokenCount":15},"modelVersion":"m"}`)
}

// TestStreamForms: the same turn in every form in which it may come, against the
// plain reply (STREAM-01, STREAM-02).
func TestStreamForms(t *testing.T) {
	var all []string
	for _, parts := range streamedParts {
		all = append(all, parts...)
	}
	whole := strings.TrimSuffix(reply(all...), "}") + `,"usageMetadata":{"totalTokenCount":15},"modelVersion":"m"}`
	other := `{"candidates":[{"content":{"parts":[{"text":"not this"}]},"index":1}]}`
	deltas := []string{"a <thi", "nk>x</think> b"}
	for _, row := range []struct {
		name   string
		answer http.HandlerFunc
		deltas []string
	}{
		{"events", streamed(chunks()...), deltas},
		{"events, LF", body("text/event-stream", strings.ReplaceAll(sse(chunks()...), "\r\n", "\n")), deltas},
		{"events, comments and names", body("text/event-stream", "\n: ping\r\n\r\nid: 1\r\nevent: x\r\n"+sse(chunks()...)), deltas},
		{"events, byte order mark", body("text/event-stream", "\ufeff"+sse(chunks()...)), deltas},
		{"events, last one open", body("text/event-stream", strings.TrimRight(sse(chunks()...), "\r\n")), deltas},
		{"events, [DONE]", streamed(append(chunks(), "[DONE]")...), deltas},
		{"events, another candidate", streamed(append([]string{other}, chunks()...)...), deltas},
		{"events as JSON", body("application/json", sse(chunks()...)), deltas},
		{"list", body("application/json", "["+strings.Join(chunks(), "\n,\r\n")+"]\n"), deltas},
		{"list as events", body("text/event-stream", " [ "+strings.Join(chunks(), ",")+"]"), deltas},
		{"one reply", plain(" " + whole + "\n"), []string{"a <think>x</think> b"}},
		{"one event", streamed(whole), []string{"a <think>x</think> b"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newProvider(t, plain(whole), row.answer)
			c := client(t, p, nil)
			want, err := c.ChatWithTools(context.Background(), []chat.Message{user("hi")}, tools, chat.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, done, err := drain(c, context.Background(), []chat.Message{user("hi")}, tools, chat.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.deltas, got); diff != "" {
				t.Errorf("deltas: %s", diff)
			}
			items := string(done.Metadata[chat.ItemsKey])
			if diff := cmp.Diff(want, *done, cmpopts.IgnoreFields(chat.ToolCall{}, "ID"), cmpopts.IgnoreFields(chat.Completion{}, "Metadata")); diff != "" {
				t.Errorf("-plain +streamed\n%s", diff)
			}
			wantItems := bound(strings.Join(all, ","), `{"tool_call_id":"`+done.ToolCalls[0].ID+`","native_id":"a"},{"tool_call_id":"`+done.ToolCalls[1].ID+`","native_id":"b"}`)
			if items != wantItems {
				t.Errorf("carrier\ngot  %s\nwant %s", items, wantItems)
			}
			if done.Content != "a b" || done.Thinking == nil || *done.Thinking != "TT2\nx" || done.FinishReason != "tool_calls" || done.Usage.TotalTokens != 15 || done.Model != "m" {
				t.Errorf("got %+v", done)
			}
			if seen := p.seen(); seen[0].body != seen[1].body || seen[1].uri != "/r/7f3a/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse" {
				t.Errorf("got %s, %s", seen[1].uri, seen[1].body)
			}
		})
	}
}

// TestBrokenStreams: an error, no completion and so no carrier (STREAM-02).
func TestBrokenStreams(t *testing.T) {
	var events, list []string
	for _, c := range chunks() {
		events, list = append(events, sse(c)), append(list, c)
	}
	upTo := func(n int) string { return strings.Join(events[:n], "") }
	for _, row := range []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"no body", body("text/event-stream", "")},
		{"comment only", body("text/event-stream", ": ping\n\n")},
		{"connection cut before the finish reason", cut("text/event-stream", upTo(4))},
		{"connection cut after the finish reason", cut("text/event-stream", upTo(5))},
		{"connection cut after everything", cut("text/event-stream", upTo(7))},
		{"clean end without a finish reason", body("text/event-stream", upTo(4))},
		{"clean end inside an event", body("text/event-stream", upTo(5)+strings.TrimRight(events[5], "}\r\n"))},
		{"list without an end", body("application/json", "["+strings.Join(list, ","))},
		{"list cut inside an item", body("application/json", "["+strings.TrimRight(strings.Join(list, ","), "}"))},
		{"list connection cut", cut("application/json", "["+strings.Join(list, ",")+"]")},
		{"list empty", body("application/json", "[]")},
		{"one reply, connection cut", cut("application/json", reply(`{"text":"a"}`))},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newProvider(t, row.answer)
			_, done, err := drain(client(t, p, nil), context.Background(), []chat.Message{user("hi")}, tools, chat.Options{})
			if _, ok := errors.AsType[*chat.ConnectionError](err); !ok || err.Error() != "gemini: read stream: unexpected EOF" && err.Error() != "gemini: read stream: EOF" {
				t.Errorf("got %v (%T), want a *chat.ConnectionError of the stream's end", err, err)
			}
			if done != nil {
				t.Errorf("got a completion: %+v", done)
			}
			p.only(t)
		})
	}
}

func TestBadStreams(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"event is no JSON", streamed(piece(`{"text":"a"}`), `{"secret":`), "gemini: response 200: the reply is not JSON, body text"},
		{"list with garbage", body("application/json", "["+piece(`{"text":"a"}`)+" secret"), "gemini: response 200: the reply is not JSON, body text"},
		{"garbage after the list", body("application/json", "["+reply(`{"text":"a"}`)+"]secret"), "gemini: response 200: the reply is not JSON, body text"},
		{"error in the middle", streamed(piece(`{"text":"a"}`), `{"error":{"code":503,"message":"secret","status":"UNAVAILABLE"}}`), "gemini: response 503 (UNAVAILABLE), body {error{code,message,status}}"},
		{"refused at the end", streamed(piece(`{"text":"a"}`), `{"candidates":[{"finishReason":"MISSING_THOUGHT_SIGNATURE"}]}`), "gemini: response 200 (MISSING_THOUGHT_SIGNATURE): a thought signature is missing, body {candidates}"},
		{"CALLID-04 over two chunks", streamed(piece(`{"functionCall":{"id":"a","name":"w"}}`), reply(`{"functionCall":{"id":"a","name":"w"}}`)), "gemini: response 200: a function call has an ID that is empty, not a string or not its own, body a reply"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, done, err := drain(client(t, newProvider(t, row.answer), nil), context.Background(), []chat.Message{user("hi")}, tools, chat.Options{})
			wantResponseError(t, err, row.want)
			if done != nil {
				t.Errorf("got a completion: %+v", done)
			}
		})
	}
}

// TestDeltasArriveAtOnce: a delta is yielded before the next chunk is there.
func TestDeltasArriveAtOnce(t *testing.T) {
	for _, form := range []struct{ name, first, rest string }{
		{"events", sse(piece(`{"text":"a"}`)), sse(reply(`{"text":"b"}`))},
		{"list", "[" + piece(`{"text":"a"}`), "," + reply(`{"text":"b"}`) + "]"},
	} {
		t.Run(form.name, func(t *testing.T) {
			goOn := make(chan struct{})
			p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, form.first)
				_ = http.NewResponseController(w).Flush()
				select {
				case <-goOn:
				case <-r.Context().Done():
				}
				_, _ = io.WriteString(w, form.rest)
			})
			var got []string
			for d, err := range client(t, p, nil).Stream(context.Background(), []chat.Message{user("hi")}, nil, chat.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, d.Text); len(got) == 1 {
					close(goOn)
				}
			}
			if diff := cmp.Diff([]string{"a", "b", ""}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// endless streams until the client goes away, and then says so.
func endless(gone chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, sse(piece(`{"text":"a"}`))); err != nil {
				break
			}
			_ = http.NewResponseController(w).Flush()
		}
		close(gone)
	}
}

func TestLeavingAStream(t *testing.T) {
	gone := make(chan struct{})
	p := newProvider(t, endless(gone))
	for _, err := range client(t, p, nil).Stream(context.Background(), []chat.Message{user("hi")}, nil, chat.Options{}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	<-gone
}

func TestCancelledStream(t *testing.T) {
	gone := make(chan struct{})
	p := newProvider(t, endless(gone))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err error
	for d, e := range client(t, p, nil).Stream(ctx, []chat.Message{user("hi")}, nil, chat.Options{}) {
		if d.Completion != nil {
			t.Error("got a completion")
		}
		cancel()
		err = e
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	<-gone
}

func TestStreamLimit(t *testing.T) {
	many := append(slices.Repeat([]string{piece(`{"text":"secret"}`)}, 500), reply())
	size := len(sse(many...))
	for _, row := range []struct {
		name  string
		limit int
		want  string
	}{
		{"over", size / 2, "gemini: response 200: the reply is over the limit, body over the limit"},
		{"one byte over", size - 1, "gemini: response 200: the reply is over the limit, body over the limit"},
		{"at the limit", size, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newProvider(t, streamed(many...))
			c := client(t, p, func(c *gemini.Config) { c.MaxResponseBytes = int64(row.limit) })
			_, done, err := drain(c, context.Background(), []chat.Message{user("hi")}, nil, chat.Options{})
			if row.want == "" {
				if err != nil || done == nil {
					t.Errorf("got %v", err)
				}
				return
			}
			wantResponseError(t, err, row.want)
			if done != nil {
				t.Error("got a completion")
			}
		})
	}
}

// TestEarlyModelVersion: any chunk may say what the model was.
func TestEarlyModelVersion(t *testing.T) {
	first := strings.TrimSuffix(piece(`{"text":"a"}`), "}") + `,"modelVersion":"gemini-3.8-flash-001"}`
	p := newProvider(t, streamed(first, reply(`{"text":"b"}`)))
	_, done, err := drain(client(t, p, nil), context.Background(), []chat.Message{user("hi")}, nil, chat.Options{})
	if err != nil || done == nil || done.Model != "gemini-3.8-flash-001" {
		t.Errorf("got %+v, %v", done, err)
	}
}

// TestStreamTwice: each range is a request of its own.
func TestStreamTwice(t *testing.T) {
	p := newProvider(t, streamed(reply(`{"text":"a"}`)), streamed(reply(`{"text":"b"}`)))
	replies := client(t, p, nil).Stream(context.Background(), []chat.Message{user("hi")}, nil, chat.Options{})
	for _, want := range []string{"a", "b"} {
		for d, err := range replies {
			if err != nil || d.Completion != nil && d.Completion.Content != want {
				t.Errorf("got %+v, %v", d, err)
			}
		}
	}
}
