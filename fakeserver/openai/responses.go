package openai

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// The types of items that rules are about.
const (
	reasoning = "reasoning"
	callItem  = "function_call"
	output    = "function_call_output"
	message   = "message"
	reference = "item_reference"
)

// input is one item of a request's input.
type input struct {
	kind, role, id, call string
	cipher               wire.Value
}

// model reports whether the model is the speaker of an item.
func (i input) model() bool {
	return i.kind == callItem || i.kind == reasoning || i.kind == message && i.role == "assistant"
}

// Responses is a request to the Responses API, read once for all rules. It is not
// changed, so requests with the same body may share one.
type Responses struct {
	items    []input
	minted   *Minted // nil: it is not known yet
	byID     map[string]bool
	calls    map[string]sides // by call_id
	twice    string           // the first ID that a second item has, "" none
	stored   bool             // the provider keeps what it gives out
	previous bool             // the input goes on from a response that the provider keeps
}

// sides says which of a call and its output are in the input.
type sides struct{ called, answered bool }

// given is the request to a server that gave something out.
func (r *Responses) given(m *Minted) *Responses {
	out := *r
	out.minted = m
	return &out
}

// ReadResponses reads a body for CheckResponses.
func ReadResponses(root wire.Value) *Responses {
	list := root.Get("input")
	n := 0
	if list.Kind() == wire.Array {
		n = list.Len()
	}
	r := &Responses{byID: make(map[string]bool, n/2), calls: make(map[string]sides, n/3), items: make([]input, 0, n), stored: true}
	if s := root.Get("store"); s.Kind() == wire.Bool {
		r.stored = s.IsTrue()
	}
	r.previous = native.Elsewhere(native.Responses, root)
	for v := range list.Items() {
		var i input
		for name, m := range v.Members() {
			switch name {
			case "type":
				i.kind = m.Text()
			case "role":
				i.role = m.Text()
			case "id":
				i.id = m.Text()
			case "call_id":
				i.call = m.Text()
			case "encrypted_content":
				i.cipher = m
			}
		}
		if i.kind == "" {
			i.kind = message
		}
		r.note(i)
		r.items = append(r.items, i)
	}
	return r
}

// note keeps what later rules look up of an item.
func (r *Responses) note(i input) {
	if i.id != "" {
		if r.twice == "" && r.byID[i.id] {
			r.twice = i.id
		}
		r.byID[i.id] = true
	}
	if i.kind == callItem || i.kind == output {
		s := r.calls[i.call]
		r.calls[i.call] = sides{s.called || i.kind == callItem, s.answered || i.kind == output}
	}
}

func tooLong(r *Responses) []rule.Hit {
	const most = 64
	for n, i := range r.items {
		for _, id := range [...]struct{ field, value string }{{"call_id", i.call}, {"id", i.id}} {
			if len(id.value) > most && utf8.RuneCountInString(id.value) > most {
				return fill("{n}", strconv.Itoa(n), "{field}", id.field, "{length}", strconv.Itoa(utf8.RuneCountInString(id.value)))
			}
		}
	}
	return nil
}

var prefixes = map[string]string{callItem: "fc", reasoning: "rs", message: "msg"}

func wrongPrefix(r *Responses) []rule.Hit {
	for n, i := range r.items {
		want := prefixes[i.kind]
		if _, own := r.minted.items[i.id]; i.id == "" || want == "" || own || strings.HasPrefix(i.id, want) {
			continue
		}
		return fill("{n}", strconv.Itoa(n), "{id}", i.id, "{prefix}", want)
	}
	return nil
}

func duplicate(r *Responses) []rule.Hit {
	if r.twice != "" {
		return fill("{id}", r.twice)
	}
	return nil
}

// bare finds items of which only the ID came, where the provider kept nothing.
func bare(r *Responses) []rule.Hit {
	if r.stored {
		return nil
	}
	for _, i := range r.items {
		if i.id != "" && (i.kind == reference || i.kind == reasoning && i.cipher.Text() == "") {
			return fill("{id}", i.id)
		}
	}
	return nil
}

func unverifiable(r *Responses) []rule.Hit {
	for n, i := range r.items {
		if c := i.cipher.Text(); i.kind == reasoning && c != "" && !r.minted.knows(c) {
			return because(at(n)+r.minted.Values.Why(mint.Responses, cipherName, c, ""), "{cipher}", shortened(c))
		}
	}
	return nil
}

