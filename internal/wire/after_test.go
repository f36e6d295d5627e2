package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/replaycheck/internal/wire"
)

// sameReading fails unless text is read beside an earlier one as it is read alone.
func sameReading(t *testing.T, earlier wire.Value, text string) {
	t.Helper()
	want, wantErr := wire.Parse(text)
	got, gotErr := wire.ParseAfter(text, earlier)
	if wantErr != nil {
		var a, b *wire.SyntaxError
		if !errors.As(wantErr, &a) || !errors.As(gotErr, &b) || *a != *b {
			t.Fatalf("%.200q beside %.200q: got error %v, want %v", text, earlier.Source(), gotErr, wantErr)
		}
		return
	}
	if gotErr != nil {
		t.Fatalf("%.200q beside %.200q: got error %v, want none", text, earlier.Source(), gotErr)
	}
	if got.Source() != text {
		t.Fatalf("got a value of %.200q, want one of %.200q", got.Source(), text)
	}
	if a, b := tape(got), tape(want); a != b {
		t.Fatalf("%.200q beside %.200q: got\n%s\nwant\n%s", text, earlier.Source(), a, b)
	}
}

// tape says all that can be asked of a value and of what is below it.
func tape(v wire.Value) string {
	var b strings.Builder
	for val := range v.All() {
		fmt.Fprintf(&b, "%d %s %d %q %q:", val.Offset(), val.Kind(), val.Len(), val.Raw(), val.Text())
		for name, m := range val.Members() {
			fmt.Fprintf(&b, " %q@%d", name, m.Offset())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestParseAfter(t *testing.T) {
	const history = `{"system":"Now 17:03","contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b","n":12}]}],"tools":[]}`
	for _, c := range []struct{ name, before, text string }{
		{"the same", history, history},
		{"grown at its end", history, strings.Replace(history, `}],"tools"`, `},{"role":"user","parts":[]}],"tools"`, 1)},
		{"cut at its end", strings.Replace(history, `}],"tools"`, `},{"role":"user","parts":[]}],"tools"`, 1), history},
		{"changed at its beginning", history, strings.Replace(history, "17:03", "17:04", 1)},
		{"longer at its beginning", history, strings.Replace(history, "17:03", "17:04 and thirty seconds", 1)},
		{"without its first entry", history, strings.Replace(history, `{"role":"user","parts":[{"text":"a"}]},`, "", 1)},
		{"a number that goes on", `[1,12]`, `[1,123]`},
		{"a number that goes on at the end of the run", `[1,12,3]`, `[1,12,34]`},
		{"a number alone", `12`, `123`},
		{"a number that ends before", `[123]`, `[12]`},
		{"an exponent", `[[1],[1]]`, `[[1],[1e5]]`},
		{"members in another order", `{"a":[1],"b":[2],"c":{"d":"e"}}`, `{"c":{"d":"e"},"b":[2],"a":[1]}`},
		{"a repeated member", `{"a":"1","a":"2"}`, `{"a":"2","a":"1"}`},
		{"the name in another spelling", `{"a":["1"]}`, `{"\u0061":["1"]}`},
		{"another kind", `{"a":["1"]}`, `{"a":{"1":"1"}}`},
		{"white space between", `{"a":["1","2","3"]}`, ` { "a" : [ "1" , "2" ,"3" ] } `},
		{"a comma too much", `["1","2"]`, `["1","2",]`},
		{"a comma missing", `["1","2"]`, `["1""2"]`},
		{"cut off in a run", `["1","2","3"]`, `["1","2"`},
		{"cut off behind a run", `["1","2","3"]`, `["1","2",`},
		{"something behind it", `["1"]`, `["1"]x`},
		{"empty", `["1"]`, ``},
		{"an empty list before", `[]`, `["1"]`},
		{"escapes", `["a\"b","c"]`, `["a\"c","c"]`},
		{"one that closes early", `["a\\","b"]`, `["a\\\","b"]`},
		{"a repeating text", "[" + strings.Repeat(`"x",`, 999) + `"x"]`, "[" + strings.Repeat(`"x",`, 1234) + `"x"]`},
		{"as deep as may be", strings.Repeat("[", wire.MaxDepth) + strings.Repeat("]", wire.MaxDepth), strings.Repeat("[", wire.MaxDepth) + "1" + strings.Repeat("]", wire.MaxDepth)},
		{"too deep", strings.Repeat("[", wire.MaxDepth) + strings.Repeat("]", wire.MaxDepth), strings.Repeat("[", wire.MaxDepth+1) + strings.Repeat("]", wire.MaxDepth+1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasSuffix(c.name, "deep") || strings.HasSuffix(c.name, "may be") {
				_, err := wire.ParseAfter(c.text, parse(t, c.before))
				if _, want := wire.Parse(c.text); fmt.Sprint(err) != fmt.Sprint(want) {
					t.Fatalf("got %v, want %v", err, want)
				}
				return
			}
			sameReading(t, parse(t, c.before), c.text)
		})
	}
	t.Run("an absent one and a part of one are of no use", func(t *testing.T) {
		sameReading(t, wire.Value{}, history)
		sameReading(t, parse(t, history).Get("contents"), history)
	})
}

// FuzzParseAfter: a text with some bytes replaced is read beside what it was as it
// is read alone, and so is any other.
func FuzzParseAfter(f *testing.F) {
	for _, seed := range []string{sample, `[[1,2],[1,2],"a",{"b":"c","b":["d"]}]`, `{"a":[1,12,"x"],"c":{"d":[]}}`, `["x","x","x"]`, ` [ 1 , -0.5e3 , null ] `} {
		for at := range 5 {
			f.Add(seed, uint16(at*7), uint16(at), `,"x"`[:at%5])
		}
	}
	f.Fuzz(func(t *testing.T, before string, at, size uint16, instead string) {
		earlier, err := wire.Parse(before)
		from := min(int(at), len(before))
		to := min(from+int(size), len(before))
		text := before[:from] + instead + before[to:]
		if err != nil {
			if earlier, err = wire.Parse(text); err != nil {
				return
			}
			text = before
		}
		sameReading(t, earlier, text)
		sameReading(t, earlier, instead)
		sameReading(t, earlier, strings.Repeat(before, 2))
	})
}

// BenchmarkParseAfter reads a MiB of history beside what it was before: what
// grows, what begins otherwise, and texts made to be compared for long.
func BenchmarkParseAfter(b *testing.B) {
	text := megabyte()
	deep := strings.Repeat("[ ", 5000) + strings.Repeat("[", 4999) + `"` + strings.Repeat("x", 1<<20)
	end := strings.Repeat("]", 9999)
	for _, c := range []struct{ name, before, text string }{
		{"the same", text, strings.Clone(text)},
		{"grown", text, strings.Replace(text, `]}],"tools":[]}`, `]},{"role":"model","parts":[{"text":"more"}]}],"tools":[]}`, 1)},
		{"begins otherwise", text, strings.Replace(text, "Leipzig", "Stuttgart", 1)},
		{"nothing in common", `{"a":[1]}`, text},
		{"deep", strings.ReplaceAll(deep, "[ ", "[") + `"` + end, deep + `y"` + end},
	} {
		b.Run(c.name, func(b *testing.B) {
			earlier, err := wire.Parse(c.before)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wire.ParseAfter(c.text, earlier); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
