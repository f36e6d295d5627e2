package openai

import (
	"sync"

	"example.com/replaycheck/fakeserver/rule"
)

func gpt() []string      { return []string{rule.GPT6, rule.GPT5, rule.GPT41} }
func reasoner() []string { return []string{rule.GPT6, rule.GPT5} }

const (
	following = "Item '{id}' of type 'reasoning' was provided without its required following item."
	cipher    = "The encrypted content {cipher} could not be verified."
)

// responses is read from the top. It is known of no two rules which of them
// answers where both are broken.
var responses = sync.OnceValue(func() *rule.Table[Responses] {
	return rule.NewTable([]rule.Rule[Responses]{
		{Broken: tooLong, Info: rule.Info{
			ID: "openai/id-too-long", Breaks: "a call_id or id is longer than 64 characters",
			Profiles: gpt(), Status: 400, Param: "input[{n}].{field}", Code: "string_above_max_length", Mark: rule.Confirmed,
			Message: "Invalid 'input[{n}].{field}': string too long. Expected a string with maximum length 64, but got a string with length {length} instead.",
			Sources: []string{"https://github.com/router-for-me/CLIProxyAPIPlus/issues/430", "https://github.com/orchidfiles/ungate/issues/26"},
		}},
		{Broken: wrongPrefix, Info: rule.Info{
			ID: "openai/id-prefix", Breaks: "the id of a call, reasoning item or message does not begin with fc, rs or msg",
			Profiles: gpt(), Status: 400, Param: "input[{n}].id", Code: "invalid_value", Mark: rule.Confirmed,
			Message: "Invalid 'input[{n}].id': '{id}'. Expected an ID that begins with '{prefix}'.",
			Note:    "Not confirmed: param and code. One route of 2026 puts [ApiIdParam] [input[N].id] [invalid_id_prefix] before the sentence. IDs that this server gave out are let pass.",
			Sources: []string{"https://github.com/nodetool-ai/nodetool/pull/4252", "https://github.com/openai/codex/issues/33176", "https://github.com/BigPizzaV3/CodexPlusPlus/issues/1796"},
		}},
		{Broken: duplicate, Info: rule.Info{
			ID: "openai/duplicate-item", Breaks: "two items have the same id",
			Profiles: gpt(), Status: 400, Param: "input", Mark: rule.Confirmed,
			Message: "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
			Sources: []string{"https://github.com/OpenRouterTeam/ai-sdk-provider/issues/254"},
		}},
		{Broken: bare, Info: rule.Info{
			ID: "openai/item-not-persisted", Breaks: "store is false and of an item only the server's id came: a reference, or reasoning without encrypted content",
			Profiles: gpt(), Status: 400, Param: "input", Mark: rule.Confirmed,
			Message: "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
			Sources: []string{"https://github.com/continuedev/continue/issues/9101"},
		}},
		{Broken: unverifiable, Info: rule.Info{
			ID: "openai/unverifiable-content", Breaks: "encrypted content is none that this server gave out: cut, changed, or another provider's (text of 2025)",
			Profiles: []string{rule.GPT5}, Status: 400, Code: "invalid_encrypted_content", Message: cipher, Mark: rule.Confirmed,
			Note:    "Any cipher that an item had in a stream is let pass, on whichever item.",
			Sources: []string{"https://github.com/openai/codex/issues/8145"},
		}},
		{Broken: unverifiable, Info: rule.Info{
			ID: "openai/unverifiable-content-2026", Breaks: "encrypted content is none that this server gave out: cut, changed, or another provider's (text of 2026)",
			Profiles: []string{rule.GPT6}, Status: 400, Code: "invalid_encrypted_content", Mark: rule.Confirmed,
			Message: cipher + " Reason: Encrypted content could not be decrypted or parsed.",
			Note:    "The text may name the item instead: for item rs_….",
			Sources: []string{
				"https://github.com/Wei-Shaw/sub2api/issues/2863", "https://github.com/smallmain/vscode-unify-chat-provider/issues/178", "https://github.com/openai/codex/issues/35334",
			},
		}},
		{Broken: alone(false), Info: rule.Info{
			ID: "openai/reasoning-without-following", Breaks: "a reasoning item with an id is not directly followed by the item that followed it in the reply, under its id",
			Profiles: reasoner(), Status: 400, Param: "input", Message: following, Mark: rule.Confirmed,
			Note:    "Of a reasoning item that this server did not give out, any model item with an id will do.",
			Sources: []string{"pydantic-ai cassette test_openai_responses_thinking_with_modified_history", "https://github.com/continuedev/continue/issues/8933"},
		}},
		{Broken: alone(true), Info: rule.Info{
			ID: "openai/call-without-id", Breaks: "a reasoning item is followed by its call, but the call has no id",
			Profiles: reasoner(), Optional: true, Status: 400, Param: "input", Message: following, Mark: rule.NotConfirmed,
			Note:    "Contested: reported as refused, yet one SDK always sends this form.",
			Sources: []string{"https://github.com/langchain-ai/langchainjs/issues/9082"},
		}},
		{Broken: withoutReasoning, Info: rule.Info{
			ID: "openai/item-without-reasoning", Breaks: "a call or message keeps its server id, but the reasoning item that came directly before it is gone",
			Profiles: reasoner(), Status: 400, Param: "input", Mark: rule.Confirmed,
			Message: "Item '{id}' of type '{type}' was provided without its required 'reasoning' item: '{reasoning}'.",
			Note:    "Without ids on either side the pair may be left out.",
			Sources: []string{"https://github.com/continuedev/continue/issues/10018"},
		}},
		{Broken: interleaved, Info: rule.Info{
			ID: "deepseek/calls-apart", Breaks: "two calls of one turn are parted by a message",
			Profiles: []string{rule.DeepSeek}, Status: 400, Param: "input", Message: "No tool output found for tool call {call}.", Mark: rule.Confirmed,
			Note:    "Not confirmed: the rest of the body.",
			Sources: []string{"pydantic-ai cassette test_deepseek_responses_rejects_interleaved_function_calls"},
		}},
		{Broken: unanswered, Info: rule.Info{
			ID: "openai/call-without-output", Breaks: "a call has no output",
			Profiles: gpt(), Status: 400, Param: "input", Message: "No tool output found for function call {call}.", Mark: rule.Confirmed,
			Note:    "A newer text says: for tool call.",
			Sources: []string{"https://github.com/openai/codex/issues/5385"},
		}},
		{Broken: withoutCall, Info: rule.Info{
			ID: "openai/output-without-call", Breaks: "an output answers no call of the input",
			Profiles: gpt(), Status: 400, Param: "input", Message: "No tool call found for function call output with call_id {call}.", Mark: rule.Confirmed,
			Sources: []string{"https://github.com/continuedev/continue/issues/10092", "https://github.com/microsoft/vscode/issues/320060"},
		}},
	}, "")
})
