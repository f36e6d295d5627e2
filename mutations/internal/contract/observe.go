package contract

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/replaycheck/oracles"
)

// observed says all that a run showed and that an oracle may judge, with what
// differs from run to run (public call IDs, addresses, keys) by its place. Of a
// probe it is whether building changed anything.
func observed(ev oracles.Evidence) string {
	var out strings.Builder
	settle(appendObserved(nil, ev, false), ids(ev), func(piece []byte) { out.Write(piece) })
	return out.String()
}

// sum is a hash of what a run showed, without the white space between the tokens of
// its requests: no requirement promises that.
func sum(ev oracles.Evidence) string {
	h := sha256.New()
	plainly(ev, func(piece []byte) { _, _ = h.Write(piece) }) // a hash takes anything
	return hexOf(h)
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }

// plainly hands out, piece by piece, the text of which sum is the hash.
func plainly(ev oracles.Evidence, emit func([]byte)) {
	buf, ok := buffers.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	*buf = appendObserved((*buf)[:0], ev, true)
	settle(*buf, ids(ev), emit)
	buffers.Put(buf)
}

// summed is a text and its sum.
type summed struct{ sum, text string }

// longest is the longest text that is remembered, in bytes.
const longest = 64 << 10

// same reports whether what run i showed has a sum. The text that has it is remembered,
// so that the next one is only compared with it.
func (c *Contract) same(i int, ev oracles.Evidence, want string) bool {
	c.mu.Lock()
	known := c.text[i]
	c.mu.Unlock()
	if known.sum == want && want != "" {
		rest, equal := known.text, true
		plainly(ev, func(piece []byte) {
			if equal = equal && len(piece) <= len(rest) && rest[:len(piece)] == string(piece); equal {
				rest = rest[len(piece):]
			}
		})
		return equal && rest == ""
	}
	var text strings.Builder
	h := sha256.New()
	plainly(ev, func(piece []byte) {
		_, _ = h.Write(piece) // a hash takes anything
		text.Write(piece)
	})
	if hexOf(h) != want {
		return false
	}
	if text.Len() <= longest {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.text[i] = summed{want, text.String()}
	}
	return true
}

//nolint:gochecknoglobals // room to write in, which no run remembers
var buffers sync.Pool

func appendObserved(b []byte, ev oracles.Evidence, plain bool) []byte {
	for _, r := range ev.Runs {
		for _, x := range r.Exchanges {
			b = append(append(append(append(append(b, x.Method...), ' '), x.Path...), '?'), x.Query...)
			b = append(strconv.AppendInt(append(b, ' '), int64(x.Step), 10), '\n')
			if plain {
				b = appendCompact(b, x.Body)
			} else {
				b = append(b, x.Body...)
			}
			b = append(b, '\n')
		}
		outcome := r.Outcome
		if ev.Scenario.Expect == "refused" {
			outcome.State = nil // what comes back with a refusal is promised nowhere
		}
		b = appendOutcome(b, outcome)
		b = appendInts(b, r.Exit, r.Connections)
		b = appendTexts(b, r.ProbeError)
		for _, p := range r.Probes {
			if p.Before != p.After || p.Body != p.Body2 {
				b = fmt.Appendf(b, "built: %t %t\n", p.Before == p.After, p.Body == p.Body2)
			}
		}
	}
	return appendInts(b, ev.Leftover, int(ev.Strays))
}

// appendOutcome appends all that a subject reported. JSON would do as well, and take
// longer than all the rest.
func appendOutcome(b []byte, o oracles.Outcome) []byte {
	b = appendInts(b, o.V, len(o.Answers), len(o.ToolRuns))
	for _, a := range o.Answers {
		b = appendInts(b, a.Leg, a.Prompt)
		b = appendTexts(b, a.Content)
		b = appendOptional(b, a.Thinking)
		if a.Meta == nil {
			continue
		}
		b = appendTexts(b, "meta", string(a.Meta.Usage), a.Meta.Model, a.Meta.Provider, a.Meta.FinishReason)
		for _, name := range slices.Sorted(maps.Keys(a.Meta.Metadata)) {
			b = appendTexts(b, name, string(a.Meta.Metadata[name]))
		}
	}
	for _, t := range o.ToolRuns {
		b = appendTexts(b, t.Name, t.Arguments, t.CallID, t.Result)
	}
	b = appendTexts(b, "stopped", o.Stopped)
	b = appendOptional(b, o.State)
	if e := o.Error; e != nil {
		b = appendInts(appendTexts(b, "error", e.Kind, e.Message), e.Status)
	}
	if a := o.Agent; a != nil {
		b = appendInts(appendTexts(b, "agent", a.RunID, a.Status, a.Digest), a.Steps)
	}
	return b
}

