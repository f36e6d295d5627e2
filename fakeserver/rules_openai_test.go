package fakeserver_test

import "strings"

const (
	cipherA = "gAAAAABrBCx0kOl5kbJpx8qfYgWuZTUy-f2CjlDfJcR7QjXG=="
	cipherB = "gAAAAABrBCx0another-providers-or-an-edited-oneZZ=="

	rsItem  = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"` + cipherA + `"}`
	fcItem  = `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{}"}`
	fcItem2 = `{"type":"function_call","id":"fc_2","call_id":"call_2","name":"f","arguments":"{}"}`
	msgItem = `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"t"}]}`
	out1    = `{"type":"function_call_output","call_id":"call_1","output":"1"}`
	out2    = `{"type":"function_call_output","call_id":"call_2","output":"2"}`
	asking  = `{"role":"user","content":"?"}`

	mintedResponses = `{"output":[` + rsItem + `,` + fcItem + `,` + fcItem2 + `,{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"` + cipherA + `"},` + msgItem + `]}`

	responsesPath = "/v1/responses"
	chatPath      = "/v1/chat/completions"
)

func inputOf(model string, stateless bool, items ...string) string {
	body := `{"model":"` + model + `","input":[` + strings.Join(items, ",") + `]`
	if stateless {
		body += `,"store":false`
	}
	return body + `}`
}

func input(items ...string) string { return inputOf("gpt-6-sol", true, items...) }

func openaiError(message, param, code string) string {
	quoted := func(s string) string {
		if s == "" {
			return "null"
		}
		return `"` + s + `"`
	}
	return `{"error":{"message":"` + message + `","type":"invalid_request_error","param":` + quoted(param) + `,"code":` + quoted(code) + `}}`
}

