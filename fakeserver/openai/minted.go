package openai

import "example.com/replaycheck/internal/native"

// Minted is what this server gave out as OpenAI: items, their order, ciphers
// and calls. The zero Minted has given nothing out. It may be used from several
// goroutines once nothing is added any more.
type Minted struct {
	items   map[string]item // by ID
	ciphers map[string]bool
	calls   map[string]bool // by call_id
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
		m.items, m.ciphers, m.calls = map[string]item{}, map[string]bool{}, map[string]bool{}
	}
	for i, p := range parts {
		if p.Kind == native.Call {
			m.calls[p.ID] = true
		}
		for _, cipher := range append(p.Minted, p.Sig.Text()) {
			m.ciphers[cipher] = true
		}
		id := p.Value.Get("id").Text()
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
