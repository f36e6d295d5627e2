package oracles_test

func replayMessages() []message {
	return []message{
		{"REPLAY-01", "gemini/unknown-members plain/memory", "unknown-member-dropped", `
verbatim documented, absent: request 2, contents[1].parts[0].x_span
want {"from":0,"to":[],"deep":{"a":[{},[],null]}}
got  absent

verbatim documented, absent: request 2, contents[1].parts[1].mysteryPart
want {"kind":"aside","items":[1,{"b":{}}]}
got  absent

verbatim documented, absent: request 2, contents[1].parts[2].partMetadata
want {"origin":["planner",{"step":1}]}
got  absent

verbatim documented, absent: request 2, contents[1].parts[2].functionCall.x_call
want {"weights":[0.5,1.0]}
got  absent

verbatim documented, absent: request 2, contents[1].parts[2].functionCall.x_continue
want false
got  absent

verbatim documented, absent: request 2, contents[1].parts[2].x_tail
want []
got  absent`},
		{"REPLAY-01", "gemini/big-numbers plain/memory", "number-normalised, 1.0 to 1", `
verbatim documented, changed: request 2, contents[1].parts[0].functionCall.args.one
want 1.0
got  1`},
		{"REPLAY-01", "gemini/odd-parts plain/memory", "empty-part-dropped", `
verbatim documented, absent: request 2, contents[1]
want part {}
got  absent

verbatim documented, absent: request 2, contents[1]
want part {}
got  absent`},
		{"REPLAY-01", "gemini/single-call plain/stored", "state: no carrier", `
verbatim documented, absent: state after the last run, assistant message 1.provider_items
want one capsule
got  absent`},
		{"REPLAY-01", "gemini/text-and-call plain/memory", "state: a part less", `
verbatim documented, shrunk: state after the last run, assistant message 1.provider_items[0].parts
want 2 parts, as they came in reply 1
got  1 part`},
		{"REPLAY-02", "gemini/signed-text plain/memory", "drop-signature-on-text", `
provider documented, absent: request 2, contents[1].parts[0].thoughtSignature
want "EqEgCp4gAb4…rRbkfHwEQ==" (5512 bytes, sha256 c258…)
got  absent`},
		{"REPLAY-02", "gemini/unsigned-text plain/memory", "carrier-on-unsigned-plain", `
verbatim documented, added: state after the last run, assistant message 1.provider_items
want no carrier: the turn has neither call nor signature
got  [{"type":"nr…d lime."}]}] (79 bytes, sha256 25cc…)

verbatim documented, added: state after the last run, assistant message 2.provider_items
want no carrier: the turn has neither call nor signature
got  [{"type":"nr…:"Lime."}]}] (69 bytes, sha256 f881…)`},
		{"REPLAY-02", "gemini/signed-text plain/memory", "turn and prompt gone", `
provider documented, shrunk: request 2, contents
want the model turn of reply 1 (1 part)
got  absent: the whole turn is missing

provider documented, shrunk: request 2, contents
want user message 1 after what came before it
got  absent: the user's message is missing`},
		{"REPLAY-03", "gemini/single-call plain/memory", "drop-signature", `
provider documented, absent: request 2, contents[1].parts[0].thoughtSignature
want "ErECCq4CAb4…N2RuCD5ph8=" (412 bytes, sha256 8d5b…)
got  absent`},
		{"REPLAY-03", "gemini/single-call plain/memory", "signed-content-edited, the argument padded", `
provider documented, changed: request 2, contents[1].parts[0].functionCall.args.city
want "Leipzig"
got  " Leipzig"`},
		{"REPLAY-03", "gemini/single-call plain/memory", "empty signature", `
provider documented, empty: request 2, contents[1].parts[0].thoughtSignature
want "ErECCq4CAb4…N2RuCD5ph8=" (412 bytes, sha256 8d5b…)
got  empty`},
		{"REPLAY-03", "gemini/single-call plain/memory", "null signature", `
provider documented, null: request 2, contents[1].parts[0].thoughtSignature
want "ErECCq4CAb4…N2RuCD5ph8=" (412 bytes, sha256 8d5b…)
got  null`},
		{"REPLAY-04", "gemini/parallel-different plain/memory", "signature-copied-to-siblings", `
provider documented, copied: request 2, contents[1].parts[1].thoughtSignature
want absent
got  "EqMSCqASAb4…/y9hkEkHM8=" (3124 bytes, sha256 4c16…): the value of part 1 of reply 1`},
		{"REPLAY-04", "gemini/parallel-all-signed plain/memory", "parallel-split", `
provider contested, split: request 2, contents[1]
want one model entry for reply 1
got  3 entries`},
		{"REPLAY-04", "gemini/parallel-equal plain/memory", "parallel-collapsed", `
provider documented, absent: request 2, contents[1]
want call deal_card({"from": "top"})
got  absent`},
		{"REPLAY-04", "gemini/parallel-equal plain/memory", "call-duplicated", `
provider documented, duplicated: request 2, contents[1].parts[1]
want absent
got  call deal_card({"from": "top"}), signed: sent before in this request`},
		{"REPLAY-05", "gemini/sequential plain/memory", "drop-signature-second-step", `
provider documented, absent: request 3, contents[3].parts[0].thoughtSignature
want "EoAjCv0iAb4…mrmrn7bZA==" (5980 bytes, sha256 735e…)
got  absent

provider documented, absent: request 4, contents[3].parts[0].thoughtSignature
want "EoAjCv0iAb4…mrmrn7bZA==" (5980 bytes, sha256 735e…)
got  absent`},
		{"REPLAY-05", "gemini/sequential plain/memory", "signature-swapped", `
provider documented, swapped: request 3, contents[1].parts[0].thoughtSignature
want "ErsBCrgBAb4…3HfEQrH1Q==" (256 bytes, sha256 f031…)
got  "EoAjCv0iAb4…mrmrn7bZA==" (5980 bytes, sha256 735e…): the value of part 1 of reply 2

provider documented, swapped: request 3, contents[3].parts[0].thoughtSignature
want "EoAjCv0iAb4…mrmrn7bZA==" (5980 bytes, sha256 735e…)
got  "ErsBCrgBAb4…3HfEQrH1Q==" (256 bytes, sha256 f031…): the value of part 1 of reply 1

provider documented, swapped: request 4, contents[1].parts[0].thoughtSignature
want "ErsBCrgBAb4…3HfEQrH1Q==" (256 bytes, sha256 f031…)
got  "EoAjCv0iAb4…mrmrn7bZA==" (5980 bytes, sha256 735e…): the value of part 1 of reply 2

provider documented, swapped: request 4, contents[3].parts[0].thoughtSignature
want "EoAjCv0iAb4…mrmrn7bZA==" (5980 bytes, sha256 735e…)
got  "ErsBCrgBAb4…3HfEQrH1Q==" (256 bytes, sha256 f031…): the value of part 1 of reply 1`},
		{"REPLAY-06", "gemini/text-and-call plain/memory", "signature-moved, to the neighbour", `
provider documented, moved: request 2, contents[1].parts[0].thoughtSignature
want absent
got  "Er4HCrsHAb4…KbmAX02ew==" (1284 bytes, sha256 12c4…): the value of part 2 of reply 1

provider documented, moved: request 2, contents[1].parts[1].thoughtSignature
want "Er4HCrsHAb4…KbmAX02ew==" (1284 bytes, sha256 12c4…)
got  moved to contents[1].parts[0].thoughtSignature`},
		{"REPLAY-06", "gemini/text-and-call plain/memory", "parts-reordered, calls first", `
provider documented, reordered: request 2, contents[1].parts[0]
want call search({"query": "descale","limit": 3}), signed after the parts that came before it in reply 1
got  sent before them`},
		{"REPLAY-06", "gemini/thoughts-then-call plain/memory", "thought-resent-as-text", `
provider documented, leaked: request 2, contents[1].parts[0]
want thought "**Planning …ool is due." (81 bytes, sha256 85ec…)
got  text "**Planning …ool is due." (81 bytes, sha256 85ec…): thought text as ordinary text

provider documented, leaked: request 2, contents[1].parts[1]
want thought "I only need the city.", signed
got  text "I only need the city.", signed: thought text as ordinary text`},
		{"REPLAY-06", "gemini/signed-text-then-call plain/memory", "signed-content-edited, a line added", `
provider documented, changed: request 2, contents[1].parts[0].text
want "I will look at the clock."
got  "I will look at the clock.\n"`},
		{"REPLAY-07", "gemini/text-and-call plain/memory", "signature-invented, a sentinel in place of the real one", `
provider documented, stand-in: request 2, contents[1].parts[1].thoughtSignature
want "Er4HCrsHAb4…KbmAX02ew==" (1284 bytes, sha256 12c4…)
got  "skip_thought_signature_validator"`},
		{"REPLAY-07", "gemini/text-and-call plain/memory", "signature-truncated, at 255 characters", `
provider documented, truncated: request 2, contents[1].parts[1].thoughtSignature
want "Er4HCrsHAb4…KbmAX02ew==" (1284 bytes, sha256 12c4…)
got  "Er4HCrsHAb4…wGbD5C04hwN" (255 bytes, sha256 b452…)`},
		{"REPLAY-07", "gemini/text-and-call plain/memory", "signature-reencoded, URL-safe, padding stripped", `
verbatim documented, re-encoded: request 2, contents[1].parts[1].thoughtSignature
want "Er4HCrsHAb4…KbmAX02ew==" (1284 bytes, sha256 12c4…)
got  "Er4HCrsHAb4…3QKbmAX02ew" (1282 bytes, sha256 7d48…)`},
		{"REPLAY-07", "gemini/text-and-call plain/memory", "signature-decoded, encoded twice", `
provider documented, re-encoded: request 2, contents[1].parts[1].thoughtSignature
want "Er4HCrsHAb4…KbmAX02ew==" (1284 bytes, sha256 12c4…)
got  "RXI0SENyc0h…UFYMDJldz09" (1712 bytes, sha256 c0d5…)`},
		{"REPLAY-07", "gemini/sequential plain/memory", "signature-concatenated, the next one appended", `
provider documented, merged: request 3, contents[1].parts[0].thoughtSignature
want "ErsBCrgBAb4…3HfEQrH1Q==" (256 bytes, sha256 f031…)
got  "ErsBCrgBAb4…mrmrn7bZA==" (6236 bytes, sha256 5314…)

provider documented, merged: request 4, contents[1].parts[0].thoughtSignature
want "ErsBCrgBAb4…3HfEQrH1Q==" (256 bytes, sha256 f031…)
got  "ErsBCrgBAb4…mrmrn7bZA==" (6236 bytes, sha256 5314…)

provider unconfirmed, copied: request 3, contents[1].parts[0].thoughtSignature
want absent: each value once in a body
got  a second copy of the value at contents[3].parts[0].thoughtSignature

provider unconfirmed, copied: request 4, contents[1].parts[0].thoughtSignature
want absent: each value once in a body
got  a second copy of the value at contents[3].parts[0].thoughtSignature`},
		{"REPLAY-07", "gemini/text-and-call plain/memory", "a copy in a text", `
provider unconfirmed, copied: request 2, contents[0].parts[0].text
want absent: each value once in a body
got  a second copy of the value at contents[1].parts[1].thoughtSignature`},
		{"REPLAY-07", "gemini/text-and-call plain/memory", "signature-invented, a constant of the client in place of the real one", `
provider documented, foreign: request 2, contents[1].parts[1].thoughtSignature
want "Er4HCrsHAb4…KbmAX02ew==" (1284 bytes, sha256 12c4…)
got  "RmlsbGVkIGl…GUgbW9kZWw=" (52 bytes, sha256 05c3…)`},
		{"REPLAY-08", "gemini/both-kinds plain/memory", "carrier-dropped-by-stream", `
provider documented, absent: request 3, contents[1].parts[0].thoughtSignature
want "ErEICq4IAb4…YEx1/Dy1gE=" (1436 bytes, sha256 a6f8…)
got  absent

verbatim documented, absent: request 3, contents[1].parts[0].functionCall.id
want "k0Sa8dQw"
got  absent

provider documented, absent: request 3, contents[3].parts[0].thoughtSignature
want "EuMCCuACAb4…dIiaexmlg==" (480 bytes, sha256 1f61…)
got  absent

provider documented, absent: request 4, contents[1].parts[0].thoughtSignature
want "ErEICq4IAb4…YEx1/Dy1gE=" (1436 bytes, sha256 a6f8…)
got  absent

verbatim documented, absent: request 4, contents[1].parts[0].functionCall.id
want "k0Sa8dQw"
got  absent

provider documented, absent: request 4, contents[3].parts[0].thoughtSignature
want "EuMCCuACAb4…dIiaexmlg==" (480 bytes, sha256 1f61…)
got  absent

provider documented, absent: request 4, contents[5].parts[1].thoughtSignature
want "EoQhCoEhAb4…ZZjxTy5EA==" (5644 bytes, sha256 868e…)
got  absent

verbatim documented, absent: request 4, contents[5].parts[1].functionCall.id
want "k0Sa8dQx"
got  absent`},
		{"REPLAY-09", "gemini/empty-capsule plain/memory", "empty-part-dropped, parts:[] as no carrier", `
provider documented, added: request 1, contents[1].parts[0]
want absent
got  text "Hello."

verbatim documented, changed: request 1, contents[1].parts
want []
got  [{"text":"Hello."}]`},
		{"REPLAY-10", "gemini/parallel-equal plain/memory", "id-not-unique, the name", `
verbatim documented, duplicated: state after the last run, assistant message 1, call 2
want an ID that no other call of the conversation has
got  "call_deal_card", the ID of state after the last run, assistant message 1, call 1

verbatim documented, changed: run 1, tool run 2
want the public ID of a call that has not run yet
got  "call_deal_card"`},
		{"REPLAY-10", "gemini/single-call plain/memory", "id-not-unique, of a form that providers refuse", `
verbatim documented, changed: state after the last run, assistant message 1, call 1
want a public ID of the form ^[A-Za-z0-9_-]{1,64}$
got  "⟨call⟩:"

verbatim documented, changed: run 1, tool run 1
want the public ID of a call that has not run yet
got  "⟨call⟩:"`},
		{"REPLAY-11", "gemini/parallel-different plain/memory", "result-name-by-position", `
provider documented, changed: request 2, contents[2].parts[0].functionResponse.name
want "weather", the name of its call
got  "clock"

provider documented, changed: request 2, contents[2].parts[1].functionResponse.name
want "clock", the name of its call
got  "weather"`},
		{"REPLAY-12", "gemini/second-turn plain/memory", "carrier-mutated, an earlier entry", `
verbatim unconfirmed, changed: request 3, contents[1]
want the bytes of the earlier request: {"role":"mod…bir9bg=="}]} (2249 bytes, sha256 2db3…)
got  { "role":"mo…bir9bg=="}]} (2250 bytes, sha256 2d01…)`},
		{"REPLAY-12", "gemini/single-call plain/memory", "carrier-mutated, the second body", `
verbatim documented, changed: run 1, the body built a second time
want {"systemInst…city"]}}]}]} (1117 bytes, sha256 5cdb…)
got  {"systemInst…ity"]}}]}]}� (1118 bytes, sha256 dc2c…)`},
		{"REPLAY-12", "gemini/second-turn plain/memory", "carrier-mutated, an entry is gone", `
verbatim unconfirmed, changed: request 3, contents[0]
want the bytes of the earlier request: {"role":"use…grinder?"}]} (82 bytes, sha256 d378…)
got  {"role":"use…r-3fa5"}}}]} (118 bytes, sha256 7c25…)`},
		{"REPLAY-13", "gemini/single-call plain/memory", "wrapper-sent, the capsule", `
verbatim documented, wrapper: request 2, contents[1].parts[0].type
want absent
got  the capsule itself`},
		{"REPLAY-13", "openai/single-call plain/memory", "wrapper-sent, the metadata of a completion", `
verbatim documented, wrapper: request 1, metadata.nrllm_provider_items
want absent
got  a member named nrllm_provider_items

verbatim documented, wrapper: request 2, metadata.nrllm_provider_items
want absent
got  a member named nrllm_provider_items`},
		{"REPLAY-14", "gemini/thoughts-then-call plain/memory", "thought-resent-as-text", `
provider documented, leaked: request 2, contents[1].parts[0]
want thought "**Planning …ool is due." (81 bytes, sha256 85ec…)
got  text "**Planning …ool is due." (81 bytes, sha256 85ec…): thought text as ordinary text

provider documented, leaked: request 2, contents[1].parts[1]
want thought "I only need the city.", signed
got  text "I only need the city.", signed: thought text as ordinary text`},
		{"REPLAY-14", "gemini/thoughts-then-call plain/memory", "native-text-as-answer", `
provider documented, leaked: run 1, answer 1
want visible text only
got  thought text of reply 1

provider documented, leaked: run 1, answer 1
want visible text only
got  thought text of reply 1`},
		{"REPLAY-14", "gemini/single-call plain/memory", "native-text-as-answer, in the log", `
verbatim documented, leaked: run 1, standard error
want absent
got  the signature of part 1 of reply 1`},
		{"REPLAY-15", "gemini/parallel-equal plain/memory", "results-swapped, their bodies", `
provider confirmed, swapped: request 2, contents[2].parts[1]
want the results in the order of the calls
got  another order`},
		{"REPLAY-15", "gemini/parallel-equal-ids plain/memory", "results-swapped, their IDs", `
provider confirmed, swapped: request 2, contents[2].parts[0]
want the ID of its call, "call_481"
got  "call_482", the ID of call 2

provider confirmed, swapped: request 2, contents[2].parts[1]
want the ID of its call, "call_482"
got  "call_481", the ID of call 1`},
		{"REPLAY-15", "gemini/parallel-equal plain/memory", "results-interleaved", `
provider confirmed, moved: request 2, contents[2].parts[0]
want one result for call 1 of reply 1, deal_card directly after the model's turn
got  sent elsewhere`},
		{"REPLAY-15", "gemini/parallel-different plain/memory", "result-missing, the last", `
provider confirmed, unanswered: request 2
want one result for call 2 of reply 1, clock
got  absent`},
		{"REPLAY-15", "gemini/single-call plain/memory", "result-extra, the same twice", `
provider confirmed, duplicated: request 2, contents[2].parts[1]
want one result for call 1 of reply 1, weather
got  2 results

provider confirmed, added: request 2, contents[2].parts[1]
want 1 result
got  2 results`},
	}
}
