package oracles_test

func openaiMessages() []message {
	return []message{
		{"OPENAI-01", "openai/single-call plain/memory", "wrong-endpoint", `
provider confirmed, added: request 1
want a plain request to the responses endpoint
got  POST /v1/chat/completions`},
		{"OPENAI-02", "openai/single-call plain/memory", "store-true", `
provider documented, changed: request 1, store
want false
got  true

provider documented, changed: request 2, store
want false
got  true`},
		{"OPENAI-02", "openai/single-call plain/memory", "store-true, previous_response_id", `
provider documented, added: request 1, previous_response_id
want absent
got  "resp_1"

provider documented, added: request 2, previous_response_id
want absent
got  "resp_1"`},
		{"OPENAI-02", "openai/single-call plain/memory", "encrypted-content-dropped, not asked for", `
verbatim documented, absent: request 1, include
want ["reasoning.encrypted_content"]
got  absent

verbatim documented, absent: request 2, include
want ["reasoning.encrypted_content"]
got  absent`},
		{"OPENAI-02", "openai/single-call plain/memory", "strict tools", `
verbatim documented, changed: request 1, tools[0]
want a flat tool with strict:false
got  {"type":"fun…trict":true} (224 bytes, sha256 e435…)

verbatim documented, changed: request 2, tools[0]
want a flat tool with strict:false
got  {"type":"fun…trict":true} (224 bytes, sha256 e435…)`},
		{"OPENAI-03", "openai/single-call plain/memory", "item-id-dropped", `
provider contested, absent: request 2, input[2].id
want "fc_f48d60bf…d7eebdc97ef" (53 bytes, sha256 33f8…)
got  absent`},
		{"OPENAI-03", "openai/single-call plain/memory", "reasoning-dropped", `
provider documented, absent: request 2, input[1]
want reasoning {"id":"rs_a9…4lShdHjg=="} (1049 bytes, sha256 ee9b…)
got  absent

provider documented, absent: request 2, input[1]
want "gAAAAABrBCx…o4lShdHjg==" (932 bytes, sha256 9968…)
got  absent`},
		{"OPENAI-03", "openai/single-call plain/memory", "encrypted-content-dropped, removed", `
provider documented, absent: request 2, input[1].encrypted_content
want "gAAAAABrBCx…o4lShdHjg==" (932 bytes, sha256 9968…)
got  absent`},
		{"OPENAI-03", "openai/parallel plain/memory", "results-swapped, of two Responses calls", `
provider confirmed, swapped: request 2, input[7]
want the ID of its call, "call_Z1oYVb5AF6j88bknZTCpuVel"
got  "call_PDJ3wTycuJZNgQ89GxNgCcD1", the ID of call 2

provider confirmed, swapped: request 2, input[6]
want the ID of its call, "call_PDJ3wTycuJZNgQ89GxNgCcD1"
got  "call_Z1oYVb5AF6j88bknZTCpuVel", the ID of call 1

provider confirmed, reordered: request 2, input[7]
want the results in the order of the calls
got  another order`},
		{"OPENAI-04", "openai/single-call plain/memory", "reasoning-orphaned", `
provider confirmed, absent: request 2, input[1]
want followed by call weather({"city":"Leipzig"})
got  the item is missing`},
		{"OPENAI-04", "openai/single-call plain/memory", "reasoning-dropped", `
provider confirmed, absent: request 2, input[1]
want the reasoning item that came before it
got  absent`},
		{"OPENAI-04", "openai/message-and-call plain/memory", "reasoning-reordered", `
provider confirmed, reordered: request 2, input[2]
want followed by text "I am checking the permit of HRO-KL 208."
got  followed by another item`},
		{"STREAM-01", "gemini/signed-empty-tail stream/memory", "trailing-empty-part-dropped", `
provider documented, absent: request 2, contents[1]
want text "", signed
got  absent

provider documented, absent: request 2, contents[1]
want "Eu0GCuoGAb4…U4MiJrOMQ==" (1176 bytes, sha256 6418…)
got  absent`},
		{"STREAM-01", "gemini/signed-text stream/memory", "text-merged, signed", `
provider documented, merged: request 2, contents[1].parts[0]
want 2 text parts, as they came in reply 1
got  one text part`},
		{"STREAM-02", "gemini/stream-broken stream/memory", "stream-broken-accepted", `
provider documented, accepted: run 1
want an error: the stream broke off before it was complete
got  no error, 1 answer`},
		{"STREAM-02", "gemini/stream-broken stream/memory", "stream-broken-accepted, with a carrier", `
verbatim documented, added: state after the last run, assistant message 2
want no message and no carrier for the broken reply
got  {"role":"ass…dings":[]}]} (132 bytes, sha256 f3e8…)`},
		{"STREAM-02", "gemini/stream-broken stream/memory", "stream-broken-accepted, and asked again", `
provider documented, added: request 3
want no further request
got  a request after the broken stream`},
		{"STREAM-02", "gemini/single-call stream/memory", "drop-signature", `
provider documented, absent: request 2, contents[1].parts[0].thoughtSignature
want "ErECCq4CAb4…N2RuCD5ph8=" (412 bytes, sha256 8d5b…)
got  absent`},
	}
}
