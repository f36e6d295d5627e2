package live_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/script"
)

// conversationFile is one file of conversations/: what a public report tells,
// as native replies, the requests of clients and the verdict that each is to
// get, all of it written by hand. Every member is checked; docs/serve.md has the
// words of verdicts.
type conversationFile struct {
	name    string
	Title   string
	Reports []string // IDs, as conversations/reports.txt has them
	API     string   // of the first request, as endpoints of scripts are named
	Profile string   // as serve --profile takes it
	With    []string // as serve --with takes it
	About   string   // why the verdict is what it is
	Replies []struct {
		Raw struct{ Endpoint, Plain, Stream string }
	}
	Clients []conversationClient
}

// conversationClient is a client in a conversation of its own.
type conversationClient struct {
	Name     string
	Does     string
	Requests []conversationRequest
	Verdict  *verdict
}

// conversationRequest is one request with the answer that it is to get: a reply
// of the file or the refusal of a rule.
type conversationRequest struct {
	Restart bool              // the server is started again before it
	Post    string            // the path
	Body    string            // literal
	Status  int               //
	Reply   int               // 1-based; 0: none
	Rule    string            // "" none
	Says    map[string]string // what the rule's texts fill in, all of it
}

// verdict is what the page and its JSON are to say at the end.
type verdict struct {
	Status string // of the conversation
	Word   string
	// Parts are all native parts and what became of each: "1.2 call signed;
	// request 2 SIGNATURE LOST (absent) at contents[1].parts[1]" is the second
	// of the first reply.
	Parts *[]string
	// Findings are those that gate, "REPLAY-01 REPLAY-03 absent at request 2, …",
	// in any order; Reported those that don't.
	Findings *[]string
	Reported []string
	Notes    []string
}

const conversations = "conversations"

