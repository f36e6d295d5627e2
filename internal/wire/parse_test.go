package wire_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/replaycheck/internal/wire"
)

func parse(t testing.TB, text string) wire.Value {
	t.Helper()
	v, err := wire.Parse(text)
	if err != nil {
		t.Fatalf("parse %q: %v", text, err)
	}
	return v
}

func TestParseKeepsEveryByte(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-0`, `-0.0`, `1.0`, `1e3`, `1E+2`, `5e-324`, `0.10`, `9007199254740993`, `123456789012345678901234567890`,
		`""`, `"a"`, `"\u003c \u2028 \/ \ud800 \" \\"`, "\"\u2028\u007f\"", "\"\xff\xfe\"",
		`[]`, `[ ]`, `[1, 2 ,3]`, `{}`, `{ }`, `{"a":1,"a":2}`, `{"":{}}`, `{"a" : [ {} , [] , null ] }`,
	} {
		v := parse(t, " \t\r\n"+text+"\n")
		if v.Raw() != text || v.Offset() != 4 || !v.Exists() {
			t.Errorf("got %q at %d, want %q at 4", v.Raw(), v.Offset(), text)
		}
		if !wire.Valid(text) {
			t.Errorf("%q: got invalid", text)
		}
	}
}

func TestParseRefusesWithThePlace(t *testing.T) {
	for _, row := range []struct {
		name, text, want string
	}{
		{"nothing", ``, "wire: invalid JSON at byte 0: expected a value"},
		{"white space only", " \n", "wire: invalid JSON at byte 2: expected a value"},
		{"two values", `1 2`, "wire: invalid JSON at byte 2: expected the end of the text"},
		{"byte order mark", "\ufeff{}", "wire: invalid JSON at byte 0: expected a value"},
		{"NaN", `NaN`, "wire: invalid JSON at byte 0: expected a value"},
		{"a word begun", `tru`, "wire: invalid JSON at byte 0: expected true"},
		{"a word that goes on", `nullx`, "wire: invalid JSON at byte 4: expected the end of the text"},
		{"leading zero", `01`, "wire: invalid JSON at byte 1: expected the end of the text"},
		{"plus", `+1`, "wire: invalid JSON at byte 0: expected a value"},
		{"minus alone", `-`, "wire: invalid JSON at byte 1: expected a digit"},
		{"no digit after the point", `1.`, "wire: invalid JSON at byte 2: expected a digit after the point"},
		{"no digit before the point", `.5`, "wire: invalid JSON at byte 0: expected a value"},
		{"no exponent", `1e`, "wire: invalid JSON at byte 2: expected a digit of the exponent"},
		{"no exponent after its sign", `1e-`, "wire: invalid JSON at byte 3: expected a digit of the exponent"},
		{"open string", `"abc`, "wire: invalid JSON at byte 4: expected the end of the string"},
		{"string that ends in a backslash", `"\`, "wire: invalid JSON at byte 1: expected a valid escape"},
		{"unknown escape", `"\x41"`, "wire: invalid JSON at byte 1: expected a valid escape"},
		{"short escape", `"\u12"`, "wire: invalid JSON at byte 1: expected a valid escape"},
		{"escape of no hex", `"\u12g4"`, "wire: invalid JSON at byte 1: expected a valid escape"},
		{"control character", "\"a\nb\"", "wire: invalid JSON at byte 2: expected an escape for the control character"},
		{"single quotes", `'a'`, "wire: invalid JSON at byte 0: expected a value"},
		{"open list", `[1`, "wire: invalid JSON at byte 2: expected a comma or the end of the list"},
		{"list with a comma too many", `[1,]`, "wire: invalid JSON at byte 3: expected a value"},
		{"open object", `{"a":1`, "wire: invalid JSON at byte 6: expected a comma or the end of the object"},
		{"object with a comma too many", `{"a":1,}`, "wire: invalid JSON at byte 7: expected a member name"},
		{"name without quotes", `{a:1}`, "wire: invalid JSON at byte 1: expected a member name"},
		{"no colon", `{"a" 1}`, "wire: invalid JSON at byte 5: expected a colon"},
		{"no value", `{"a":}`, "wire: invalid JSON at byte 5: expected a value"},
		{"comment", `{/**/}`, "wire: invalid JSON at byte 1: expected a member name"},
		{"NUL", "\x00", "wire: invalid JSON at byte 0: expected a value"},
	} {
		t.Run(row.name, func(t *testing.T) {
			v, err := wire.Parse(row.text)
			if err == nil || err.Error() != row.want {
				t.Errorf("got %v, want %s", err, row.want)
			}
			if v.Exists() || wire.Valid(row.text) {
				t.Errorf("got a value: %q", v.Raw())
			}
			if _, ok := errors.AsType[*wire.SyntaxError](err); !ok {
				t.Errorf("got %T, want *wire.SyntaxError", err)
			}
		})
	}
}

// The error says nothing of the text: it may hold what no log may show.
func TestSyntaxErrorQuotesNothing(t *testing.T) {
	_, err := wire.Parse(`{"k":"secret-secret`)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestDepth(t *testing.T) {
	for _, row := range []struct {
		name        string
		open, close string
	}{
		{"lists", "[", "]"},
		{"objects", `{"a":`, "}"},
	} {
		deep := func(n int) string {
			inner := "1"
			return strings.Repeat(row.open, n) + inner + strings.Repeat(row.close, n)
		}
		if _, err := wire.Parse(deep(wire.MaxDepth)); err != nil {
			t.Errorf("%s, %d deep: got %v", row.name, wire.MaxDepth, err)
		}
		_, err := wire.Parse(deep(wire.MaxDepth + 1))
		if err == nil || !strings.HasSuffix(err.Error(), "expected at most 10000 levels of nesting") {
			t.Errorf("%s, 10,001 deep: got %v", row.name, err)
		}
	}
}

func TestParsePrefix(t *testing.T) {
	for _, row := range []struct {
		text, raw string
		n         int
	}{
		{`{"a":1} rest`, `{"a":1}`, 7},
		{" \n[1]]", `[1]`, 5},
		{`12,`, `12`, 2},
		{`"a""b"`, `"a"`, 3},
	} {
		v, n, err := wire.ParsePrefix(row.text)
		if err != nil || v.Raw() != row.raw || n != row.n {
			t.Errorf("%q: got %q, %d, %v, want %q, %d", row.text, v.Raw(), n, err, row.raw, row.n)
		}
	}
	if v, n, err := wire.ParsePrefix(`[1,`); err == nil || v.Exists() || n != 3 {
		t.Errorf("got %q, %d, %v, want an error at 3", v.Raw(), n, err)
	}
}

// What was read stays as it is however many texts are read after it, those that
// fail too.
func TestParsedValuesStay(t *testing.T) {
	const text = `{"a":[1,{"b":"c\n"}],"d":null}`
	var kept []wire.Value
	for i := range 100 {
		v, err := wire.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, v)
		if _, err := wire.Parse(strings.Repeat(`[[["other",`, i)); err == nil {
			t.Fatal("got no error")
		}
		if _, _, err := wire.ParsePrefix(`["x","y","z",0,0,0,0,0,0,0] and more`); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range kept {
		if got := v.At("a[1].b"); v.Raw() != text || got.Text() != "c\n" || got.Path() != "a[1].b" || v.Len() != 2 {
			t.Fatalf("got %q, %q", v.Raw(), got.Text())
		}
	}
}

// Strings end where they end, wherever that is in a word of eight bytes.
func TestParseStringsOfAllLengths(t *testing.T) {
	for n := range 40 {
		for _, end := range []string{``, `\n`, `\u00e9`, `ü`, "\x7f", "\xff\x80"} {
			inner := strings.Repeat("!", n) + end + strings.Repeat("~", n%9)
			v, err := wire.Parse(`["` + inner + `",1]`)
			if err != nil || v.Index(0).Raw() != `"`+inner+`"` {
				t.Fatalf("%q: got %q, %v", inner, v.Index(0).Raw(), err)
			}
		}
		bad := `"` + strings.Repeat("!", n) + "\x1f" + strings.Repeat("!", 20) + `"`
		var syntax *wire.SyntaxError
		if _, err := wire.Parse(bad); !errors.As(err, &syntax) || syntax.Offset != n+1 {
			t.Fatalf("%q: got %v", bad, err)
		}
	}
}