const (
	longID        = "call_0123456789012345678901234567890123456789012345678901234567890é" // 67 characters, 68 bytes
	noFollowing   = "Item 'rs_1' of type 'reasoning' was provided without its required following item."
	couldNot      = "The encrypted content gAAA...ZZ== could not be verified."
	couldNot2026  = couldNot + " Reason: Encrypted content could not be decrypted or parsed."
	rsUnknown     = `{"type":"reasoning","id":"rs_9","summary":[],"encrypted_content":"` + cipherA + `"}`
	fcWithoutID   = `{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"}`
	msgWithoutID  = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"t"}]}`
	notPersistent = "not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."
)

var responsesRules = []ruleCase{
	{
		rule: "openai/id-too-long", path: responsesPath,
		bad:  input(asking, strings.Replace(fcWithoutID, "call_1", longID, 1), strings.Replace(out1, "call_1", longID, 1)),
		want: openaiError("Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 67 instead.", "input[1].call_id", "string_above_max_length"),
		good: []string{input(asking, strings.Replace(fcWithoutID, "call_1", longID[:64], 1), strings.Replace(out1, "call_1", longID[:64], 1))},
	},
	{
		rule: "openai/id-prefix", path: responsesPath, bad: input(asking, strings.Replace(fcItem, "fc_1", "call_1", 1), out1),
		want: openaiError("Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.", "input[1].id", "invalid_value"),
		good: []string{input(asking, fcWithoutID, out1), input(asking, strings.Replace(fcItem, "fc_1", "fc_own", 1), out1)},
	},
	{
		rule: "openai/id-prefix", name: "message", path: responsesPath, bad: input(asking, strings.Replace(msgItem, "msg_1", "item_1", 1)),
		want: openaiError("Invalid 'input[1].id': 'item_1'. Expected an ID that begins with 'msg'.", "input[1].id", "invalid_value"),
	},
	{
		rule: "openai/duplicate-item", path: responsesPath, bad: input(asking, rsItem, fcItem, rsItem, fcItem, out1),
		want: openaiError("Duplicate item found with id rs_1. Remove duplicate items from your input and try again.", "input", ""),
		good: []string{input(asking, rsItem, fcItem, out1)},
	},
	{
		rule: "openai/item-not-persisted", path: responsesPath, bad: input(asking, `{"type":"item_reference","id":"rs_1"}`),
		want: openaiError("Item with id 'rs_1' "+notPersistent, "input", ""),
		good: []string{inputOf("gpt-6-sol", false, asking, `{"type":"item_reference","id":"msg_9"}`), input(asking, rsItem, fcItem, out1)},
	},
	{
		rule: "openai/item-not-persisted", name: "reasoning without its content", path: responsesPath,
		bad:  input(asking, `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":null}`, fcItem, out1),
		want: openaiError("Item with id 'rs_1' "+notPersistent, "input", ""),
		good: []string{inputOf("gpt-6-sol", false, asking, `{"type":"reasoning","id":"rs_1","summary":[]}`, fcItem, out1)},
	},
	{
		rule: "openai/unverifiable-content", path: responsesPath,
		bad: inputOf("gpt-5", true, asking, strings.Replace(rsItem, cipherA, cipherB, 1), fcItem, out1), want: openaiError(couldNot, "", "invalid_encrypted_content"),
		good: []string{inputOf("gpt-5", true, asking, rsItem, fcItem, out1)},
	},
	{
		rule: "openai/unverifiable-content-2026", path: responsesPath,
		bad: input(asking, strings.Replace(rsItem, cipherA, cipherB, 1), fcItem, out1), want: openaiError(couldNot2026, "", "invalid_encrypted_content"),
		good: []string{input(asking, rsItem, fcItem, out1), input(asking, fcWithoutID, out1)},
	},
	{
		rule: "openai/unverifiable-content-2026", name: "Gemini's signature", path: responsesPath,
		bad: input(asking, strings.Replace(rsItem, cipherA, callSig, 1), fcItem, out1), want: openaiError(strings.Replace(couldNot2026, "gAAA...ZZ==", "EjQK...bGQ=", 1), "", "invalid_encrypted_content"),
	},
	{
		rule: "openai/reasoning-without-following", path: responsesPath, bad: input(asking, strings.Replace(rsItem, "rs_1", "rs_2", 1), msgWithoutID, asking),
		want: openaiError(strings.Replace(noFollowing, "rs_1", "rs_2", 1), "input", ""),
		good: []string{
			input(asking, strings.Replace(rsItem, "rs_1", "rs_2", 1), msgItem, asking), input(asking, msgWithoutID, asking), input(asking, rsUnknown, strings.Replace(fcItem, "fc_1", "fc_own", 1), out1),
			input(asking, rsItem, fcWithoutID, out1), // contested
		},
	},
	{rule: "openai/reasoning-without-following", name: "at the end", path: responsesPath, bad: input(asking, rsItem), want: openaiError(noFollowing, "input", "")},
	{rule: "openai/reasoning-without-following", name: "before the user", path: responsesPath, bad: input(asking, rsUnknown, asking), want: openaiError(strings.Replace(noFollowing, "rs_1", "rs_9", 1), "input", "")},
	{rule: "openai/reasoning-without-following", name: "another item", path: responsesPath, bad: input(asking, rsItem, fcItem2, fcItem, out1, out2), want: openaiError(noFollowing, "input", "")},
	{
		rule: "openai/call-without-id", path: responsesPath, with: []string{"openai/call-without-id"}, bad: input(asking, rsItem, fcWithoutID, out1), want: openaiError(noFollowing, "input", ""),
		good: []string{input(asking, rsItem, fcItem, out1)},
	},
	{
		rule: "openai/item-without-reasoning", path: responsesPath, bad: input(asking, fcItem, fcItem2, out1, out2),
		want: openaiError("Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.", "input", ""),
		good: []string{input(asking, rsItem, fcItem, fcItem2, out1, out2), input(asking, fcWithoutID, out1), input(asking, strings.Replace(fcItem, "fc_1", "fc_own", 1), out1)},
	},
	{
		rule: "openai/item-without-reasoning", name: "message", path: responsesPath, bad: input(asking, msgItem, asking),
		want: openaiError("Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_2'.", "input", ""),
	},
	{
		rule: "deepseek/calls-apart", path: responsesPath,
		bad:  inputOf("deepseek-v4", true, asking, fcWithoutID, msgWithoutID, strings.Replace(fcWithoutID, "call_1", "call_2", 1), out1, out2),
		want: openaiError("No tool output found for tool call call_1.", "input", ""),
		good: []string{
			inputOf("deepseek-v4", true, asking, msgWithoutID, fcWithoutID, strings.Replace(fcWithoutID, "call_1", "call_2", 1), out1, out2),
			inputOf("deepseek-v4", true, asking, fcWithoutID, out1, msgWithoutID, strings.Replace(fcWithoutID, "call_1", "call_2", 1), out2),
		},
	},
	{
		rule: "openai/call-without-output", path: responsesPath, bad: input(asking, rsItem, fcItem, fcItem2, out2), want: openaiError("No tool output found for function call call_1.", "input", ""),
		good: []string{input(asking, rsItem, fcItem, fcItem2, out2, out1)},
	},
	{
		rule: "openai/output-without-call", path: responsesPath, bad: inputOf("gpt-4.1-mini", false, asking, out1), want: openaiError("No tool call found for function call output with call_id call_1.", "input", ""),
		good: []string{
			inputOf("gpt-4.1-mini", false, asking, fcWithoutID, out1), `{"model":"gpt-6-sol","previous_response_id":"resp_1","input":[` + out1 + `]}`,
			inputOf("gpt-6-sol", false, asking, `{"type":"item_reference","id":"fc_1"}`, out1),
		},
	},
}

