package openai

import (
	"slices"

	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/native"
)

// Minted is what this server gave out as OpenAI: items, their order, ciphers
// and calls. The zero Minted has given nothing out. It may be used from several
// goroutines once nothing is added any more.
type Minted struct {
	// Values explain what came back otherwise. Its seed is to be set before
	// anything is added.
	Values  rule.Values
	items   map[string]item     // by ID
	ciphers map[string][]string // → the items that had it, by ID
	calls   map[string]bool     // by call_id
}

// item is what must stand next to an item that this server gave out.
type item struct {
	reasoning string // ID of the reasoning item directly before it, "" none
	next      string // ID of the item directly after it, "" none
	nextCall  string // call_id of that item where it is a call
}

// Add registers the items of a reply.
func (m *Minted) Add(parts []native.Part) {
	if m.items == nil {
		m.items, m.ciphers, m.calls = map[string]item{}, map[string][]string{}, map[string]bool{}
	}
	for i, p := range parts {
		if p.Kind == native.Call {
			m.calls[p.ID] = true
		}
		id := p.Value.Get("id").Text()
		for _, cipher := range append(p.Minted, p.Sig.Text()) {
			if !slices.Contains(m.ciphers[cipher], id) {
				m.ciphers[cipher] = append(m.ciphers[cipher], id)
			}
			m.Values.Add(cipher, "the reasoning item "+id)
		}
		if id == "" {
			continue
		}
		var it item
		if i > 0 && parts[i-1].Kind == native.Reasoning {
			it.reasoning = parts[i-1].Value.Get("id").Text()
		}
		if i+1 < len(parts) {
			it.next = parts[i+1].Value.Get("id").Text()
			if parts[i+1].Kind == native.Call {
				it.nextCall = parts[i+1].ID
			}
		}
		m.items[id] = it
	}
}

// knows reports whether this server gave a cipher out, in an earlier life too.
func (m *Minted) knows(cipher string) bool {
	if m.ciphers[cipher] != nil {
		return true
	}
	_, genuine := m.Values.Genuine(mint.Responses, cipher)
	return genuine
}
