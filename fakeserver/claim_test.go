package fakeserver_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
)

// What a client only says it will send takes no memory until it comes.
func TestAnnouncedBodiesAreNotTrusted(t *testing.T) {
	s, _ := start(t, fakeserver.Options{})
	p := s.Play(script())
	u, err := url.Parse(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 4 {
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, "POST %s%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", u.Path, generate, 60<<20, strings.Repeat(" ", 100)); err != nil {
			t.Fatal(err)
		}
		if tcp, ok := conn.(*net.TCPConn); !ok || tcp.CloseWrite() != nil {
			t.Fatal("can't end what is sent")
		}
		if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400") {
			t.Fatalf("got %q, %v", answer, err)
		}
		_ = conn.Close()
	}
	rec := p.Close()
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("%d bytes were allocated for 4 bodies of which 100 bytes came", grown)
	}
	if len(rec.Exchanges) != 0 || rec.Err == nil || strings.Count(rec.Err.Error(), "the request body ended after 100 bytes") != 4 {
		t.Errorf("got %d exchanges, %v", len(rec.Exchanges), rec.Err)
	}
}

// Bodies of all sizes around what is trusted are recorded to the byte.
func TestLongBodiesAreWhole(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	for _, size := range []int{1<<20 - 1, 1 << 20, 1<<20 + 1, 2<<20 - 1, 2 << 20, 5<<20 + 7} {
		p := s.Play(script(fakeserver.Reply{Endpoint: "gemini", Plain: "{}"}))
		body := requestBody(size)
		resp, err := c.Post(p.URL()+generate, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		rec := p.Close()
		if rec.Err != nil || len(rec.Exchanges) != 1 || rec.Exchanges[0].Body != body || resp.StatusCode != http.StatusOK {
			t.Errorf("%d bytes: got status %d, %d exchanges, %v", size, resp.StatusCode, len(rec.Exchanges), rec.Err)
		}
	}
}
