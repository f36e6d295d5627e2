package reference

import (
	"context"
	"fmt"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/subject"
)

// Build builds the next request of the conversation in state twice and sends
// nothing (REPLAY-12). state is a stored transcript; it is asked as it stands,
// also where it ends with calls that have no result. The error is that of the
// adapter, a *chat.ConfigError.
func (Subject) Build(_ context.Context, leg subject.Leg, tools []subject.Tool, state string) (subject.Probe, error) {
	messages, err := chat.DecodeTranscript(state)
	if err != nil {
		return subject.Probe{}, err
	}
	m, err := open(leg, toolSpecs(tools), nil)
	if err != nil {
		return subject.Probe{}, err
	}
	defer m.close()
	var p subject.Probe
	if p.Before, err = chat.EncodeTranscript(messages); err != nil {
		return subject.Probe{}, fmt.Errorf("reference: encode the messages: %w", err)
	}
	if p.Body, err = m.build(m.request(messages)); err != nil {
		return subject.Probe{}, err
	}
	if p.Body2, err = m.build(m.request(messages)); err != nil {
		return subject.Probe{}, err
	}
	if p.After, err = chat.EncodeTranscript(messages); err != nil {
		return subject.Probe{}, fmt.Errorf("reference: encode the messages: %w", err)
	}
	return p, nil
}
