package fakeserver_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	messagesPath = "/v1/messages"

	thinkSig  = "ErUBCkYIBBgCIkC+thinking/of/its/own=="
	thinkSig2 = "ErUBCkYIBBgCIkC+thinking/of/the/2nd=="
	think     = `{"type":"thinking","thinking":"hm","signature":"` + thinkSig + `"}`
	think2    = `{"type":"thinking","thinking":"ah","signature":"` + thinkSig2 + `"}`
	hidden    = `{"type":"redacted_thinking","data":"RGF0YQ=="}`
	use       = `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`
	use2      = `{"type":"tool_use","id":"toolu_2","name":"f","input":{}}`
	res       = `{"type":"tool_result","tool_use_id":"toolu_1","content":"1"}`
	res2      = `{"type":"tool_result","tool_use_id":"toolu_2","content":"2"}`
	says      = `{"type":"text","text":"t"}`

	mintedAnthropic = `{"type":"message","role":"assistant","content":[` + think + `,` + think2 + `,` + hidden + `,` + use + `]}`
)

// claude is a request that ends as given, with thinking enabled.
func claude(entries ...string) string {
	return `{"model":"claude-sonnet-4-5","max_tokens":1024,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[` + strings.Join(append([]string{asks}, entries...), ",") + `]}`
}

func by(role string, blocks ...string) string {
	return `{"role":"` + role + `","content":[` + strings.Join(blocks, ",") + `]}`
}

func own(blocks ...string) string  { return by("assistant", blocks...) }
func them(blocks ...string) string { return by("user", blocks...) }

func anthropicError(body, message string) string {
	sum := sha256.Sum256([]byte(body))
	return `{"type":"error","error":{"type":"invalid_request_error","message":"` + message + `"},"request_id":"req_` + hex.EncodeToString(sum[:12]) + `"}`
}

func anthropicCase(rule, name, bad, message string, good ...string) ruleCase {
	return ruleCase{rule: rule, name: name, path: messagesPath, bad: bad, want: anthropicError(bad, message), good: good}
}

func optional(c ruleCase) ruleCase {
	c.with = []string{c.rule}
	return c
}

const (
	noThinking = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block " +
		"(preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. " + //nolint:misspell // Anthropic's text
		"Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
	noResult  = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_2. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
	noUse     = "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_2. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
	unchanged = "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."
)

var anthropicRules = []ruleCase{
	anthropicCase("anthropic/id-pattern", "", claude(own(think, strings.Replace(use, "toolu_1", "call.1", 1)), them(strings.Replace(res, "toolu_1", "call.1", 1))),
		"messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
		claude(own(think, strings.Replace(use, "toolu_1", "call-1_A", 1)), them(strings.Replace(res, "toolu_1", "call-1_A", 1)))),
	anthropicCase("anthropic/signature-required", "", claude(own(`{"type":"thinking","thinking":"hm"}`, use), them(res)),
		"messages.1.content.0.thinking.signature: Field required", claude(own(think, use), them(res))),
	anthropicCase("anthropic/result-without-call", "", claude(own(think, use), them(res2)), noUse, claude(own(think, use), them(res, says))),
	optional(anthropicCase("anthropic/fewer-results", "", claude(own(think, use, use2), them(res)),
		"messages.2: Did not find 1 `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
		claude(own(think, use, use2), them(res2, res)))),
	anthropicCase("anthropic/call-without-result", "", claude(own(think, use, use2), them(res)), noResult, claude(own(think, use, use2), them(res, res2)), claude(own(think, use))),
	anthropicCase("anthropic/call-without-result", "the user went on", claude(own(think, use2), asks), noResult),
	anthropicCase("anthropic/thinking-first", "", claude(own(use), them(res)), noThinking,
		claude(own(think, use), them(res)), claude(own(hidden, use), them(res)), claude(own(use), them(res), own(says), asks), claude(own(says), asks),
		strings.Replace(claude(own(use), them(res)), `"enabled"`, `"disabled"`, 1)),
	anthropicCase("anthropic/thinking-modified", "", claude(own(strings.Replace(think, "hm", "hmm", 1), use), them(res)), unchanged, claude(own(think, use), them(res))),
	anthropicCase("anthropic/thinking-modified", "swapped", claude(own(strings.Replace(think, thinkSig, thinkSig2, 1), use), them(res)), unchanged),
	anthropicCase("anthropic/invalid-signature", "", claude(own(strings.Replace(think, "ErUB", "AAAA", 1), use), them(res)),
		"messages.1.content.0: Invalid `signature` in `thinking` block", claude(own(think, use), them(res))),
	anthropicCase("anthropic/invalid-signature", "an earlier one edited", claude(own(strings.Replace(think, "hm", "hmm", 1), says), asks, own(says), asks),
		"messages.1.content.0: Invalid `signature` in `thinking` block", claude(own(think, says), asks, own(says), asks)),
	anthropicCase("anthropic/invalid-signature", "Gemini's", claude(own(`{"type":"thinking","thinking":"hm","signature":"`+thoughtSig+`"}`, use), them(res)),
		"messages.1.content.0: Invalid `signature` in `thinking` block"),
	optional(anthropicCase("anthropic/invalid-redacted", "", claude(own(`{"type":"redacted_thinking","data":"b3RoZXI="}`, use), them(res)),
		"messages.1.content.0: Invalid `data` in `redacted_thinking` block", claude(own(hidden, use), them(res)))),
}
