package mint_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver/mint"
)

// FuzzRead: what is read as genuine is what the stamp mints, byte for byte; what
// else it is, it is said without a panic.
func FuzzRead(f *testing.F) {
	for _, kind := range []mint.Kind{mint.Gemini, mint.Responses, mint.Anthropic} {
		for _, length := range []int{mint.Shortest, 100, 6200} {
			v, err := mint.Value("1", mint.Stamp{Kind: kind, Model: "gpt-6", Step: 1, Part: 258, Form: 1}, length)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(v, 0, "")
			f.Add(v, 50, "A")
			f.Add(v, 90, "=")
		}
	}
	id, err := mint.ID("1", "call_", 1, 2, 24)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(id, 0, "")
	f.Add(id, 12, "0")
	f.Add("gAAAAABm-", 3, "\xC5rc\x01")
	f.Fuzz(func(t *testing.T, value string, at int, put string) {
		if at > 0 && at < len(value) { // one edit
			value = value[:at] + put + value[at+1:]
		}
		s, err := mint.Read("1", value)
		if peeked, ok := mint.Peek(value); ok && err == nil && peeked != s {
			t.Errorf("peeked %+v, read %+v", peeked, s)
		}
		if err == nil {
			same(t, value, s)
		}
		if s, err := mint.ReadID("1", value); err == nil {
			at := strings.LastIndexAny(value, "_-") + 1
			if again, err := mint.ID("1", value[:at], s.Step, s.Part, len(value)-at); err != nil || again != value {
				t.Errorf("read %+v of %q, which is %q: %v", s, value, again, err)
			}
		}
	})
}

// same checks that a value is the one that its stamp mints, in whichever
// alphabet.
func same(t *testing.T, value string, s mint.Stamp) {
	t.Helper()
	body := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(value, "=."))
	again, err := mint.Value("1", s, (len(body)+3)/4*4)
	if err != nil {
		t.Fatalf("read %+v of %q: %v", s, value, err)
	}
	again = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(again, "="))
	if decode(t, again) != decode(t, body) {
		t.Errorf("read %+v of %q, which is %q", s, value, again)
	}
}

func decode(t *testing.T, s string) string {
	t.Helper()
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return string(b)
}
