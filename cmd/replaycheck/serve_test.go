//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/result"
)

// served is a running "replaycheck serve".
type served struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  *bufio.Reader
	stderr strings.Builder
	bases  []string // without brackets
	page   string
	first  time.Duration // from start to the line with the page
}

func startServe(t *testing.T, dir string, args ...string) *served {
	t.Helper()
	s := &served{t: t, cmd: exec.CommandContext(t.Context(), "replaycheck", append([]string{"serve"}, args...)...)}
	s.cmd.Dir, s.cmd.Stderr = dir, &s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.lines = bufio.NewReader(out)
	for s.page == "" {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			t.Fatalf("no page was told: %v; %s", err, s.stderr.String())
		}
		if base, ok := strings.CutPrefix(line, "base URL  "); ok {
			base, _, _ = strings.Cut(base, " ")
			s.bases = append(s.bases, base)
		}
		if page, ok := strings.CutPrefix(line, "page      "); ok {
			s.page = strings.TrimSpace(page)
		}
	}
	s.first = time.Since(begun)
	return s
}

// ask makes one request and returns status and body.
func (s *served) ask(method, url, body string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: tr}).Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// end interrupts it and returns the exit code and the rest of what it wrote.
func (s *served) end(signal os.Signal) (int, string) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
	rest, err := io.ReadAll(s.lines)
	if err != nil {
		s.t.Fatal(err)
	}
	code, _ := exitOf(s.cmd.Wait())
	return code, string(rest)
}

const (
	flash    = "/v1beta/models/gemini-3.8-flash:generateContent"
	question = `{"role":"user","parts":[{"text":"How is the weather?"}]}`
	unsigned = `{"role":"model","parts":[{"functionCall":{"id":"x7Kq2mPd","name":"weather","args":{"city":"Leipzig"}}}]}`
	answer   = `{"role":"user","parts":[{"functionResponse":{"id":"x7Kq2mPd","name":"weather","response":{"result":"7"}}}]}`
)

// turnOf is the model's turn in a reply, byte for byte.
func turnOf(t *testing.T, reply string) string {
	t.Helper()
	var r struct {
		Candidates []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal([]byte(reply), &r); err != nil || len(r.Candidates) == 0 {
		t.Fatalf("no turn in %s", reply)
	}
	return string(r.Candidates[0].Content)
}

func TestServePasses(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			s := startServe(t, dir, "--scenario", "gemini/single-call", "--json", "r.json", "--junit", "r.xml", "--html", "r.html", "--no-times")
			g.Expect(s.bases).To(HaveLen(1))
			g.Expect(s.page).To(Equal(s.bases[0] + "/_replaycheck/"))
			status, reply := s.ask(http.MethodPost, s.bases[0]+"/c/alice"+flash, `{"contents":[`+question+`]}`)
			g.Expect(status).To(Equal(200))
			status, _ = s.ask(http.MethodPost, s.bases[0]+"/c/alice"+flash, `{"contents":[`+question+`,`+turnOf(t, reply)+`,`+answer+`]}`)
			g.Expect(status).To(Equal(200))
			status, page := s.ask(http.MethodGet, s.page, "")
			g.Expect(status).To(Equal(200))
			g.Expect(page).To(ContainSubstring("alice"))
			code, text := s.end(signal)
			g.Expect(s.stderr.String()).To(BeEmpty())
			g.Expect(code).To(Equal(0), text)
			g.Expect(text).To(And(ContainSubstring("subject observed client; level provider"), ContainSubstring("REPLAY-03\tpass\t1 of 1\tplain/live"), ContainSubstring("\npass  ")))
			b, err := os.ReadFile(filepath.Join(dir, "r.json"))
			g.Expect(err).NotTo(HaveOccurred())
			var r result.Report
			g.Expect(json.Unmarshal(b, &r)).To(Succeed())
			g.Expect(r.Kind).To(Equal("serve"))
			g.Expect(r.Started).To(BeEmpty())
			for _, name := range []string{"r.xml", "r.html"} {
				g.Expect(filepath.Join(dir, name)).To(BeAnExistingFile())
			}
		})
	}
}

func TestServeFindsTheLoss(t *testing.T) {
	g := NewWithT(t)
	s := startServe(t, t.TempDir(), "--scenario", "gemini/single-call", "--scenario", "openai/*")
	g.Expect(s.bases[1]).To(HavePrefix(s.bases[0] + "/s/openai/"))
	for _, body := range []string{`{"contents":[` + question + `]}`, `{"contents":[` + question + `,` + unsigned + `,` + answer + `]}`} {
		s.ask(http.MethodPost, s.bases[0]+flash, body)
	}
	code, text := s.end(os.Interrupt)
	g.Expect(code).To(Equal(1))
	g.Expect(text).To(ContainSubstring("where  request 2, contents[1].parts[0].thoughtSignature   (scenario gemini/single-call, plain, live, no key)\n"))
	g.Expect(text).To(ContainSubstring("PROVIDER-RULES MUST  No request breaks a rule of the provider's profile"))
}

