package subject

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/replaycheck/internal/wire"
)

// The codec reads and writes the protocol types. encoding/json would not do:
// it turns a lone surrogate into U+FFFD, rewrites <, & and U+2028 inside raw
// values, and can't name a missing member.

var rawType = reflect.TypeFor[json.RawMessage]()

// reader decodes a parsed value into a protocol type and notes all that is
// wrong, each with its path.
type reader struct {
	strict bool // members without omitempty must be there
	closed bool // unknown members are wrong, unless they are null
	wrong  []string
}

func (r *reader) note(format string, args ...any) {
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

// err joins what is wrong in one line, the first five things of it.
func (r *reader) err() error {
	return oneLine(r.wrong)
}

func (r *reader) read(path string, v wire.Value, dst reflect.Value) {
	if dst.Type() == rawType {
		if v.Kind() != wire.Null {
			dst.SetBytes([]byte(v.Raw()))
		}
		return
	}
	var want string
	switch dst.Kind() {
	case reflect.Pointer:
		if v.Kind() != wire.Null {
			dst.Set(reflect.New(dst.Type().Elem()))
			r.read(path, v, dst.Elem())
		}
		return
	case reflect.String:
		if want = "string"; v.Kind() == wire.String {
			dst.SetString(v.Text())
			return
		}
	case reflect.Bool:
		if want = "boolean"; v.Kind() == wire.Bool {
			dst.SetBool(v.IsTrue())
			return
		}
	case reflect.Int:
		want = "whole number"
		if n, err := strconv.ParseFloat(v.Raw(), 64); v.Kind() == wire.Number && err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			dst.SetInt(int64(n))
			return
		}
	case reflect.Slice:
		// A null list is an empty one: many languages write it so.
		if want = "list"; v.Kind() == wire.Array || v.Kind() == wire.Null {
			r.list(path, v, dst)
			return
		}
	case reflect.Map:
		if want = "object"; v.Kind() == wire.Object || v.Kind() == wire.Null {
			r.members(path, v, dst)
			return
		}
	case reflect.Struct:
		if want = "object"; v.Kind() == wire.Object {
			r.object(path, v, dst)
			return
		}
	default:
		want = "nothing: no protocol type has a " + dst.Kind().String()
	}
	r.note("%s: got %s, want %s", path, v.Kind(), want)
}

func (r *reader) list(path string, v wire.Value, dst reflect.Value) {
	out := reflect.MakeSlice(dst.Type(), v.Len(), v.Len())
	i := 0
	for item := range v.Items() {
		r.read(fmt.Sprintf("%s[%d]", path, i), item, out.Index(i))
		i++
	}
	dst.Set(out)
}

func (r *reader) members(path string, v wire.Value, dst reflect.Value) {
	out := reflect.MakeMapWithSize(dst.Type(), v.Len())
	for name, m := range v.Members() {
		elem := reflect.New(dst.Type().Elem()).Elem()
		r.read(path+"."+clip(name, 60), m, elem)
		out.SetMapIndex(reflect.ValueOf(name), elem)
	}
	dst.Set(out)
}

func (r *reader) object(path string, v wire.Value, dst reflect.Value) {
	t := dst.Type()
	var names []string
	for i := range t.NumField() {
		name, optional := member(t.Field(i))
		names = append(names, name)
		switch m := v.Get(name); {
		case m.Exists():
			r.read(path+"."+name, m, dst.Field(i))
		case r.strict && !optional:
			r.note("%s.%s is missing", path, name)
		}
	}
	if !r.closed {
		return
	}
	for name, m := range v.Members() {
		if !slices.Contains(names, name) && m.Kind() != wire.Null {
			r.note("%s has no member %q, want one of %s", path, clip(name, 60), strings.Join(names, " "))
		}
	}
}

func member(f reflect.StructField) (name string, optional bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, options == "omitempty"
}

// writer encodes a protocol type as one line without its end.
type writer struct {
	strings.Builder
	wrong []string
}

