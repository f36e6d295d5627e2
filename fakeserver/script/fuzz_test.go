package script_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/script"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// FuzzLoad: whatever two files hold, of which the first may include the second,
// it is a script whose replies every API can give and read, or each of some
// lines says in which file and line what is wrong.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		weather,
		"replies:\n- text: x\n  signed: true\n- include: part.yaml\n",
		"replies:\n- call: {name: f, args: &a {x: 1.0, y: *a}}\n",
		"replies: &r\n- parts: *r\n- <<: [*r]\n",
		"replies:\n- {when: {turn: 1}, text: a}\n- error: {status: 429, retry_after: 1}\n- raw: {endpoint: chat, plain: '{}'}\n",
		"replies:\n- text: x\n  fault: {times: 1, delay: 1s, reset: before-headers, cut_after: -1, gzip: true}\n  header: {A: b}\n",
	} {
		f.Add(seed, "- text: y\n")
	}
	f.Add("replies: [{include: part.yaml}]", "- include: main.yaml\n")
	f.Add("replies: [{include: ../part.yaml}, {include: /part.yaml}]", "replies: &x [*x]\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, part string) {
		for name, content := range map[string]string{"main.yaml": text, "part.yaml": part} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := script.Load(filepath.Join(dir, "main.yaml"))
		if err != nil {
			checkLines(t, err.Error(), map[string]int{"main.yaml": lines(text), "part.yaml": lines(part)})
			return
		}
		if len(s.Replies) == 0 {
			t.Fatal("a script without replies")
		}
		for _, endpoint := range fakeserver.Endpoints() {
			checkReplies(t, s, endpoint)
		}
	})
}

// lines is how many there are at most: several characters end one in YAML.
func lines(text string) int {
	return 1 + len(regexp.MustCompile("[\n\r\u0085\u2028\u2029]").FindAllString(text, -1))
}

var placed = regexp.MustCompile(`^script: (main\.yaml|part\.yaml):(\d+): `)

func checkLines(t *testing.T, text string, files map[string]int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		at := placed.FindStringSubmatch(line)
		if at == nil {
			t.Fatalf("a line without place: %q", text)
		}
		if n, err := strconv.Atoi(at[2]); err != nil || n < 1 || n > files[at[1]] {
			t.Errorf("%s has %d lines: %q", at[1], files[at[1]], line)
		}
		if len(line) > 1000 {
			t.Errorf("a line of %d bytes: %q", len(line), line[:1000])
		}
	}
}

// checkReplies has an API give each reply.
func checkReplies(t *testing.T, s *script.Script, endpoint string) {
	t.Helper()
	replies := s.Play().Known(fakeserver.Asked{Endpoint: endpoint, Model: "gemini-3.8-flash"})
	play := fakeserver.NewPlay(fakeserver.Options{}, fakeserver.Script{Replies: replies})
	if err := play.Close().Err; err != nil {
		t.Fatalf("%s: %v", endpoint, err)
	}
	for i, r := range replies {
		for name := range r.Header {
			if http.CanonicalHeaderKey(name) != name {
				t.Errorf("reply %d: header %q", i+1, name)
			}
		}
		if i >= 50 || r.Endpoint != endpoint || r.Status >= 400 || s.Replies[i].Raw != nil { // some of very many; those that are written here
			continue
		}
		if !wire.Valid(r.Plain) {
			t.Errorf("%s: reply %d is no JSON: %q", endpoint, i+1, r.Plain)
		}
		for _, form := range []string{r.Plain, r.Stream} {
			if _, err := native.ParseReply(native.API(endpoint), form); err != nil {
				t.Errorf("%s: reply %d: %v: %q", endpoint, i+1, err, form)
			}
		}
	}
}