// whyID is what is known of an id of item n, "" if nothing is.
func (r *Responses) whyID(n int, id string) string {
	if why := r.minted.Values.WhyID(id); why != "" {
		return at(n) + why
	}
	return ""
}

const cipherName = "encrypted content"

// at names an item in front of what is said of it.
func at(n int) string { return "input[" + strconv.Itoa(n) + "]: " }

// because is fill with the reason for people, "" none.
func because(why string, pairs ...string) []rule.Hit { return []rule.Hit{{Fill: pairs, Why: why}} }

// notes are what people should know of ciphers that no rule is known to refuse.
func (r *Responses) notes(model string) []string {
	const most = 100
	var out []string
	for n, i := range r.items {
		c := i.cipher.Text()
		if i.kind != reasoning || c == "" || len(out) == most {
			continue
		}
		switch of := r.minted.ciphers[c]; {
		case of == nil && !r.minted.knows(c):
			out = append(out, at(n)+r.minted.Values.Why(mint.Responses, cipherName, c, ""))
		case i.id != "" && len(of) > 0 && !slices.Contains(of, i.id):
			out = append(out, at(n)+"the encrypted content is not that of the item "+short(i.id)+", but of "+of[0])
		case rule.OtherModel(c, model):
			out = append(out, at(n)+r.minted.Values.Why(mint.Responses, cipherName, c, model))
		}
	}
	return out
}

func short(id string) string {
	if len(id) > 64 {
		return strings.ToValidUTF8(id[:64], "") + "…"
	}
	return id
}

// shortened is how the error names a cipher: its ends.
func shortened(c string) string {
	runes := []rune(c)
	if len(runes) <= 8 {
		return c
	}
	return string(runes[:4]) + "..." + string(runes[len(runes)-4:])
}

// alone finds a reasoning item without the item that must follow it; bareCall
// says what of the contested form: its call, without the ID.
func alone(bareCall bool) func(*Responses) []rule.Hit {
	return func(r *Responses) []rule.Hit {
		for n, i := range r.items {
			if i.kind != reasoning || i.id == "" || r.followed(n) {
				continue
			}
			if r.callAfter(n) == bareCall {
				return fill("{id}", i.id)
			}
		}
		return nil
	}
}

// followed reports whether the item after item n, a reasoning item, is its own:
// the one that this server gave out after it, else one that has an ID at all.
func (r *Responses) followed(n int) bool {
	if n+1 == len(r.items) {
		return false
	}
	next := r.items[n+1]
	if want := r.minted.items[r.items[n].id].next; want != "" {
		return next.id == want
	}
	return next.id != "" && (next.model() || next.kind == reference)
}

// callAfter reports whether the call that belongs after item n follows without
// its ID.
func (r *Responses) callAfter(n int) bool {
	if n+1 == len(r.items) {
		return false
	}
	next, own := r.items[n+1], r.minted.items[r.items[n].id]
	return next.kind == callItem && next.id == "" && (own.nextCall == next.call || own.next == "")
}

func withoutReasoning(r *Responses) []rule.Hit {
	for _, i := range r.items {
		want := r.minted.items[i.id].reasoning
		if i.id == "" || want == "" || i.kind == reference || r.byID[want] || r.previous {
			continue
		}
		return fill("{id}", i.id, "{type}", i.kind, "{reasoning}", want)
	}
	return nil
}

func unanswered(r *Responses) []rule.Hit {
	for _, i := range r.items {
		if i.kind == callItem && !r.calls[i.call].answered {
			return fill("{call}", i.call)
		}
	}
	return nil
}

func withoutCall(r *Responses) []rule.Hit {
	kept := r.previous || r.references() // what is kept may hold the call
	for n, i := range r.items {
		if i.kind == output && !r.calls[i.call].called && !(kept && r.minted.calls[i.call]) {
			return because(r.whyID(n, i.call), "{call}", i.call)
		}
	}
	return nil
}

func (r *Responses) references() bool {
	for _, i := range r.items {
		if i.kind == reference {
			return true
		}
	}
	return false
}

// interleaved finds a call that is parted from an earlier call of its group, so
// that the outputs do not directly follow.
func interleaved(r *Responses) []rule.Hit {
	open := "" // a call that something else followed
	last := ""
	for _, i := range r.items {
		switch i.kind {
		case callItem:
			if open != "" {
				return fill("{call}", open)
			}
			last = i.call
		case output:
			open, last = "", ""
		default:
			if last != "" {
				open, last = last, ""
			}
		}
	}
	return nil
}
