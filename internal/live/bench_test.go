package live_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/replaycheck/internal/front/fronttest"
	"example.com/replaycheck/internal/live"
)

// nobody takes an answer and keeps nothing of it.
type nobody struct{ header http.Header }

func (n nobody) Header() http.Header         { return n.header }
func (n nobody) Write(b []byte) (int, error) { return len(b), nil }
func (n nobody) WriteHeader(int)             {}

var benchSizes = []struct {
	name  string
	bytes int
}{{"2KiB", 2 << 10}, {"64KiB", 64 << 10}, {"1MiB", 1 << 20}}

// One request that begins a conversation, judged and let go: what serve does
// besides HTTP.
func BenchmarkRequest(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			s := serve(b, live.Options{})
			body := `{"contents":[{"role":"user","parts":[{"text":"` + strings.Repeat(words, size.bytes/len(words)) + `"}]}]}`
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, model, strings.NewReader(body))
				s.ServeHTTP(nobody{http.Header{}}, r)
			}
		})
	}
}

// hello is a scenario of one reply, to all who say hello.
const hello = "replies: [{when: {prompt: Hello}, text: Hello there.}]"

// history is a body of about so many bytes that ends with a hello.
func history(bytes int) string {
	turn := func(role string) string {
		return `{"role":"` + role + `","parts":[{"text":"` + strings.Repeat(words, 8) + `"}]},`
	}
	return `{"contents":[{"role":"user","parts":[{"text":"00000000"}]},` + strings.Repeat(turn("model")+turn("user"), bytes/(2*len(turn("user")))) +
		`{"role":"model","parts":[{"text":"Hm."}]},{"role":"user","parts":[{"text":"Hello"}]}]}`
}

// One request with a history, as from a load generator: the same each time, which
// begins conversation after conversation of one key, or with a key and a first text
// of its own. What serve does besides HTTP.
func BenchmarkHistory(b *testing.B) {
	for _, size := range benchSizes {
		body := history(size.bytes)
		for _, own := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/own=%v", size.name, own), func(b *testing.B) {
				s := serve(b, live.Options{Scenarios: []live.Scenario{scenario(b, "one", hello)}})
				header := http.Header{"Content-Type": {"application/json"}, "Content-Length": {"2048"}, "X-Goog-Api-Key": {"k"}}
				like := httptest.NewRequest(http.MethodPost, model, nil)
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					r, text := *like, body
					r.Header = header.Clone()
					if own {
						key := fmt.Sprintf("%08d", i)
						r.Header["X-Goog-Api-Key"], text = []string{key}, strings.Replace(body, "00000000", key, 1)
					}
					r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
					s.ServeHTTP(nobody{http.Header{}}, &r)
				}
			})
		}
	}
}

// The same again and again on one connection, HTTP included.
func BenchmarkServed(b *testing.B) {
	for _, size := range benchSizes[:1] {
		b.Run(size.name, func(b *testing.B) {
			body := history(size.bytes)
			request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-Goog-Api-Key: k\r\nContent-Length: %d\r\n\r\n%s", model, len(body), body)
			s := serve(b, live.Options{Scenarios: []live.Scenario{scenario(b, "one", hello)}})
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			b.ResetTimer()
			fronttest.Ask(b, func(ln net.Listener) error { return s.Serve(b.Context(), ln) }, request, b.N)
		})
	}
}

// words are as people write them, with escapes.
const words = `Some ordinary words with a \"quote\" and a line\n. `

const four = `
replies:
- parts:
  - call: {name: weather, args: {city: Leipzig}, id: fc-1}
    signed: true
    length: 600
- parts:
  - thought: Thinking about it.
  - text: It is 7 °C in Leipzig.
    signed: true
- text: It is cold.
- text: Goodbye.
`

// A conversation of four requests, each with a first text of its own so that no
// two are alike: what serve does besides HTTP, judging included.
func BenchmarkConversation(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			s := serve(b, live.Options{Scenarios: []live.Scenario{scenario(b, "four", four)}})
			fill := strings.Repeat(words, size.bytes/len(words))
			learnt := &client{t: b, s: s}
			learnt.say("@")
			learnt.result("7")
			learnt.say("And tomorrow?")
			learnt.say("Thank you.")
			var bodies []string
			for n := 1; n < len(learnt.contents); n += 2 {
				bodies = append(bodies, `{"contents":[`+strings.Join(learnt.contents[:n], ",")+`]}`)
			}
			if len(bodies) != 4 || learnt.last.status != http.StatusOK {
				b.Fatal(len(bodies), learnt.last)
			}
			live.Settle(s)
			b.SetBytes(int64(4 * size.bytes))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				for _, body := range bodies {
					body = strings.Replace(body, "@", fmt.Sprintf("%08d", i)+fill, 1)
					r := httptest.NewRequest(http.MethodPost, model, strings.NewReader(body))
					s.ServeHTTP(nobody{http.Header{}}, r)
				}
			}
			live.Settle(s)
		})
	}
}
