package anthropic

import (
	"sync"

	"example.com/replaycheck/fakeserver/rule"
)

func claude() []string { return []string{rule.Claude} }

// table is read from the top. It is known of no two rules which of them
// answers where both are broken.
var table = sync.OnceValue(func() *rule.Table[Request] {
	return rule.NewTable([]rule.Rule[Request]{
		{Broken: badID, Info: rule.Info{
			ID: "anthropic/id-pattern", Breaks: "the id of a call has other characters than letters, digits, _ and -",
			Profiles: claude(), Status: 400, Mark: rule.Confirmed,
			Message: "messages.{n}.content.{m}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
			Sources: []string{"https://github.com/BerriAI/litellm/issues/21114"},
		}},
		{Broken: noSignature, Info: rule.Info{
			ID: "anthropic/signature-required", Breaks: "a thinking block has no signature",
			Profiles: claude(), Status: 400, Message: "messages.{n}.content.{m}.thinking.signature: Field required", Mark: rule.Confirmed,
			Sources: []string{"https://github.com/justlovemaki/AIClient2API/issues/437"},
		}},
		{Broken: strayResults, Info: rule.Info{
			ID: "anthropic/result-without-call", Breaks: "a result answers no call of the message before",
			Profiles: claude(), Status: 400, Mark: rule.Confirmed,
			Message: "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
			Sources: []string{"https://github.com/anthropics/claude-code/issues/24670"},
		}},
		{Broken: openResults, Info: rule.Info{
			ID: "anthropic/fewer-results", Breaks: "a message has results, but not of all calls of the message before (older text)",
			Profiles: claude(), Optional: true, Status: 400, Mark: rule.Confirmed,
			Message: "messages.{n}: Did not find {count} `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
			Note:    "An older text of the rule below.",
			Sources: []string{"https://github.com/apify/tester-mcp-client/issues/12"},
		}},
		{Broken: openCalls, Info: rule.Info{
			ID: "anthropic/call-without-result", Breaks: "the message after one with calls does not hold a result of each",
			Profiles: claude(), Status: 400, Mark: rule.Confirmed,
			Message: "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
			Sources: []string{"https://github.com/anthropics/claude-code/issues/2697"},
		}},
		{Broken: noThinkingFirst, Info: rule.Info{
			ID: "anthropic/thinking-first", Breaks: "thinking is enabled, the request ends in results, and the message with their calls does not begin with thinking",
			Profiles: claude(), Status: 400, Mark: rule.Confirmed,
			Message: "messages.{n}.content.{m}.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block " +
				"(preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. " + //nolint:misspell // Anthropic's text
				"Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
			Note:    "Until autumn 2025 the link was to docs.anthropic.com.",
			Sources: []string{"https://github.com/deepset-ai/haystack-core-integrations/issues/2146", "https://github.com/anomalyco/opencode/issues/3077"},
		}},
		{Broken: modified, Info: rule.Info{
			ID: "anthropic/thinking-modified", Breaks: "thinking of the latest assistant message came back with another text under its signature",
			Profiles: claude(), Status: 400, Mark: rule.Confirmed,
			Message: "messages.{n}.content.{m}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
			Sources: []string{"https://github.com/anthropics/claude-code/issues/13692"},
		}},
		{Broken: notValid, Info: rule.Info{
			ID: "anthropic/invalid-signature", Breaks: "a thinking block has a signature that this server did not give out, or not for its text, its model or its place among the thinking of its reply",
			Profiles: claude(), Status: 400, Message: "messages.{n}.content.{m}: Invalid `signature` in `thinking` block", Mark: rule.Confirmed,
			Note:    "A maintainer says that signatures do not expire, and that any edit, reorder, merge or change of model makes them fail.",
			Sources: []string{"https://github.com/anthropics/anthropic-sdk-python/issues/1598"},
		}},
		{Broken: notOurs, Info: rule.Info{
			ID: "anthropic/invalid-redacted", Breaks: "a redacted_thinking block has data that this server did not give out",
			Profiles: claude(), Optional: true, Status: 400, Message: "messages.{n}.content.{m}: Invalid `data` in `redacted_thinking` block", Mark: rule.NotConfirmed,
			Note:    "Not confirmed: the text, which is made after the rule above.",
			Sources: []string{"https://github.com/anthropics/anthropic-sdk-python/issues/1598"},
		}},
	}, "")
})
