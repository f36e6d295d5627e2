package fakeserver_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/replaycheck/fakeserver"
)

// The client of the benchmarks writes a prepared request over a raw connection,
// so that most of the machine is left to the server under test.
type rawConn struct {
	conn net.Conn
	in   *bufio.Reader
}

func dialRaw(tb testing.TB, base string) *rawConn {
	tb.Helper()
	u, err := url.Parse(base)
	if err != nil {
		tb.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		tb.Fatal(err)
	}
	return &rawConn{conn, bufio.NewReader(conn)}
}

func (c *rawConn) roundTrip(request []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	length := 0
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		switch {
		case err != nil:
			return err
		case first && !strings.HasPrefix(string(line), "HTTP/1.1 200"):
			return fmt.Errorf("got %q", line)
		case len(line) == 2:
			_, err := c.in.Discard(length)
			return err
		}
		_, _ = fmt.Sscanf(string(line), "Content-Length: %d", &length)
	}
}

func rawRequest(base, path string, body string) []byte {
	u, _ := url.Parse(base)
	return fmt.Appendf(nil, "POST %s%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAuthorization: Bearer test\r\nContent-Length: %d\r\n\r\n%s",
		u.Path, path, u.Host, len(body), body)
}

func requestBody(size int) string {
	head, tail := `{"contents":[{"role":"user","parts":[{"text":"`, `"}]}]}`
	return head + strings.Repeat("a", size-len(head)-len(tail)) + tail
}

var (
	benchSizes = []int{2 << 10, 64 << 10, 1 << 20}
	benchReply = strings.Repeat("x", 600)
)

func benchRecord(b *testing.B, endpoint, path string) {
	b.Helper()
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			s, _ := start(b, fakeserver.Options{})
			body := requestBody(size)
			// A play takes 64 MiB or 1,000 requests, then the next one begins.
			script := script(slices.Repeat([]fakeserver.Reply{{Endpoint: endpoint, Plain: benchReply}}, min(1000, 64<<20/size))...)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				p := s.Play(script)
				c := dialRaw(b, p.URL())
				defer c.conn.Close()
				request := rawRequest(p.URL(), path, body)
				for n := 0; pb.Next(); n++ {
					if n == len(script.Replies) {
						if rec := p.Close(); rec.Err != nil || rec.Leftover != 0 {
							b.Error(rec.Err, rec.Leftover)
						}
						p, n = s.Play(script), 0
						request = rawRequest(p.URL(), path, body)
					}
					if err := c.roundTrip(request); err != nil {
						b.Error(err)
						return
					}
				}
				p.Close()
			})
		})
	}
}

func BenchmarkRecordGemini(b *testing.B)    { benchRecord(b, fakeserver.Gemini, generate) }
func BenchmarkRecordResponses(b *testing.B) { benchRecord(b, fakeserver.Responses, "/v1/responses") }

// BenchmarkBare is what to compare with: a net/http handler that reads the
// body, keeps a copy and writes the same reply.
func BenchmarkBare(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			var mu sync.Mutex
			var kept [][]byte
			most := min(8*1000, 8*64<<20/size)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				mu.Lock()
				if len(kept) == most {
					kept = kept[:0]
				}
				kept = append(kept, slices.Clone(body))
				mu.Unlock()
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, benchReply)
			}))
			defer s.Close()
			body := requestBody(size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				c := dialRaw(b, s.URL)
				defer c.conn.Close()
				request := rawRequest(s.URL, generate, body)
				for pb.Next() {
					if err := c.roundTrip(request); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
