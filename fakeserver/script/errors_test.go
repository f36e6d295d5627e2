package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver/script"
)

func TestBadScripts(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "script: s.yaml:1: the script is empty, want replies"},
		{"a comment only", "# nothing\n", "script: s.yaml:1: the script is empty, want replies"},
		{"no replies", "title: x\n", "script: s.yaml:1: the script has no replies"},
		{"an empty list", "replies: []\n", "script: s.yaml:1: the script has no replies"},
		{"a list at the root", "- text: x\n", "script: s.yaml:1: script: got a list, want a mapping"},
		{"no YAML", "replies:\n\t- text: x\n", "script: s.yaml:2: found character that cannot start any token"},
		{"unknown key", "replies:\n- text: x\n  singed: true\n", `script: s.yaml:3: reply: unknown key "singed", did you mean "signed"?`},
		{"unknown key at the root", "reply:\n- text: x\nreplies: [{text: x}]\n", `script: s.yaml:1: script: unknown key "reply", did you mean "replies"?`},
		{"unknown key, nothing near", "replies:\n- text: x\n  when: {weather: 1}\n", `script: s.yaml:3: when: unknown key "weather", want turn, result, prompt`},
		{"key twice", "replies:\n- text: x\n  text: y\n", `script: s.yaml:3: reply: the key "text" is there twice`},
		{"two parts in one", "replies:\n- text: x\n  call: {name: f}\n", "script: s.yaml:3: a part has text and call, want one; several parts go below parts"},
		{"parts and a part", "replies:\n- text: x\n  parts: []\n", "script: s.yaml:2: the reply has parts and text, want one; several parts go below parts"},
		{"says nothing", "replies:\n- finish: STOP\n", "script: s.yaml:2: the reply says nothing: want text, call, parts, error or raw"},
		{"signature of nothing", "replies:\n- signed: true\n", "script: s.yaml:2: a part says nothing: want text, thought, reasoning or call"},
		{"call without name", "replies:\n- call: {args: {}}\n", "script: s.yaml:2: call: name is missing"},
		{"args of another kind", "replies:\n- call: {name: f, args: [1]}\n", "script: s.yaml:2: args: got a list, want a mapping or the text of a JSON object"},
		{"args that are no JSON", "replies:\n- call: {name: f, args: 'x'}\n", `script: s.yaml:2: args: got "x", want a mapping or the text of a JSON object`},
		{"a number that JSON has not", "replies:\n- call: {name: f, args: {a: .inf}}\n", "script: s.yaml:2: args: JSON has no number .inf"},
		{"length", "replies:\n- text: x\n  length: 73\n", "script: s.yaml:3: length: got 73, want a multiple of 4, as base64 has"},
		{"length too small", "replies:\n- text: x\n  length: 8\n", `script: s.yaml:3: length: got "8", want a whole number from 72 to 1048576`},
		{"a flag", "replies:\n- text: x\n  signed: 'yes'\n", `script: s.yaml:3: signed: got "yes", want true or false`},
		{"text of another kind", "replies:\n- text: {}\n", "script: s.yaml:2: text: got a mapping, want text"},
		{"empty condition", "replies:\n- text: x\n  when: {}\n", "script: s.yaml:3: when: says nothing, want turn, result or prompt"},
		{"an error without status", "replies:\n- error: {message: x}\n", "script: s.yaml:2: error: status is missing"},
		{"an error that is none", "replies:\n- error: {status: 200}\n", `script: s.yaml:2: status: got "200", want a whole number from 400 to 599; script: s.yaml:2: error: status is missing`},
		{"an empty fault", "replies:\n- text: x\n  fault: {}\n", "script: s.yaml:3: fault: says nothing, want one of [times delay"},
		{"a fault's time", "replies:\n- text: x\n  fault: {delay: 2}\n", `script: s.yaml:3: delay: got "2", want a time such as 200ms or 2s, 10m0s at most`},
		{"a fault's place", "replies:\n- text: x\n  fault: {reset: now}\n", `script: s.yaml:3: reset: got "now", want before-headers or after-headers`},
		{"a fault's header alone", "replies:\n- text: x\n  fault: {retry_after: 2}\n", "script: s.yaml:3: fault: retry_after wants a status beside it"},
		{"raw without endpoint", "replies:\n- raw: {plain: '{}'}\n", "script: s.yaml:2: raw: want endpoint, and plain or stream"},
		{"raw of no endpoint", "replies:\n- raw: {endpoint: claude, plain: '{}'}\n", `script: s.yaml:2: endpoint: got "claude", want one of `},
		{"header", "replies:\n- text: x\n  header: {'a b': c}\n", `script: s.yaml:3: header: "a b" is none that HTTP can carry`},
		{"profile", "profile: gemini\nreplies: [{text: x}]\n", `script: s.yaml:1: profile: got "gemini", want one of gemini-2.5, gemini-3`},
		{"name", "name: a/b\nreplies: [{text: x}]\n", `script: s.yaml:1: name: got "a/b", want a word that can stand in an address`},
		{"a name that leads up", "name: ..\nreplies: [{text: x}]\n", `script: s.yaml:1: name: got "..", want a word that can stand in an address`},
		{"a name with a line", "name: \"a\\nb\"\nreplies: [{text: x}]\n", `script: s.yaml:1: name: got "a\nb", want a word`},
		{"a null document", "---\n", "script: s.yaml:1: the script is empty, want replies"},
		{"nothing at the end", "replies:\n-", "script: s.yaml:2: reply: got nothing, want a mapping"},
		{"nothing after the end", "replies:\n- text: x\n-\n\n", "script: s.yaml:3: reply: got nothing, want a mapping"},
		{"too many parts", "replies:\n- parts:\n" + strings.Repeat("  - text: x\n", 10_001), "script: s.yaml:10003: more than 10000 parts in one reply"},
		{"no UTF-8", "replies:\n- text: \xff\n", "script: s.yaml:2: is no text in UTF-8: it holds the byte 0xff"},
		{"UTF-16", "\xff\xfer\x00", "script: s.yaml:1: is no text in UTF-8: it holds the byte 0xff"},
		{"a zero byte", "replies:\n- text: \x00\n", "script: s.yaml:2: holds the control character U+0000"},
		{"an anchor in itself", "replies:\n- call: {name: f, args: &a {x: *a}}\n", "script: s.yaml:2: *a stands within &a itself: an endless value"},
		{"a list in itself", "replies: &r\n- parts: *r\n", "script: s.yaml:2: *r stands within &r itself: an endless value"},
		{"merged with itself", "replies:\n- &r\n  <<: *r\n  text: x\n", "script: s.yaml:3: *r stands within &r itself: an endless value"},
		{"no such anchor", "replies:\n- *nothing\n", "script: s.yaml:2: unknown anchor 'nothing' referenced"},
		{"two documents", "replies: [{text: x}]\n---\nreplies: []\n", "script: s.yaml:2: a second document begins here, want one"},
		{"includes what it can't", "replies:\n- include: other.yaml\n", "script: s.yaml:2: include: other.yaml: this script can't include files"},
		{"includes and more", "replies:\n- include: other.yaml\n  text: x\n", "script: s.yaml:2: include: stands alone in its entry"},
		{"several at once", "replies:\n- txt: x\n- text: []\n", `script: s.yaml:2: reply: unknown key "txt", did you mean "text"?; script: s.yaml:3: text: got a list, want text`},
		{"a bomb of aliases", bomb(), "too many values: anchors and aliases may make 500000 at most"},
		{"deep", "replies:\n- call: {name: f, args: {x: " + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}}\n", "script: s.yaml:2: args: nested more than 1000 deep"},
		{"very deep", strings.Repeat("[", 100_000), "script: s.yaml:1: exceeded max depth of 10000"},
		{"huge", strings.Repeat("# padding\n", 900_000), "script: s.yaml:1: is too long: a script may have 8388608 bytes"},
		{"too many replies", "replies:\n" + strings.Repeat("- text: x\n", 10_001), "script: s.yaml:10002: more than 10000 replies"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			s, err := script.Parse("s.yaml", c.text)
			g.Expect(err).To(HaveOccurred())
			g.Expect(s).To(BeNil())
			g.Expect(strings.ReplaceAll(err.Error(), "\n", "; ")).To(ContainSubstring(c.want))
			g.Expect(len(err.Error())).To(BeNumerically("<", 2500))
		})
	}
}