func appendInts(b []byte, values ...int) []byte {
	for _, v := range values {
		b = append(strconv.AppendInt(b, int64(v), 10), '\n')
	}
	return b
}

// appendTexts appends texts so that where one ends and the next begins is known.
func appendTexts(b []byte, texts ...string) []byte {
	for _, t := range texts {
		b = append(append(b, t...), 0)
	}
	return b
}

func appendOptional(b []byte, text *string) []byte {
	if text == nil {
		return appendTexts(b, "nil")
	}
	return appendTexts(b, "text", *text)
}

// appendCompact appends a body without the white space between its tokens.
func appendCompact(b []byte, body string) []byte {
	from := 0
	for i := 0; i < len(body); i++ {
		switch c := body[i]; c {
		case '"':
			i = endOfString(body, i+1)
		case ' ', '\n', '\t', '\r':
			b = append(b, body[from:i]...)
			from = i + 1
		}
	}
	return append(b, body[min(from, len(body)):]...)
}

// endOfString is where the quotation mark stands that ends a string, from its inside
// on; the end of the text where there is none.
func endOfString(body string, at int) int {
	for {
		n := strings.IndexByte(body[at:], '"')
		if n < 0 {
			return len(body)
		}
		escapes := 0
		for i := at + n - 1; i >= at && body[i] == '\\'; i-- {
			escapes++
		}
		if at += n; escapes%2 == 0 {
			return at
		}
		at++
	}
}

// ids are the public call IDs of a conversation in the order of their runs.
func ids(ev oracles.Evidence) []string {
	var out []string
	for _, r := range ev.Runs {
		for _, t := range r.Outcome.ToolRuns {
			if t.CallID != "" && !slices.Contains(out, t.CallID) {
				out = append(out, t.CallID)
			}
		}
	}
	return out
}

// random are what is drawn anew in each run: a prefix and some letters after it.
func random() [4]form {
	const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	return [...]form{{"call_", 4, base32}, {"key-", 3, base32}, {"/r/", 0, "0123456789abcdef"}, {"127.0.0.1:", 3, "0123456789"}}
}

type form struct {
	prefix  string
	rare    int // which letter of the prefix is rare in what is looked through
	letters string
}

// index is where the prefix begins first, from some place on; -1: nowhere.
func (f form) index(text []byte, from int) int {
	for at := from + f.rare; at < len(text); at++ {
		n := bytes.IndexByte(text[at:], f.prefix[f.rare])
		if n < 0 {
			return -1
		}
		at += n
		if begin := at - f.rare; len(text)-begin >= len(f.prefix) && string(text[begin:begin+len(f.prefix)]) == f.prefix {
			return begin
		}
	}
	return -1
}

// end is where the word ends that begins with the prefix at the start of text.
func (f form) end(text []byte) int {
	end := len(f.prefix)
	for end < len(text) && strings.IndexByte(f.letters, text[end]) >= 0 {
		end++
	}
	return end
}

// settle hands out a text piece by piece with what is random replaced: call IDs, the
// run's path, ports and keys.
func settle(text []byte, ids []string, emit func([]byte)) {
	number := map[string]string{} // what replaces a word
	for i, id := range ids {
		number[id] = "⟨call:" + strconv.Itoa(i+1) + "⟩"
	}
	from := 0
	for _, w := range words(text, ids) {
		emit(text[from:w.from])
		from = w.to
		word := string(text[w.from:w.to])
		if number[word] == "" {
			number[word] = "⟨" + strconv.Itoa(len(number)+1) + "⟩"
		}
		emit([]byte(number[word]))
	}
	emit(text[from:])
}

type span struct{ from, to int }

// words finds call IDs and what else looks random in a text, in its order.
func words(text []byte, ids []string) []span {
	var out []span
	forms := random()
	for _, f := range forms {
		for from := 0; ; {
			i := f.index(text, from)
			if i < 0 {
				break
			}
			w := span{i, i + f.end(text[i:])}
			if w.to-w.from >= len(f.prefix)+4 { // else an ordinary word
				out = append(out, w)
			}
			from = w.to
		}
	}
	for _, id := range ids {
		if call := forms[0]; strings.HasPrefix(id, call.prefix) && len(id) >= len(call.prefix)+4 && call.end([]byte(id)) == len(id) {
			continue // found already
		}
		for from := 0; ; from += len(id) {
			i := bytes.Index(text[from:], []byte(id))
			if i < 0 {
				break
			}
			from += i
			out = append(out, span{from, from + len(id)})
		}
	}
	// Of those that begin together the longest counts, and none within another does.
	slices.SortFunc(out, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	kept := out[:0]
	for _, w := range out {
		if len(kept) == 0 || w.from >= kept[len(kept)-1].to {
			kept = append(kept, w)
		}
	}
	return kept
}
