package fakeserver_test

import "strings"

// Signatures that the run gave out: of a call, of a thought and of a text.
const (
	callSig    = "EjQKMgG+Pvb7Qp8/aGVsbG8gd29ybGQ="
	thoughtSig = "EjQKMgG+Pvb7Qp8/dGhvdWdodHM/Pz8+"
	textSig    = "EjQKMgG+Pvb7Qp8/dGV4dCBoZXJlPw=="
	foreignSig = "EjQKMgG+Pvb7c29tZWJvZHkgZWxzZSdz"

	mintedGemini = `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true,"thoughtSignature":"` + thoughtSig + `"},` +
		`{"functionCall":{"name":"f","args":{"a":1},"id":"x"},"thoughtSignature":"` + callSig + `","xOwn":{"xInner":1}},{"text":"t","thoughtSignature":"` + textSig + `"}]}}]}`

	vertexPath = "/v1/projects/p/locations/l/publishers/google/models/gemini-3.8-flash:generateContent"
	oldModel   = "/v1beta/models/gemini-2.5-pro:generateContent"
)

// Pieces of histories.
const (
	u  = `{"role":"user","parts":[{"text":"?"}]}`
	a  = `{"role":"model","parts":[{"text":"!"}]}`
	fr = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`
	fc = `{"role":"model","parts":[` + aCall + `]}`

	aCall    = `{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"` + callSig + `"}`
	bareCall = `{"functionCall":{"name":"f","args":{"a":1}}}`
)

func contents(entries ...string) string { return `{"contents":[` + strings.Join(entries, ",") + `]}` }

func model(parts ...string) string {
	return `{"role":"model","parts":[` + strings.Join(parts, ",") + `]}`
}

func user(parts ...string) string {
	return `{"role":"user","parts":[` + strings.Join(parts, ",") + `]}`
}

func signed(call, sig string) string {
	return strings.TrimSuffix(call, "}") + `,"thoughtSignature":"` + sig + `"}`
}

func googleError(message string) string {
	return `{"error":{"code":400,"message":"` + message + `","status":"INVALID_ARGUMENT"}}`
}

const badRequest = `,"details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[`

func withDetails(message string, violations ...string) string {
	return `{"error":{"code":400,"message":"` + message + `","status":"INVALID_ARGUMENT"` + badRequest + strings.Join(violations, ",") + `]}]}}`
}

func violation(field, description string) string {
	return `{"field":"` + field + `","description":"` + description + `"}`
}

const (
	missingText = "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. " +
		"Additional data, function call `default_api:f` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
	newerText = "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. " +
		"Additional data, function call `default_api:f` , position 2. Please refer to https://aistudio.google.com/docs/thought-signatures for more details."
	vertexText    = "Unable to submit request because function call `f` in the 2. content block is missing a `thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
	notValidText  = "Unable to submit request because Thought signature is not valid.. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini"
	noField       = `Invalid JSON payload received. Unknown name \"NAME\" at 'AT': Cannot find field.`
	noList        = `Invalid JSON payload received. Unknown name \"NAME\" at 'AT': Proto field is not repeating, cannot start list.`
	notBase64     = `Invalid value at 'AT' (TYPE_BYTES), Base64 decoding failed for \"NAME\"`
	withoutData   = "* GenerateContentRequest.contents[C].parts[P].data: required oneof field 'data' must have one initialized field" //nolint:misspell // Google's text
	callOrder     = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
	responseOrder = "Please ensure that function response turn comes immediately after a function call turn."
	countText     = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
)

func at(text, name, at string) string {
	return strings.NewReplacer("NAME", name, "AT", at).Replace(text)
}

