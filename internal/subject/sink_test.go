package subject_test

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/subject"
)

func TestSinkNotesHosts(t *testing.T) {
	g := NewWithT(t)
	var hits atomic.Int32
	sink, err := subject.StartSink(func(string) { hits.Add(1) })
	g.Expect(err).NotTo(HaveOccurred())
	proxy, err := url.Parse(sink.URL())
	g.Expect(err).NotTo(HaveOccurred())
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}}

	resp, err := client.Get("http://plain.example/path?key=secret")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(resp.StatusCode).To(Equal(http.StatusForbidden))
	g.Expect(resp.Body.Close()).To(Succeed())
	_, err = client.Get("https://tls.example/") //nolint:bodyclose // there is none
	g.Expect(err).To(MatchError(ContainSubstring("Forbidden")))
	_, err = client.Get("https://tls.example/") //nolint:bodyclose // there is none
	g.Expect(err).To(HaveOccurred())

	sink.Close()
	g.Expect(sink.Hosts()).To(Equal([]string{"plain.example", "tls.example:443"}))
	g.Expect(hits.Load()).To(Equal(int32(3)))
}

// What was asked just before the asker died is noted all the same.
func TestSinkCloseNotesWhatIsPending(t *testing.T) {
	for _, row := range []struct {
		name, sent string
		want       []string
	}{
		{"a request", "CONNECT late.example:443 HTTP/1.1\r\n", []string{"late.example:443"}},
		{"no HTTP", "\x16\x03\x01\x02", []string{"an unknown host"}},
		{"control characters", "CONNECT a\x1b[31mb:443 HTTP/1.1\r\n", []string{"a [31mb:443"}},
		{"nothing", "", nil},
		{"a very long line", strings.Repeat("x", 1<<20), []string{"an unknown host"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			sink, err := subject.StartSink(nil)
			g.Expect(err).NotTo(HaveOccurred())
			c, err := net.Dial("tcp", strings.TrimPrefix(sink.URL(), "http://"))
			g.Expect(err).NotTo(HaveOccurred())
			_, _ = io.WriteString(c, row.sent)
			_ = c.Close()
			sink.Close()
			g.Expect(sink.Hosts()).To(Equal(row.want))
		})
	}
}

// A connection that is held open does not hold the sink.
func TestSinkCloseWithAnOpenConnection(t *testing.T) {
	g := NewWithT(t)
	sink, err := subject.StartSink(nil)
	g.Expect(err).NotTo(HaveOccurred())
	c, err := net.Dial("tcp", strings.TrimPrefix(sink.URL(), "http://"))
	g.Expect(err).NotTo(HaveOccurred())
	sink.Close()
	g.Expect(c.Close()).To(Succeed())
	g.Expect(sink.Hosts()).To(BeEmpty())
}
