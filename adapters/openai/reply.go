package openai

import (
	"encoding/json"
	"strconv"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// source is where a reply came from: what was asked, and what an error about
// the reply has to say.
type source struct {
	request Request
	status  int
	body    string
}

func (s source) reject(reason string) error { return rejected(s.status, s.body, reason) }

// completion returns what every reply's completion holds.
func (s source) completion(model wire.Value) chat.Completion {
	done := chat.Completion{Model: model.Text(), Provider: Provider}
	if done.Model == "" {
		done.Model = s.request.model
	}
	return done
}

// addCall adds a tool call to the completion. The provider's call ID is the
// public one: it is what the result must name. Absent arguments become {}.
func (s source) addCall(done *chat.Completion, call chat.ToolCall) error {
	if call.ID == "" || call.Name == "" {
		return s.reject(reasonBadCall)
	}
	for _, other := range done.ToolCalls {
		if other.ID == call.ID {
			return s.reject(reasonTwinCall)
		}
	}
	if call.Arguments == "" {
		call.Arguments = "{}"
	}
	done.ToolCalls = append(done.ToolCalls, call)
	return nil
}

func setMetadata(done *chat.Completion, key, raw string) {
	if done.Metadata == nil {
		done.Metadata = map[string]json.RawMessage{}
	}
	done.Metadata[key] = json.RawMessage(raw)
}

// count reads a number of tokens, 0 where there is none.
func count(v wire.Value) int {
	if v.Kind() != wire.Number {
		return 0
	}
	f, err := strconv.ParseFloat(v.Raw(), 64)
	if err != nil || f < 0 || f > 1<<53 {
		return 0
	}
	return int(f)
}
