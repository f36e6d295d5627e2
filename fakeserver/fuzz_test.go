package fakeserver_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/wire"
)

// FuzzRouter sends any request line and body through a real connection: the
// answer is always readable, nothing is lost, and the key header is redacted.
func FuzzRouter(f *testing.F) {
	for _, target := range []string{
		generate, stream, stream + "?alt=sse", stream + "?$alt=json;enum-encoding=int", "/v1/responses", "/v1/chat/completions",
		"/../x", "/%2e%2e/x", "//", "/v1/models/%:generateContent", "/v1/models/a?key=KEY&%6bey=KEY;key=KEY", "?", "/\xff\xfe", "/v1beta/models/a/b:generateContent",
	} {
		f.Add("POST", target, `{"stream":true}`)
	}
	f.Add("GET", "/v1/responses", "")
	f.Add("HEAD", "/v1/responses", "\xff")
	f.Add("OPTIONS", "*", "[]")
	s, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, method, target, body string) {
		if strings.ContainsAny(method+target, " \r\n") {
			t.Skip("more than a request line")
		}
		p := s.Play(script(gemini, responses, chat))
		c := dialRaw(t, p.URL())
		defer c.conn.Close()
		strays := s.Strays()
		request := strings.Replace(string(rawRequest(p.URL(), target, body)), "POST ", method+" ", 1)
		request = strings.Replace(request, "\r\n", "\r\nX-Api-Key: KEY\r\nConnection: close\r\n", 1)
		if _, err := c.conn.Write([]byte(request)); err != nil {
			t.Fatal(err)
		}
		if tcp, ok := c.conn.(*net.TCPConn); ok {
			_ = tcp.CloseWrite() // the server may have left already
		}
		resp, err := http.ReadResponse(c.in, &http.Request{Method: method})
		if err != nil {
			t.Fatalf("no answer: %v", err)
		}
		defer resp.Body.Close()
		read, err := io.ReadAll(resp.Body)
		reply := string(read)
		rec := p.Close()
		if err != nil && (resp.StatusCode == http.StatusOK || len(rec.Exchanges) > 0) {
			t.Fatal(err) // else it is net/http's own, which may be cut off: it leaves with the body unread
		}
		switch resp.StatusCode {
		case http.StatusOK, http.StatusBadRequest:
			if len(rec.Exchanges) == 0 && resp.StatusCode == http.StatusBadRequest { // not HTTP
				return
			}
			verifyExchange(t, rec, method, body, reply)
		case http.StatusNotFound:
			if s.Strays() == strays || len(rec.Exchanges) != 0 {
				t.Errorf("got 404, %d strays and %+v", s.Strays()-strays, rec)
			}
			if method != http.MethodHead && !wire.Valid(reply) {
				t.Errorf("got %q", reply)
			}
		case http.StatusRequestHeaderFieldsTooLarge, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported: // net/http's own
		default:
			t.Errorf("got %d %q", resp.StatusCode, reply)
		}
	})
}

func verifyExchange(t *testing.T, rec fakeserver.Record, method, body, reply string) {
	t.Helper()
	if len(rec.Exchanges) != 1 || rec.Err != nil {
		t.Fatalf("got %+v", rec)
	}
	ex := rec.Exchanges[0]
	if ex.Body != body || ex.Reply != reply || ex.Method != method {
		t.Errorf("got %+v, reply %q", ex, reply)
	}
	if ex.Step == 1 != (ex.Status == 200) || ex.Step == 0 != (ex.Status == 400) || ex.Step == 1 && (method != "POST" || ex.Endpoint == "") {
		t.Errorf("got step %d for %+v", ex.Step, ex)
	}
	if ex.Header.Get("X-Api-Key") != fakeserver.Redacted {
		t.Errorf("got header %v", ex.Header)
	}
	if ex.Step == 0 && method != http.MethodHead && !wire.Valid(ex.Reply) {
		t.Errorf("got %q", ex.Reply)
	}
}
