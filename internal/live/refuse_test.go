package live_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/live"
)

// A client sees why its body is refused: also one that writes all of it before
// it reads, and one that asks first is not told to go on.
func TestRefusedBodiesAreAnswered(t *testing.T) {
	long := strings.Repeat("x", 8<<20)
	for _, row := range []struct {
		name, path, header, body string
		want                     int
	}{
		{"too long", model, "", long, http.StatusRequestEntityTooLarge},
		{"nowhere", "/s/nope" + model, "", long, http.StatusNotFound},
		{"too long, asks first", model, "Expect: 100-continue\r\n", "", http.StatusRequestEntityTooLarge},
		{"nowhere, asks first", "/s/nope" + model, "Expect: 100-continue\r\n", "", http.StatusNotFound},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			_, url := listening(t, serve(t, live.Options{MaxBody: 1000}), nil)
			c, err := net.Dial("tcp4", strings.TrimPrefix(url, "http://"))
			g.Expect(err).NotTo(HaveOccurred())
			defer c.Close()
			_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: a\r\n%sContent-Length: %d\r\n\r\n%s", row.path, row.header, len(long), row.body)
			g.Expect(err).NotTo(HaveOccurred())
			line, err := bufio.NewReader(c).ReadString('\n')
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(line).To(HavePrefix(fmt.Sprintf("HTTP/1.1 %d ", row.want)))
		})
	}
}
