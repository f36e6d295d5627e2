package chat

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"example.com/replaycheck/internal/wire"
)

// Schema is the schema name of a stored transcript.
const Schema = "nrllm/v1"

// itemsMember is the member of a stored assistant message that holds its carrier.
const itemsMember = "provider_items"

// EncodeTranscript returns the stored shape of a conversation:
//
//	{"schema":"nrllm/v1","messages":[…]}
//
// Messages have the shapes of Chat Completions. Assistant messages also have
// their carrier as "provider_items", byte for byte; no member stands for no
// carrier. Invalid UTF-8 in public text becomes U+FFFD. The error is a
// *ConfigError: a carrier that is not one JSON text, or an unknown role.
func EncodeTranscript(messages []Message) (string, error) {
	var b strings.Builder
	b.WriteString(`{"schema":` + wire.Quote(Schema) + `,"messages":`)
	if err := encodeMessages(&b, messages, true); err != nil {
		return "", err
	}
	b.WriteByte('}')
	return b.String(), nil
}

// EncodeWire returns the wire shape of a conversation: the list of its messages
// in the shapes of Chat Completions. No carrier is ever part of it (REPLAY-13,
// FOREIGN-05). The error is a *ConfigError for an unknown role.
func EncodeWire(messages []Message) (string, error) {
	var b strings.Builder
	if err := encodeMessages(&b, messages, false); err != nil {
		return "", err
	}
	return b.String(), nil
}

// encodeMessages assembles text instead of using encoding/json, which would
// rewrite <, > and & inside the carriers.
func encodeMessages(b *strings.Builder, messages []Message, stored bool) error {
	b.WriteByte('[')
	for i, m := range messages {
		if i > 0 {
			b.WriteByte(',')
		}
		switch m.Role {
		case System, User, Assistant, Tool:
		default:
			return configf("chat: encode: message %d has an unknown role", i)
		}
		b.WriteString(`{"role":` + wire.Quote(string(m.Role)) + `,"content":` + wire.Quote(m.Content))
		if m.Role == Assistant && len(m.ToolCalls) > 0 {
			b.WriteString(`,"tool_calls":[`)
			for j, call := range m.ToolCalls {
				if j > 0 {
					b.WriteByte(',')
				}
				b.WriteString(`{"id":` + wire.Quote(call.ID) + `,"type":"function","function":{"name":` +
					wire.Quote(call.Name) + `,"arguments":` + wire.Quote(call.Arguments) + `}}`)
			}
			b.WriteByte(']')
		}
		if m.Role == Tool {
			b.WriteString(`,"tool_call_id":` + wire.Quote(m.ToolCallID))
		}
		if stored && m.Role == Assistant && m.ProviderItems != nil {
			if !wire.Valid(string(m.ProviderItems)) {
				return configf("chat: encode: the carrier of message %d is not one JSON text", i)
			}
			b.WriteString(`,` + wire.Quote(itemsMember) + `:`)
			b.Write(m.ProviderItems)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return nil
}

// DecodeTranscript reads a stored transcript. Carriers stay as they are, byte
// for byte and malformed ones too, so that the adapters refuse them: a
// "provider_items" of null is a carrier, no member is none. A carrier on a
// message of another role is ignored, so are unknown members. The error is a
// *ConfigError that quotes nothing of the text.
func DecodeTranscript(text string) ([]Message, error) {
	root, err := wire.Parse(text)
	if err != nil {
		return nil, configf("chat: decode transcript: %v", err)
	}
	if got := root.Get("schema"); got.Text() != Schema {
		return nil, configf("chat: decode transcript: schema is not %q", Schema)
	}
	list := root.Get("messages")
	if list.Kind() != wire.Array {
		return nil, configf("chat: decode transcript: messages: got %s, want a list", list.Kind())
	}
	messages := []Message{}
	for item := range list.Items() {
		m, err := decodeMessage(item)
		if err != nil {
			return nil, configf("chat: decode transcript: messages[%d]%v", len(messages), err)
		}
		messages = append(messages, m)
	}
	return messages, nil
}

func decodeMessage(v wire.Value) (Message, error) {
	if v.Kind() != wire.Object {
		return Message{}, fmt.Errorf(": got %s, want an object", v.Kind())
	}
	m := Message{Role: Role(v.Get("role").Text())}
	switch m.Role {
	case System, User, Assistant, Tool:
	default:
		return Message{}, fmt.Errorf(".role: want system, user, assistant or tool")
	}
	var err error
	// Chat Completions has null content on a message that only calls tools.
	if c := v.Get("content"); c.Exists() && c.Kind() != wire.Null {
		if m.Content, err = stringMember(v, "content"); err != nil {
			return Message{}, err
		}
	}
	switch m.Role {
	case Tool:
		m.ToolCallID, err = stringMember(v, "tool_call_id")
	case Assistant:
		if m.ToolCalls, err = decodeCalls(v.Get("tool_calls")); err != nil {
			return Message{}, err
		}
		switch v.Count(itemsMember) {
		case 0:
		case 1:
			m.ProviderItems = json.RawMessage(v.Get(itemsMember).Raw())
		default:
			// Choosing one of them could lose a signature silently.
			err = fmt.Errorf(".%s: occurs more than once", itemsMember)
		}
	}
	return m, err
}

func decodeCalls(list wire.Value) ([]ToolCall, error) {
	switch list.Kind() {
	case wire.Absent, wire.Null:
		return nil, nil
	case wire.Array:
	default:
		return nil, fmt.Errorf(".tool_calls: got %s, want a list", list.Kind())
	}
	var calls []ToolCall
	for item := range list.Items() {
		var call ToolCall
		var err error
		if call.ID, err = stringMember(item, "id"); err == nil {
			if call.Name, err = stringMember(item.Get("function"), "name"); err == nil {
				call.Arguments, err = stringMember(item.Get("function"), "arguments")
			}
		}
		if err != nil {
			return nil, fmt.Errorf(".tool_calls[%s]%w", strconv.Itoa(len(calls)), err)
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// stringMember reads a string as valid UTF-8: a lone surrogate escape, which no
// Go string can hold, becomes U+FFFD.
func stringMember(v wire.Value, name string) (string, error) {
	m := v.Get(name)
	if m.Kind() != wire.String {
		return "", fmt.Errorf(".%s: got %s, want a string", name, m.Kind())
	}
	return PublicText(m), nil
}

// PublicText returns the text of a JSON string as valid UTF-8, as public fields
// hold it: a lone surrogate escape and bytes that are not UTF-8 become U+FFFD.
// It is "" for other kinds. Native values never pass through it.
func PublicText(v wire.Value) string { return strings.ToValidUTF8(v.Text(), "\uFFFD") }

func configf(format string, args ...any) error {
	return &ConfigError{Message: fmt.Sprintf(format, args...)}
}