var geminiRules = []ruleCase{
	{
		rule: "gemini/unknown-field", path: generate,
		bad: contents(u, model(`{"functionCall":{"name":"f","native_id":"x"},"thoughtSignature":"`+callSig+`","tool_call_bindings":[]}`)),
		want: withDetails(at(noField, "tool_call_bindings", "contents[1].parts[0]")+`\n`+at(noField, "native_id", "contents[1].parts[0].function_call"),
			violation("contents[1].parts[0]", at(noField, "tool_call_bindings", "contents[1].parts[0]")),
			violation("contents[1].parts[0].function_call", at(noField, "native_id", "contents[1].parts[0].function_call"))),
		good: []string{
			contents(u, model(`{"function_call":{"name":"f","args":{"a":1},"partial_args":[]},"thought_signature":"`+callSig+`","xOwn":1,"other":null}`)),
			contents(u, model(`{"functionCall":{"name":"f","args":{"a":1},"xInner":2},"thoughtSignature":"`+callSig+`"}`)), `{"x":1,"contents":[` + u + `]}`,
		},
	},
	{
		rule: "gemini/unknown-field", name: "of a content and a response", path: oldModel,
		bad: contents(`{"role":"user","parts":[{"text":"?"}],"name":"n"}`, fc, user(`{"function_response":{"name":"f","response":{},"tool_call_id":"c"}}`)),
		want: withDetails(at(noField, "name", "contents[0]")+`\n`+at(noField, "tool_call_id", "contents[2].parts[0].function_response"),
			violation("contents[0]", at(noField, "name", "contents[0]")),
			violation("contents[2].parts[0].function_response", at(noField, "tool_call_id", "contents[2].parts[0].function_response"))),
	},
	{
		rule: "gemini/id-unknown-field", path: generate, with: []string{"gemini/id-unknown-field"},
		bad: contents(u, model(`{"functionCall":{"name":"f","args":{"a":1},"id":"x"},"thoughtSignature":"`+callSig+`"}`)),
		want: withDetails(at(noField, "id", "contents[1].parts[0].function_call"),
			violation("contents[1].parts[0].function_call", at(noField, "id", "contents[1].parts[0].function_call"))),
		good: []string{contents(u, fc, fr), contents(u, model(`{"functionCall":{"name":"f","args":{"a":1},"id":null},"thoughtSignature":"`+callSig+`"}`))},
	},
	{
		rule: "gemini/list-for-struct", path: generate,
		bad: contents(u, model(`{"functionCall":{"name":"f","args":[]},"thoughtSignature":"`+callSig+`"}`), user(`{"functionResponse":{"name":"f","response":[1]}}`)),
		want: withDetails(at(noList, "args", "contents[1].parts[0].function_call")+`\n`+at(noList, "response", "contents[2].parts[0].function_response"),
			violation("contents[1].parts[0].function_call", at(noList, "args", "contents[1].parts[0].function_call")),
			violation("contents[2].parts[0].function_response", at(noList, "response", "contents[2].parts[0].function_response"))),
		good: []string{contents(u, fc, user(`{"functionResponse":{"name":"f","response":{"0":[1]}}}`))},
	},
	{
		rule: "gemini/signature-not-base64", path: oldModel,
		bad: contents(u, model(`{"text":"t","thoughtSignature":"a%b<"}`, `{"text":"t","thought_signature":"abcde"}`, `{"text":"t","thoughtSignature":"YWJ"}`)),
		want: withDetails(at(notBase64, "a%b<", "contents[1].parts[0].thought_signature")+`\n`+at(notBase64, "abcde", "contents[1].parts[1].thought_signature")+`\n`+at(notBase64, "YWJ", "contents[1].parts[2].thought_signature"),
			violation("contents[1].parts[0].thought_signature", at(notBase64, "a%b<", "contents[1].parts[0].thought_signature")),
			violation("contents[1].parts[1].thought_signature", at(notBase64, "abcde", "contents[1].parts[1].thought_signature")),
			violation("contents[1].parts[2].thought_signature", at(notBase64, "YWJ", "contents[1].parts[2].thought_signature"))),
		good: []string{
			contents(u, model(`{"text":"t","thoughtSignature":"ab+/"}`, `{"text":"t","thoughtSignature":"ab-_"}`, `{"text":"t","thoughtSignature":"YQ"}`, `{"text":"t","thoughtSignature":"YQ=="}`)),
			contents(u, model(`{"text":"t","thoughtSignature":""}`, `{"text":"t","thoughtSignature":null}`)),
		},
	},
	{
		rule: "gemini/signature-not-base64", name: "both alphabets in one value, too much padding, no string", path: generate,
		bad: contents(u, model(`{"text":"t","thoughtSignature":"a+b-"}`, `{"text":"t","thoughtSignature":"YQ="}`, `{"text":"t","thoughtSignature":7}`)),
		want: withDetails(at(notBase64, "a+b-", "contents[1].parts[0].thought_signature")+`\n`+at(notBase64, "YQ=", "contents[1].parts[1].thought_signature")+`\n`+at(notBase64, "7", "contents[1].parts[2].thought_signature"),
			violation("contents[1].parts[0].thought_signature", at(notBase64, "a+b-", "contents[1].parts[0].thought_signature")),
			violation("contents[1].parts[1].thought_signature", at(notBase64, "YQ=", "contents[1].parts[1].thought_signature")),
			violation("contents[1].parts[2].thought_signature", at(notBase64, "7", "contents[1].parts[2].thought_signature"))),
	},
	{
		rule: "gemini/part-without-data", path: generate,
		bad:  contents(u, model(`{"text":"t"}`, `{}`, `{"thought":true,"functionCall":null}`), u),
		want: googleError(strings.NewReplacer("[C]", "[1]", "[P]", "[1]").Replace(withoutData) + `\n` + strings.NewReplacer("[C]", "[1]", "[P]", "[2]").Replace(withoutData)),
		good: []string{contents(u, model(`{"text":""}`), u), contents(u, model(`{"thoughtSignature":"`+textSig+`"}`), u), contents(u, model(`{"xOwn":{}}`), u)},
	},
	{
		rule: "gemini/signature-without-data", path: generate, with: []string{"gemini/signature-without-data"},
		bad:  contents(u, model(`{"thoughtSignature":"`+textSig+`"}`), u),
		want: googleError(strings.NewReplacer("[C]", "[1]", "[P]", "[0]").Replace(withoutData)),
		good: []string{contents(u, model(`{"text":"","thoughtSignature":"`+textSig+`"}`), u)},
	},
	{
		rule: "gemini/turn-order", path: oldModel, bad: contents(fc, fr), want: googleError(callOrder),
		good: []string{contents(u, fc, fr), contents(u, a, fc, fr), contents(a, u), contents(u, fc, fr, fc, fr), contents(u, fc, fr, u, fc, fr)},
	},
	{
		rule: "gemini/response-order", path: oldModel, bad: contents(u, fr), want: googleError(responseOrder),
		good: []string{contents(u, fc, fr), contents(u, fc, `{"role":"function","parts":[{"functionResponse":{"name":"f","response":{}}}]}`, u)},
	},
	{rule: "gemini/response-order", name: "after a text", path: generate, bad: contents(u, a, fr, u), want: googleError(responseOrder)},
	{
		rule: "gemini/response-count", path: generate, bad: contents(u, model(aCall, bareCall), fr), want: googleError(countText),
		good: []string{contents(u, model(aCall, bareCall), fr, fr), contents(u, fc), contents(u, model(aCall, bareCall), strings.Replace(fr, `"user"`, `"tool"`, 1), fr)},
	},
	{rule: "gemini/response-count", name: "too many", path: oldModel, bad: contents(u, fc, fr, fr), want: googleError(countText)},
	{rule: "gemini/response-count", name: "interleaved", path: generate, bad: contents(u, model(aCall, bareCall), fr, model(aCall), fr), want: googleError(countText)},
	{rule: "gemini/response-count", name: "unanswered before the user goes on", path: generate, bad: contents(u, fc, u), want: googleError(countText)},
	{
		rule: "gemini/response-id", path: generate,
		bad:  contents(u, model(`{"functionCall":{"name":"f","args":{"a":1},"id":"x"},"thoughtSignature":"`+callSig+`"}`), user(`{"functionResponse":{"name":"f","id":"y","response":{}}}`)),
		want: googleError("functionResponse.id does not match functionCall.id"),
		good: []string{
			contents(u, model(`{"functionCall":{"name":"f","args":{"a":1},"id":"x"},"thoughtSignature":"`+callSig+`"}`), user(`{"functionResponse":{"name":"f","id":"x","response":{}}}`)),
			contents(u, model(`{"functionCall":{"name":"f","args":{"a":1},"id":"own"},"thoughtSignature":"`+callSig+`"}`), user(`{"functionResponse":{"name":"f","id":"own","response":{}}}`)),
			contents(u, fc, fr),
		},
	},
	{
		rule: "gemini/finish-reason", path: generate, with: []string{"gemini/finish-reason"}, bad: contents(u, model(bareCall), fr), status: 200,
		want: `{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"MISSING_THOUGHT_SIGNATURE","index":0}]}`,
		good: []string{contents(u, fc, fr)},
	},
	{
		rule: "gemini/finish-reason", name: "streamed", path: strings.Replace(generate, ":g", ":streamG", 1) + "?alt=sse", with: []string{"gemini/finish-reason"},
		bad: contents(u, model(bareCall), fr), status: 200, kind: "text/event-stream",
		want: "data: " + `{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"MISSING_THOUGHT_SIGNATURE","index":0}]}` + "\n\n",
	},
	{
		rule: "gemini/finish-reason", name: "as a list", path: strings.Replace(generate, ":g", ":streamG", 1), with: []string{"gemini/finish-reason"},
		bad: contents(u, model(bareCall), fr), status: 200,
		want: `[{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"MISSING_THOUGHT_SIGNATURE","index":0}]}]`,
	},
	{
		rule: "gemini/unspecified", path: vertexPath, with: []string{"gemini/unspecified"}, bad: contents(u, model(bareCall), fr),
		want: googleError("Request contains an invalid argument."), good: []string{contents(u, fc, fr)},
	},
	{
		rule: "gemini/missing-signature-newer-link", path: generate, with: []string{"gemini/missing-signature-newer-link"},
		bad: contents(u, model(bareCall), fr), want: googleError(newerText), good: []string{contents(u, fc, fr)},
	},
	{
		rule: "gemini/missing-signature", path: generate, bad: contents(u, model(bareCall), fr), want: googleError(missingText),
		good: []string{
			contents(u, fc, fr), contents(u, model(bareCall), fr, a, u), contents(u, model(bareCall), fr, u), // an older turn
			contents(u, model(`{"text":"t"}`, aCall, bareCall), user(`{"functionResponse":{"name":"f"}}`, `{"functionResponse":{"name":"f"}}`)), // a sibling
			contents(u, fc, model(bareCall), fr, fr), // one step as two entries
			contents(u, model(signed(bareCall, "skip_thought_signature_validator")), fr),
			contents(u, model(signed(bareCall, "context_engineering_is_the_way_to_go")), fr),
			contents(u, model(signed(bareCall, "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=")), fr),
			contents(u, model(signed(bareCall, "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv")), fr),
		},
	},
	{rule: "gemini/missing-signature", name: "empty", path: generate, bad: contents(u, model(signed(bareCall, "")), fr), want: googleError(missingText)},
	{rule: "gemini/missing-signature", name: "null, snake case", path: generate, bad: contents(u, model(`{"function_call":{"name":"f"},"thought_signature":null}`), fr), want: googleError(missingText)},
	{rule: "gemini/missing-signature", name: "on a sibling only", path: generate, bad: contents(u, model(bareCall, aCall), fr, fr), want: googleError(missingText)},
	{
		rule: "gemini/missing-signature", name: "second step", path: generate, bad: contents(u, fc, fr, model(bareCall), fr),
		want: googleError(strings.Replace(missingText, "position 2", "position 4", 1)),
	},
	{rule: "gemini/missing-signature", name: "as a list", path: strings.Replace(generate, ":g", ":streamG", 1), bad: contents(u, model(bareCall), fr), want: "[" + googleError(missingText) + "]"},
	{rule: "gemini/missing-signature", name: "streamed", path: strings.Replace(generate, ":g", ":streamG", 1) + "?alt=sse", bad: contents(u, model(bareCall), fr), want: googleError(missingText)},
	{
		rule: "gemini/missing-signature-vertex", path: vertexPath, bad: contents(u, model(bareCall), fr), want: googleError(vertexText),
		good: []string{contents(u, fc, fr), contents(u, model(signed(bareCall, "skip_thought_signature_validator")), fr)},
	},
	{
		rule: "gemini/missing-signature-split", path: generate, with: []string{"gemini/missing-signature-split"}, bad: contents(u, fc, model(bareCall), fr, fr),
		want: googleError(strings.Replace(missingText, "position 2", "position 3", 1)), good: []string{contents(u, fc, fc, fr, fr), contents(u, model(aCall, bareCall), fr, fr)},
	},
	{
		rule: "gemini/corrupted-signature", path: generate, bad: contents(u, model(signed(bareCall, foreignSig)), fr), want: googleError("Corrupted thought signature."),
		good: []string{contents(u, fc, fr), contents(u, model(signed(bareCall, urlSafe(callSig))), fr), contents(u, model(signed(bareCall, strings.TrimRight(callSig, "="))), fr)},
	},
	{rule: "gemini/corrupted-signature", name: "cut", path: generate, bad: contents(u, model(signed(bareCall, callSig[:16])), fr), want: googleError("Corrupted thought signature.")},
	{rule: "gemini/corrupted-signature", name: "on a text", path: generate, bad: contents(u, model(`{"text":"t","thoughtSignature":"`+foreignSig+`"}`, aCall), fr), want: googleError("Corrupted thought signature.")},
	{
		rule: "gemini/corrupted-signature-earlier", path: generate, bad: contents(u, model(signed(bareCall, foreignSig)), fr, u), want: googleError("Corrupted thought signature."),
		good: []string{contents(u, fc, fr, u)},
	},
	{
		rule: "gemini/invalid-signature", path: generate, bad: contents(u, model(`{"functionCall":{"name":"f","args":{"a":2}},"thoughtSignature":"`+callSig+`"}`), fr),
		want: googleError("Invalid thought signature"),
		good: []string{contents(u, model(`{"functionCall":{"args":{"a":1.0},"name":"f"},"thoughtSignature":"`+callSig+`"}`), fr), contents(u, model(`{"text":"t, joined","thoughtSignature":"`+textSig+`"}`, aCall), fr)},
	},
	{rule: "gemini/invalid-signature", name: "a text's on a call", path: generate, bad: contents(u, model(signed(bareCall, textSig)), fr), want: googleError("Invalid thought signature")},
	{
		rule: "gemini/invalid-signature", name: "an edited thought", path: generate,
		bad: contents(u, model(`{"text":"hmm","thought":true,"thoughtSignature":"`+thoughtSig+`"}`, aCall), fr), want: googleError("Invalid thought signature"),
		good: []string{contents(u, model(`{"text":"hm","thought":true,"thoughtSignature":"`+thoughtSig+`"}`, aCall), fr)},
	},
	{
		rule: "gemini/invalid-signature-vertex", path: vertexPath, bad: contents(u, model(signed(bareCall, foreignSig)), fr), want: googleError(notValidText), good: []string{contents(u, fc, fr)},
	},
	{rule: "gemini/invalid-signature-vertex", name: "the stand-in that Vertex has not", path: vertexPath, bad: contents(u, model(signed(bareCall, "context_engineering_is_the_way_to_go")), fr), want: googleError(notValidText)},
}

func urlSafe(s string) string { return strings.NewReplacer("+", "-", "/", "_").Replace(s) }
