package inject

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"example.com/replaycheck/internal/wire"
)

// The editors below change what they name and no other byte. A path is gjson's;
// what is not there is left alone.

func setRaw(text, path, raw string) string {
	out, err := sjson.SetRaw(text, path, raw)
	if err != nil {
		return text
	}
	return out
}

func setText(text, path, value string) string { return setRaw(text, path, wire.Quote(value)) }

func remove(text, path string) string {
	if !has(text, path) {
		return text
	}
	out, err := sjson.Delete(text, path)
	if err != nil {
		return text
	}
	return out
}

func has(text, path string) bool { return gjson.Get(text, path).Exists() }

// get returns a string member, "" where there is none or it is no string.
func get(text, path string) string {
	if v := gjson.Get(text, path); v.Type == gjson.String {
		return v.Str
	}
	return ""
}

func raw(text, path string) string { return gjson.Get(text, path).Raw }

// list returns the raw items of a list.
func list(text, path string) []string {
	v := gjson.Get(text, path)
	if !v.IsArray() {
		return nil
	}
	var out []string
	for _, item := range v.Array() {
		out = append(out, item.Raw)
	}
	return out
}

// onList edits a list; what stays the same is not written.
func onList(text, path string, e func([]string) []string) string {
	old := list(text, path)
	items := e(old)
	if slices.Equal(old, items) {
		return text
	}
	return setRaw(text, path, "["+strings.Join(items, ",")+"]")
}

func filter(items []string, is func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(items), func(s string) bool { return !is(s) })
}

func not(is func(string) bool) func(string) bool { return func(s string) bool { return !is(s) } }

func both(a, b func(string) bool) func(string) bool {
	return func(s string) bool { return a(s) && b(s) }
}

// exchange exchanges the first two items that are as asked.
func exchange(items []string, is func(string) bool) []string {
	first := slices.IndexFunc(items, is)
	if first < 0 {
		return items
	}
	second := slices.IndexFunc(items[first+1:], is)
	if second < 0 {
		return items
	}
	out := slices.Clone(items)
	out[first], out[first+1+second] = out[first+1+second], out[first]
	return out
}

// onItem puts what e makes of the first item that is as asked in its place.
func onItem(is func(string) bool, e func(string) []string) func([]string) []string {
	return func(items []string) []string {
		i := slices.IndexFunc(items, is)
		if i < 0 {
			return items
		}
		return slices.Replace(slices.Clone(items), i, i+1, e(items[i])...)
	}
}
