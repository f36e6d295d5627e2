package anthropic

import (
	"slices"
	"strconv"
	"strings"

	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/wire"
)

// The types of blocks that rules are about.
const (
	thinking   = "thinking"
	redacted   = "redacted_thinking"
	toolUse    = "tool_use"
	toolResult = "tool_result"
)

type block struct {
	kind   string
	id     string // of a tool_use or, of the call that it answers, a tool_result
	text   string // of thinking
	secret wire.Value
}

type turn struct {
	assistant bool
	blocks    []block
}

// ids returns the IDs of the blocks of a type.
func (t turn) ids(kind string) []string {
	var out []string
	for _, b := range t.blocks {
		if b.kind == kind {
			out = append(out, b.id)
		}
	}
	return out
}

// Request is a request to Messages, read once for all rules.
type Request struct {
	turns   []turn
	thinks  bool // thinking is enabled
	lastOwn int  // number of the last assistant message, -1: none
	minted  *Minted
	model   string
}

func read(root wire.Value, model string, m *Minted) *Request {
	r := &Request{minted: m, lastOwn: -1, model: model}
	kind := root.Get("thinking").Get("type").Text()
	r.thinks = kind == "enabled" || kind == "adaptive"
	for v := range root.Get("messages").Items() {
		t := turn{assistant: v.Get("role").Text() == "assistant"}
		if v.Get("content").Kind() == wire.String {
			t.blocks = []block{{kind: "text"}}
		}
		for b := range v.Get("content").Items() {
			t.blocks = append(t.blocks, readBlock(b))
		}
		if t.assistant {
			r.lastOwn = len(r.turns)
		}
		r.turns = append(r.turns, t)
	}
	return r
}

func readBlock(v wire.Value) block {
	var b block
	for name, m := range v.Members() {
		switch name {
		case "type":
			b.kind = m.Text()
		case "id", "tool_use_id":
			b.id = m.Text()
		case "thinking":
			b.text = m.Text()
		case "signature", "data":
			b.secret = m
		}
	}
	return b
}

// at is a hit at a message and, unless below 0, a block.
func at(n, m int, more ...string) []rule.Hit {
	return []rule.Hit{{Fill: append([]string{"{n}", strconv.Itoa(n), "{m}", strconv.Itoa(m)}, more...)}}
}

// find returns the first block that is as asked.
func (r *Request) find(is func(n, m int, b block) bool) []rule.Hit {
	for n, t := range r.turns {
		for m, b := range t.blocks {
			if is(n, m, b) {
				return at(n, m)
			}
		}
	}
	return nil
}

func badID(r *Request) []rule.Hit {
	return r.find(func(_, _ int, b block) bool {
		return b.kind == toolUse && strings.IndexFunc(b.id, func(c rune) bool {
			return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-'
		}) >= 0
	})
}

func noSignature(r *Request) []rule.Hit {
	return r.find(func(_, _ int, b block) bool {
		return b.kind == thinking && (!b.secret.Exists() || b.secret.Kind() == wire.Null)
	})
}

// noThinkingFirst looks at the assistant message before the last results: it
// must begin with thinking.
func noThinkingFirst(r *Request) []rule.Hit {
	if !r.thinks {
		return nil
	}
	for n := len(r.turns) - 1; n > 0; n-- {
		if r.turns[n].assistant || len(r.turns[n].ids(toolResult)) == 0 {
			continue
		}
		if n < len(r.turns)-1 { // the user went on: an earlier turn
			return nil
		}
		blocks := r.turns[n-1].blocks
		if !r.turns[n-1].assistant || len(blocks) == 0 || blocks[0].kind == thinking || blocks[0].kind == redacted {
			return nil
		}
		return at(n-1, 0, "{type}", blocks[0].kind)
	}
	return nil
}

func set(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, x := range list {
		out[x] = true
	}
	return out
}

// minus returns the members of a that are not in b.
func minus(a, b []string) []string {
	in := set(b)
	return slices.DeleteFunc(a, func(x string) bool { return in[x] })
}

// openCalls finds calls that the next message does not answer; a call at the
// very end waits.
func openCalls(r *Request) []rule.Hit {
	for n, t := range r.turns {
		uses := t.ids(toolUse)
		if n+1 == len(r.turns) || len(uses) == 0 {
			continue
		}
		if left := minus(uses, r.turns[n+1].ids(toolResult)); len(left) > 0 {
			return at(n, -1, "{ids}", strings.Join(left, ", "), "{count}", strconv.Itoa(len(left)))
		}
	}
	return nil
}

// openResults is openCalls in the words of the message with the results.
func openResults(r *Request) []rule.Hit {
	for n, t := range r.turns {
		if n == 0 || len(t.ids(toolResult)) == 0 {
			continue
		}
		if left := minus(r.turns[n-1].ids(toolUse), t.ids(toolResult)); len(left) > 0 {
			return at(n, -1, "{count}", strconv.Itoa(len(left)))
		}
	}
	return nil
}

func strayResults(r *Request) []rule.Hit {
	for n, t := range r.turns {
		var uses map[string]bool
		if n > 0 {
			uses = set(r.turns[n-1].ids(toolUse))
		}
		for m, b := range t.blocks {
			if b.kind == toolResult && !uses[b.id] {
				hits := at(n, m, "{id}", b.id)
				hits[0].Why = r.minted.Values.WhyID(b.id)
				return hits
			}
		}
	}
	return nil
}
