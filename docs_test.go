// Package replaycheck_test holds the documents to what exists: commands, flags,
// make targets, files, links and Go examples. Docs that drift fail here.
package replaycheck_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A span is code in a document: a line of a fenced block, or an inline span.
type span struct {
	lang string // of the fence; "" for an inline span
	text string
}

func TestDocumentsNameOnlyWhatExists(t *testing.T) {
	tree := walk(t)
	cli := command{binary: build(t), help: map[string]string{}}
	targets := makeTargets(t)
	for _, doc := range documents(t) {
		t.Run(doc, func(t *testing.T) {
			text := read(t, doc)
			for _, link := range links(text) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(doc), link)); err != nil {
					t.Errorf("link to %s: no such file", link)
				}
			}
			for _, s := range spans(text) {
				if s.lang != "" && s.lang != "sh" {
					continue
				}
				words := strings.Fields(strings.Split(s.text+" ", " #")[0])
				switch {
				case len(words) == 0:
				case words[0] == "replaycheck" && len(words) > 1:
					cli.verify(t, words[1:])
				case words[0] == "go" && len(words) > 2:
					if !verifyGo(t, cli, words) {
						t.Errorf("%q: want go run ./cmd/replaycheck or go test of a folder that exists", s.text)
					}
				case words[0] == "make" && len(words) > 1:
					if !slices.Contains(targets, words[1]) {
						t.Errorf("%q: the Makefile has no target %s, want one of %q", s.text, words[1], targets)
					}
				case strings.HasPrefix(words[0], "--"):
					cli.verifyAnywhere(t, words[0])
				case len(words) == 1 && looksLikeFile(words[0]):
					if !exists(tree, words[0]) {
						t.Errorf("%q: no such file", words[0])
					}
				case s.lang == "sh":
					t.Errorf("%q: this test does not know the command", s.text)
				}
			}
		})
	}
}

// verifyGo checks a go command; false means that it is not one to show.
func verifyGo(t *testing.T, cli command, words []string) bool {
	t.Helper()
	switch {
	case len(words) > 2 && words[1] == "run" && words[2] == "./cmd/replaycheck":
		cli.verify(t, words[3:])
		return true
	case len(words) == 3 && words[1] == "test":
		_, err := os.Stat(strings.TrimSuffix(words[2], "..."))
		return err == nil
	}
	return false
}

// command knows the built command by its help.
type command struct {
	binary string
	help   map[string]string
}

var flagForm = regexp.MustCompile(`--[a-z][a-z0-9-]*`)

// verify checks subcommands and flags of a command line.
func (c command) verify(t *testing.T, args []string) {
	t.Helper()
	var path []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			break
		}
		path = append(path, a)
	}
	help := c.helpOf(t, path)
	if help == "" {
		t.Errorf("replaycheck %s: no such command", strings.Join(path, " "))
		return
	}
	for _, a := range args[len(path):] {
		// A quoted value, such as a driver's command line, may have flags of its own.
		if f := flagForm.FindString(a); f == a && !slices.Contains(flagForm.FindAllString(help, -1), f) && !quoted(args, a) {
			t.Errorf("replaycheck %s: the command has no flag %s", strings.Join(args, " "), f)
		}
	}
}

func quoted(args []string, a string) bool {
	before := strings.Join(args[:slices.Index(args, a)], " ")
	return strings.Count(before, "'")%2 == 1
}

// verifyAnywhere checks that some command has the flag.
func (c command) verifyAnywhere(t *testing.T, flag string) {
	t.Helper()
	flag, _, _ = strings.Cut(flag, "=")
	for _, path := range [][]string{{"run"}, {"mutate"}, {"serve"}, {"pair"}, {"list", "requirements"}, nil} {
		if slices.Contains(flagForm.FindAllString(c.helpOf(t, path), -1), flag) {
			return
		}
	}
	t.Errorf("no command of replaycheck has a flag %s", flag)
}

// helpOf returns the help of a command, "" when there is no such command.
func (c command) helpOf(t *testing.T, path []string) string {
	t.Helper()
	key := strings.Join(path, " ")
	if h, ok := c.help[key]; ok {
		return h
	}
	out, err := exec.CommandContext(t.Context(), c.binary, append([]string{"help"}, path...)...).Output()
	if err != nil {
		out = nil
	}
	c.help[key] = string(out)
	return c.help[key]
}

