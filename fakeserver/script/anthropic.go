package script

import (
	"regexp"
	"strconv"
	"strings"

	"example.com/replaycheck/fakeserver/mint"
)

// block is one content block of Anthropic Messages.
type block struct {
	kind, text, signature string // kind: "thinking", "text" or "tool_use"; text: what its deltas hold
	id, name              string
}

var toolID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// blocks are the content of a reply. Thinking is always signed; what is signed
// and no thought has a thinking block before it, unless one stands there.
func (w writer) blocks(parts []Part) []block {
	var out []block
	for i, p := range parts {
		thought := p.Kind == Thought || p.Kind == Reasoning
		after := i > 0 && (parts[i-1].Kind == Thought || parts[i-1].Kind == Reasoning)
		if thought && p.Length == 0 && i+1 < len(parts) && parts[i+1].Signed {
			p.Length = parts[i+1].Length // it is that part's signature
		}
		if thought || p.Signed && !after {
			b := block{kind: "thinking", signature: w.value(mint.Anthropic, i, p, 0)}
			if thought {
				b.text = p.Text
			}
			out = append(out, b)
		}
		switch p.Kind {
		case Text:
			out = append(out, block{kind: "text", text: p.Text})
		case Call:
			id := p.ID
			if !toolID.MatchString(id) {
				id = w.id("toolu_", i+1, 24)
			}
			out = append(out, block{kind: "tool_use", text: argsOr(p.Args), id: id, name: p.Name})
		}
	}
	return out
}

// argsOr are arguments where the API must have some.
func argsOr(args string) string {
	if args == "" {
		return "{}"
	}
	return args
}

// json is the block, as it begins in a stream or whole.
func (b block) json(whole bool) string {
	text, signature, input := "", "", "{}"
	if whole {
		text, signature, input = b.text, b.signature, b.text
	}
	switch b.kind {
	case "thinking":
		return quotes(`{"type":"thinking","thinking":%s,"signature":%s}`, text, signature)
	case "text":
		return quotes(`{"type":"text","text":%s}`, text)
	}
	return quotes(`{"type":"tool_use","id":%s,"name":%s,"input":`, b.id, b.name) + input + `}`
}

// deltas are what a stream adds to the block.
func (b block) deltas() []string {
	var out []string
	form := map[string]string{
		"thinking": `{"type":"thinking_delta","thinking":%s}`, "text": `{"type":"text_delta","text":%s}`, "tool_use": `{"type":"input_json_delta","partial_json":%s}`,
	}[b.kind]
	for _, piece := range pieces(b.text) {
		if piece != "" {
			out = append(out, quotes(form, piece))
		}
	}
	if b.signature != "" {
		out = append(out, quotes(`{"type":"signature_delta","signature":%s}`, b.signature))
	}
	return out
}

// anthropic writes a reply of Anthropic Messages, plain and as its events.
func (w writer) anthropic(r Reply) (plain, stream string) {
	stop := "end_turn"
	blocks := w.blocks(r.Parts)
	var whole []string
	var s strings.Builder
	event(&s, "message_start", `{"type":"message_start","message":`+w.message("", `null`)+`}`)
	for i, b := range blocks {
		if b.kind == "tool_use" {
			stop = "tool_use"
		}
		whole = append(whole, b.json(true))
		at := `"index":` + strconv.Itoa(i)
		event(&s, "content_block_start", `{"type":"content_block_start",`+at+`,"content_block":`+b.json(false)+`}`)
		for _, d := range b.deltas() {
			event(&s, "content_block_delta", `{"type":"content_block_delta",`+at+`,"delta":`+d+`}`)
		}
		event(&s, "content_block_stop", `{"type":"content_block_stop",`+at+`}`)
	}
	if r.Finish == "MAX_TOKENS" {
		stop = "max_tokens"
	}
	event(&s, "message_delta", quotes(`{"type":"message_delta","delta":{"stop_reason":%s,"stop_sequence":null},"usage":{"output_tokens":8}}`, stop))
	event(&s, "message_stop", `{"type":"message_stop"}`)
	return w.message(strings.Join(whole, ","), quotes(`%s`, stop)), s.String()
}

func (w writer) message(content, stop string) string {
	return quotes(`{"id":%s,"type":"message","role":"assistant","model":%s,"content":[`, w.id("msg_", 0, 24), w.model) + content +
		`],"stop_reason":` + stop + `,"stop_sequence":null,"usage":{"input_tokens":12,"output_tokens":8}}`
}
