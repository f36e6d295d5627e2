package wire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/wire"
)

const sample = `{"contents":[{"role":"user"},{"role":"model","parts":[{"text":"a"},{"thoughtSignature":"s","n":1.0}]}],"a":1,"a":2,"x":{}}`

func TestAt(t *testing.T) {
	root := parse(t, sample)
	for _, row := range []struct{ path, want string }{
		{"", sample},
		{"contents[1].parts[1].thoughtSignature", `"s"`},
		{"contents[0]", `{"role":"user"}`},
		{"a", `2`}, // the last one, as the providers read it
		{"x", `{}`},
		{"contents[2]", ""},
		{"contents[-1]", ""},
		{"contents[1", ""},
		{"contents[one]", ""},
		{"contents.role", ""},
		{"x[0]", ""},
		{"nope.role", ""},
	} {
		if got := root.At(row.path); got.Raw() != row.want {
			t.Errorf("%s: got %q, want %q", row.path, got.Raw(), row.want)
		}
	}
}

func TestPathIsWhatAtReads(t *testing.T) {
	root := parse(t, sample)
	n := 0
	for v := range root.All() {
		if v.Raw() == "1" {
			continue // the first of two members named a: At reads the last
		}
		if got := root.At(v.Path()); got.Offset() != v.Offset() {
			t.Errorf("%q: got %q, want %q", v.Path(), got.Raw(), v.Raw())
		}
		n++
	}
	if n != 14 {
		t.Errorf("got %d values, want 14", n)
	}
	var none wire.Value
	if none.Path() != "" || root.Path() != "" {
		t.Errorf("got paths %q and %q, want none", none.Path(), root.Path())
	}
}

func TestAbsentValue(t *testing.T) {
	var v wire.Value
	if v.Exists() || v.Kind() != wire.Absent || v.Raw() != "" || v.Text() != "" || v.Len() != 0 || v.Offset() != -1 || v.IsTrue() || v.Count("a") != 0 {
		t.Errorf("got %+v", v)
	}
	for range v.All() {
		t.Error("got a value below an absent one")
	}
	if v.Get("a").Exists() || v.Index(0).Exists() || v.At("a[0]").Exists() || v.Repeated() != nil {
		t.Error("got something below an absent value")
	}
	if null := parse(t, "null"); !null.Exists() || null.Kind() != wire.Null {
		t.Error("null is there")
	}
}

func TestKinds(t *testing.T) {
	for text, want := range map[string]string{`null`: "null", `true`: "boolean", `1`: "number", `""`: "string", `[]`: "list", `{}`: "object"} {
		if got := parse(t, text).Kind().String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if got := wire.Absent.String(); got != "absent" {
		t.Errorf("got %s", got)
	}
	for text, want := range map[string]bool{`true`: true, `false`: false, `"true"`: false, `1`: false} {
		if got := parse(t, text).IsTrue(); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`"plain"`, "plain"},
		{`"\" \\ \/ \b\f\n\r\t"`, "\" \\ / \b\f\n\r\t"},
		{`"\u003c\u00e9\u2028\u0000"`, "<é\u2028\x00"},
		{`"\uD83D\uDE00"`, "😀"},
		{`"😀"`, "😀"},
		{`"\ud800"`, "\xed\xa0\x80"},
		{`"\udc00"`, "\xed\xb0\x80"},
		{`"\ud800\ud800\udc00"`, "\xed\xa0\x80\U00010000"},
		{`"\ud800x"`, "\xed\xa0\x80x"},
		{`"\udfff\ud83d"`, "\xed\xbf\xbf\xed\xa0\xbd"},
		{"\"\xff\"", "\xff"},
		{`5`, ""},
		{`null`, ""},
	} {
		if got := parse(t, row.text).Text(); got != row.want {
			t.Errorf("%s: got %q, want %q", row.text, got, row.want)
		}
	}
	if parse(t, `"\ud800"`).Text() == parse(t, `"\ud801"`).Text() || parse(t, `"\ud800"`).Text() == parse(t, `"\ufffd"`).Text() {
		t.Error("different escapes look equal")
	}
}

