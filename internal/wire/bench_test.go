package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/replaycheck/internal/wire"
)

// megabyte is a request of 1 MiB: turns with long signatures, as a conversation
// of many steps has them, and one big argument.
func megabyte() string {
	var b strings.Builder
	b.WriteString(`{"contents":[`)
	for i := 0; b.Len() < 1<<19; i++ {
		fmt.Fprintf(&b, `{"role":"model","parts":[{"functionCall":{"id":"c%d","name":"weather","args":{"city":"Leipzig","n":%d}},"thoughtSignature":"%s"}]},`, i, i, strings.Repeat("Er4HCrsH+/", 300))
		fmt.Fprintf(&b, `{"role":"user","parts":[{"functionResponse":{"id":"c%d","name":"weather","response":{"c":7,"sky":"\u00fcber\/cast"}}}]},`, i)
	}
	fmt.Fprintf(&b, `{"role":"user","parts":[{"text":%s}]}],"tools":[]}`, wire.Quote(strings.Repeat("line <of> text & more\n", 1<<19/23)))
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	text := megabyte()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompact(b *testing.B) {
	v, err := wire.Parse(megabyte())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(v.Raw())))
	for b.Loop() {
		wire.Compact(v)
	}
}

func BenchmarkWalk(b *testing.B) {
	v, err := wire.Parse(megabyte())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(v.Raw())))
	for b.Loop() {
		n := 0
		for val := range v.All() {
			n += len(val.Text())
		}
		if n == 0 {
			b.Fatal("got no text")
		}
	}
}

func BenchmarkEventReader(b *testing.B) {
	text := strings.Repeat("data: "+strings.Repeat("x", 1018)+"\n\n", 1024)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if got, _ := events(strings.NewReader(text), 0); len(got) != 1024 {
			b.Fatal(len(got))
		}
	}
}
