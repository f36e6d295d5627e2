package oracles_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/replaycheck/oracles"
)

// entries edits the list of contents of a Gemini request.
func entries(e func([]string) []string) change {
	return gemini(func(body string) string { return setItems(body, "contents", e(items(body, "contents"))) })
}

// splitResults gives each result an entry of its own.
func splitResults(role, between string) change {
	return entries(func(list []string) []string {
		var out []string
		for _, entry := range list {
			parts := items(entry, "parts")
			if len(parts) == 0 || !isResult(parts[0]) {
				out = append(out, entry)
				continue
			}
			for i, p := range parts {
				if i > 0 && between != "" {
					out = append(out, between)
				}
				out = append(out, fmt.Sprintf(`{"role":%q,"parts":[%s]}`, role, p))
			}
		}
		return out
	})
}

func resultRole(role string) change {
	return entries(func(list []string) []string {
		out := slices.Clone(list)
		for i, entry := range out {
			if has(entry, "parts.0.functionResponse") {
				out[i] = setText(entry, "role", role)
			}
		}
		return out
	})
}

func toleratedResults() []tolerance {
	const ok, red = true, false
	emptySigned := func(p string) bool { return isText(p) && isSigned(p) && text(p, "text") == "" }
	return []tolerance{
		{"T8 several entries", at("gemini/parallel-different"), splitResults("user", ""), ok, false},
		{"T8 several entries of role tool", at("gemini/parallel-different"), splitResults("tool", ""), ok, false},
		{"T8 role function", at("gemini/single-call"), resultRole("function"), ok, false},
		{"T8 near: role model", at("gemini/single-call"), resultRole("model"), red, false},
		{"T8 near: no role that is known", at("gemini/single-call"), resultRole("assistant"), red, false},
		{"T8 near: a text between", at("gemini/parallel-different"), splitResults("user", `{"role":"user","parts":[{"text":"And:"}]}`), red, false},
		{"T8 near: a model turn between", at("gemini/parallel-different"), splitResults("user", `{"role":"model","parts":[{"text":"Next."}]}`), red, false},
		{"T8 near: in another order", at("gemini/parallel-different"), func(ev *oracles.Evidence) {
			eachResults(func(parts []string) []string { return swapped(parts, isResult) })(ev)
			splitResults("user", "")(ev)
		}, red, false},

		{"T9 IDs dropped on both", at("gemini/single-call"), onEach(isCallOrResult, setID("")), ok, false},
		{"T9 IDs dropped on both, parallel", at("gemini/parallel-equal-ids"), onEach(isCallOrResult, setID("")), ok, false},
		{"T9 IDs invented on both", at("gemini/text-and-call"), onEach(isCallOrResult, setID("call-1")), ok, false},
		{"T9 near: another ID on both", at("gemini/single-call"), onEach(isCallOrResult, setID("call-1")), red, false},

		{"C1 one entry per call", at("gemini/parallel-all-signed"), gemini(func(body string) string { return regroup(body, false) }), ok, true},
		{"C1 one entry per chunk", streamed("gemini/text-and-call"), entries(perPart), ok, true},
		{"C1 near: with the results between", at("gemini/parallel-all-signed"), gemini(func(body string) string { return regroup(body, true) }), red, false},
		{"C1 near: and a signature lost", at("gemini/parallel-all-signed"), gemini(func(body string) string { return strings.Replace(regroup(body, false), `,"`+sig, `,"x`, 1) }), red, true},

		{"C2 a signed empty text reduced", at("gemini/signed-empty-tail"), onEach(emptySigned, func(p string) string { return remove(p, "text") }), ok, true},
		{"C2 a signed empty text after a call reduced", at("gemini/call-then-signed-empty-tail"), onEach(emptySigned, func(p string) string { return remove(p, "text") }), ok, true},
		{"C2 an unsigned empty text reduced", at("gemini/call-then-unsigned-empty"), onEach(isText, func(p string) string {
			if text(p, "text") == "" {
				return `{}`
			}
			return p
		}), ok, true},
		{"C2 near: and its signature lost", at("gemini/signed-empty-tail"), onEach(emptySigned, func(string) string { return `{}` }), red, false},
		{"C2 near: a text that is not empty", at("gemini/signed-text"), onEach(both(isText, isSigned), func(p string) string { return remove(p, "text") }), red, false},

		{"C3 a call without its id", at("openai/single-call"), input(onItem(isItemCall, func(item string) []string { return []string{remove(item, "id")} })), ok, true},
		{"C3 near: the reasoning item gone too", at("openai/single-call"), input(afterReasoning(func(_, next string) []string { return []string{remove(next, "id")} })), red, true},
		{"C3 near: the message without its id", at("openai/message-and-call"), input(onItem(func(item string) bool { return text(item, "type") == "message" && has(item, "id") }, func(item string) []string { return []string{remove(item, "id")} })), red, false},
		{"C3 near: another id", at("openai/single-call"), input(onItem(isItemCall, func(item string) []string { return []string{setText(item, "id", "fc_0")} })), red, false},

		{"T4 status dropped", at("openai/single-call"), input(onItem(isItemCall, func(item string) []string { return []string{remove(item, "status")} })), ok, false},
		{"T4 null added to an item", at("openai/single-call"), input(onItem(isItemCall, func(item string) []string { return []string{setRaw(item, "namespace", "null")} })), ok, false},
		{"T4 near: null for a listed member of an item", at("openai/single-call"), input(onItem(isItemCall, func(item string) []string { return []string{setRaw(item, "content", "null")} })), red, false},
		{"T4 near: the summary dropped", at("openai/single-call"), input(onItem(isReasoning, func(item string) []string { return []string{remove(item, "summary")} })), red, false},
		{"T1 the arguments in other words", at("openai/single-call"), input(onItem(isItemCall, func(item string) []string {
			return []string{setText(item, "arguments", strings.Replace(text(item, "arguments"), ":", ": ", 1))}
		})), red, false},

		{"T10 the native ID as the public one", at("foreign/gemini-to-openai"), callIDAs(func(native, _ string) string { return native }), ok, false},
		{"T10 near: inside another", at("foreign/gemini-to-openai"), callIDAs(func(native, s string) string { return native + "__thought__" + s }), red, false},
	}
}

// perPart gives each part of a model turn an entry of its own.
func perPart(list []string) []string {
	var out []string
	for _, entry := range list {
		if text(entry, "role") != "model" {
			out = append(out, entry)
			continue
		}
		for _, p := range items(entry, "parts") {
			out = append(out, `{"role":"model","parts":[`+p+`]}`)
		}
	}
	return out
}

var nativeIDForm = regexp.MustCompile(`"functionCall": ?\{"id": ?"([^"]+)"`)

// callIDAs gives the call of a rebuilt turn and its output another public ID.
func callIDAs(id func(native, signature string) string) change {
	return func(ev *oracles.Evidence) {
		native, signature := "", ""
		for x := range exchanges(ev) {
			if m := nativeIDForm.FindStringSubmatch(x.Reply); m != nil {
				native = m[1]
			}
			if m := signatureForm.FindStringSubmatch(x.Reply); m != nil {
				signature = m[1]
			}
			if call := filter(items(x.Body, "input"), isRebuiltCall); len(call) > 0 {
				x.Body = strings.ReplaceAll(x.Body, text(call[0], "call_id"), id(native, signature))
			}
		}
	}
}