func TestRepeatedMembers(t *testing.T) {
	v := parse(t, `{"a":1,"b":{"c":[{"d":1,"\u0064":2,"d":3}]},"a":null}`)
	if got := v.Repeated(); fmt.Sprint(got) != "[a b.c[0].d]" {
		t.Errorf("got %q", got)
	}
	d := v.At("b.c[0]")
	if d.Count("d") != 3 || d.Len() != 3 || d.Get("d").Raw() != "3" || d.Count("e") != 0 {
		t.Errorf("got %d times d, %d members, the last %s", d.Count("d"), d.Len(), d.Get("d").Raw())
	}
	var names []string
	for name := range v.Members() {
		names = append(names, name)
	}
	if !slices.Equal(names, []string{"a", "b", "a"}) {
		t.Errorf("got members %q", names)
	}
}

func TestSole(t *testing.T) {
	for text, want := range map[string]string{
		`{"te\u0078t":["a"]}`: `text ["a"]`, `{"a":{"b":1}}`: `a {"b":1}`, `{"a":1,"a":1}`: "", `{"a":1,"b":2}`: "", `{}`: "", `["a"]`: "", `"a"`: "", `null`: "",
	} {
		got := ""
		if name, m, ok := parse(t, text).Sole(); ok {
			got = name + " " + m.Raw()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if _, m, ok := (wire.Value{}).Sole(); ok || m.Exists() {
		t.Error("got a member of an absent value")
	}
}

func TestItemsAndMembersStopWhenTold(t *testing.T) {
	v := parse(t, `[1,[2,3],{"a":4,"b":5}]`)
	for item := range v.Items() {
		if item.Raw() != "1" {
			t.Errorf("got %s after the break", item.Raw())
		}
		break
	}
	for name := range v.Index(2).Members() {
		if name != "a" {
			t.Errorf("got %s after the break", name)
		}
		break
	}
	n := 0
	for range v.All() {
		if n++; n == 4 {
			break
		}
	}
	if v.Index(3).Exists() || v.Index(-1).Exists() || v.Len() != 3 {
		t.Error("got items that are not there")
	}
	if parse(t, `{"a":1}`).Index(0).Exists() || v.Get("a").Exists() {
		t.Error("an object has no items, a list no members")
	}
}

// A name with a dot or a bracket can't be told from a path: it is found by Get.
func TestPathOfAnOddName(t *testing.T) {
	v := parse(t, `{"a.b":{"c":1}}`).Get("a.b").Get("c")
	if v.Path() != "a.b.c" || v.Raw() != "1" {
		t.Errorf("got %q, %q", v.Path(), v.Raw())
	}
}

func TestWideAndLong(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"list":[`)
	for i := range 5000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"i":%d}`, i)
	}
	b.WriteString(`],"s":"` + strings.Repeat("x", 1<<20) + `"}`)
	v := parse(t, b.String())
	if got := v.At("list[4999].i"); got.Raw() != "4999" || got.Path() != "list[4999].i" {
		t.Errorf("got %q at %q", got.Raw(), got.Path())
	}
	if n := len(v.Get("s").Text()); n != 1<<20 {
		t.Errorf("got %d bytes", n)
	}
}

func TestHead(t *testing.T) {
	for _, text := range []string{`"plain and long"`, `"a\n\u00fc\ud83d\ude00\ud800b\\c\"\/"`, `"` + strings.Repeat(`\u00fc`, 50) + `x"`, `""`, `7`, `"\\"`} {
		v := parse(t, text)
		whole := v.Text()
		for n := range len(whole) + 20 {
			if got := v.Head(n); !strings.HasPrefix(whole, got) || len(got) < min(n, len(whole)) {
				t.Errorf("%s: got %q for %d bytes, want of %q", text, got, n, whole)
			}
		}
	}
	if got := (wire.Value{}).Head(3); got != "" {
		t.Errorf("got %q of an absent value", got)
	}
}