// The Go examples compile, given the one function that they leave to the reader.
func TestGoExamplesCompile(t *testing.T) {
	const subject = "\nfunc newSubject() (oracles.Subject, error) { return nil, nil }\n"
	found := 0
	for _, doc := range documents(t) {
		for i, block := range blocks(read(t, doc), "go") {
			found++
			file := filepath.Join(t.TempDir(), "example.go")
			if err := os.WriteFile(file, []byte(block+subject), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, file).CombinedOutput(); err != nil {
				t.Errorf("%s, Go example %d: %v\n%s", doc, i+1, err, out)
			}
		}
	}
	if found < 2 {
		t.Errorf("got %d Go examples, want those of oracles.Test and oracles.Register at least", found)
	}
}

// The finding in the README was pasted from a run. It must still be about a
// requirement and a signature that exist.
func TestREADMEShowsARealFinding(t *testing.T) {
	finding := regexp.MustCompile(`(?m)^([A-Z]+-\d\d) MUST  (.+)
  where  .*\(scenario ([a-z/-]+),.*
  want   "(.+?)….*
  got    .+
  means  .+
  raw    .+$`).FindStringSubmatch(read(t, "README.md"))
	if finding == nil {
		t.Fatal("the README shows no finding with its five lines")
	}
	id, title, scenario, signature := finding[1], finding[2], finding[3], finding[4]
	if spec := read(t, "specs/"+id+".md"); !strings.Contains(spec, "\ntitle: \""+title+"\"\n") {
		t.Errorf("headline: got %q, which is not the title of %s", title, id)
	}
	if reply := read(t, "fixtures/"+scenario+"/reply-1.json"); !strings.Contains(reply, `"`+signature) {
		t.Errorf("want: %s… is in no reply of %s", signature, scenario)
	}
}

func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}, docs...)
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "replaycheck")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/replaycheck").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

var targetForm = regexp.MustCompile(`(?m)^([a-z-]+):`)

func makeTargets(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, m := range targetForm.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		out = append(out, m[1])
	}
	return out
}

var linkForm = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// links returns the relative links of a document.
func links(text string) []string {
	var out []string
	for _, m := range linkForm.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(m[1], "://") {
			out = append(out, m[1])
		}
	}
	return out
}

var inlineForm = regexp.MustCompile("`([^`\n]+)`")

// spans returns the lines of all fenced blocks and all inline code.
func spans(text string) []span {
	var out []span
	lang, fenced := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if after, ok := strings.CutPrefix(line, "```"); ok {
			lang, fenced = after, !fenced
			continue
		}
		if fenced {
			out = append(out, span{lang: orText(lang), text: line})
			continue
		}
		for _, m := range inlineForm.FindAllStringSubmatch(line, -1) {
			out = append(out, span{text: m[1]})
		}
	}
	return out
}

func orText(lang string) string {
	if lang == "" {
		return "text"
	}
	return lang
}

// blocks returns the fenced blocks of a language.
func blocks(text, lang string) []string {
	var out []string
	for _, part := range strings.Split(text, "\n```"+lang+"\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		out = append(out, block+"\n")
	}
	return out
}

// walk lists the files and folders of the repository, with slashes.
func walk(t *testing.T) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains([]string{".git", "out", "bin", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		out = append(out, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var fileForm = regexp.MustCompile(`^\.?[A-Za-z0-9_-]+(/[A-Za-z0-9_.-]+)*/?(\.(go|md|ya?ml|json|mod|sum))?$`)

// looksLikeFile reports whether inline code names a file or folder of ours: it
// is under a top-level folder, or ends like a file. Words in capitals stand for
// something.
func looksLikeFile(s string) bool {
	if !fileForm.MatchString(s) || regexp.MustCompile(`FAMILY|PROVIDER|NAME`).MatchString(s) {
		return false
	}
	first, _, slash := strings.Cut(s, "/")
	if slash {
		_, err := os.Stat(first)
		return err == nil
	}
	return path.Ext(s) != "" || first == "Makefile"
}

// exists finds a path from the root, or a file by its name alone.
func exists(tree []string, name string) bool {
	name = strings.TrimSuffix(name, "/")
	return slices.ContainsFunc(tree, func(p string) bool {
		return p == name || !strings.Contains(name, "/") && path.Base(p) == name
	})
}
