package wire

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Compact returns the text of v without the white space between its tokens.
// Tokens themselves, escapes and number literals included, are not touched.
func Compact(v Value) string {
	raw := v.Raw()
	if !strings.ContainsAny(raw, " \n\r\t") {
		return raw
	}
	var b strings.Builder
	b.Grow(len(raw))
	from := 0 // start of the run to copy
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
		case ' ', '\n', '\r', '\t':
			b.WriteString(raw[from:i])
			for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t') {
				i++
			}
			from = i
		default:
			i++
		}
	}
	b.WriteString(raw[from:])
	return b.String()
}

// stringEnd returns where the JSON string that starts at i ends. The text was
// parsed before.
func stringEnd(text string, i int) int {
	for i++; text[i] != '"'; {
		if text[i] == '\\' {
			i++
		}
		if i = plainRun(text, i+1); i >= len(text) {
			return i
		}
	}
	return i + 1
}

// SameTokens reports whether two values are equal token by token: only white
// space between tokens may differ. Two absent values are the same.
func SameTokens(a, b Value) bool {
	if a.Raw() == b.Raw() {
		return true
	}
	return a.Kind() == b.Kind() && Compact(a) == Compact(b)
}

// SameValue reports whether two values are equal apart from tolerance T1 of
// the design: member order, escapes of the same code points, number literals
// of the same IEEE double. Repeated members count, in their order.
func SameValue(a, b Value) bool { return same(a, b, SameDouble) }

// SameExact is SameValue with numbers compared by their exact decimal value
// (CALLID): 1.0 equals 1e0, 9007199254740993 does not equal …992.
func SameExact(a, b Value) bool { return same(a, b, SameDecimal) }

// SameLast is SameValue with only the last of repeated members counting, as
// readers that keep a map see it.
func SameLast(a, b Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case Array:
		return sameItems(a, b, SameLast)
	case Object:
		for name := range a.Members() {
			if !SameLast(a.Get(name), b.Get(name)) {
				return false
			}
		}
		for name := range b.Members() {
			if !a.Get(name).Exists() {
				return false
			}
		}
		return true
	}
	return SameValue(a, b)
}

func same(a, b Value, number func(a, b string) bool) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	if a.Raw() == b.Raw() {
		return true
	}
	switch a.Kind() {
	case Number:
		return number(a.Raw(), b.Raw())
	case String:
		return a.Text() == b.Text()
	case Array:
		return sameItems(a, b, func(x, y Value) bool { return same(x, y, number) })
	case Object:
		return sameMembers(a, b, number)
	}
	return false
}

func sameItems(a, b Value, equal func(a, b Value) bool) bool {
	if a.Len() != b.Len() {
		return false
	}
	i, items := 0, make([]Value, 0, b.Len())
	for item := range b.Items() {
		items = append(items, item)
	}
	for item := range a.Items() {
		if !equal(item, items[i]) {
			return false
		}
		i++
	}
	return true
}

func sameMembers(a, b Value, number func(a, b string) bool) bool {
	left := map[string][]Value{}
	count := 0
	for name, m := range b.Members() {
		left[name] = append(left[name], m)
		count++
	}
	for name, m := range a.Members() {
		l := left[name]
		if len(l) == 0 || !same(m, l[0], number) {
			return false
		}
		left[name] = l[1:]
		count--
	}
	return count == 0
}

// SameDouble reports whether two number literals stand for the same IEEE
// double (so 0 and -0 differ). Literals past its range are equal only as text.
func SameDouble(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && math.Float64bits(x) == math.Float64bits(y)
}

// SameDecimal reports whether two number literals have the same exact decimal
// value (0 and -0 do).
func SameDecimal(a, b string) bool {
	if a == b {
		return true
	}
	an, ad, ae := decimal(a)
	bn, bd, be := decimal(b)
	return ad == bd && (ad == "" || an == bn && ae.Cmp(be) == 0)
}

// decimal splits a JSON number into sign, significant digits without zeros at
// either end, and the power of ten of the last digit. Zero has no digits.
func decimal(s string) (neg bool, digits string, exp *big.Int) {
	neg = strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	exp = new(big.Int)
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exp.SetString(strings.TrimPrefix(s[i+1:], "+"), 10)
		s = s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	digits = strings.TrimLeft(whole+frac, "0")
	exp.Sub(exp, big.NewInt(int64(len(frac))))
	trimmed := strings.TrimRight(digits, "0")
	exp.Add(exp, big.NewInt(int64(len(digits)-len(trimmed))))
	return neg, trimmed, exp
}

// Quote returns s as a JSON string that escapes only what JSON requires, so
// that <, > and & stay themselves. Invalid UTF-8 becomes U+FFFD.
func Quote(s string) string {
	if utf8.ValidString(s) && plainRun(s, 0) == len(s) {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20:
			b.WriteString(`\u00`)
			b.WriteByte("0123456789abcdef"[r>>4])
			b.WriteByte("0123456789abcdef"[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
