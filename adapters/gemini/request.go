package gemini

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/replay"
	"example.com/replaycheck/internal/wire"
)

// BuildRequest returns the body of the request for the next message, the same
// for every kind of request. It is a pure function: equal input gives equal
// bytes and nothing of the input is changed (REPLAY-12). Every carrier is
// checked before anything else, so that a bad one is always refused with
// chat.ErrReplayState (REFUSE-08). All errors are *chat.ConfigError.
//
// Raw text is assembled and never encoded: encoding/json would rewrite <, >, &
// and U+2028 inside native parts.
func BuildRequest(messages []chat.Message, tools []chat.ToolSpec, opts chat.Options) (string, error) {
	turns, err := readTurns(messages)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteByte('{')
	writeSystem(&b, messages)
	if err := writeContents(&b, turns); err != nil {
		return "", err
	}
	if err := writeTools(&b, tools); err != nil {
		return "", err
	}
	if err := writeGenerationConfig(&b, opts); err != nil {
		return "", err
	}
	b.WriteByte('}')
	return b.String(), nil
}

// entry is a message that becomes part of the contents, with what its carrier
// holds.
type entry struct {
	chat.Message
	index   int             // in the conversation, for errors
	capsule *replay.Capsule // nil: rebuild the turn
	ids     map[string]wire.Value
}

// readTurns reads every carrier and leaves out the system messages.
func readTurns(messages []chat.Message) ([]entry, error) {
	var turns []entry
	uses := replay.CountUses(messages)
	for i, m := range messages {
		e := entry{Message: m, index: i}
		switch m.Role {
		case chat.System:
			continue
		case chat.Assistant:
			carrier, err := replay.Read(m.ProviderItems)
			if err != nil {
				return nil, err
			}
			if e.capsule = carrier.Capsule; e.capsule != nil {
				if e.ids, err = e.capsule.NativeIDsIn(m, uses); err != nil {
					return nil, err
				}
			}
		}
		turns = append(turns, e)
	}
	return turns, nil
}

func writeSystem(b *strings.Builder, messages []chat.Message) {
	first := true
	for _, m := range messages {
		if m.Role != chat.System {
			continue
		}
		if first {
			b.WriteString(`"systemInstruction":{"parts":[`)
		} else {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(textPart(m.Content))
	}
	if !first {
		b.WriteString(`]},`)
	}
}

func textPart(s string) string { return `{"text":` + wire.Quote(s) + `}` }

func writeContents(b *strings.Builder, turns []entry) error {
	if len(turns) == 0 {
		return configf("gemini: build request: no message to answer")
	}
	b.WriteString(`"contents":[`)
	for i := 0; i < len(turns); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		switch e := turns[i]; e.Role {
		case chat.User:
			b.WriteString(`{"role":"user","parts":[` + textPart(e.Content) + `]}`)
		case chat.Assistant:
			b.WriteString(`{"role":"model","parts":[` + modelParts(e) + `]}`)
			results := resultsAfter(turns, i)
			if len(results) > 0 || len(e.ToolCalls) > 0 && i+1 < len(turns) {
				parts, err := resultParts(e, results)
				if err != nil {
					return err
				}
				b.WriteString(`,{"role":"user","parts":[` + parts + `]}`)
			}
			i += len(results)
		case chat.Tool:
			return configf("gemini: build request: message %d is a tool result without a turn of calls before it", e.index)
		default:
			return configf("gemini: build request: message %d has an unknown role", e.index)
		}
	}
	b.WriteByte(']')
	return nil
}

func resultsAfter(turns []entry, i int) []entry {
	end := i + 1
	for end < len(turns) && turns[end].Role == chat.Tool {
		end++
	}
	return turns[i+1 : end]
}

func writeTools(b *strings.Builder, tools []chat.ToolSpec) error {
	if len(tools) == 0 {
		return nil
	}
	b.WriteString(`,"tools":[{"functionDeclarations":[`)
	for i, t := range tools {
		if t.Name == "" {
			return configf("gemini: build request: tool %d has no name", i)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"name":` + wire.Quote(t.Name))
		if t.Description != "" {
			b.WriteString(`,"description":` + wire.Quote(t.Description))
		}
		if t.Parameters != nil {
			schema, err := schemaText(t.Parameters)
			if err != nil {
				return configf("gemini: build request: the parameters of tool %d are not one JSON object", i)
			}
			b.WriteString(`,"parameters":` + schema)
		}
		b.WriteByte('}')
	}
	b.WriteString(`]}]`)
	return nil
}

func schemaText(raw json.RawMessage) (string, error) {
	v, err := wire.Parse(string(raw))
	if err != nil || v.Kind() != wire.Object {
		return "", configf("not an object")
	}
	return v.Raw(), nil
}

func writeGenerationConfig(b *strings.Builder, opts chat.Options) error {
	var members []string
	if t := opts.Temperature; t != nil {
		if math.IsNaN(*t) || math.IsInf(*t, 0) {
			return configf("gemini: build request: the temperature is not a finite number")
		}
		members = append(members, `"temperature":`+strconv.FormatFloat(*t, 'f', -1, 64))
	}
	if n := opts.MaxTokens; n != nil {
		if *n <= 0 {
			return configf("gemini: build request: max tokens: got %d, want more than 0", *n)
		}
		members = append(members, `"maxOutputTokens":`+strconv.Itoa(*n))
	}
	if len(opts.Stop) > 0 {
		quoted := make([]string, len(opts.Stop))
		for i, s := range opts.Stop {
			quoted[i] = wire.Quote(s)
		}
		members = append(members, `"stopSequences":[`+strings.Join(quoted, ",")+`]`)
	}
	if opts.ResponseSchema != nil {
		schema, err := schemaText(opts.ResponseSchema)
		if err != nil {
			return configf("gemini: build request: the response schema is not one JSON object")
		}
		members = append(members, `"responseMimeType":"application/json"`, `"responseSchema":`+schema)
	}
	if len(members) > 0 {
		b.WriteString(`,"generationConfig":{` + strings.Join(members, ",") + `}`)
	}
	return nil
}
