package fakeserver_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"example.com/replaycheck/fakeserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	geminiPlain  = `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}]}`
	geminiStream = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"h\"}]}}]}\n\n" +
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"i\"}]},\"finishReason\":\"STOP\"}]}\n\n"
	geminiArray = `[{"candidates":[{"content":{"parts":[{"text":"h"}]}}]},` + "\n" +
		`{"candidates":[{"content":{"parts":[{"text":"i"}]},"finishReason":"STOP"}]}]`
	responsesPlain  = `{"id":"resp_1","output":[]}`
	responsesStream = "event: response.completed\ndata: {\"type\":\"response.completed\"}\n\n"
	chatPlain       = `{"id":"chatcmpl-1","choices":[]}`
	chatStream      = "data: {\"choices\":[]}\n\ndata: [DONE]\n\n"

	generate = "/v1beta/models/gemini-3.8-flash:generateContent"
	stream   = "/v1beta/models/gemini-3.8-flash:streamGenerateContent"
)

var (
	gemini    = fakeserver.Reply{Endpoint: fakeserver.Gemini, Plain: geminiPlain, Stream: geminiStream}
	responses = fakeserver.Reply{Endpoint: fakeserver.Responses, Plain: responsesPlain, Stream: responsesStream}
	chat      = fakeserver.Reply{Endpoint: fakeserver.Chat, Plain: chatPlain, Stream: chatStream}
)

func script(replies ...fakeserver.Reply) fakeserver.Script {
	return fakeserver.Script{Replies: replies}
}

// start gives a server with its own client, both gone at the end of the test.
func start(tb testing.TB, o fakeserver.Options) (*fakeserver.Server, *http.Client) {
	tb.Helper()
	s, err := fakeserver.Start(o)
	if err != nil {
		tb.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	tb.Cleanup(func() {
		client.CloseIdleConnections()
		s.Close()
	})
	return s, client
}

type answer struct {
	status int
	kind   string
	body   string
	err    error // of reading the body
	header http.Header
}

func do(tb testing.TB, c *http.Client, r *http.Request) answer {
	tb.Helper()
	resp, err := c.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header.Get("Content-Type"), string(body), err, resp.Header}
}

func post(tb testing.TB, c *http.Client, url, body string) answer {
	tb.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return do(tb, c, r)
}

func TestReplies(t *testing.T) {
	for _, row := range []struct {
		name, path, body string
		reply            fakeserver.Reply
		kind, want       string
		stream           bool
	}{
		{"gemini plain", generate, `{}`, gemini, "application/json", geminiPlain, false},
		{"gemini plain under v1", "/v1/models/gemini-3.8-flash:generateContent", `{}`, gemini, "application/json", geminiPlain, false},
		{"gemini plain under v1alpha", "/v1alpha/models/g:generateContent", `{}`, gemini, "application/json", geminiPlain, false},
		{"gemini plain with $alt and a semicolon", generate + "?$alt=json;enum-encoding=int", `{}`, gemini, "application/json", geminiPlain, false},
		{"gemini with an escaped colon", "/v1beta/models/gemini-3.8-flash%3AgenerateContent", `{}`, gemini, "application/json", geminiPlain, false},
		{"gemini events", stream + "?alt=sse", `{}`, gemini, "text/event-stream", geminiStream, true},
		{"gemini events, key first", stream + "?key=k&alt=sse", `{}`, gemini, "text/event-stream", geminiStream, true},
		{"gemini events through $alt", stream + "?%24alt=sse;enum-encoding=int", `{}`, gemini, "text/event-stream", geminiStream, true},
		{"gemini list", stream, `{}`, gemini, "application/json", geminiArray, true},
		{"gemini list with $alt and a semicolon", stream + "?$alt=json;enum-encoding=int", `{}`, gemini, "application/json", geminiArray, true},
		{"responses plain", "/v1/responses", `{"input":[]}`, responses, "application/json", responsesPlain, false},
		{"responses events", "/v1/responses", `{"stream":true}`, responses, "text/event-stream", responsesStream, true},
		{"chat plain, stream deeper only", "/v1/chat/completions", `{"a":{"stream":true},"stream":false}`, chat, "application/json", chatPlain, false},
		{"chat events", "/v1/chat/completions", `{"str\u0065am":true}`, chat, "text/event-stream", chatStream, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, c := start(t, fakeserver.Options{})
			p := s.Play(script(row.reply))
			got := post(t, c, p.URL()+row.path, row.body)
			if got.status != 200 || got.kind != row.kind || got.body != row.want || got.err != nil {
				t.Errorf("got %+v\nwant %s %q", got, row.kind, row.want)
			}
			rec := p.Close()
			if rec.Err != nil || rec.Leftover != 0 || len(rec.Exchanges) != 1 {
				t.Fatalf("got record %+v", rec)
			}
			ex := rec.Exchanges[0]
			if ex.Seq != 1 || ex.Step != 1 || ex.Endpoint != row.reply.Endpoint || ex.Stream != row.stream ||
				ex.Body != row.body || ex.Reply != row.want || ex.ReplyType != row.kind || ex.Status != 200 || ex.Cut {
				t.Errorf("got exchange %+v", ex)
			}
		})
	}
}
