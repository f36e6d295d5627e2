package script

import (
	"strconv"
	"strings"

	"example.com/replaycheck/internal/wire"
)

// chat writes a reply of Chat Completions, which has no opaque values: signed
// means nothing here, and thoughts are not shown.
func (w writer) chat(r Reply) (plain, stream string) {
	var text strings.Builder
	said := false
	var calls, deltas []string
	for i, p := range r.Parts {
		switch p.Kind {
		case Text:
			said = true
			text.WriteString(p.Text)
		case Call:
			args := p.Args
			if args == "" {
				args = "{}"
			}
			id, at := w.callID(i, p), strconv.Itoa(len(calls))
			calls = append(calls, quotes(`{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`, id, p.Name, args))
			deltas = append(deltas, `{"tool_calls":[{"index":`+at+quotes(`,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`, id, p.Name))
			for _, piece := range pieces(args) {
				deltas = append(deltas, `{"tool_calls":[{"index":`+at+quotes(`,"function":{"arguments":%s}}]}`, piece))
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
	plain = w.completion("chat.completion", `{"index":0,"message":{"role":"assistant","content":`+content+list+`,"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":`+wire.Quote(finish)+`}`)
	var b strings.Builder
	event(&b, "", w.chunk(`{"role":"assistant","content":`+emptyOr(content)+`,"refusal":null}`, "null"))
	if text.Len() > 0 {
		for _, piece := range pieces(text.String()) {
			event(&b, "", w.chunk(quotes(`{"content":%s}`, piece), "null"))
		}
	}
	for _, d := range deltas {
		event(&b, "", w.chunk(d, "null"))
	}
	event(&b, "", w.chunk(`{}`, wire.Quote(finish)))
	event(&b, "", "[DONE]")
	return plain, b.String()
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
