package gemini_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/gemini"
	"example.com/replaycheck/internal/wire"
)

// thinkRows is the contract's table, with more of the same kind below.
var thinkRows = []struct {
	native, visible, content string
	thinking                 string // "" is null
}{
	{"", "  a\t b  ", "  a\t b  ", ""},
	{"", "foo<think>r</think>bar", "foo bar", "r"},
	{"", "  <think>R</think>  A  b\tc  ", "A b c", "R"},
	{"", "L1\n<think>r</think>\nL2\n\ti", "L1\n \nL2\n i", "r"},
	{"", "<think> a </think>x<think> b </think>", "x", "a \n b"},
	{"", "<think>a</think>x<think></think>y<think>b</think>", "x y", "a\n\nb"},
	{"", "<think> \n </think>C.", "C.", ""},
	{"", "<think>a<think>b</think>c</think>d", "c</think>d", "a<think>b"},
	{"", "<think>a</think> y  <think>open", "y <think>open", "a"},
	{"", "<THINK>R</ThInK>A", "A", "R"},
	{"", "<thin\u212A>x</think>", "<thin\u212A>x</think>", ""},
	{"", "<think >x</think>", "<think >x</think>", ""},
	{"", "<think\x1ex</think>", "<think\x1ex</think>", ""}, // with 0x20 in it, as small letters have, it is >
	{"", "x  <think>open", "x  <think>open", ""},
	{"", "`<think>x</think>` t", "` ` t", "x"},
	{"", "\u00a0<think>r</think>a\u00a0", "\u00a0 a\u00a0", "r"},
	{"N\n", "<think> i </think>v", "v", "N\n\ni"},

	{"", "", "", ""},
	{" <think>N</think> ", "v", "v", " <think>N</think> "},
	{"N", "", "", "N"},
	{"N", "<think> </think>", "", "N"},
	{"", "</think>a<think>b</think>", "</think>a", "b"},
	{"", "\x00\v\r\n<think>\x00\vr\v\x00</think>\x00a\x00", "a", "r"},
	{"", "<think>a</think>\f", "\f", "a"},
	{"", "<<think>a</think>>", "< >", "a"},
	{"", "<think>a</think", "<think>a</think", ""},
	{"", "<xhink>a</think>", "<xhink>a</think>", ""},
	{"", "<think>a<xthink>", "<think>a<xthink>", ""},
	{"", "<thin", "<thin", ""},
	{"", "<", "<", ""},
	{"", "a \t\t <think>x</think>\t b", "a b", "x"},
	{"", "<\u0054hink>é</tHink>", "", "é"},
}

func TestThinking(t *testing.T) {
	for _, row := range thinkRows {
		t.Run(row.native+"|"+row.visible, func(t *testing.T) {
			parts := []string{`{"text":` + wire.Quote(row.visible) + `}`}
			if row.native != "" {
				parts = append([]string{`{"text":` + wire.Quote(row.native) + `,"thought":true}`}, parts...)
			}
			// Tags split between parts are found all the same.
			var split []string
			for _, r := range row.visible {
				split = append(split, `{"text":`+wire.Quote(string(r))+`}`)
			}
			if row.native != "" {
				split = append(split, `{"thought":true,"text":`+wire.Quote(row.native)+`}`)
			}
			for _, parts := range [][]string{parts, split} {
				for _, kind := range kinds {
					c := ask(t, kind.name, parts)
					if c.Content != row.content {
						t.Errorf("%s: content: got %q, want %q", kind.name, c.Content, row.content)
					}
					checkThinking(t, c.Thinking, row.thinking)
				}
			}
		})
	}
}

func checkThinking(t *testing.T, got *string, want string) {
	t.Helper()
	switch {
	case got == nil && want != "":
		t.Errorf("thinking: got null, want %q", want)
	case got != nil && (*got != want || want == ""):
		t.Errorf("thinking: got %q, want %q", *got, want)
	}
}

// ask plays one reply to one kind of request.
func ask(t *testing.T, kind string, parts []string) chat.Completion {
	t.Helper()
	for _, k := range kinds {
		if k.name != kind {
			continue
		}
		answer := plain(reply(parts...))
		if k.stream {
			answer = streamed(reply(parts...))
		}
		p := newProvider(t, answer)
		c, err := k.do(client(t, p, nil), context.Background(), []chat.Message{user("hi")}, chat.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	t.Fatalf("no kind %q", kind)
	return chat.Completion{}
}

func TestWhatIsThought(t *testing.T) { // THINK-01, THINK-02
	c := ask(t, "chat", []string{
		`{"text":"a","thought":false}`, `{"text":"T1","thought":true}`, `{"text":"b","thought":"true"}`, `{"text":7}`, `{"text":null,"thought":true}`,
		`{"text":"c","thought":1}`, `{"text":["x"]}`, `{"text":"T2","thought":true}`, `{"text":"d","thought":null}`, `{"inlineData":{}}`, `{"text":"e"}`,
	})
	if c.Content != "abcde" {
		t.Errorf("content: got %q", c.Content)
	}
	checkThinking(t, c.Thinking, "T1T2")
}

// hardTexts are 1 MiB each and cost a scanner that looks back a long time.
func hardTexts() map[string]string {
	const mb = 1 << 20
	fill := func(s string) string { return strings.Repeat(s, mb/len(s)) }
	return map[string]string{
		"less than":     fill("<"),
		"open tags":     fill("<think>"),
		"closing tags":  fill("</think>"),
		"almost open":   fill("<think"),
		"open, no end":  "<think>" + fill("</thin"),
		"pairs":         fill("<think>a</think>"),
		"blanks":        "<think></think>" + fill(" "),
		"a long middle": "<think>" + fill("x") + "</think>",
	}
}

func TestLongText(t *testing.T) { // THINK-08
	begin := time.Now()
	for name, text := range hardTexts() {
		c := ask(t, "chat", []string{`{"text":` + wire.Quote(text) + `}`})
		want, thought := text, ""
		switch name {
		case "pairs":
			want, thought = "", strings.TrimSuffix(strings.Repeat("a\n", len(text)/len("<think>a</think>")), "\n")
		case "blanks":
			want = ""
		case "a long middle":
			want, thought = "", strings.TrimSuffix(strings.TrimPrefix(text, "<think>"), "</think>")
		}
		if c.Content != want {
			t.Errorf("%s: content has %d bytes, want %d", name, len(c.Content), len(want))
		}
		checkThinking(t, c.Thinking, thought)
	}
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("took %v: not linear", d)
	}
}

func BenchmarkThink(b *testing.B) {
	for name, text := range hardTexts() {
		for _, size := range []int{len(text) / 8, len(text)} {
			b.Run(name+"/"+sizeName(size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					gemini.Separate(text[:size])
				}
			})
		}
	}
}

func sizeName(n int) string {
	if n >= 1<<19 {
		return "1MiB"
	}
	return "128KiB"
}
