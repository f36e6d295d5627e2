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
	return table().First(c, "", read(root, m), func(_ rule.Info, message string, _ []rule.Hit) string {
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
	thinking map[string]map[string]bool // signature → texts
	redacted map[string]bool
}

// Add registers the blocks of a reply.
func (m *Minted) Add(parts []native.Part) {
	if m.thinking == nil {
		m.thinking, m.redacted = map[string]map[string]bool{}, map[string]bool{}
	}
	for _, p := range parts {
		switch sig := p.Sig.Text(); p.Kind {
		case native.Thought:
			if m.thinking[sig] == nil {
				m.thinking[sig] = map[string]bool{}
			}
			m.thinking[sig][p.Text] = true
		case native.Reasoning:
			m.redacted[sig] = true
		}
	}
}
