package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/result"
)

// millionVariable says how many requests TestServeForLong makes; make million
// makes a million.
const millionVariable = "REPLAYCHECK_REQUESTS"

// crowd has conversations of two requests over many connections, each under a
// key of its own and with a first text that no other has.
type crowd struct {
	base   *url.URL
	conns  int
	bodies [2]string // with "@" where the number goes, and room for text after it
	fill   []string  // texts of the sizes that take turns

	next   atomic.Int64 // conversation
	bytes  atomic.Int64 // of bodies
	wrong  atomic.Int64
	first  sync.Once
	report func(string)
}

func (c *crowd) talk(conversations int64) {
	var wg sync.WaitGroup
	for i := range c.conns {
		wg.Go(func() {
			conn, err := net.Dial("tcp", c.base.Host)
			if err != nil {
				c.fail(err)
				return
			}
			defer conn.Close()
			in := bufio.NewReader(conn)
			for n := c.next.Add(1); n <= conversations; n = c.next.Add(1) {
				for _, body := range c.bodies {
					body = strings.Replace(body, "@", fmt.Sprintf("%09d ", n)+c.fill[n%int64(len(c.fill))], 1)
					c.bytes.Add(int64(len(body)))
					if err := c.ask(conn, in, i, body); err != nil {
						c.fail(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func (c *crowd) ask(conn net.Conn, in *bufio.Reader, key int, body string) error {
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nX-Goog-Api-Key: key-%d\r\nContent-Length: %d\r\n\r\n%s", flash, c.base.Host, key, len(body), body); err != nil {
		return err
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("got %d %s", resp.StatusCode, text)
	}
	return err
}

func (c *crowd) fail(err error) {
	c.wrong.Add(1)
	c.first.Do(func() { c.report(err.Error()) })
}

// resident is how many bytes a process holds in memory, and held at most.
func resident(g *WithT, pid int) (now, most int64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	g.Expect(err).NotTo(HaveOccurred())
	for _, m := range regexp.MustCompile(`(VmRSS|VmHWM):\s*(\d+) kB`).FindAllStringSubmatch(string(b), 2) {
		n, _ := strconv.ParseInt(m[2], 10, 64)
		if m[1] == "VmRSS" {
			now = n << 10
		} else {
			most = n << 10
		}
	}
	return now, most
}

// A server that is asked for long keeps its memory, and every request is counted
// in what it keeps or in what left the journal.
func TestServeForLong(t *testing.T) {
	requests, bound := int64(2000), int64(8<<20)
	if text := os.Getenv(millionVariable); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", millionVariable, err)
		}
		requests, bound = n, 128<<20
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("not run: this system does not tell how much memory a process holds")
	}
	g := NewWithT(t)
	dir := t.TempDir()
	s := startServe(t, dir, "--scenario", "gemini/single-call", "--json", "r.json", "--max-journal", strconv.FormatInt(bound, 10), "--max-body", strconv.FormatInt(4<<20, 10))
	base, err := url.Parse(s.bases[0])
	g.Expect(err).NotTo(HaveOccurred())
	c := &crowd{base: base, conns: 32, report: func(text string) { t.Error(text) }}
	for _, size := range []int{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 64 << 10} {
		c.fill = append(c.fill, strings.Repeat("Words that make it long. ", size/25))
	}
	status, reply := s.ask(http.MethodPost, s.bases[0]+"/c/first"+flash, `{"contents":[`+question+`]}`)
	g.Expect(status).To(Equal(http.StatusOK))
	asks := `{"role":"user","parts":[{"text":"@"}]}`
	c.bodies = [2]string{`{"contents":[` + asks + `]}`, `{"contents":[` + asks + `,` + turnOf(t, reply) + `,` + answer + `]}`}

	begun, over := time.Now(), make(chan struct{})
	go func() { defer close(over); c.talk(requests / 2) }()
	pid := s.cmd.Process.Pid
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-over:
			running = false
		case <-tick.C:
			now, most := resident(g, pid)
			t.Logf("%4.0f s: %d conversations, %d MB of bodies, %d MB resident, %d MB at most", time.Since(begun).Seconds(), c.next.Load(), c.bytes.Load()>>20, now>>20, most>>20)
		}
	}
	elapsed := time.Since(begun)
	g.Expect(c.wrong.Load()).To(BeZero())
	_, most := resident(g, pid)

	var page struct {
		Kept, Gone, Strays int
		KeptRequests       int64 `json:"kept_requests"`
		GoneRequests       int64 `json:"gone_requests"`
	}
	_, text := s.ask(http.MethodGet, s.page+"api/conversations", "")
	g.Expect(json.Unmarshal([]byte(text), &page)).To(Succeed())
	g.Expect(page.Kept+page.Gone).To(BeEquivalentTo(requests/2+1), "conversations")
	g.Expect(page.KeptRequests+page.GoneRequests).To(Equal(requests/2*2+1), "requests")
	g.Expect(page.Strays).To(BeZero())
	_, text = s.ask(http.MethodGet, s.page, "")
	g.Expect(text).To(ContainSubstring(fmt.Sprintf("%d left the journal with %d requests", page.Gone, page.GoneRequests)))

	code, text := s.end(os.Interrupt)
	g.Expect(code).To(Equal(0), text)
	b, err := os.ReadFile(filepath.Join(dir, "r.json"))
	g.Expect(err).NotTo(HaveOccurred())
	var r result.Report
	g.Expect(json.Unmarshal(b, &r)).To(Succeed())
	g.Expect(judged(g, r, "REPLAY-03")).To(Equal(requests / 2))
	g.Expect(judged(g, r, "PROVIDER-RULES")).To(Equal(requests/2 + 1))
	t.Logf("%d requests with %d MB of bodies in %.0f s (%.0f/s): journal bound %d MB, at most %d MB resident; %d conversations kept, %d left the journal with %d requests",
		requests, c.bytes.Load()>>20, elapsed.Seconds(), float64(requests)/elapsed.Seconds(), bound>>20, most>>20, page.Kept, page.Gone, page.GoneRequests)
	if raceDetector {
		return // its own memory is in most too
	}
	// Beside the journal: requests on their way, garbage, the program.
	g.Expect(most).To(BeNumerically("<", bound*5/4+96<<20))
}

// judged is how many conversations a requirement passed in; none may have failed.
func judged(g *WithT, r result.Report, id string) int64 {
	var n int64
	for _, q := range r.Requirements {
		if q.ID != id {
			continue
		}
		g.Expect(q.Status).To(Equal(result.Pass))
		for _, run := range q.Runs {
			var gone int64 = 1
			if m := regexp.MustCompile(`^(\d+) conversations that left`).FindStringSubmatch(run.Variant); m != nil {
				gone, _ = strconv.ParseInt(m[1], 10, 64)
			}
			n += gone
		}
	}
	return n
}
