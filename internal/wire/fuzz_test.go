package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/replaycheck/internal/wire"
)

// FuzzParse: what Parse accepts is what encoding/json accepts, bytes that are no
// UTF-8 included; compacting is idempotent and changes no token; every value is
// found again by its path.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		sample, `{"a":1,"a":[{},[],null,-0.0,1e3]}`, `"\ud800\u003c\/"`, "\"\xff\"", `[1,]`, `{"a" : 9007199254740993}`, ` `, `{"a.b":{"[0]":1}}`, `"\`, "[\n]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := wire.Parse(text)
		if want := json.Valid([]byte(text)); (err == nil) != want {
			t.Fatalf("got %v, encoding/json says valid=%t", err, want)
		}
		if err != nil {
			return
		}
		once := wire.Compact(v)
		again, err := wire.Parse(once)
		if err != nil {
			t.Fatalf("compacted to %q: %v", once, err)
		}
		if twice := wire.Compact(again); twice != once || !wire.SameTokens(v, again) || !wire.SameValue(v, again) || !wire.SameExact(v, again) {
			t.Fatalf("compacted to %q, then to %q", once, twice)
		}
		for val := range v.All() {
			if val.Kind() == wire.String && utf8.ValidString(val.Text()) && parse(t, wire.Quote(val.Text())).Text() != val.Text() {
				t.Errorf("%s quoted again is another text", val.Raw())
			}
			if found := v.At(val.Path()); found.Offset() != val.Offset() && plain(v, val.Path()) {
				t.Errorf("%q finds %q, want %q", val.Path(), found.Raw(), val.Raw())
			}
		}
	})
}

// plain reports whether paths of a text are unambiguous: no name repeated,
// empty, or with a dot or bracket in it.
func plain(v wire.Value, path string) bool {
	for val := range v.All() {
		for name := range val.Members() {
			if name == "" || strings.ContainsAny(name, ".[]") || val.Count(name) > 1 {
				return false
			}
		}
	}
	return path != ""
}

// FuzzEventReader: where the network cuts a stream makes no difference.
func FuzzEventReader(f *testing.F) {
	for _, seed := range []string{
		"data: a\r\n\r\ndata: b\n\n", "\ufeffevent: x\rdata: {\"a\":1}\r\r", ": c\n\ndata\ndata: \n\n", "data: open",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 300 {
			return
		}
		want, wantErr := events(strings.NewReader(text), 64)
		for at := range len(text) + 1 {
			if got, err := events(pieces(text, at), 64); fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) {
				t.Fatalf("cut at %d: got %+v, %v, want %+v, %v", at, got, err, want, wantErr)
			}
		}
		if !errors.Is(wantErr, io.EOF) && !errors.Is(wantErr, wire.ErrTooLong) {
			t.Fatalf("got %v", wantErr)
		}
		for _, ev := range want {
			if strings.ContainsRune(ev.Data, '\r') {
				t.Errorf("got a carriage return in %q", ev.Data)
			}
		}
	})
}

// FuzzArrayReader: likewise; and what it reads of a valid list are its items.
func FuzzArrayReader(f *testing.F) {
	for _, seed := range []string{
		`[{"a":1}, {"b":"]}\"\\"}]`, "[\r\n]", `[{}`, `[{},{}]x`, `[{"a":{"b":[{}]}}]`, `{}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 300 {
			return
		}
		want, wantErr := listItems(strings.NewReader(text), 64)
		for at := range len(text) + 1 {
			if got, err := listItems(pieces(text, at), 64); fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) {
				t.Fatalf("cut at %d: got %q, %v, want %q, %v", at, got, err, want, wantErr)
			}
		}
		v, err := wire.Parse(text)
		if err != nil || v.Kind() != wire.Array {
			return
		}
		i := 0
		for item := range v.Items() {
			if item.Kind() != wire.Object || errors.Is(wantErr, wire.ErrTooLong) && i == len(want) {
				return
			}
			if i >= len(want) || want[i] != item.Raw() {
				t.Fatalf("item %d: got %q, want %q", i, want, item.Raw())
			}
			i++
		}
		if i != len(want) || !errors.Is(wantErr, io.EOF) {
			t.Fatalf("got %d items, %v, want %d", len(want), wantErr, i)
		}
	})
}