func conversationFiles(t *testing.T) []conversationFile {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(conversations, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var out []conversationFile
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := readConversations(name, string(text))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// readConversations reads a file. The error says what in it is unknown, missing
// or could not be checked.
func readConversations(name, text string) (conversationFile, error) {
	f := conversationFile{name: strings.TrimSuffix(filepath.Base(name), ".yaml")}
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return f, fmt.Errorf("%s: more than one document", name)
	}
	errs := []error{
		want(f.Title != "" && f.About != "", "title and about"), want(len(f.Reports) > 0, "reports"),
		want(slices.Contains(fakeserver.Endpoints(), f.API), "an api of %v", fakeserver.Endpoints()),
		want(f.Profile != "", "a profile"), want(len(f.Replies) > 0 && len(f.Clients) > 0, "replies and clients"),
		(fakeserver.Script{Profile: f.Profile, With: f.With}).CheckRules(),
	}
	if len(f.Reports) > 0 {
		errs = append(errs, want(strings.HasPrefix(f.name, strings.ToLower(f.Reports[0])+"-"), "a name that begins with the first report's ID"))
	}
	for _, c := range f.Clients {
		errs = append(errs, c.check(f))
	}
	if err := errors.Join(errs...); err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func want(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("want "+format, args...)
}

func (c conversationClient) check(f conversationFile) error {
	errs := []error{want(c.Name != "" && c.Does != "", "name and does of a client"), want(len(c.Requests) > 0, "requests")}
	if v := c.Verdict; v == nil || v.Status == "" || v.Word == "" || v.Parts == nil || v.Findings == nil {
		errs = append(errs, errors.New("want a verdict with status, word, parts and findings"))
	}
	for i, r := range c.Requests {
		if err := r.check(f); err != nil {
			errs = append(errs, fmt.Errorf("client %s, request %d: %w", c.Name, i+1, err))
		}
	}
	return errors.Join(errs...)
}

func (r conversationRequest) check(f conversationFile) error {
	errs := []error{
		want(r.Post != "" && r.Body != "", "post and body"), want((r.Reply > 0) != (r.Rule != ""), "a reply or a rule"),
		want(r.Reply <= len(f.Replies), "one of %d replies", len(f.Replies)), want(r.Reply == 0 || r.Status == 200, "status 200 for a reply"),
	}
	if r.Rule == "" {
		return errors.Join(append(errs, want(len(r.Says) == 0, "no says without a rule"))...)
	}
	rule, known := ruleByID(r.Rule)
	if !known {
		return errors.Join(append(errs, fmt.Errorf("there is no rule %s", r.Rule))...)
	}
	errs = append(errs, want(rule.Status == r.Status, "the rule's status, %d", rule.Status))
	names := map[string]string{}
	for _, name := range placeholder.FindAllString(rule.Message+rule.Param, -1) {
		names[strings.Trim(name, "{}")] = ""
	}
	got, wanted := slices.Sorted(maps.Keys(r.Says)), slices.Sorted(maps.Keys(names))
	return errors.Join(append(errs, want(slices.Equal(got, wanted), "says of %v, got %v", wanted, got))...)
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

func ruleByID(id string) (fakeserver.Rule, bool) {
	all := fakeserver.Rules()
	i := slices.IndexFunc(all, func(r fakeserver.Rule) bool { return r.ID == id })
	if i < 0 {
		return fakeserver.Rule{}, false
	}
	return all[i], true
}

// script is the file's replies in the language of serve.
func (f conversationFile) script(t *testing.T) *script.Script {
	t.Helper()
	type raw map[string]string
	var replies []map[string]raw
	for _, r := range f.Replies {
		body := raw{"endpoint": r.Raw.Endpoint}
		for form, text := range map[string]string{"plain": r.Raw.Plain, "stream": r.Raw.Stream} {
			if text != "" {
				body[form] = text
			}
		}
		replies = append(replies, map[string]raw{"raw": body})
	}
	text, err := yaml.Marshal(map[string]any{"title": f.Title, "replies": replies})
	if err != nil {
		t.Fatal(err)
	}
	s, err := script.Parse(f.name+".yaml", string(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// There are enough of them, and each is made from reports that there are.
func TestConversationsAreMadeFromReports(t *testing.T) {
	g := NewWithT(t)
	text, err := os.ReadFile(filepath.Join(conversations, "reports.txt"))
	g.Expect(err).NotTo(HaveOccurred())
	known := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if id, address, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(address, "https://") {
			known[id] = true
		}
	}
	g.Expect(known).To(HaveLen(95))
	files := conversationFiles(t)
	g.Expect(len(files)).To(BeNumerically(">=", 40))
	apis, correct := map[string]int{}, 0
	for _, f := range files {
		apis[f.API]++
		for _, id := range f.Reports {
			g.Expect(known).To(HaveKey(id), f.name)
		}
		if slices.ContainsFunc(f.Clients, func(c conversationClient) bool { return c.Name == "correct" }) {
			correct++
		}
	}
	g.Expect(correct).To(BeNumerically(">=", len(files)/3), "files that show that the nearest correct client gets no finding")
	for _, api := range fakeserver.Endpoints() {
		g.Expect(apis).To(HaveKey(api))
	}
}

// What a file says and nobody would check is a mistake of the file.
func TestConversationFilesAreCheckedWhole(t *testing.T) {
	const name = conversations + "/o059-call-without-its-signature.yaml"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, with, says string }{
		{"as it is", "", "", ""},
		{"unknown member", "\nabout:", "\nabuot:", "abuot"},
		{"unknown member of a verdict", "word:", "wrod:", "wrod"},
		{"no verdict of the findings", "      findings: []\n", "", "want a verdict with status, word, parts and findings"},
		{"no answer expected", "        rule: gemini/missing-signature\n", "", "want a reply or a rule"},
		{"two answers expected", "        rule: gemini/missing-signature\n", "        rule: gemini/missing-signature\n        reply: 1\n", "want a reply or a rule"},
		{"unknown rule", "rule: gemini/missing-signature\n", "rule: gemini/missing\n", "there is no rule gemini/missing"},
		{"another status than the rule's", "status: 400", "status: 404", "want the rule's status, 400"},
		{"a text left open", `says: {name: get_weather, n: "2"}`, "says: {name: get_weather}", "want says of [n name], got [name]"},
		{"a text that the rule has not", `n: "2"}`, `n: "2", m: "0"}`, "want says of [n name], got [m n name]"},
		{"a reply that is not there", "reply: 2", "reply: 3", "want one of 2 replies"},
		{"unknown profile", "profile: gemini-3", "profile: gemini-9", "gemini-9"},
		{"two documents", "title:", "title: x\n---\ntitle:", "more than one document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(string(text)).To(ContainSubstring(c.old))
			_, err := readConversations(name, strings.Replace(string(text), c.old, c.with, 1))
			if c.says == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(ContainSubstring(c.says)))
			}
		})
	}
}
