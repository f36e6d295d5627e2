package front_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"example.com/replaycheck/internal/front"
	"example.com/replaycheck/internal/front/fronttest"
)

// A request of 2 KiB, read and answered: what HTTP costs without the kernel.
func BenchmarkRequest(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buf := make([]byte, r.ContentLength)
		_, _ = io.ReadFull(r.Body, buf)
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Header()["Content-Length"] = []string{"300"}
		_, _ = w.Write(buf[:300])
	})
	for name, serve := range map[string]func(*http.Server, net.Listener) error{
		"front":    func(s *http.Server, ln net.Listener) error { return (&front.Server{HTTP: s}).Serve(ln) },
		"net-http": func(s *http.Server, ln net.Listener) error { return s.Serve(ln) },
	} {
		b.Run(name, func(b *testing.B) {
			request := post("/v1beta/models/gemini-3:generateContent", strings.Repeat("x", 2<<10), "Content-Type: application/json", "X-Goog-Api-Key: k", "User-Agent: bench")
			b.ReportAllocs()
			fronttest.Ask(b, func(ln net.Listener) error { return serve(&http.Server{Handler: handler}, ln) }, request, b.N)
		})
	}
}
