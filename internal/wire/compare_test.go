package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/replaycheck/internal/wire"
)

func TestComparisons(t *testing.T) {
	const yes, no = true, false
	for _, row := range []struct {
		a, b                 string
		tokens, value, exact bool
	}{
		{`{}`, `{}`, yes, yes, yes},
		{`{"a":1}`, "{ \"a\" :\n1 }", yes, yes, yes},
		{`"a b"`, `"a  b"`, no, no, no},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, no, yes, yes},
		{`[1,2]`, `[2,1]`, no, no, no},
		{`[1,2]`, `[1,2,3]`, no, no, no},
		{`[]`, `{}`, no, no, no},
		{`null`, `0`, no, no, no},
		{`null`, `null`, yes, yes, yes},
		{`true`, `false`, no, no, no},
		{`"1"`, `1`, no, no, no},
		// Escapes of the same code points.
		{`"<"`, `"\u003c"`, no, yes, yes},
		{`"\u003c"`, `"\u003C"`, no, yes, yes},
		{`"/"`, `"\/"`, no, yes, yes},
		{`"\ud83d\ude00"`, `"😀"`, no, yes, yes},
		{`"\ud800"`, `"\ufffd"`, no, no, no},
		{`"e\u0301"`, `"\u00e9"`, no, no, no},
		// Numbers.
		{`1.0`, `1`, no, yes, yes},
		{`1e3`, `1000`, no, yes, yes},
		{`1E+2`, `100.00`, no, yes, yes},
		{`0.10`, `0.1`, no, yes, yes},
		{`9007199254740993`, `9007199254740992`, no, yes, no}, // the same double, not the same number
		{`9007199254740993`, `9007199254740994`, no, no, no},
		{`0.1`, `0.1000000000000000055511151231257827`, no, yes, no},
		{`18446744073709551615`, `18446744073709551616`, no, yes, no},
		{`-0.0`, `0.0`, no, no, yes},
		{`0`, `0e5`, no, yes, yes},
		{`1e400`, `2e400`, no, no, no},
		{`1e400`, `1e400`, yes, yes, yes},
		{`1e400`, `10e399`, no, no, yes},
		{`5e-324`, `4.9e-324`, no, yes, no},
		{`1e-400`, `0`, no, yes, no},
		{`-1`, `1`, no, no, no},
		// Repeated members count, in their order.
		{`{"a":1,"a":2}`, `{"a":2}`, no, no, no},
		{`{"a":1,"a":2}`, `{"a":2,"a":1}`, no, no, no},
		{`{"a":1,"b":0,"a":2}`, `{"b":0,"a":1,"a":2}`, no, yes, yes},
		{`{"a":1}`, `{"\u0061":1}`, no, yes, yes},
		{`{"a":1}`, `{"A":1}`, no, no, no},
		{`{"a":null}`, `{}`, no, no, no},
		{`{"a":{"b":[1,{"c":2}]}}`, `{"a":{"b":[1.0,{"c":2e0}]}}`, no, yes, yes},
	} {
		a, b := parse(t, row.a), parse(t, row.b)
		for _, swap := range []bool{false, true} {
			if swap {
				a, b = b, a
			}
			if got := wire.SameTokens(a, b); got != row.tokens {
				t.Errorf("SameTokens(%s, %s): got %t", a.Raw(), b.Raw(), got)
			}
			if got := wire.SameValue(a, b); got != row.value {
				t.Errorf("SameValue(%s, %s): got %t", a.Raw(), b.Raw(), got)
			}
			if got := wire.SameExact(a, b); got != row.exact {
				t.Errorf("SameExact(%s, %s): got %t", a.Raw(), b.Raw(), got)
			}
		}
	}
}

func TestAbsentValuesAreTheSame(t *testing.T) {
	var none wire.Value
	null := parse(t, "null")
	if !wire.SameTokens(none, none) || !wire.SameValue(none, none) || wire.SameTokens(none, null) || wire.SameValue(null, none) || wire.SameExact(none, null) {
		t.Error("absent is the same as absent, and not as null")
	}
}

func TestCompactLeavesTokensAlone(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"{ \"a b\" :\t[ 1.0 ,\r\n-0 , \"x\\\" \\\\ y\" , {} ] }", `{"a b":[1.0,-0,"x\" \\ y",{}]}`},
		{`"\u0020 \n"`, `"\u0020 \n"`},
		{`[ ]`, `[]`},
		{`{"a":1}`, `{"a":1}`},
	} {
		if got := wire.Compact(parse(t, row.text)); got != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
	}
	if got := wire.Compact(parse(t, `{"a": [1, {"b": 2}]}`).At("a[1]")); got != `{"b":2}` {
		t.Errorf("got %s", got)
	}
}

func TestQuoteEscapesOnlyWhatItMust(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", `""`},
		{"a<b>&'\u2028\u2029/", "\"a<b>&'\u2028\u2029/\""},
		{"\"\\\n\r\t", `"\"\\\n\r\t"`},
		{"\x00\x01\b\f\x1f\x7f", "\"\\u0000\\u0001\\u0008\\u000c\\u001f\x7f\""},
		{"é😀", `"é😀"`},
		{"\xff\xc3(", "\"\ufffd\ufffd(\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
	} {
		got := wire.Quote(row.text)
		if got != row.want {
			t.Errorf("%q: got %s, want %s", row.text, got, row.want)
		}
		if text := parse(t, got).Text(); text != strings.ToValidUTF8(row.text, "\ufffd") && row.text != "\xff\xc3(" && row.text != "\xed\xa0\x80" {
			t.Errorf("%s reads as %q, want %q", got, text, row.text)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s is not JSON", got)
		}
	}
}

func TestSameDecimalIsFastOnHugeExponents(t *testing.T) {
	if wire.SameDecimal("1e999999999999", "1e999999999998") || !wire.SameDecimal("10e999999999998", "1e999999999999") || wire.SameDouble("1e999999999999", "1e999999999998") {
		t.Error("got the wrong answer")
	}
}
