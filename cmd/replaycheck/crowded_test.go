//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/live"
)

// Connections that say nothing, or begin to and stop, keep nobody from being answered,
// hold little memory, and are counted where something was begun.
func TestTenThousandConnections(t *testing.T) {
	g := NewWithT(t)
	var limit syscall.Rlimit
	g.Expect(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)).To(Succeed())
	const spare = 200 // files that the two processes need besides
	n := 10_000
	if int(min(limit.Cur, 1<<30)) < n+spare {
		n = int(limit.Cur) - spare
		t.Logf("this system allows %d open files: %d connections", limit.Cur, n)
	}
	s := startServe(t, t.TempDir(), "--scenario", "gemini/single-call")
	base, err := url.Parse(s.bases[0])
	g.Expect(err).NotTo(HaveOccurred())
	at, err := net.ResolveTCPAddr("tcp", base.Host)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = os.Stat("/proc/self/status")
	tells := err == nil // how much memory a process holds
	var before int64
	if tells {
		before, _ = resident(g, s.cmd.Process.Pid)
	}
	conns := make([]*net.TCPConn, n)
	for i := range conns {
		c, err := net.DialTCP("tcp", nil, at)
		g.Expect(err).NotTo(HaveOccurred(), "connection %d", i+1)
		conns[i] = c
		g.Expect(conns[i].SetLinger(0)).To(Succeed()) // so that none is left in TIME_WAIT
		if i%2 == 0 {
			_, err := io.WriteString(c, "POST "+flash+" HTTP/1.1\r\nHost: h\r\nX-Half: ")
			g.Expect(err).NotTo(HaveOccurred())
		}
	}
	status, body := s.ask(http.MethodPost, s.bases[0]+"/c/first"+flash, `{"contents":[`+question+`]}`)
	g.Expect(status).To(Equal(http.StatusOK), body)
	if tells {
		now, _ := resident(g, s.cmd.Process.Pid)
		t.Logf("%d connections hold %d MB", n, (now-before)>>20)
		g.Expect(now - before).To(BeNumerically("<", int64(n)*96<<10)) // 12 KB each, 56 KB with -race
	}
	for _, c := range conns {
		g.Expect(c.Close()).To(Succeed())
	}
	g.Eventually(func() int {
		_, text := s.ask(http.MethodGet, "http://"+base.Host+live.Root+"api/conversations", "")
		var seen struct{ Strays int }
		g.Expect(json.Unmarshal([]byte(text), &seen)).To(Succeed())
		return seen.Strays
	}, "5s").Should(Equal((n + 1) / 2))
	code, out := s.end(os.Interrupt)
	g.Expect(code).To(Equal(2), "nothing was judged: %s", out)
}
