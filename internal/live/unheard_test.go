package live_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/live"
)

// What never becomes a request is counted all the same, once for a connection; what
// does become one is not.
func TestUnheardIsCounted(t *testing.T) {
	post := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", model)
	page := "GET " + live.Root + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	for name, row := range map[string]struct {
		say     string
		answers int // that are read before the client leaves
		want    int
	}{
		"nothing":                 {"", 0, 0},
		"requests":                {post + post, 2, 0},
		"requests, then the page": {post + page + page + post, 4, 0},
		"no HTTP":                 {"hello\r\n\r\n", 1, 1},
		"a TLS client":            {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 0, 1},
		"half a head":             {"POST / HTTP/1.1\r\nHost: h\r\n", 0, 1},
		"a head that is too long": {"GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 2<<20), 0, 1},
		"a request, then no HTTP": {post + "hello\r\n\r\n", 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s := serve(t, live.Options{})
			_, base := listening(t, s, nil)
			at, err := url.Parse(base)
			g.Expect(err).NotTo(HaveOccurred())
			c, err := net.Dial("tcp4", at.Host)
			g.Expect(err).NotTo(HaveOccurred())
			defer func() { _ = c.Close() }()
			_, _ = io.WriteString(c, row.say) // a head too long is not read to its end
			in := bufio.NewReader(c)
			for range row.answers {
				a, err := http.ReadResponse(in, nil)
				g.Expect(err).NotTo(HaveOccurred())
				_, err = io.Copy(io.Discard, a.Body)
				_ = a.Body.Close()
				g.Expect(err).NotTo(HaveOccurred())
			}
			g.Expect(c.Close()).To(Succeed())
			g.Eventually(func() int { return look(t, s).Strays }).Should(Equal(row.want))
			if row.want > 0 {
				g.Expect(s.Report().NotJudged).To(ContainElement(ContainSubstring("a request that never became one: its head is no HTTP, too long or without an end")))
			}
		})
	}
}

// With HTTP/2 many requests come at once, and each is heard.
func TestHTTP2IsHeard(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{HTTP2: true})
	over, base := listening(t, s, func(tr *http.Transport) {
		tr.Protocols = &http.Protocols{}
		tr.Protocols.SetUnencryptedHTTP2(true)
	})
	for range 3 {
		a, err := over.Get(base + live.Root)
		g.Expect(err).NotTo(HaveOccurred())
		_ = a.Body.Close()
		g.Expect(a.ProtoMajor).To(Equal(2))
	}
	over.CloseIdleConnections()
	g.Consistently(func() int { return look(t, s).Strays }).Should(Equal(0))
}
