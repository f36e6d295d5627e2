package oracles_test

func callidMessages() []message {
	return []message{
		{"CALLID-01", "gemini/callid-bindings plain/memory", "bindings-not-made", `
verbatim documented, absent: state after the last run, assistant message 1.provider_items[0].tool_call_bindings
want 2 bindings
got  absent`},
		{"CALLID-02", "gemini/callid-bindings plain/memory", "id-not-echoed", `
provider unconfirmed, absent: request 2, contents[2].parts[0].functionResponse.id
want "ktangpvy"
got  absent

provider unconfirmed, absent: request 2, contents[2].parts[2].functionResponse.id
want "qe6bemzu"
got  absent

provider unconfirmed, absent: request 3, contents[2].parts[0].functionResponse.id
want "ktangpvy"
got  absent

provider unconfirmed, absent: request 3, contents[2].parts[2].functionResponse.id
want "qe6bemzu"
got  absent

provider unconfirmed, absent: request 4, contents[2].parts[0].functionResponse.id
want "ktangpvy"
got  absent

provider unconfirmed, absent: request 4, contents[2].parts[2].functionResponse.id
want "qe6bemzu"
got  absent`},
		{"CALLID-02", "gemini/callid-bindings plain/memory", "id-invented, where none came", `
provider unconfirmed, added: request 2, contents[2].parts[1].functionResponse.id
want absent
got  "⟨call⟩"

provider unconfirmed, added: request 3, contents[2].parts[1].functionResponse.id
want absent
got  "⟨call⟩"

provider unconfirmed, added: request 4, contents[2].parts[1].functionResponse.id
want absent
got  "⟨call⟩"

provider unconfirmed, added: request 4, contents[6].parts[0].functionResponse.id
want absent
got  "⟨call⟩"`},
		{"CALLID-03", "gemini/parallel-equal-ids plain/memory", "ids-swapped", `
provider confirmed, swapped: request 2, contents[2].parts[0]
want the ID of its call, "call_481"
got  "call_482", the ID of call 2

provider confirmed, swapped: request 2, contents[2].parts[1]
want the ID of its call, "call_482"
got  "call_481", the ID of call 1`},
		{"CALLID-03", "gemini/callid-reordered plain/memory list", "bindings-by-position, a reordered list", `
provider confirmed, swapped: request 1, contents[2].parts[0]
want the ID of its call, "kc2evwax"
got  "kxdu4tmo", the ID of call 2

provider confirmed, swapped: request 1, contents[2].parts[1]
want the ID of its call, "kxdu4tmo"
got  "kc2evwax", the ID of call 1`},
		{"CALLID-04", "gemini/callid-rejected plain/memory id-null", "empty-id-accepted", `
verbatim documented, accepted: run 1
want an error of kind "provider"
got  no error

verbatim documented, accepted: run 1
want 1 tool runs: none for the rejected reply
got  2 tool runs`},
		{"CALLID-04", "gemini/callid-rejected plain/memory repeated", "duplicate-id-accepted, rejected, but stored", `
verbatim documented, added: state after the last run
want no message for the rejected reply
got  {"role":"ass…l_calls":[]} (49 bytes, sha256 df82…)`},
		{"CALLID-05", "gemini/callid-05-refused plain/memory crossed", "bindings-unchecked", `
verbatim documented, accepted: run 1 (crossed)
want an error of kind "refused"
got  no error, 1 request sent

verbatim documented, accepted: run 1 (crossed)
want no request
got  1 request

verbatim documented, accepted: run 1 (crossed)
want no connection
got  1 connection`},
		{"CALLID-05", "gemini/callid-05-accepted plain/memory in-order", "bindings-unchecked, checked too strictly", `
provider confirmed, shrunk: request 1
want a first request
got  it never came: the subject ended with an error of kind "refused": gemini replay state is malformed or ambiguous`},
		{"CALLID-05", "gemini/callid-05-accepted plain/memory other-order", "ids-swapped", `
verbatim unconfirmed, changed: request 1, contents[6].parts[0].functionResponse.id
want "qx4b58g2"
got  "kimyspcg"

verbatim unconfirmed, changed: request 1, contents[6].parts[1].functionResponse.id
want "kimyspcg"
got  "qx4b58g2"`},
		{"CALLID-06", "gemini/callid-06-refused plain/memory equal-with-ids", "bindings-by-position, an ambiguous turn", `
verbatim documented, accepted: run 1 (equal-with-ids)
want an error of kind "refused"
got  no error, 1 request sent

verbatim documented, accepted: run 1 (equal-with-ids)
want no request
got  1 request

verbatim documented, accepted: run 1 (equal-with-ids)
want no connection
got  1 connection`},
		{"CALLID-06", "gemini/callid-06-accepted plain/memory list-reordered", "bindings-by-position, a list in another order", `
verbatim unconfirmed, changed: request 1, contents[2].parts[0].functionResponse.id
want "i6fjvn9e"
got  "jw9p82io"

verbatim unconfirmed, changed: request 1, contents[2].parts[1].functionResponse.id
want "jw9p82io"
got  "i6fjvn9e"`},
		{"CALLID-07", "gemini/callid-07-refused plain/memory no-list", "idless-bindings-accepted", `
verbatim documented, accepted: run 1 (no-list)
want an error of kind "refused"
got  no error, 1 request sent

verbatim documented, accepted: run 1 (no-list)
want no request
got  1 request

verbatim documented, accepted: run 1 (no-list)
want no connection
got  1 connection`},
		{"CALLID-08", "gemini/callid-08-refused plain/memory bound-then-foreign", "bindings-unchecked, a public ID of two calls", `
verbatim documented, accepted: run 1 (bound-then-foreign)
want an error of kind "refused"
got  no error, 1 request sent

verbatim documented, accepted: run 1 (bound-then-foreign)
want no request
got  1 request

verbatim documented, accepted: run 1 (bound-then-foreign)
want no connection
got  1 connection`},
		{"CALLID-08", "gemini/callid-08-accepted plain/memory native-id-recurs", "id-not-echoed", `
verbatim unconfirmed, absent: request 1, contents[2].parts[0].functionResponse.id
want "call_0"
got  absent

verbatim unconfirmed, absent: request 1, contents[6].parts[0].functionResponse.id
want "call_0"
got  absent`},
		{"CALLID-09", "foreign/callid-foreign plain/memory", "native-id-to-foreign, as a member", `
verbatim unconfirmed, foreign: request 3, input[1].native
want absent
got  a native ID of reply 1

verbatim unconfirmed, foreign: request 3, input[2].native
want absent
got  a native ID of reply 1

verbatim unconfirmed, foreign: request 4, input[1].native
want absent
got  a native ID of reply 1

verbatim unconfirmed, foreign: request 4, input[2].native
want absent
got  a native ID of reply 1`},
		{"CALLID-09", "foreign/callid-foreign plain/memory", "native-id-to-foreign, to Gemini on a rebuilt call", `
verbatim unconfirmed, added: request 5, contents[5].parts[0].functionCall.id
want absent: the turn is rebuilt
got  "⟨call⟩"`},
	}
}
