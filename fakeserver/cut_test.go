package fakeserver_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
)

func TestCutRepliesEndUnexpectedlyAfterTheirLastByte(t *testing.T) {
	for _, row := range []struct {
		name, path, body string
		reply            fakeserver.Reply
		want             string
	}{
		{"plain", generate, `{}`, gemini, geminiPlain},
		{"events", stream + "?alt=sse", `{}`, gemini, geminiStream},
		{"list, without its bracket", stream, `{}`, gemini, strings.TrimSuffix(geminiArray, "]")},
		{"responses events", "/v1/responses", `{"stream":true}`, responses, responsesStream},
		{"half an event", "/v1/chat/completions", `{"stream":true}`, fakeserver.Reply{Endpoint: "chat", Stream: "data: {}\n\ndata: {\"a"}, "data: {}\n\ndata: {\"a"},
		{"nothing, plain", generate, `{}`, fakeserver.Reply{Endpoint: "gemini"}, ""},
		{"nothing, streamed", "/v1/chat/completions", `{"stream":true}`, fakeserver.Reply{Endpoint: "chat"}, ""},
	} {
		for _, proto := range []string{"HTTP/1.1", "HTTP/1.0"} {
			t.Run(row.name+" "+proto, func(t *testing.T) {
				s, _ := start(t, fakeserver.Options{})
				row.reply.Cut = true
				p := s.Play(script(row.reply))
				c := dialRaw(t, p.URL())
				defer c.conn.Close()
				request := strings.Replace(string(rawRequest(p.URL(), row.path, row.body)), "HTTP/1.1", proto, 1)
				if _, err := io.WriteString(c.conn, request); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(c.in, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode != http.StatusOK || string(got) != row.want || err == nil {
					t.Errorf("got %d %q and %v, want 200 %q and an unexpected end", resp.StatusCode, got, err, row.want)
				}
				rec := p.Close()
				if ex := rec.Exchanges[0]; !ex.Cut || ex.Reply != row.want || ex.Step != 1 || rec.Err != nil {
					t.Errorf("got %+v, error %v", ex, rec.Err)
				}
			})
		}
	}
}

// chunks returns the chunks of one reply as they were framed, which is as they
// were flushed.
func chunks(t *testing.T, base, path, body string) []string {
	t.Helper()
	c := dialRaw(t, base)
	defer c.conn.Close()
	if _, err := c.conn.Write(rawRequest(base, path, body)); err != nil {
		t.Fatal(err)
	}
	for line := ""; line != "\r\n"; {
		var err error
		if line, err = c.in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for {
		var n int
		if _, err := fmt.Fscanf(c.in, "%x\r\n", &n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return out
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(c.in, chunk); err != nil {
			t.Fatal(err)
		}
		out = append(out, string(chunk[:n]))
	}
}

func TestStreamsAreFlushedEventByEvent(t *testing.T) {
	first, last, _ := strings.Cut(geminiArray, "\n")
	for _, row := range []struct {
		name, path string
		stream     string
		want       []string
	}{
		{"LF", stream + "?alt=sse", "data: 1\n\nevent: x\ndata: 2\n\n", []string{"data: 1\n\n", "event: x\ndata: 2\n\n"}},
		{"CR LF", stream + "?alt=sse", "data: 1\r\n\r\ndata: 2\r\n\r\n", []string{"data: 1\r\n\r\n", "data: 2\r\n\r\n"}},
		{"CR", stream + "?alt=sse", "data: 1\r\rdata: 2\r\r", []string{"data: 1\r\r", "data: 2\r\r"}},
		{"comment, more blank lines, no end", stream + "?alt=sse", ": ok\n\n\ndata: 1", []string{": ok\n\n", "\n", "data: 1"}},
		{"list", stream, geminiStream, []string{strings.TrimSuffix(first, ","), ",\n" + last}},
		{"list of CR LF events with comments and names", stream, ": ok\r\n\r\nevent: x\r\ndata: {\"a\" : 1}\r\n\r\n", []string{`[{"a" : 1}]`}},
		{"list of data over several lines", stream, "data: {\ndata:  \"a\":1}\n\ndata: {}\n\n", []string{"[{\n \"a\":1}", ",\n{}]"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, _ := start(t, fakeserver.Options{})
			p := s.Play(script(fakeserver.Reply{Endpoint: "gemini", Stream: row.stream}))
			got := chunks(t, p.URL(), row.path, `{}`)
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", row.want) {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
			if ex := p.Close().Exchanges[0]; ex.Reply != strings.Join(row.want, "") || ex.Cut {
				t.Errorf("got %+v", ex)
			}
		})
	}
}

func TestStatusAndHeader(t *testing.T) {
	unavailable := `{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`
	for _, row := range []struct {
		name, path string
		reply      fakeserver.Reply
		kind, want string
		retryAfter string
	}{
		{"an error, plain", generate, fakeserver.Reply{Plain: unavailable, Status: 503, Header: http.Header{"retry-after": {"0"}}}, "application/json", unavailable, "0"},
		{"an error to a stream is plain", stream + "?alt=sse", fakeserver.Reply{Plain: unavailable, Status: 503, Header: http.Header{"retry-after": {"0"}}}, "application/json", unavailable, "0"},
		{"an error as a stream", stream + "?alt=sse", fakeserver.Reply{Plain: "x", Stream: "data: {}\n\n", Status: 500}, "text/event-stream", "data: {}\n\n", ""},
		{"another content type", generate, fakeserver.Reply{Plain: "<html>", Status: 200, Header: http.Header{"content-type": {"text/html"}}}, "text/html", "<html>", ""},
		{"no content", generate, fakeserver.Reply{Status: 204}, "application/json", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, c := start(t, fakeserver.Options{})
			row.reply.Endpoint = "gemini"
			p := s.Play(script(row.reply))
			got := post(t, c, p.URL()+row.path, `{}`)
			if got.status != row.reply.Status || got.kind != row.kind || got.body != row.want || got.header.Get("Retry-After") != row.retryAfter {
				t.Errorf("got %+v", got)
			}
			if ex := p.Close().Exchanges[0]; ex.Status != row.reply.Status || ex.ReplyType != row.kind || ex.Reply != row.want {
				t.Errorf("got %+v", ex)
			}
		})
	}
}

func TestHeadGetsNoBody(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script())
	r, err := http.NewRequest(http.MethodHead, p.URL()+generate, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if got := do(t, c, r); got.status != 400 || got.body != "" {
		t.Errorf("got %+v", got)
	}
	if ex := p.Close().Exchanges[0]; ex.Reply != "" || ex.Status != 400 {
		t.Errorf("got %+v", ex)
	}
}

// A client that leaves in the middle of a reply is seen: the record holds no
// more than what could be sent.
func TestAClientThatLeavesMidReply(t *testing.T) {
	s, _ := start(t, fakeserver.Options{})
	event := "data: " + strings.Repeat("x", 64<<10) + "\n\n"
	text := strings.Repeat(event, 512)
	for _, reply := range []fakeserver.Reply{{Endpoint: "gemini", Stream: text}, {Endpoint: "gemini", Plain: text}} {
		p := s.Play(script(reply))
		c := dialRaw(t, p.URL())
		path := generate
		if reply.Stream != "" {
			path = stream + "?alt=sse"
		}
		if _, err := c.conn.Write(rawRequest(p.URL(), path, `{}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		c.conn.Close()
		rec := p.Close()
		if ex := rec.Exchanges[0]; !ex.Cut || len(ex.Reply) >= len(text) || !strings.HasPrefix(text, ex.Reply) || ex.Step != 1 {
			t.Errorf("got a reply of %d of %d bytes, cut %t", len(ex.Reply), len(text), ex.Cut)
		}
	}
}

// Of a chunked body the framing is gone and the bytes are there.
func TestChunkedRequestWithTrailers(t *testing.T) {
	s, _ := start(t, fakeserver.Options{})
	p := s.Play(script(gemini))
	c := dialRaw(t, p.URL())
	defer c.conn.Close()
	var b strings.Builder
	w := httputil.NewChunkedWriter(&b)
	_, _ = io.WriteString(w, `{"a":`)
	_, _ = io.WriteString(w, `1}`)
	_ = w.Close()
	head, _, _ := strings.Cut(string(rawRequest(p.URL(), generate, "")), "Content-Length")
	if _, err := io.WriteString(c.conn, head+"Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"+b.String()+"X-T: 1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c.conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Error(resp.Status)
	}
	if ex := p.Close().Exchanges[0]; ex.Body != `{"a":1}` {
		t.Errorf("got %+v", ex)
	}
}
