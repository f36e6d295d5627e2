package script

import (
	"strconv"
	"strings"

	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/internal/wire"
)

// chat writes a reply of Chat Completions. It has no opaque values of its own:
// signed means nothing, unless it is Gemini that is behind it. Thoughts are not
// shown.
func (w writer) chat(r Reply) (plain, stream string) {
	var text strings.Builder
	said := false
	extra := "" // of the message: the signature of a text
	var calls, deltas []string
	for i, p := range r.Parts {
		switch p.Kind {
		case Text:
			said = true
			text.WriteString(p.Text)
			if sig := w.extra(i, p); sig != "" {
				extra = sig
			}
		case Call:
			args, sig := argsOr(p.Args), w.extra(i, p)
			id, at := w.callID(i, p), strconv.Itoa(len(calls))
			calls = append(calls, quotes(`{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}`, id, p.Name, args)+sig+`}`)
			first, late := r.beside(sig)
			deltas = append(deltas, `{"tool_calls":[{"index":`+at+quotes(`,"id":%s,"type":"function","function":{"name":%s,"arguments":""}`, id, p.Name)+first+`}]}`)
			for _, piece := range pieces(args) {
				deltas = append(deltas, `{"tool_calls":[{"index":`+at+quotes(`,"function":{"arguments":%s}}]}`, piece))
			}
			if late != "" { // of the call before: it has no index
				deltas = append(deltas, `{"tool_calls":[{`+late[1:]+`}]}`)
			}
		}
	}
	finish, content, list := "stop", "null", ""
	if len(calls) > 0 {
		finish, list = "tool_calls", `,"tool_calls":[`+strings.Join(calls, ",")+`]`
	}
	if r.Finish == "MAX_TOKENS" {
		finish = "length"
	}
	if said || len(calls) == 0 {
		content = wire.Quote(text.String())
	}
	plain = w.completion("chat.completion", `{"index":0,"message":{"role":"assistant","content":`+content+list+`,"refusal":null,"annotations":[]`+extra+`},"logprobs":null,"finish_reason":`+wire.Quote(finish)+`}`)
	var b strings.Builder
	first, late := r.beside(extra)
	event(&b, "", w.chunk(`{"role":"assistant","content":`+emptyOr(content)+`,"refusal":null`+first+`}`, "null"))
	if text.Len() > 0 {
		for _, piece := range pieces(text.String()) {
			event(&b, "", w.chunk(quotes(`{"content":%s}`, piece), "null"))
		}
	}
	if late != "" {
		event(&b, "", w.chunk(`{`+late[1:]+`}`, "null"))
	}
	for _, d := range deltas {
		event(&b, "", w.chunk(d, "null"))
	}
	event(&b, "", w.chunk(`{}`, wire.Quote(finish)))
	event(&b, "", "[DONE]")
	return plain, b.String()
}

// beside is where a stream has the member with a signature (with the comma before
// it): in the first delta of its part, or in one of its own after the others.
func (r Reply) beside(sig string) (first, late string) {
	if r.Late {
		return "", sig
	}
	return sig, ""
}

// extra is the member with the signature of a part, "" where it has none.
func (w writer) extra(i int, p Part) string {
	if !p.Signed || w.vendor == "" {
		return ""
	}
	return `,"extra_content":{` + quotes(`%s:{"thought_signature":%s}`, w.vendor, w.value(mint.Gemini, i, p, 0)) + `}`
}

// emptyOr is the content of a stream's first delta.
func emptyOr(content string) string {
	if content == "null" {
		return content
	}
	return `""`
}

func (w writer) chunk(delta, finish string) string {
	return w.completion("chat.completion.chunk", `{"index":0,"delta":`+delta+`,"logprobs":null,"finish_reason":`+finish+`}`)
}

func (w writer) completion(kind, choice string) string {
	usage := `,"usage":{"prompt_tokens":12,"completion_tokens":8,"total_tokens":20}`
	if kind != "chat.completion" {
		usage = `,"usage":null`
	}
	return quotes(`{"id":%s,"object":%s,"created":1795379431,"model":%s,"choices":[`, w.id("chatcmpl-", 0, 28), kind, w.model) + choice + `]` + usage + `}`
}
