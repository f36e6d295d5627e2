package oracles_test

func structMessages() []message {
	return []message{
		{"STRUCT-01", "gemini/struct-args plain/memory", "args-to-list, {} to []", `
provider confirmed, changed: request 2, contents[1].parts[1].functionCall.args
want an object: {}
got  []`},
		{"STRUCT-01", "gemini/struct-args plain/memory", "args-to-list, indexes to a list", `
provider confirmed, changed: request 2, contents[1].parts[1].functionCall.args
want an object: {}
got  []

provider confirmed, changed: request 2, contents[1].parts[2].functionCall.args
want an object: {"0":"zero"}
got  ["zero"]`},
		{"STRUCT-01", "gemini/struct-args plain/memory", "args-to-list, absent made {}", `
provider confirmed, added: request 2, contents[1].parts[0].functionCall.args
want absent
got  {}`},
		{"STRUCT-01", "gemini/struct-rebuilt plain/memory", "args-to-list, {} to []", `
provider confirmed, changed: request 1, contents[1].parts[0].functionCall.args
want an object
got  []

provider confirmed, changed: request 1, contents[1].parts[1].functionCall.args
want an object
got  []

provider confirmed, changed: request 1, contents[1].parts[5].functionCall.args
want an object
got  []`},
		{"STRUCT-02", "gemini/struct-results plain/memory", "response-to-list, indexes to a list", `
provider confirmed, changed: request 2, contents[2].parts[1].functionResponse.response
want an object
got  ["r-f64b",[],{},[[{}]],{"a":[]}]`},
		{"STRUCT-02", "gemini/empty-carrier plain/memory", "response-scalar, the bare result", `
provider confirmed, changed: request 1, contents[2].parts[0].functionResponse.response
want an object
got  "the lamp (r-33c8)"`},
		{"STRUCT-02", "gemini/struct-results plain/memory", "response-scalar, parsed under another name", `
verbatim confirmed, changed: request 2, contents[2].parts[2].functionResponse.response
want {"result":"\"the value r-4e9c\""}
got  {"output":"\"the value r-4e9c\""}

verbatim confirmed, changed: request 2, contents[2].parts[3].functionResponse.response
want {"result":"no JSON at all, r-c459"}
got  {"output":"no JSON at all, r-c459"}

verbatim confirmed, changed: request 2, contents[2].parts[4].functionResponse.response
want {"result":"{\"tag\":\"r-fbdb\"} {\"b\":2}"}
got  {"output":"{\"tag\":\"r-fbdb\"} {\"b\":2}"}

verbatim confirmed, changed: request 2, contents[2].parts[5].functionResponse.response
want {"result":"{\"tag\":\"r-3fa7\",\"list\":["}
got  {"output":"{\"tag\":\"r-3fa7\",\"list\":["}`},
		{"STRUCT-03", "gemini/struct-args plain/memory", "nested-cast, in arguments", `
provider confirmed, changed: request 2, contents[1].parts[3].functionCall.args
want list []
got  object {}`},
		{"STRUCT-03", "gemini/struct-results plain/memory", "nested-cast, in responses", `
provider confirmed, changed: request 2, contents[2].parts[0].functionResponse.response
want list []
got  object {}

provider confirmed, changed: request 2, contents[2].parts[1].functionResponse.response
want list []
got  object {}

provider confirmed, changed: request 2, contents[2].parts[6].functionResponse.response
want list []
got  object {}`},
		{"STRUCT-04", "gemini/struct-old-list plain/memory", "old-list-sent", `
verbatim confirmed, changed: request 1, contents[1].parts[1].functionCall.args
want {"0":"EUR","1":"NOK"}
got  ["EUR","NOK"]

verbatim confirmed, changed: request 1, contents[4].parts[0].functionCall.args
want {"0":["EUR",…9","4":null} (68 bytes, sha256 7771…)
got  [["EUR",[]],{"pairs":[[],{}]},1.0,"\u00e9",null]

verbatim confirmed, changed: request 1, contents[4].parts[1].functionCall.args
want {}
got  []

verbatim confirmed, changed: request 1, contents[6].parts[0].functionCall.args
want {"0":[[["deep"]]]}
got  [[[["deep"]]]]`},
		{"STRUCT-04", "gemini/struct-old-list plain/memory", "old-list-rewritten-in-store", `
verbatim documented, changed: state after the last run, assistant message 1.provider_items
want [{"type":"nr…dwE1A4="}]}] (426 bytes, sha256 d79e…)
got  [{"type":"nr…dwE1A4="}]}] (434 bytes, sha256 fe80…)

verbatim documented, changed: state after the last run, assistant message 2.provider_items
want [{"type":"nr…i44q43g"}]}] (541 bytes, sha256 00e9…)
got  [{"type":"nr…i44q43g"}]}] (561 bytes, sha256 2f59…)

verbatim documented, changed: state after the last run, assistant message 3.provider_items
want [{"type":"nr…lWJuD8="}]}] (265 bytes, sha256 371d…)
got  [{"type":"nr…lWJuD8="}]}] (269 bytes, sha256 6abb…)`},
	}
}
