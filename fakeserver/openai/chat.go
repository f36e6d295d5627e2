package openai

import (
	"strconv"
	"strings"
	"sync"

	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/wire"
)

// msg is one message of a request.
type msg struct {
	role, answers string // answers: tool_call_id
	calls         []string
	thinks        bool // it has reasoning_content
}

// Chat is a request to Chat Completions, read once for all rules.
type Chat struct {
	messages []msg
	thinking bool
}

func readChat(root wire.Value) *Chat {
	r := &Chat{thinking: root.Get("thinking").Get("type").Text() == "enabled"}
	for v := range root.Get("messages").Items() {
		var m msg
		for name, member := range v.Members() {
			switch name {
			case "role":
				m.role = member.Text()
			case "tool_call_id":
				m.answers = member.Text()
			case "reasoning_content":
				m.thinks = member.Text() != ""
			case "tool_calls":
				for c := range member.Items() {
					m.calls = append(m.calls, c.Get("id").Text())
				}
			}
		}
		r.messages = append(r.messages, m)
	}
	return r
}

// strayResult finds a tool message that follows no message with calls, other
// tool messages apart.
func strayResult(r *Chat) []rule.Hit {
	open := false
	for n, m := range r.messages {
		switch {
		case m.role != "tool":
			open = len(m.calls) > 0
		case !open:
			return fill("{n}", strconv.Itoa(n))
		}
	}
	return nil
}

// openCalls finds a message with calls that the tool messages directly after it
// do not all answer.
func openCalls(r *Chat) []rule.Hit {
	for n, m := range r.messages {
		if len(m.calls) == 0 {
			continue
		}
		answered := map[string]bool{}
		next := n + 1
		for ; next < len(r.messages) && r.messages[next].role == "tool"; next++ {
			answered[r.messages[next].answers] = true
		}
		var left []string
		for _, id := range m.calls {
			if !answered[id] {
				left = append(left, id)
			}
		}
		if len(left) > 0 {
			if next == len(r.messages) {
				next = n
			}
			return fill("{n}", strconv.Itoa(next), "{calls}", strings.Join(left, ", "))
		}
	}
	return nil
}

func forgotten(r *Chat) []rule.Hit {
	for n, m := range r.messages {
		if r.thinking && m.role == "assistant" && len(m.calls) > 0 && !m.thinks {
			return fill("{n}", strconv.Itoa(n))
		}
	}
	return nil
}

var chat = sync.OnceValue(func() *rule.Table[Chat] {
	const open = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
	return rule.NewTable([]rule.Rule[Chat]{
		{Broken: openCalls, Info: rule.Info{
			ID: "openai/unanswered-calls", Breaks: "the tool messages directly after a message with calls do not answer all of them",
			Profiles: gpt(), Status: 400, Param: "messages.[{n}].role", Mark: rule.Confirmed,
			Message: open + " The following tool_call_ids did not have response messages: {calls}",
			Note:    "Not confirmed: that param names the message in the place of a result, and the message with the calls where none follows.",
			Sources: []string{"https://github.com/router-for-me/CLIProxyAPI/issues/2798", "https://github.com/sdcb/chats/pull/132"},
		}},
		{Broken: strayResult, Info: rule.Info{
			ID: "openai/tool-message-order", Breaks: "a tool message does not follow a message with calls",
			Profiles: gpt(), Status: 400, Param: "messages.[{n}].role", Mark: rule.Confirmed,
			Message: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", //nolint:misspell // OpenAI's text
			Note:    "The spelling is the provider's.",
			Sources: []string{"https://github.com/miurla/morphic/issues/136", "https://github.com/smarter-sh/smarter/issues/264"},
		}},
		{Broken: openCalls, Info: rule.Info{
			ID: "deepseek/unanswered-calls", Breaks: "the tool messages directly after a message with calls do not answer all of them",
			Profiles: []string{rule.DeepSeek}, Status: 400, Code: "invalid_request_error", Mark: rule.Confirmed,
			Message: open + " (insufficient tool messages following tool_calls message)",
			Note:    "Not confirmed: param and code, which are those of the rule before.",
			Sources: []string{"https://github.com/agno-agi/agno/issues/3105", "https://github.com/langgenius/dify/issues/32222"},
		}},
		{Broken: strayResult, Info: rule.Info{
			ID: "deepseek/tool-message-order", Breaks: "a tool message does not follow a message with calls",
			Profiles: []string{rule.DeepSeek}, Status: 400, Code: "invalid_request_error", Mark: rule.Confirmed,
			Message: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
			Sources: []string{"https://github.com/itmisx/deepx-code/issues/94", "https://github.com/qwersyk/Newelle/issues/425"},
		}},
		{Broken: forgotten, Info: rule.Info{
			ID: "moonshot/reasoning-missing", Breaks: "thinking is enabled and a message with calls has no reasoning_content",
			Profiles: []string{rule.Moonshot}, Status: 400, Mark: rule.Confirmed,
			Message: "thinking is enabled but reasoning_content is missing in assistant tool call message at index {n}",
			Note:    "Not confirmed: the rest of the body; and thinking is taken as enabled where the request says so itself.",
			Sources: []string{"https://github.com/iOfficeAI/AionUi/issues/2746"},
		}},
	}, "")
})
