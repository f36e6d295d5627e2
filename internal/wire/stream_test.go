package wire_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/replaycheck/internal/wire"
)

// events reads all events of a stream, and the error at its end.
func events(r io.Reader, limit int) (out []wire.Event, err error) {
	er := wire.NewEventReader(r, limit)
	for {
		ev, err := er.Next()
		if err != nil {
			return out, err
		}
		out = append(out, ev)
	}
}

// listItems reads all items of a list, and the error at its end.
func listItems(r io.Reader, limit int) (out []string, err error) {
	ar := wire.NewArrayReader(r, limit)
	for {
		item, err := ar.Next()
		if err != nil {
			return out, err
		}
		out = append(out, item)
	}
}

// pieces is a reader that hands a text out in two pieces.
func pieces(text string, at int) io.Reader {
	return io.MultiReader(strings.NewReader(text[:at]), strings.NewReader(text[at:]))
}

func TestEventReader(t *testing.T) {
	ev := func(data string) wire.Event { return wire.Event{Data: data} }
	for _, row := range []struct {
		name, text string
		want       []wire.Event
	}{
		{"nothing", "", nil},
		{"LF", "data: a\n\ndata: b\n\n", []wire.Event{ev("a"), ev("b")}},
		{"CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", []wire.Event{ev("a"), ev("b")}},
		{"CR", "data: a\r\rdata: b\r\r", []wire.Event{ev("a"), ev("b")}},
		{"mixed", "data: a\r\n\ndata: b\n\r", []wire.Event{ev("a"), ev("b")}},
		{"byte order mark", "\ufeffdata: a\n\n", []wire.Event{ev("a")}},
		{"byte order mark later", "data: a\n\n\ufeffdata: b\n\ndata: c\n\n", []wire.Event{ev("a"), ev("c")}},
		{"no space", "data:a\n\n", []wire.Event{ev("a")}},
		{"one space only", "data:  a\n\n", []wire.Event{ev(" a")}},
		{"several data lines", "data: a\ndata:\ndata: b\n\n", []wire.Event{ev("a\n\nb")}}, //nolint:dupword // on purpose
		{"a data line without colon", "data\n\n", []wire.Event{ev("")}},
		{"comments and other fields", ": ping\nid: 7\nretry: 5\nfoo\ndata: a\n\n", []wire.Event{ev("a")}},
		{"a name", "event: message_start\ndata: a\n\ndata: b\n\n", []wire.Event{{Name: "message_start", Data: "a"}, ev("b")}},
		{"a name without data", "event: ping\n\ndata: a\n\n", []wire.Event{ev("a")}},
		{"blank lines", "\n\n\ndata: a\n\n\n", []wire.Event{ev("a")}},
		{"colons in the data", "data: {\"a\":\"b: c\"}\n\n", []wire.Event{ev(`{"a":"b: c"}`)}},
		{"U+2028 ends no line", "data: a\u2028b\n\n", []wire.Event{ev("a\u2028b")}},
		{"unclosed", "data: a\n", []wire.Event{{Data: "a", Open: true}}},
		{"unclosed in a line", "data: a", []wire.Event{{Data: "a", Open: true}}},
		{"unclosed after CR", "data: a\r", []wire.Event{{Data: "a", Open: true}}},
		{"unclosed name", "event: x\n", nil},
		{"a field whose name ends in data", "xdata: a\n\n", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			for at := range len(row.text) + 1 {
				got, err := events(pieces(row.text, at), 0)
				if !errors.Is(err, io.EOF) || fmt.Sprint(got) != fmt.Sprint(row.want) {
					t.Errorf("cut at %d: got %+v, %v, want %+v", at, got, err, row.want)
				}
			}
			got, err := events(iotest.OneByteReader(strings.NewReader(row.text)), 0)
			if !errors.Is(err, io.EOF) || fmt.Sprint(got) != fmt.Sprint(row.want) {
				t.Errorf("byte by byte: got %+v, %v, want %+v", got, err, row.want)
			}
		})
	}
}

// A CR ends its line at once: on a live stream nothing more may come for long.
func TestEventReaderDoesNotWaitForTheLineFeed(t *testing.T) {
	r, w := io.Pipe()
	got := make(chan wire.Event)
	go func() {
		ev, _ := wire.NewEventReader(r, 0).Next()
		got <- ev
	}()
	if _, err := io.WriteString(w, "data: a\r\n\r"); err != nil {
		t.Fatal(err)
	}
	if ev := <-got; ev.Data != "a" || ev.Open {
		t.Errorf("got %+v", ev)
	}
	_ = w.Close()
}

