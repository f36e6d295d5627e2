package oracles_test

func foreignMessages() []message {
	return []message{
		{"FOREIGN-01", "foreign/gemini-to-openai plain/memory", "foreign-text-lost", `
provider documented, absent: request 3, input[1]
want text "Let me look at the north store."
got  absent

provider documented, absent: request 4, input[1]
want text "Let me look at the north store."
got  absent`},
		{"FOREIGN-01", "foreign/gemini-to-openai plain/memory", "foreign-text-lost, after the calls", `
provider documented, reordered: request 3, input[1]
want call stock({"sku":"BK-2041","store":"north"}) after the parts that came before it in reply 1
got  sent before them

provider documented, reordered: request 4, input[1]
want call stock({"sku":"BK-2041","store":"north"}) after the parts that came before it in reply 1
got  sent before them

provider documented, reordered: request 3, input[1]
want the message, then the calls, directly one after the other
got  other items between

provider documented, reordered: request 4, input[1]
want the message, then the calls, directly one after the other
got  other items between`},
		{"FOREIGN-01", "foreign/gemini-to-openai plain/memory", "foreign-calls-lost", `
provider documented, absent: request 3, input[1]
want call stock({"sku":"BK-2041","store":"north"})
got  absent

provider documented, absent: request 4, input[1]
want call stock({"sku":"BK-2041","store":"north"})
got  absent`},
		{"FOREIGN-01", "foreign/gemini-to-openai plain/memory", "foreign-calls-lost, an id of its own", `
provider documented, added: request 3, input[2].id
want a function_call without an id: no reasoning item belongs to it
got  "fc_0123456789"

provider documented, added: request 4, input[2].id
want a function_call without an id: no reasoning item belongs to it
got  "fc_0123456789"`},
		{"FOREIGN-02", "foreign/gemini-to-openai plain/memory", "foreign-items-sent, a signature in the call", `
provider documented, foreign: request 3, input[2].thoughtSignature
want absent
got  the opaque value of part 1 of reply 2

provider documented, foreign: request 3, input[2].thoughtSignature
want absent
got  a member of the other provider's: thoughtSignature

provider documented, foreign: request 4, input[2].thoughtSignature
want absent
got  the opaque value of part 1 of reply 2

provider documented, foreign: request 4, input[2].thoughtSignature
want absent
got  a member of the other provider's: thoughtSignature`},
		{"FOREIGN-02", "foreign/gemini-to-openai plain/memory", "foreign-items-sent, thought text", `
provider documented, foreign: request 3, input[2].content
want absent
got  the thought text of part 1 of reply 1

provider documented, foreign: request 4, input[2].content
want absent
got  the thought text of part 1 of reply 1`},
		{"FOREIGN-03", "foreign/openai-to-gemini plain/memory", "foreign-items-sent, encrypted_content to Gemini", `
provider documented, foreign: request 3, contents[1].parts[1].encrypted_content
want absent
got  the opaque value of part 1 of reply 2

provider documented, foreign: request 3, contents[1].parts[1].encrypted_content
want absent
got  a member of the other provider's: encrypted_content

provider documented, foreign: request 4, contents[1].parts[1].encrypted_content
want absent
got  the opaque value of part 1 of reply 2

provider documented, foreign: request 4, contents[1].parts[1].encrypted_content
want absent
got  a member of the other provider's: encrypted_content`},
		{"FOREIGN-03", "foreign/openai-to-gemini plain/memory", "foreign-items-sent, an item's id as the native one", `
provider documented, foreign: request 3, contents[1].parts[1].functionCall.id
want absent
got  the id of item 1 of reply 2

provider documented, foreign: request 4, contents[1].parts[1].functionCall.id
want absent
got  the id of item 1 of reply 2`},
		{"FOREIGN-04", "openai/untagged-items plain/memory", "foreign-items-dropped, the unknown ones", `
provider documented, absent: request 1, input[1]
want part {"type":"web…score":0.10} (134 bytes, sha256 5315…)
got  absent

provider documented, absent: request 1, input[1]
want part {"note":"an item without a type","n":-0}
got  absent`},
		{"FOREIGN-04", "openai/untagged-items plain/memory", "foreign-items-dropped, after their outputs", `
provider confirmed, moved: request 1, input[1]
want one result for call 1 of stored turn 1, rainfall directly after the model's turn
got  sent elsewhere`},
		{"FOREIGN-05", "foreign/gemini-to-chat plain/memory", "chat-sends-carrier, the capsule", `
provider documented, wrapper: request 5, messages[1].provider_items
want absent
got  a member named provider_items

provider documented, wrapper: request 5, messages[1].provider_items[0].type
want absent
got  the capsule itself

provider documented, wrapper: request 5, messages[1].provider_items[0].tool_call_bindings
want absent
got  a member named tool_call_bindings

provider documented, wrapper: request 6, messages[1].provider_items
want absent
got  a member named provider_items

provider documented, wrapper: request 6, messages[1].provider_items[0].type
want absent
got  the capsule itself

provider documented, wrapper: request 6, messages[1].provider_items[0].tool_call_bindings
want absent
got  a member named tool_call_bindings`},
		{"FOREIGN-05", "foreign/chat-ignores-carriers plain/memory string", "the carrier as text", `
provider documented, foreign: request 1, messages[1].content
want absent in Chat Completions
got  a string of a carrier

provider documented, added: request 1, messages[1].content
want absent
got  text "dusky-e1a0d…oDgEmLz1J0=" (371 bytes, sha256 5851…)`},
		{"FOREIGN-05", "foreign/chat-ignores-carriers plain/memory missing", "refused", `
provider confirmed, shrunk: request 1
want a first request
got  it never came: the subject ended with an error of kind "refused": gemini replay state is malformed or ambiguous

verbatim documented, refused: run 1
want a request: Chat Completions never looks into a carrier
got  an error of kind "refused"`},
		{"FOREIGN-06", "foreign/there-and-back plain/memory", "own-turn-rebuilt-on-return, the call only", `
provider documented, absent: request 5, contents[1].parts[2].thoughtSignature
want "EqYkOAb4T9x…GYvZhKHQOY=" (6200 bytes, sha256 07e3…)
got  absent

provider documented, absent: request 6, contents[1].parts[2].thoughtSignature
want "EqYkOAb4T9x…GYvZhKHQOY=" (6200 bytes, sha256 07e3…)
got  absent`},
		{"FOREIGN-07", "foreign/openai-to-gemini plain/memory", "signature-invented, a sentinel where there was none", `
provider documented, stand-in: request 3, contents[1].parts[1].thoughtSignature
want absent: the turn is rebuilt
got  "skip_thought_signature_validator"

provider documented, stand-in: request 4, contents[1].parts[1].thoughtSignature
want absent: the turn is rebuilt
got  "skip_thought_signature_validator"`},
		{"FOREIGN-07", "foreign/mid-turn-to-gemini plain/stored", "signature-invented, a sentinel where there was none", `
provider documented, stand-in: request 2, contents[1].parts[1].thoughtSignature
want absent: the turn is rebuilt
got  "skip_thought_signature_validator"`},
	}
}
