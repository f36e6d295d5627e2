package live_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/replaycheck/internal/live"
)

// nobody takes an answer and keeps nothing of it.
type nobody struct{ header http.Header }

func (n nobody) Header() http.Header         { return n.header }
func (n nobody) Write(b []byte) (int, error) { return len(b), nil }
func (n nobody) WriteHeader(int)             {}

// One request that begins a conversation, judged and let go: what serve does
// besides HTTP.
func BenchmarkRequest(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"2KiB", 2 << 10}, {"64KiB", 64 << 10}, {"1MiB", 1 << 20}} {
		b.Run(size.name, func(b *testing.B) {
			s := serve(b, live.Options{})
			body := `{"contents":[{"role":"user","parts":[{"text":"` + strings.Repeat("x", size.bytes-60) + `"}]}]}`
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, model, strings.NewReader(body))
				s.ServeHTTP(nobody{http.Header{}}, r)
			}
		})
	}
}
