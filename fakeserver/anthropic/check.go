// Package anthropic knows what Anthropic refuses on Messages: its rules, each
// with the error that it answers, where that is from and how well it is known.
package anthropic

import (
	"crypto/sha256"
	"encoding/hex"

	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// Check returns what the rules say of a request, nil if nothing.
func Check(root wire.Value, c rule.Choice, m *Minted) *rule.Refusal {
	if c.Profile.Name == rule.RecordOnly {
		return nil
	}
	return table().First(c, "", read(root, c.Model, m), func(_ rule.Info, message string, _ []rule.Hit) string {
		// The provider numbers its requests at random; here equal ones are equal.
		sum := sha256.Sum256([]byte(root.Raw()))
		return `{"type":"error","error":{"type":"invalid_request_error","message":` + wire.Quote(message) +
			`},"request_id":"req_` + hex.EncodeToString(sum[:12]) + `"}`
	})
}

// Rules returns what the table says.
func Rules() []rule.Info { return table().Infos() }

// Minted is what this server gave out as Anthropic: signatures and redacted
// thinking, with the thinking that they were given for. The zero Minted has
// given nothing out. It may be used from several goroutines once nothing is
// added any more.
type Minted struct {
	// Values explain what came back otherwise. Its seed is to be set before
	// anything is added.
	Values   rule.Values
	thinking map[string]map[string]bool // signature → texts
	places   map[string]place           // of signatures
	redacted map[string]bool
	replies  int
}

// place is where a signature was given out: replies are numbered as they were
// added.
type place struct{ reply, block int }

// Add registers the blocks of a reply.
func (m *Minted) Add(parts []native.Part) {
	if m.thinking == nil {
		m.thinking, m.redacted, m.places = map[string]map[string]bool{}, map[string]bool{}, map[string]place{}
	}
	m.replies++
	for i, p := range parts {
		switch sig := p.Sig.Text(); p.Kind {
		case native.Thought:
			if m.thinking[sig] == nil {
				m.thinking[sig] = map[string]bool{}
			}
			m.thinking[sig][p.Text] = true
			if _, known := m.places[sig]; !known {
				m.places[sig] = place{m.replies, i}
			}
			m.Values.Add(sig, "a thinking block")
		case native.Reasoning:
			m.redacted[sig] = true
			m.Values.Add(sig, "a redacted_thinking block")
		}
	}
}
