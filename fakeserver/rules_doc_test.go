package fakeserver_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
)

//go:generate go test -run TestProviderRulesPage -update .

var update = flag.Bool("update", false, "rewrite docs/provider-rules.md")

const rulesPage = "../docs/provider-rules.md"

func TestProviderRulesPage(t *testing.T) {
	want := page(fakeserver.Profiles(), fakeserver.Rules())
	if *update {
		if err := os.WriteFile(rulesPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(rulesPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/provider-rules.md is not what the tables say: make golden")
	}
}

const pageHead = `<!-- Written by make golden from the tables in fakeserver/. Don't edit it by hand. -->

# What the fake provider refuses

One entry for each rule that the fake provider knows, in the order in which it looks at them: the first that a request breaks is the
answer. It is not known of the providers which of two broken rules they answer with.

**Marks.** *Confirmed*: the text is from a recorded exchange or quoted in a public thread. *Documented*: the provider's pages or those of
a third party say so. *Not confirmed*: the rule's own text says what is not known. A refusal has the weaker mark of its rule and its
profile. All of it is public material up to November 2026; nothing was tried on a live service for this page.

**What is looked at.** The request, and what this run of the fake gave out before: a signature is known or it is not. ` + "`replaycheck run`" + `
plays on and says in a finding's *means* what the refusal would be; with ` + "`--enforce`" + ` it is the answer. In Go, see
` + "`fakeserver.Script`" + `: ` + "`Enforce`, `Profile` and `With`" + `, which names optional rules.

**Texts.** Literal, apart from {words in braces}, which stand for what the rule fills in. The error around them is the API's own: for
Google ` + "`{\"error\":{\"code\":400,\"message\":…,\"status\":\"INVALID_ARGUMENT\"}}`" + `, in a list where a stream was asked for without ` + "`alt=sse`" + `
and on the OpenAI-compatible endpoint; for OpenAI ` + "`{\"error\":{\"message\":…,\"type\":\"invalid_request_error\",\"param\":…,\"code\":…}}`" + `; for
Anthropic ` + "`{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":…},\"request_id\":…}`" + `.

**Not in the tables**, as the fake has no such route or the whole answer is not known: Google's Interactions API
(` + "`missing_thought_signature`" + `), Code Assist's longer paths and its list of ` + "`errors`" + `, Bedrock Converse, the prefix that DashScope puts
before OpenAI's texts, and the unknown fields that Mistral and Fireworks refuse (` + "`extra_forbidden`" + `). Of DeepSeek's Responses and of
Moonshot one rule each is known; what else they refuse of order and of unanswered calls is not, and the fake answers it.

`

func page(profiles []fakeserver.Profile, rules []fakeserver.Rule) string {
	var b strings.Builder
	b.WriteString(pageHead + "## Profiles\n\nChosen by name, else by the beginning of the model's name.\n\n| profile | models | about |\n| --- | --- | --- |\n")
	for _, p := range profiles {
		var models []string
		for _, m := range p.Models {
			models = append(models, "`"+m+"…`")
		}
		about := p.About
		if p.Most != "" {
			about += fmt.Sprintf(" (at most %s)", p.Most)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, strings.Join(models, ", "), about)
	}
	b.WriteString("\n## Rules\n\n| rule | refused | mark |\n| --- | --- | --- |\n")
	for _, r := range rules {
		optional := ""
		if r.Optional {
			optional = ", optional"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s%s |\n", r.ID, strings.ReplaceAll(r.ID, "/", ""), r.Breaks, r.Mark, optional)
	}
	for _, r := range rules {
		section(&b, r)
	}
	return b.String()
}

func section(b *strings.Builder, r fakeserver.Rule) {
	fmt.Fprintf(b, "\n### %s\n\n%s, when %s.\n\n```text\n%d %s\n```\n\n", r.ID, first(string(r.Mark)), r.Breaks, r.Status, r.Message)
	fmt.Fprintf(b, "- Profiles: %s%s\n", strings.Join(r.Profiles, ", "), optionally(r.Optional))
	if len(r.Routes) > 0 {
		fmt.Fprintf(b, "- Routes: %s\n", strings.Join(r.Routes, ", "))
	}
	if r.Lines {
		b.WriteString("- One line per place.\n")
	}
	if r.Details {
		b.WriteString("- `details` holds a `google.rpc.BadRequest` with the field violations.\n")
	}
	if strings.HasPrefix(r.ID, "openai/") || strings.HasPrefix(r.ID, "deepseek/") || strings.HasPrefix(r.ID, "moonshot/") {
		fmt.Fprintf(b, "- `param` %s, `code` %s\n", code(r.Param), code(r.Code))
	}
	if r.Note != "" {
		fmt.Fprintf(b, "- %s\n", r.Note)
	}
	for _, s := range r.Sources {
		if strings.HasPrefix(s, "https://") {
			s = "<" + s + ">"
		}
		fmt.Fprintf(b, "- Source: %s\n", s)
	}
}

func first(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func optionally(o bool) string {
	if o {
		return "; optional: only where it is named"
	}
	return ""
}

func code(s string) string {
	if s == "" {
		return "`null`"
	}
	return "`\"" + s + "\"`"
}

func TestThePageHasEveryRule(t *testing.T) {
	text := page(fakeserver.Profiles(), fakeserver.Rules())
	for _, r := range fakeserver.Rules() {
		if !strings.Contains(text, "\n### "+r.ID+"\n") || !strings.Contains(text, r.Message) || slices.ContainsFunc(r.Sources, func(s string) bool { return !strings.Contains(text, s) }) {
			t.Errorf("%s is not whole on the page", r.ID)
		}
	}
}