func messages(model string, items ...string) string {
	return `{"model":"` + model + `","messages":[` + strings.Join(items, ",") + `]}`
}

const (
	asks       = `{"role":"user","content":"?"}`
	calls      = `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"call_2","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	answer1    = `{"role":"tool","tool_call_id":"call_1","content":"1"}`
	answer2    = `{"role":"tool","tool_call_id":"call_2","content":"2"}`
	mustAnswer = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
)

var chatRules = []ruleCase{
	{
		rule: "openai/tool-message-order", path: chatPath, bad: messages("gpt-6-sol", asks, answer1),
		want: openaiError("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", "messages.[1].role", ""), //nolint:misspell // OpenAI's text
		good: []string{messages("gpt-6-sol", asks, calls, answer1, answer2), messages("gpt-6-sol", asks, calls, answer2, answer1, asks)},
	},
	{
		rule: "openai/unanswered-calls", path: chatPath, bad: messages("gpt-4.1", asks, calls, answer1, asks),
		want: openaiError(mustAnswer+" The following tool_call_ids did not have response messages: call_2", "messages.[3].role", ""),
		good: []string{messages("gpt-4.1", asks, calls, answer1, answer2, asks)},
	},
	{
		rule: "openai/unanswered-calls", name: "at the end, all", path: chatPath, bad: messages("gpt-5", asks, calls),
		want: openaiError(mustAnswer+" The following tool_call_ids did not have response messages: call_1, call_2", "messages.[1].role", ""),
	},
	{
		rule: "openai/unanswered-calls", name: "something between", path: chatPath, bad: messages("gpt-6-sol", asks, calls, answer1, asks, answer2),
		want: openaiError(mustAnswer+" The following tool_call_ids did not have response messages: call_2", "messages.[3].role", ""),
	},
	{
		rule: "deepseek/tool-message-order", path: chatPath, bad: messages("deepseek-chat", asks, answer1),
		want: openaiError("Messages with role 'tool' must be a response to a preceding message with 'tool_calls'", "", "invalid_request_error"),
		good: []string{messages("deepseek-chat", asks, calls, answer1, answer2)},
	},
	{
		rule: "deepseek/unanswered-calls", path: chatPath, bad: messages("deepseek-chat", asks, calls, answer1),
		want: openaiError(mustAnswer+" (insufficient tool messages following tool_calls message)", "", "invalid_request_error"),
		good: []string{messages("deepseek-chat", asks, calls, answer1, answer2)},
	},
	{
		rule: "moonshot/reasoning-missing", path: chatPath, bad: strings.Replace(messages("kimi-k2", asks, calls, answer1, answer2), `{"model"`, `{"thinking":{"type":"enabled"},"model"`, 1),
		want: openaiError("thinking is enabled but reasoning_content is missing in assistant tool call message at index 1", "", ""),
		good: []string{
			messages("kimi-k2", asks, calls, answer1, answer2),
			strings.Replace(messages("kimi-k2", asks, strings.Replace(calls, `"content"`, `"reasoning_content":"hm","content"`, 1), answer1, answer2), `{"model"`, `{"thinking":{"type":"enabled"},"model"`, 1),
		},
	},
}
