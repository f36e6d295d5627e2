package script

import (
	"strconv"
	"strings"

	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/internal/wire"
)

// item is one output item of Responses.
type item struct {
	kind    string // "reasoning", "message" or "function_call"
	id      string
	text    string // the summary, the text or the arguments
	cipher  string
	early   string // the cipher while the item is still growing: other bytes
	name    string
	call    string
	started string // the item in its added event
	done    string
}

// items are the output of a reply. Every reasoning item has a cipher: whoever sends
// back what came may be refused nothing, though nothing was stored. What is signed
// and no thought has a reasoning item before it, unless a thought stands there.
func (w writer) items(parts []Part) []item {
	var out []item
	for i, p := range parts {
		switch p.Kind {
		case Thought, Reasoning:
			it := item{kind: "reasoning", id: w.id("rs_", i+1, 48), text: p.Text}
			follows := i+1 < len(parts) && parts[i+1].Signed && (parts[i+1].Kind == Text || parts[i+1].Kind == Call)
			if follows && p.Length == 0 {
				p.Length = parts[i+1].Length
			}
			it.cipher, it.early = w.value(mint.Responses, i, p, 0), w.value(mint.Responses, i, p, 1)
			out = append(out, it)
			continue
		}
		if p.Signed && (i == 0 || parts[i-1].Kind == Text || parts[i-1].Kind == Call) {
			out = append(out, item{
				kind: "reasoning", id: w.id("rs_", i+1, 48),
				cipher: w.value(mint.Responses, i, p, 0), early: w.value(mint.Responses, i, p, 1),
			})
		}
		if p.Kind == Text {
			out = append(out, item{kind: "message", id: w.id("msg_", i+1, 48), text: p.Text})
			continue
		}
		out = append(out, item{kind: "function_call", id: w.id("fc_", i+1, 48), text: argsOr(p.Args), name: p.Name, call: w.callID(i, p)})
	}
	for i := range out {
		out[i].started, out[i].done = out[i].json(false), out[i].json(true)
	}
	return out
}

// json is the item, while it grows or when it is done.
func (it item) json(done bool) string {
	status, text, cipher := "in_progress", "", it.early
	if done {
		status, text, cipher = "completed", it.text, it.cipher
	}
	switch it.kind {
	case "reasoning":
		summary := ""
		if text != "" {
			summary = quotes(`{"type":"summary_text","text":%s}`, text)
		}
		out := quotes(`{"id":%s,"type":"reasoning","summary":[`, it.id) + summary + `]`
		return out + `,"encrypted_content":` + wire.Quote(cipher) + `}`
	case "message":
		content := ""
		if done {
			content = quotes(`{"type":"output_text","annotations":[],"logprobs":[],"text":%s}`, text)
		}
		return quotes(`{"id":%s,"type":"message","status":%s,"content":[`, it.id, status) + content + `],"role":"assistant"}`
	}
	return quotes(`{"id":%s,"type":"function_call","status":%s,"arguments":%s,"call_id":%s,"name":%s}`, it.id, status, text, it.call, it.name)
}

// responses writes a reply of OpenAI Responses, plain and as its events.
func (w writer) responses(r Reply) (plain, stream string) {
	items := w.items(r.Parts)
	var done []string
	for _, it := range items {
		done = append(done, it.done)
	}
	status := "completed"
	if r.Finish == "MAX_TOKENS" {
		status = "incomplete"
	}
	plain = w.response(status, strings.Join(done, ","))
	s := &events{}
	s.add("response.created", `"response":`+w.response("in_progress", ""))
	s.add("response.in_progress", `"response":`+w.response("in_progress", ""))
	for i, it := range items {
		s.item(i, it)
	}
	s.add("response."+status, `"response":`+plain)
	return plain, s.String()
}

func (w writer) response(status, output string) string {
	completed, usage, incomplete := "null", "null", "null"
	if status != "in_progress" {
		completed = "1795716505"
		usage = `{"input_tokens":12,"input_tokens_details":{"cached_tokens":0},"output_tokens":8,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":20}`
	}
	if status == "incomplete" {
		completed, incomplete = "null", `{"reason":"max_output_tokens"}`
	}
	return quotes(`{"id":%s,"object":"response","created_at":1795716501,"status":%s,`, w.id("resp_", 0, 48), status) +
		`"background":false,"completed_at":` + completed + `,"error":null,"incomplete_details":` + incomplete + `,"instructions":null,"max_output_tokens":null,` +
		`"max_tool_calls":null,"model":` + wire.Quote(w.model) + `,"output":[` + output + `],"parallel_tool_calls":true,"previous_response_id":null,` +
		`"prompt_cache_key":null,"reasoning":{"effort":"medium","summary":null},"safety_identifier":null,"service_tier":"default","store":false,"temperature":1.0,` +
		`"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled",` +
		`"usage":` + usage + `,"user":null,"metadata":{}}`
}

// events writes the events of a stream with their numbers.
type events struct {
	strings.Builder
	n int
}

func (s *events) add(kind, rest string) {
	event(&s.Builder, kind, quotes(`{"type":%s,"sequence_number":`, kind)+strconv.Itoa(s.n)+`,`+rest+`}`)
	s.n++
}

func (s *events) item(index int, it item) {
	n := strconv.Itoa(index)
	at := quotes(`"item_id":%s,"output_index":`, it.id) + n
	s.add("response.output_item.added", `"output_index":`+n+`,"item":`+it.started)
	switch {
	case it.kind == "function_call":
		for _, piece := range pieces(it.text) {
			s.add("response.function_call_arguments.delta", at+quotes(`,"delta":%s`, piece))
		}
		s.add("response.function_call_arguments.done", at+quotes(`,"arguments":%s`, it.text))
	case it.kind == "message":
		at += `,"content_index":0`
		s.add("response.content_part.added", at+`,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""}`)
		for _, piece := range pieces(it.text) {
			s.add("response.output_text.delta", at+quotes(`,"delta":%s,"logprobs":[]`, piece))
		}
		s.add("response.output_text.done", at+quotes(`,"text":%s,"logprobs":[]`, it.text))
		s.add("response.content_part.done", at+quotes(`,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":%s}`, it.text))
	case it.text != "":
		at += `,"summary_index":0`
		s.add("response.reasoning_summary_part.added", at+`,"part":{"type":"summary_text","text":""}`)
		for _, piece := range pieces(it.text) {
			s.add("response.reasoning_summary_text.delta", at+quotes(`,"delta":%s`, piece))
		}
		s.add("response.reasoning_summary_text.done", at+quotes(`,"text":%s`, it.text))
		s.add("response.reasoning_summary_part.done", at+quotes(`,"part":{"type":"summary_text","text":%s}`, it.text))
	}
	s.add("response.output_item.done", `"output_index":`+n+`,"item":`+it.done)
}