func TestServeWithoutTraffic(t *testing.T) {
	g := NewWithT(t)
	s := startServe(t, t.TempDir(), "--scenario", "gemini/single-call", "--addr", "0.0.0.0:0")
	g.Expect(s.bases[0]).To(HavePrefix("http://127.0.0.1:"))
	code, text := s.end(os.Interrupt)
	g.Expect(code).To(Equal(2), "nothing came that could be judged")
	g.Expect(text).To(ContainSubstring("\nerror  0 passed, 0 failed"))
	g.Expect(s.stderr.String()).To(MatchRegexp(`^replaycheck: serve: warning: .* can be reached from other machines, and whoever reaches it can read every conversation\n$`))
}

// Where a report takes standard output, people's text goes to standard error.
func TestServeReportOnStandardOutput(t *testing.T) {
	g := NewWithT(t)
	cmd := exec.CommandContext(t.Context(), "replaycheck", "serve", "--scenario", "gemini/single-call", "--json", "-")
	errs, err := cmd.StderrPipe()
	g.Expect(err).NotTo(HaveOccurred())
	var out strings.Builder
	cmd.Stdout = &out
	g.Expect(cmd.Start()).To(Succeed())
	lines := bufio.NewReader(errs)
	for {
		line, err := lines.ReadString('\n')
		g.Expect(err).NotTo(HaveOccurred())
		if strings.HasPrefix(line, "Ctrl-C") {
			break
		}
	}
	g.Expect(cmd.Process.Signal(os.Interrupt)).To(Succeed())
	_, err = io.Copy(io.Discard, lines)
	g.Expect(err).NotTo(HaveOccurred())
	code, _ := exitOf(cmd.Wait())
	g.Expect(code).To(Equal(2))
	var r result.Report
	g.Expect(json.Unmarshal([]byte(out.String()), &r)).To(Succeed())
}

// Faults by the command line come where they were asked for; who tries again is
// judged by what it sends then, and all of it is kept.
func TestServeFaults(t *testing.T) {
	for _, row := range []struct {
		name   string
		again  func(turn string) string
		status int
		code   int
	}{
		{"tries again", func(turn string) string { return turn }, 200, 0},
		{"loses the signature then", func(string) string { return unsigned }, 400, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			s := startServe(t, dir, "--scenario", "gemini/single-call", "--fault", "503=7@2", "--keep", "kept", "--json", "r.json", "--no-times")
			status, reply := s.ask(http.MethodPost, s.bases[0]+flash, `{"contents":[`+question+`]}`)
			g.Expect(status).To(Equal(200))
			turn := turnOf(t, reply)
			whole := `{"contents":[` + question + `,` + turn + `,` + answer + `]}`
			status, reply = s.ask(http.MethodPost, s.bases[0]+flash, whole)
			g.Expect(status).To(Equal(503))
			g.Expect(reply).To(Equal(`{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`))
			status, _ = s.ask(http.MethodPost, s.bases[0]+flash, `{"contents":[`+question+`,`+row.again(turn)+`,`+answer+`]}`)
			g.Expect(status).To(Equal(row.status))
			code, text := s.end(os.Interrupt)
			g.Expect(code).To(Equal(row.code), text)
			g.Expect(text).To(ContainSubstring("1 request met a fault of the script's or of --fault and --chaos"))
			kept, err := os.ReadFile(filepath.Join(dir, "kept", "gemini", "single-call", "c1", "request-unjudged-2.json"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(kept)).To(Equal(whole))
			if row.code == 1 {
				g.Expect(text).To(ContainSubstring("kept/gemini/single-call/c1/request-2.json"))
			}
		})
	}
}

// The same number chooses the same faults.
func TestServeSeed(t *testing.T) {
	g := NewWithT(t)
	course := func(seed string) string {
		dir := t.TempDir()
		g.Expect(os.WriteFile(filepath.Join(dir, "many.yaml"), []byte("replies:\n"+strings.Repeat("- text: x\n", 12)), 0o600)).To(Succeed())
		s := startServe(t, dir, "--scenario", "many.yaml", "--fault", "503", "--fault", "500", "--fault", "429", "--chaos", "0.5", "--seed", seed)
		var out []string
		for range 12 {
			status, _ := s.ask(http.MethodPost, s.bases[0]+"/c/a"+flash, `{"contents":[`+question+`]}`)
			out = append(out, strconv.Itoa(status))
		}
		s.end(os.Interrupt)
		return strings.Join(out, " ")
	}
	seen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3", "4"} {
		one := course(seed)
		seen[one] = true
		g.Expect(course(seed)).To(Equal(one))
	}
	g.Expect(len(seen)).To(BeNumerically(">", 1))
}

func TestServeHTTP2(t *testing.T) {
	g := NewWithT(t)
	s := startServe(t, t.TempDir(), "--scenario", "gemini/single-call", "--http2")
	tr := &http.Transport{Protocols: &http.Protocols{}}
	tr.Protocols.SetUnencryptedHTTP2(true)
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.bases[0]+flash, strings.NewReader(`{"contents":[`+question+`]}`))
	g.Expect(err).NotTo(HaveOccurred())
	resp, err := (&http.Client{Transport: tr}).Do(req)
	g.Expect(err).NotTo(HaveOccurred())
	defer resp.Body.Close()
	g.Expect(resp.Proto).To(Equal("HTTP/2.0"))
	g.Expect(resp.StatusCode).To(Equal(200))
	_, err = io.Copy(io.Discard, resp.Body)
	g.Expect(err).NotTo(HaveOccurred())
	s.end(os.Interrupt)
}
