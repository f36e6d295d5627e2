package oracles_test

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

// each edits the list of parts of every model entry.
func each(e func(parts []string) []string) change {
	return gemini(func(body string) string { return model(body, e) })
}

// inModel edits every part of the model's that is as asked.
func inModel(is func(string) bool, e func(string) string) change {
	return each(func(parts []string) []string {
		out := slices.Clone(parts)
		for i, p := range out {
			if is(p) {
				out[i] = e(p)
			}
		}
		return out
	})
}

// normalised writes a text as a normalising client would: trimmed, runs of white
// space one space, é in two characters.
func normalised(s string) string {
	return strings.NewReplacer("é", "e\u0301", "°", "o").Replace(strings.Join(strings.Fields(s), " "))
}

func onText(path string, e func(string) string) func(string) string {
	return func(part string) string {
		if s := e(text(part, path)); has(part, path) && s != text(part, path) {
			return setText(part, path, s)
		}
		return part
	}
}

// escaped writes the characters of a JSON text that JSON does not ask to be
// escaped as escapes.
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

func partFaults() []fault {
	textual := func(p string) bool { return isText(p) || isThought(p) }
	return []fault{
		{"signed-content-edited", "trimmed", []string{"REPLAY-06"}, result.Provider, inModel(textual, onText("text", strings.TrimSpace))},
		{"signed-content-edited", "normalised", []string{"REPLAY-06"}, result.Provider, inModel(textual, onText("text", normalised))},
		{"signed-content-edited", "a line added", []string{"REPLAY-06"}, result.Provider, inModel(textual, onText("text", func(s string) string { return s + "\n" }))},
		{"signed-content-edited", "the argument padded", []string{"REPLAY-03"}, result.Provider, inModel(isCall, func(part string) string {
			args := text(part, "functionCall.args")
			if padded := strings.NewReplacer(`: "`, `: " `, `":"`, `":" `).Replace(args); padded != args {
				return setRaw(part, "functionCall.args", padded)
			}
			return part
		})},
		{"signed-content-edited", "the name of the call", []string{"REPLAY-03"}, result.Provider, onEach(isCall, onText("functionCall.name", func(s string) string { return "default_api:" + s }))},
		{"signed-content-edited", "escaped anew", []string{"REPLAY-03", "REPLAY-06"}, result.Verbatim, onEach(isSigned, escaped)},
		{"parts-reordered", "calls first", []string{"REPLAY-06"}, result.Provider, each(func(parts []string) []string {
			return slices.Concat(filter(parts, isCall), filter(parts, not(isCall)))
		})},
		{"parts-reordered", "two calls exchanged", []string{"REPLAY-04"}, result.Provider, each(func(parts []string) []string {
			return swapped(parts, isCall)
		})},
		{"text-merged", "signed", []string{"REPLAY-06"}, result.Provider, each(merge(func(a, b string) string {
			if isSigned(b) {
				return setText(b, "text", text(a, "text")+text(b, "text"))
			}
			return setText(a, "text", text(a, "text")+text(b, "text"))
		}))},
		{"text-merged", "unsigned", []string{"REPLAY-06"}, result.Provider, each(merge(func(a, b string) string {
			return setText(`{}`, "text", text(a, "text")+text(b, "text"))
		}))},
		{"parallel-split", "", []string{"REPLAY-04"}, result.Verbatim, gemini(func(body string) string { return regroup(body, false) })},
		{"parallel-collapsed", "", []string{"REPLAY-04"}, result.Provider, each(func(parts []string) []string {
			for i, p := range parts {
				for j := range i {
					if isCall(p) && isCall(parts[j]) && has(p, "functionCall.name") && sameCall(p, parts[j]) {
						return slices.Delete(slices.Clone(parts), i, i+1)
					}
				}
			}
			return parts
		})},
		{"call-duplicated", "", []string{"REPLAY-04"}, result.Provider, each(func(parts []string) []string {
			if i := slices.IndexFunc(parts, isCall); i >= 0 {
				return slices.Insert(slices.Clone(parts), i, parts[i])
			}
			return parts
		})},
		{"call-duplicated", "without the signature", []string{"REPLAY-04"}, result.Provider, each(func(parts []string) []string {
			if i := slices.IndexFunc(parts, isCall); i >= 0 {
				return append(slices.Clone(parts), dropSig(parts[i]))
			}
			return parts
		})},
		{"thought-resent-as-text", "", []string{"REPLAY-14", "REPLAY-06"}, result.Provider, onEach(isThought, func(p string) string { return remove(p, "thought") })},
		{"thought-resent-as-text", "thought:false", []string{"REPLAY-14", "REPLAY-06"}, result.Provider, onEach(isThought, func(p string) string { return setRaw(p, "thought", "false") })},
		{"thought-resent-as-text", "in tags", []string{"REPLAY-14", "REPLAY-06"}, result.Provider, onEach(isThought, func(p string) string {
			return setText(remove(p, "thought"), "text", "<think>"+text(p, "text")+"</think>")
		})},
		{"trailing-empty-part-dropped", "", []string{"STREAM-01"}, result.Provider, each(func(parts []string) []string {
			return filter(parts, func(p string) bool { return !(isText(p) && isSigned(p) && text(p, "text") == "") })
		})},
	}
}

func filter(parts []string, is func(string) bool) []string {
	var out []string
	for _, p := range parts {
		if is(p) {
			out = append(out, p)
		}
	}
	return out
}

// swapped exchanges the first two parts that are as asked.
func swapped(parts []string, is func(string) bool) []string {
	out := slices.Clone(parts)
	first := slices.IndexFunc(out, is)
	for i := first + 1; first >= 0 && i < len(out); i++ {
		if is(out[i]) {
			out[first], out[i] = out[i], out[first]
			return out
		}
	}
	return out
}

func sameCall(a, b string) bool {
	return text(a, "functionCall.name") == text(b, "functionCall.name") && text(a, "functionCall.args") == text(b, "functionCall.args")
}

// merge makes one of the first two neighbouring texts of which one is signed.
func merge(join func(a, b string) string) func([]string) []string {
	return func(parts []string) []string {
		for i := 1; i < len(parts); i++ {
			a, b := parts[i-1], parts[i]
			if isText(a) && isText(b) && isSigned(a) != isSigned(b) {
				return slices.Replace(slices.Clone(parts), i-1, i+1, join(a, b))
			}
		}
		return parts
	}
}

// regroup sends each call of a turn in an entry of its own, all before the
// results or each before its result.
func regroup(body string, interleave bool) string {
	var out []string
	list := items(body, "contents")
	for i := 0; i < len(list); i++ {
		parts := items(list[i], "parts")
		if text(list[i], "role") != "model" || len(filter(parts, isCall)) < 2 {
			out = append(out, list[i])
			continue
		}
		var calls []string
		open := ""
		for _, p := range parts {
			if isCall(p) && open != "" {
				calls, open = append(calls, open), ""
			}
			if open += "," + p; !isCall(p) && len(calls) == 0 {
				continue
			}
		}
		calls = append(calls, open)
		var results []string
		if i+1 < len(list) {
			results = items(list[i+1], "parts")
		}
		for k, c := range calls {
			out = append(out, `{"role":"model","parts":[`+c[1:]+`]}`)
			if interleave && k < len(results) {
				out = append(out, `{"role":"user","parts":[`+results[k]+`]}`)
			}
		}
		if interleave {
			i++
		}
	}
	return setItems(body, "contents", out)
}
