package inject

import (
	"slices"

	"github.com/tidwall/gjson"

	"example.com/replaycheck/internal/native"
)

// The provider reads both spellings of a member, so subjects use either.

func spelled(text, camel, snake string) string {
	if !has(text, camel) && has(text, snake) {
		return snake
	}
	return camel
}

func sigName(part string) string  { return spelled(part, "thoughtSignature", "thought_signature") }
func callName(part string) string { return spelled(part, "functionCall", "function_call") }
func resultName(part string) string {
	return spelled(part, "functionResponse", "function_response")
}

func sigOf(part string) string            { return get(part, sigName(part)) }
func setSig(part, value string) string    { return setText(part, sigName(part), value) }
func dropSig(part string) string          { return remove(part, sigName(part)) }
func callAt(part, member string) string   { return callName(part) + "." + member }
func resultAt(part, member string) string { return resultName(part) + "." + member }

// Kinds of parts, as raw JSON.

func isCall(part string) bool   { return has(part, callName(part)) }
func isResult(part string) bool { return has(part, resultName(part)) }
func isSigned(part string) bool { return sigOf(part) != "" }
func isBare(part string) bool   { return !has(part, sigName(part)) }
func isThought(part string) bool {
	return gjson.Get(part, "thought").Type == gjson.True && has(part, "text")
}

func isText(part string) bool {
	return gjson.Get(part, "text").Type == gjson.String && !isThought(part) && !isCall(part)
}

// isSignedEmpty reports whether a part is a signature and no text. Some clients
// leave an empty text out.
func isSignedEmpty(part string) bool {
	return isSigned(part) && (isText(part) && get(part, "text") == "" || len(gjson.Parse(part).Map()) == 1)
}

// entries edits the list of entries of every request to Gemini.
func entries(e func([]string) []string) edit {
	return to(native.Gemini, func(body string) string {
		return onList(body, "contents", e)
	})
}

func isModel(entry string) bool { return get(entry, "role") == "model" }

// isResults reports whether an entry holds results.
func isResults(entry string) bool { return slices.ContainsFunc(list(entry, "parts"), isResult) }

// inEntries edits the parts of every entry that is as asked.
func inEntries(is func(string) bool, e func([]string) []string) edit {
	return entries(func(all []string) []string {
		out := slices.Clone(all)
		for i, entry := range out {
			if is(entry) {
				out[i] = onList(entry, "parts", e)
			}
		}
		return out
	})
}

// turns edits the parts of every model entry.
func turns(e func([]string) []string) edit { return inEntries(isModel, e) }

// eachPart edits every part of model entries that is as asked.
func eachPart(is func(string) bool, e func(string) string) edit {
	return turns(func(parts []string) []string {
		out := slices.Clone(parts)
		for i, p := range out {
			if is(p) {
				out[i] = e(p)
			}
		}
		return out
	})
}

// firstPart edits the first part of each model entry that is as asked.
func firstPart(is func(string) bool, e func(string) string) edit {
	return turns(onItem(is, func(p string) []string { return []string{e(p)} }))
}

// steps returns the indexes of the entries that begin a model turn with a
// signed call: neighbouring model entries are one turn, however they were cut.
func steps(all []string) []int {
	var out []int
	open := false
	for i, entry := range all {
		switch {
		case !isModel(entry):
			open = false
		case !open && slices.ContainsFunc(list(entry, "parts"), both(isCall, isSigned)):
			out = append(out, i)
			open = true
		}
	}
	return out
}

// onCall edits the first signed call of an entry.
func onCall(entry string, e func(string) string) string {
	return onList(entry, "parts", onItem(both(isCall, isSigned), func(p string) []string { return []string{e(p)} }))
}

func firstCall(entry string) string {
	for _, p := range list(entry, "parts") {
		if isCall(p) && isSigned(p) {
			return p
		}
	}
	return ""
}
