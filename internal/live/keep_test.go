package live_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/live"
)

func file(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every exchange is a file, byte for byte, of conversations that left the
// journal too.
func TestKeep(t *testing.T) {
	g := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "new")
	s := serve(t, live.Options{Keep: dir, MaxConversations: 4})
	bodies := map[string]string{}
	for name := range strings.SplitSeq("abcdefgh", "") {
		var lose func(string) string
		if name == "h" {
			lose = cutOff
		}
		c := talk(t, s, "/c/"+name, lose, with("X-Goog-Api-Key", "sk-secret"))
		bodies[name] = `{"contents":[` + strings.Join(c.contents[:3], ",") + `]}`
		live.Settle(s)
	}
	g.Expect(look(t, s).Gone).To(BeNumerically(">", 2))
	g.Expect(file(t, dir, "weather", "c1", "request-2.json")).To(Equal(bodies["a"]), "it left, and is there")
	_, err := os.Stat(filepath.Join(dir, "weather", "c8"))
	g.Expect(err).To(MatchError(os.ErrNotExist), "it is still going on")
	s.Close()
	g.Expect(s.Kept()).To(Succeed())
	at := filepath.Join(dir, "weather", "c8")
	g.Expect(file(t, at, "request-2.json")).To(Equal(bodies["h"]))
	g.Expect(file(t, at, "reply-1.json")).To(HavePrefix(`{"candidates":`))
	g.Expect(file(t, at, "reply-2.json")).To(ContainSubstring("Corrupted thought signature."))
	list := file(t, at, "exchanges.json")
	g.Expect(list).NotTo(ContainSubstring("sk-secret"))
	var exchanges []struct {
		Request   int
		Status    int
		Rule, Why string
		Sent      string
	}
	g.Expect(json.Unmarshal([]byte(list), &exchanges)).To(Succeed())
	g.Expect(exchanges).To(HaveLen(2))
	g.Expect(exchanges[1].Rule).To(Equal("gemini/corrupted-signature"))
	g.Expect(exchanges[1].Why).To(HavePrefix("contents[1].parts[1]: cut off, 45 of "))
	raw := s.Report()
	seen := 0
	for _, r := range raw.Requirements {
		for _, run := range r.Runs {
			for _, f := range run.Findings {
				if f.Raw != "" {
					seen++
					g.Expect(f.Raw).To(BeAnExistingFile())
				}
			}
		}
	}
	g.Expect(seen).To(BeNumerically(">", 0))
}

// A request that met a fault is kept, though nothing counts it.
func TestKeepFaults(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	s := serve(t, live.Options{Keep: dir, Chaos: &fakeserver.Chaos{Faults: []fakeserver.ChaosFault{{Reply: 1, Fault: fakeserver.Fault{Status: 503}}}}})
	first := send(t, s, http.MethodPost, "/c/a"+model, `{"contents":[]}`)
	g.Expect(first.status).To(Equal(503))
	talk(t, s, "/c/a", nil)
	s.Close()
	at := filepath.Join(dir, "weather", "c1")
	g.Expect(file(t, at, "reply-unjudged-1.json")).To(ContainSubstring("The model is overloaded."))
	g.Expect(file(t, at, "request-unjudged-1.json")).To(Equal(`{"contents":[]}`))
	g.Expect(file(t, at, "exchanges.json")).To(ContainSubstring(`"fault": "status 503"`))
	g.Expect(file(t, at, "request-2.json")).To(ContainSubstring("thoughtSignature"))
}

// What cannot be written is said.
func TestNotKept(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(dir, "weather"), nil, 0o600)).To(Succeed())
	s := serve(t, live.Options{Keep: dir})
	talk(t, s, "/c/a", nil)
	g.Expect(s.Kept()).To(Succeed())
	s.Close()
	g.Expect(s.Kept()).To(MatchError(HavePrefix("live: keep conversation c1: ")))
}

// A folder has its name only when all of it is there, and nothing else is left.
func TestKeptFoldersAreWhole(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	s := serve(t, live.Options{Keep: dir})
	talk(t, s, "/c/a", nil)
	talk(t, s, "/c/b", nil)
	// A folder that can't take its name, since one is there.
	g.Expect(os.MkdirAll(filepath.Join(dir, "weather", "c1", "taken"), 0o700)).To(Succeed())
	s.Close()
	g.Expect(s.Kept()).To(HaveOccurred())
	list, err := os.ReadDir(filepath.Join(dir, "weather"))
	g.Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	g.Expect(names).To(Equal([]string{"c1", "c2"}))
	g.Expect(file(t, dir, "weather", "c2", "exchanges.json")).To(HaveSuffix("]\n"))
}

// listening serves on a port.
func listening(t *testing.T, s *live.Server, change func(*http.Transport)) (*http.Client, string) {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context(), ln) }()
	tr := &http.Transport{}
	if change != nil {
		change(tr)
	}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &http.Client{Transport: tr}, "http://" + ln.Addr().String()
}

// post makes a request over a connection; proto is "HTTP/2.0" or the like.
func post(t *testing.T, c *http.Client, url, body string) (proto string, got answer, err error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, url, bytes.NewReader([]byte(body)))
	r.RequestURI = ""
	resp, err := c.Do(r)
	if err != nil {
		return "", got, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.Proto, answer{resp.StatusCode, resp.Header, string(b)}, err
}

// A reset is one, also where another server's connections are at work.
func TestFaultsReachTheConnection(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Chaos: &fakeserver.Chaos{Faults: []fakeserver.ChaosFault{{Reply: 1, Fault: fakeserver.Fault{Reset: fakeserver.BeforeHeaders}}}}})
	c, url := listening(t, s, nil)
	_, _, err := post(t, c, url+"/c/a"+model, `{"contents":[{"role":"user","parts":[{"text":"?"}]}]}`)
	g.Expect(errors.Is(err, syscall.ECONNRESET)).To(BeTrue(), "%v", err)
	_, got, err := post(t, c, url+"/c/a"+model, `{"contents":[{"role":"user","parts":[{"text":"?"}]}]}`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.status).To(Equal(200))
}

func TestHTTP2(t *testing.T) {
	for _, on := range []bool{true, false} {
		g := NewWithT(t)
		s := serve(t, live.Options{HTTP2: on})
		c, url := listening(t, s, func(tr *http.Transport) {
			tr.Protocols = &http.Protocols{}
			tr.Protocols.SetUnencryptedHTTP2(true)
		})
		proto, got, err := post(t, c, url+"/c/a"+model, `{"contents":[{"role":"user","parts":[{"text":"?"}]}]}`)
		if !on {
			g.Expect(err).To(HaveOccurred())
			continue
		}
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(proto).To(Equal("HTTP/2.0"))
		g.Expect(got.body).To(ContainSubstring("thoughtSignature"))
	}
}