func (w *writer) write(path string, v reflect.Value) {
	if v.Type() == rawType {
		w.raw(path, string(v.Bytes()))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			w.WriteString("null")
			return
		}
		w.write(path, v.Elem())
	case reflect.String:
		w.quote(v.String())
	case reflect.Bool:
		w.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int:
		w.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Slice:
		w.WriteByte('[')
		for i := range v.Len() {
			w.comma(i)
			w.write(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
		w.WriteByte(']')
	case reflect.Map:
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		w.WriteByte('{')
		for i, name := range names {
			w.comma(i)
			w.quote(name.String())
			w.WriteByte(':')
			w.write(path+"."+name.String(), v.MapIndex(name))
		}
		w.WriteByte('}')
	case reflect.Struct:
		w.object(path, v)
	default:
		w.wrong = append(w.wrong, path+": no protocol type has a "+v.Kind().String())
	}
}

func (w *writer) object(path string, v reflect.Value) {
	w.WriteByte('{')
	n := 0
	for i := range v.NumField() {
		name, optional := member(v.Type().Field(i))
		if optional && (v.Field(i).IsZero() || v.Field(i).Kind() == reflect.Map && v.Field(i).Len() == 0) {
			continue
		}
		w.comma(n)
		w.WriteString(`"` + name + `":`)
		w.write(path+"."+name, v.Field(i))
		n++
	}
	w.WriteByte('}')
}

func (w *writer) comma(i int) {
	if i > 0 {
		w.WriteByte(',')
	}
}

// raw writes a raw value in one line, token by token: it may hold native
// parts, whose escapes are not ours to change.
func (w *writer) raw(path, text string) {
	if text == "" {
		w.WriteString("null")
		return
	}
	v, err := wire.Parse(text)
	if err == nil && !utf8.ValidString(text) {
		err = errors.New("got bytes that are not UTF-8")
	}
	if err != nil {
		w.wrong = append(w.wrong, fmt.Sprintf("%s: %v", path, err))
		return
	}
	w.WriteString(wire.Compact(v))
}

// quote writes a string so that reading it gives the same one: what a lone
// surrogate escape was read to (see wire.Value.Text) becomes that escape again.
// U+2028 and U+2029 are escaped, since some line readers end a line there.
// Other bytes that are not UTF-8 become U+FFFD.
func (w *writer) quote(s string) {
	w.WriteByte('"')
	start := 0
	for i := 0; i+2 < len(s); i++ {
		if separator := s[i] == 0xE2 && s[i+1] == 0x80 && s[i+2]&^1 == 0xA8; !separator && !isSurrogate(s[i:]) {
			continue
		}
		w.inner(s[start:i])
		fmt.Fprintf(w, `\u%04x`, rune(s[i]&0x0F)<<12|rune(s[i+1]&0x3F)<<6|rune(s[i+2]&0x3F))
		i += 2
		start = i + 1
	}
	w.inner(s[start:])
	w.WriteByte('"')
}

func (w *writer) inner(s string) {
	if s != "" {
		q := wire.Quote(s)
		w.WriteString(q[1 : len(q)-1])
	}
}

// isSurrogate reports whether s starts with the three-byte form of a surrogate.
func isSurrogate(s string) bool {
	return len(s) > 2 && s[0] == 0xED && s[1] >= 0xA0 && s[1] < 0xC0 && s[2]&0xC0 == 0x80
}

// isText reports whether quote keeps s: UTF-8, and the three-byte forms of lone
// surrogates. Two that make a pair would come back as one character.
func isText(s string) bool {
	for high := false; s != ""; {
		if isSurrogate(s) {
			low := s[1] >= 0xB0
			if high && low {
				return false
			}
			high, s = !low, s[3:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size < 2 {
			return false
		}
		high, s = false, s[size:]
	}
	return true
}

// oneLine makes an error of what is wrong, nil when nothing is; it names the
// first five things.
func oneLine(wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	const most = 5
	text := strings.Join(wrong[:min(most, len(wrong))], "; ")
	if more := len(wrong) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return errors.New(text)
}