// bomb is a script of a few lines that would be 10^9 values.
func bomb() string {
	var b strings.Builder
	b.WriteString("replies:\n- call:\n    name: f\n    args:\n      a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n")
	for i := range 9 {
		fmt.Fprintf(&b, "      a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	return b.String()
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestIncludes(t *testing.T) {
	g := NewWithT(t)
	dir := folder(t, map[string]string{
		"main.yaml":       "replies:\n- text: first\n- include: parts/a.yaml\n- text: last\n",
		"parts/a.yaml":    "- text: second\n- include: parts/b.yaml\n",
		"parts/b.yaml":    "title: of its own\nreplies:\n- text: third\n",
		"self.yaml":       "replies:\n- text: x\n- include: self.yaml\n",
		"round.yaml":      "replies:\n- include: round-2.yaml\n",
		"round-2.yaml":    "- text: x\n- include: round.yaml\n",
		"outside.yaml":    "replies:\n- include: ../secret.yaml\n",
		"absolute.yaml":   "replies:\n- include: /etc/passwd\n",
		"missing.yaml":    "replies:\n- include: nothing.yaml\n",
		"folder.yaml":     "replies:\n- include: parts\n",
		"inner-bad.yaml":  "replies:\n- include: parts/bad.yaml\n",
		"parts/bad.yaml":  "- text: x\n  lengthy: 100\n",
		"link-out.yaml":   "replies:\n- include: out.yaml\n",
		"link-round.yaml": "replies:\n- include: one.yaml\n",
		"twice.yaml":      "replies:\n- include: parts/b.yaml\n- include: parts/b.yaml\n",
		"parts/many.yaml": strings.Repeat("- include: parts/b.yaml\n", 70),
		"many.yaml":       "replies:\n- include: parts/many.yaml\n",
	})
	for name, to := range map[string]string{"out.yaml": filepath.Join(t.TempDir(), "secret.yaml"), "one.yaml": "two.yaml", "two.yaml": "one.yaml"} {
		g.Expect(os.Symlink(to, filepath.Join(dir, name))).To(Succeed())
	}
	s, err := script.Load(filepath.Join(dir, "main.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	var texts []string
	for _, r := range s.Replies {
		texts = append(texts, r.Parts[0].Text)
	}
	g.Expect(texts).To(Equal([]string{"first", "second", "third", "last"}))
	g.Expect(s.Name).To(Equal("main"))
	g.Expect(s.Title).To(BeEmpty())
	s, err = script.Load(filepath.Join(dir, "twice.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Replies).To(HaveLen(2))

	for file, want := range map[string]string{
		"self.yaml":       "script: self.yaml:3: include: self.yaml includes itself: self.yaml → self.yaml",
		"round.yaml":      "script: round-2.yaml:2: include: round.yaml includes itself: round.yaml → round-2.yaml → round.yaml",
		"outside.yaml":    "script: outside.yaml:2: include: ../secret.yaml: path escapes from parent",
		"absolute.yaml":   "script: absolute.yaml:2: include: /etc/passwd: path escapes from parent",
		"missing.yaml":    "script: missing.yaml:2: include: nothing.yaml: no such file or directory",
		"folder.yaml":     "script: folder.yaml:2: include: parts: is no file",
		"inner-bad.yaml":  `script: parts/bad.yaml:2: reply: unknown key "lengthy", did you mean "length"?`,
		"many.yaml":       "script: parts/many.yaml:63: include: more than 64 files",
		"link-out.yaml":   "script: link-out.yaml:2: include: out.yaml: path escapes from parent",
		"link-round.yaml": "script: link-round.yaml:2: include: one.yaml: too many levels of symbolic links",
		"not-there.yaml":  "script: not-there.yaml:1: no such file or directory",
	} {
		t.Run(file, func(t *testing.T) {
			_, err := script.Load(filepath.Join(dir, file))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
		})
	}
	_, err = script.Load(filepath.Join(dir, "no-such-folder", "x.yaml"))
	g.Expect(err).To(HaveOccurred())
}