func TestEventReaderLimit(t *testing.T) {
	line := "data: " + strings.Repeat("x", 94)
	for _, row := range []struct {
		name, text string
		limit      int
		ok         bool
	}{
		{"at the limit", line + "\n\n", 100, true},
		{"over it", line + "x\n\n", 100, false},
		{"over it without an end", line + "x", 100, false},
		{"in two lines", line + "\n" + line + "\n\n", 150, false},
		{"two events", line + "\n\n" + line + "\n\n", 100, true},
		{"a comment", ":" + strings.Repeat("x", 200) + "\n\n", 100, false},
	} {
		_, err := events(strings.NewReader(row.text), row.limit)
		if got := errors.Is(err, io.EOF); got != row.ok || !got && !errors.Is(err, wire.ErrTooLong) {
			t.Errorf("%s: got %v", row.name, err)
		}
	}
}

func TestReadersPassErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	reader := func(text string) io.Reader {
		return io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
	}
	if got, err := events(reader("data: a\n\ndata: b"), 0); !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("events: got %v, %v", got, err)
	}
	for _, text := range []string{`[{"a":1}`, `[{"a`, `[{"a\`, `[`, ``, `[{}]`} {
		if _, err := listItems(reader(text), 0); !errors.Is(err, broken) {
			t.Errorf("list %q: got %v", text, err)
		}
	}
}

func TestArrayReader(t *testing.T) {
	const bad = "wire: unexpected byte 0x%02x between the items of a JSON list"
	for _, row := range []struct {
		name, text string
		want       []string
		err        string
	}{
		{"empty", `[]`, nil, "EOF"},
		{"white space", " [ \n ] \r\n\t", nil, "EOF"},
		{"items", "[{\"a\":1}\n,\r\n{ \"b\" : [{}, \"]}\"] }]", []string{`{"a":1}`, `{ "b" : [{}, "]}"] }`}, "EOF"},
		{"strings with quotes and braces", `[{"a":"\"}{\\"},{"b":"\\\"]"}]`, []string{`{"a":"\"}{\\"}`, `{"b":"\\\"]"}`}, "EOF"},
		{"nothing", ``, nil, "unexpected EOF"},
		{"no bracket at the end", `[{"a":1}`, []string{`{"a":1}`}, "unexpected EOF"},
		{"a comma at the end", `[{"a":1},`, []string{`{"a":1}`}, "unexpected EOF"},
		{"half an item", `[{"a":1},{"b":`, []string{`{"a":1}`}, "unexpected EOF"},
		{"half a string", `[{"a":"\`, nil, "unexpected EOF"},
		{"a comma too many", `[{},]`, []string{`{}`}, fmt.Sprintf(bad, ']')},
		{"a comma first", `[,{}]`, nil, fmt.Sprintf(bad, ',')},
		{"no comma", `[{}{}]`, []string{`{}`}, fmt.Sprintf(bad, '{')},
		{"an object", `{"a":1}`, nil, fmt.Sprintf(bad, '{')},
		{"other items", `[1]`, nil, fmt.Sprintf(bad, '1')},
		{"text after it", `[{}] x`, []string{`{}`}, fmt.Sprintf(bad, 'x')},
		{"a second list", `[{}][{}]`, []string{`{}`}, fmt.Sprintf(bad, '[')},
		{"byte order mark", "\ufeff[{}]", nil, fmt.Sprintf(bad, 0xef)},
	} {
		t.Run(row.name, func(t *testing.T) {
			for at := range len(row.text) + 1 {
				got, err := listItems(pieces(row.text, at), 0)
				if fmt.Sprint(got) != fmt.Sprint(row.want) || err.Error() != row.err {
					t.Errorf("cut at %d: got %q, %v, want %q, %s", at, got, err, row.want, row.err)
				}
			}
		})
	}
}

func TestArrayReaderLimit(t *testing.T) {
	item := `{"a":"` + strings.Repeat("x", 92) + `"}`
	if got, err := listItems(strings.NewReader("["+item+","+item+"]"), 100); !errors.Is(err, io.EOF) || len(got) != 2 {
		t.Errorf("at the limit: got %d items, %v", len(got), err)
	}
	if _, err := listItems(strings.NewReader("["+item+"]"), 99); !errors.Is(err, wire.ErrTooLong) {
		t.Errorf("over it: got %v", err)
	}
	if _, err := listItems(strings.NewReader("[{"+strings.Repeat(`"\\`, 200)), 99); !errors.Is(err, wire.ErrTooLong) {
		t.Errorf("over it in a string: got %v", err)
	}
}
