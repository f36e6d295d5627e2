package inject

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/wire"
)

func isTextual(part string) bool { return isText(part) || isThought(part) }

// onText edits a string member where it is there and changes.
func onText(path func(part string) string, e func(string) string) func(string) string {
	return func(part string) string {
		old := get(part, path(part))
		if s := e(old); s != old {
			return setText(part, path(part), s)
		}
		return part
	}
}

func fixed(path string) func(string) string { return func(string) string { return path } }

func parts() map[string]edit {
	return map[string]edit{
		"signed-content-edited.trimmed":    eachPart(isTextual, onText(fixed("text"), strings.TrimSpace)),
		"signed-content-edited.normalised": eachPart(isTextual, onText(fixed("text"), normalised)),
		"signed-content-edited.renamed": eachPart(isCall, onText(func(p string) string { return callAt(p, "name") }, func(s string) string {
			return "default_api:" + s
		})),
		"signed-content-edited.escaped": eachPart(isSigned, escaped),
		"parts-reordered.calls-first": turns(func(parts []string) []string {
			return slices.Concat(filter(parts, isCall), filter(parts, not(isCall)))
		}),
		"parts-reordered.calls-exchanged": turns(func(parts []string) []string { return exchange(parts, isCall) }),
		"text-merged":                     turns(merged),
		"parallel-split":                  entries(func(all []string) []string { return regrouped(all, false) }),
		"parallel-collapsed":              turns(collapsed),
		"call-duplicated":                 turns(onItem(isCall, func(p string) []string { return []string{p, p} })),
		"thought-resent-as-text.member":   eachPart(isThought, func(p string) string { return remove(p, "thought") }),
		"thought-resent-as-text.false":    eachPart(isThought, func(p string) string { return setRaw(p, "thought", "false") }),
		"thought-resent-as-text.tags": eachPart(isThought, func(p string) string {
			return setText(remove(p, "thought"), "text", "<think>"+get(p, "text")+"</think>")
		}),
		"results-interleaved": entries(func(all []string) []string { return regrouped(all, true) }),
	}
}

// normalised writes a text as a tidying client would: runs of white space one
// space, é in two characters.
func normalised(s string) string {
	return strings.NewReplacer("é", "e\u0301", "°", "o").Replace(strings.Join(strings.Fields(s), " "))
}

// escaped writes the characters that JSON does not ask to be escaped as escapes.
func escaped(raw string) string {
	var b strings.Builder
	for _, r := range raw {
		if r > 0x7e && r < 0x10000 || r == '<' || r == '>' || r == '&' || r == '\'' {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// merged makes one of the first two neighbouring texts of which one is signed,
// in a turn with a call.
func merged(parts []string) []string {
	if !slices.ContainsFunc(parts, isCall) {
		return parts
	}
	for i := 1; i < len(parts); i++ {
		a, b := parts[i-1], parts[i]
		if !isText(a) || !isText(b) || isSigned(a) == isSigned(b) {
			continue
		}
		keep := a
		if isSigned(b) {
			keep = b
		}
		return slices.Replace(slices.Clone(parts), i-1, i+1, setText(keep, "text", get(a, "text")+get(b, "text")))
	}
	return parts
}

// collapsed keeps one of two equal calls.
func collapsed(parts []string) []string {
	for i, p := range parts {
		for _, q := range parts[:i] {
			if isCall(p) && isCall(q) && sameCall(p, q) {
				return slices.Delete(slices.Clone(parts), i, i+1)
			}
		}
	}
	return parts
}

func sameCall(a, b string) bool {
	return get(a, callAt(a, "name")) == get(b, callAt(b, "name")) && compact(raw(a, callAt(a, "args"))) == compact(raw(b, callAt(b, "args")))
}

func compact(text string) string {
	v, err := wire.Parse(text)
	if err != nil {
		return text
	}
	return wire.Compact(v)
}

// regrouped sends each call of a turn in an entry of its own: all before the
// results, or each before its own.
func regrouped(all []string, interleave bool) []string {
	var out []string
	for i := 0; i < len(all); i++ {
		groups := grouped(list(all[i], "parts"))
		if !isModel(all[i]) || len(groups) < 2 {
			out = append(out, all[i])
			continue
		}
		var answers []string
		if interleave && i+1 < len(all) && isResults(all[i+1]) {
			answers = list(all[i+1], "parts")
			i++
		}
		for k, g := range groups {
			out = append(out, `{"role":"model","parts":[`+strings.Join(g, ",")+`]}`)
			if k < len(answers) {
				out = append(out, `{"role":"user","parts":[`+answers[k]+`]}`)
			}
		}
	}
	return out
}

// grouped cuts the parts of a turn before each call but the first.
func grouped(parts []string) [][]string {
	var out [][]string
	calls := 0
	for _, p := range parts {
		if isCall(p) {
			calls++
		}
		if len(out) == 0 || isCall(p) && calls > 1 {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	if calls < 2 {
		return nil
	}
	return out
}
