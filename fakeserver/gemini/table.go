package gemini

import (
	"slices"
	"sync"

	"example.com/replaycheck/fakeserver/rule"
)

func all() []string    { return []string{rule.Gemini25, rule.Gemini3, rule.Gemini4} }
func signed() []string { return []string{rule.Gemini3, rule.Gemini4} }
func studio() []string { return []string{AIStudio, Compat} }

const (
	signaturePages = "https://ai.google.dev/gemini-api/docs/thought-signatures"
	missing        = "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. " +
		"Additional data, function call `default_api:{name}` , position {n}. Please refer to {link} for more details."
	noData      = "* GenerateContentRequest.contents[{content}].parts[{part}].data: required oneof field 'data' must have one initialized field" //nolint:misspell // Google's text
	unknownName = "Invalid JSON payload received. Unknown name \"{name}\" at '{at}'"
)

// table is read from the top: Google decodes a request, then looks at its
// order, then at its signatures. It is known of no two rules which of them
// answers where both are broken.
var table = sync.OnceValue(func() *rule.Table[Request] {
	return rule.NewTable(slices.Concat(decoding(), order(), signatures()), AIStudio, Compat, Vertex)
})

func decoding() []rule.Rule[Request] {
	return []rule.Rule[Request]{
		{Broken: strangers, Info: rule.Info{
			ID: "gemini/unknown-field", Breaks: "a content, part, call or response has a member that the API has no field for",
			Profiles: all(), Status: 400, Lines: true, Details: true, Message: unknownName + ": Cannot find field.", Mark: rule.Confirmed,
			Note: "Names that a reply of this run had are known, null is taken for absent, and members of the request itself are not looked at: " +
				"the API grows, and a fake must not refuse what it does not know.",
			Sources: []string{"https://github.com/Chevey339/kelivo/issues/543", "https://github.com/JetBrains/koog/issues/735"},
		}},
		{Broken: ids, Info: rule.Info{
			ID: "gemini/id-unknown-field", Breaks: "a call or response has an id, on the routes that have no such field",
			Profiles: all(), Optional: true, Status: 400, Lines: true, Details: true, Message: unknownName + ": Cannot find field.", Mark: rule.Confirmed,
			Note: "Some routes, still in June 2026; which ones is not known, so no profile has it by itself.",
			Sources: []string{
				"https://github.com/Darkatse/TauriTavern/pull/84", "https://github.com/JetBrains/koog/issues/735", "https://github.com/google-gemini/gemini-cli/issues/13972",
			},
		}},
		{Broken: lists, Info: rule.Info{
			ID: "gemini/list-for-struct", Breaks: "args or response is a list",
			Profiles: all(), Status: 400, Lines: true, Details: true, Message: unknownName + ": Proto field is not repeating, cannot start list.", Mark: rule.Confirmed,
			Sources: []string{"https://github.com/symfony/ai/issues/1555"},
		}},
		{Broken: unreadables, Info: rule.Info{
			ID: "gemini/signature-not-base64", Breaks: "a signature is not base64 in either alphabet",
			Profiles: all(), Status: 400, Lines: true, Details: true, Message: "Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed for \"{value}\"", Mark: rule.Confirmed,
			Note: "On all models since September 2025: it is the decoder that refuses. Padding may be absent, as in all proto-JSON; but unused bits that are not zero, as most cut values have them, are refused where the value is none that was given out. A value that is no string is answered the same way, which is not confirmed.",
			Sources: []string{
				"https://github.com/google-gemini/gemini-cli/issues/8003", "https://github.com/google-gemini/gemini-cli/issues/14368", "https://github.com/crmne/ruby_llm/issues/521",
			},
		}},
		{Broken: withoutData(false), Info: rule.Info{
			ID: "gemini/part-without-data", Breaks: "a part has no data field and no signature, such as {}",
			Profiles: all(), Status: 400, Lines: true, Mark: rule.Confirmed,
			Message: noData,
			Sources: []string{"https://github.com/router-for-me/CLIProxyAPI/issues/1292"},
		}},
		{Broken: withoutData(true), Info: rule.Info{
			ID: "gemini/signature-without-data", Breaks: "a part has a signature and no data field",
			Profiles: all(), Optional: true, Status: 400, Lines: true, Mark: rule.NotConfirmed,
			Message: noData,
			Note:    "Google's own SDK sends such parts for signed empty text; nobody reported the answer.",
			Sources: []string{"https://github.com/router-for-me/CLIProxyAPI/issues/1292"},
		}},
	}
}

func order() []rule.Rule[Request] {
	return []rule.Rule[Request]{
		{Broken: callFirst, Info: rule.Info{
			ID: "gemini/turn-order", Breaks: "the history begins with a model turn that has a call",
			Profiles: all(), Status: 400, Mark: rule.Confirmed,
			Message: "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
			Note:    "Model entries in a row count as one turn, since Google's own streamed chats send them so.",
			Sources: []string{
				"https://github.com/google-gemini/gemini-cli/issues/26486", "https://github.com/google-gemini/gemini-cli/issues/11814", "https://github.com/diegosouzapw/OmniRoute/pull/13573",
			},
		}},
		{Broken: strayResponse, Info: rule.Info{
			ID: "gemini/response-order", Breaks: "function responses do not directly follow a turn with calls",
			Profiles: all(), Status: 400, Mark: rule.NotConfirmed,
			Message: "Please ensure that function response turn comes immediately after a function call turn.",
			Note:    "The text is of models 1.5 to 2.5 (2024 and 2025). Not confirmed: the wording on 3 and later. Entries of responses in a row count as one turn.",
			Sources: []string{"https://github.com/lobehub/lobehub/issues/7298", "https://github.com/GoogleCloudPlatform/generative-ai/pull/368"},
		}},
		{Broken: counts, Info: rule.Info{
			ID: "gemini/response-count", Breaks: "a turn with calls is followed by more or fewer function responses",
			Profiles: all(), Status: 400, Mark: rule.Confirmed,
			Message: "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
			Sources: []string{"https://github.com/google-gemini/gemini-cli/issues/16415"},
		}},
		{Broken: responseIDs, Info: rule.Info{
			ID: "gemini/response-id", Breaks: "a response has an id that none of the turn's calls has",
			Profiles: signed(), Status: 400, Mark: rule.NotConfirmed, Message: "functionResponse.id does not match functionCall.id",
			Note:    "Not confirmed: the full body; the sentence was quoted in a title about 3.7 flash. An id on one side only is not refused.",
			Sources: []string{"https://github.com/router-for-me/CLIProxyAPI/issues/5199"},
		}},
	}
}

func signatures() []rule.Rule[Request] {
	return []rule.Rule[Request]{
		{Broken: asContents(missingFirst), Info: rule.Info{
			ID: "gemini/finish-reason", Breaks: "the first call of a step in the current turn has no signature; answered with 200 and a reason",
			Profiles: signed(), Optional: true, Status: 200, Message: "MISSING_THOUGHT_SIGNATURE", Mark: rule.NotConfirmed,
			Note: "The value is in Google's enum and type lists. Not confirmed: any live traffic that has it. The rest of the body is ours. " +
				"It is Google's own form and doesn't hold on the OpenAI-compatible endpoint: what that one would write is not known.",
			Sources: []string{"https://ai.google.dev/api/generate-content"},
		}},
		{Broken: poor, Info: rule.Info{
			ID: "gemini/unspecified", Breaks: "a signature is missing or not one of this model's, on a route with poor messages",
			Profiles: signed(), Optional: true, Status: 400, Message: "Request contains an invalid argument.", Mark: rule.NotConfirmed,
			Note:    "Seen in several reports about Vertex and Gemma; which requests get it instead of a better text is not known.",
			Sources: []string{"https://github.com/decolua/9router/pull/450"},
		}},
		{Broken: missingFirst, Info: rule.Info{
			ID: "gemini/missing-signature-newer-link", Breaks: "the first call of a step in the current turn has no signature (text of late 2026)",
			Profiles: signed(), Routes: studio(), Optional: true, Status: 400, Message: withLink("https://aistudio.google.com/docs/thought-signatures"), Mark: rule.Confirmed,
			Note:    "The same text with a newer link; both were seen.",
			Sources: []string{"https://github.com/ccch1mneyyy/dsh-Go/discussions/2016"},
		}},
		{Broken: missingFirst, Info: rule.Info{
			ID: "gemini/missing-signature", Breaks: "the first call of a step in the current turn has no signature",
			Profiles: signed(), Routes: studio(), Status: 400, Message: withLink(signaturePages), Mark: rule.Confirmed,
			Note: "The current turn begins at the latest user content that is more than function responses. Parallel siblings need none. " +
				"A documented stand-in counts as a signature. Position is the number of the content, from 1. " +
				"On the OpenAI-compatible endpoint the signature is that of extra_content.google, on Vertex's that of extra_content.vertex; in the other's member it is none.",
			Sources: []string{
				"https://github.com/langbot-app/LangBot/issues/1899", "https://github.com/langgenius/dify/issues/29187", "https://github.com/lbjlaq/Antigravity-Manager/issues/3202", signaturePages,
			},
		}},
		{Broken: missingFirst, Info: rule.Info{
			ID: "gemini/missing-signature-vertex", Breaks: "the first call of a step in the current turn has no signature",
			Profiles: signed(), Routes: []string{Vertex}, Status: 400, Mark: rule.Confirmed,
			Message: "Unable to submit request because function call `{name}` in the {n}. content block is missing a `thought_signature`. " +
				"Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures",
			Note:    "Names may carry the prefix default_api: there.",
			Sources: []string{"https://github.com/GewoonJaap/gemini-cli-openai/issues/156"},
		}},
		{Broken: missingSplit, Info: rule.Info{
			ID: "gemini/missing-signature-split", Breaks: "one step of the current turn is sent as several model entries, and the first call of a later one has no signature",
			Profiles: signed(), Optional: true, Status: 400, Message: withLink(signaturePages), Mark: rule.NotConfirmed,
			Note:    "Contested: reported as refused, yet Google's own streamed chats send this form.",
			Sources: []string{"https://github.com/googleapis/js-genai/issues/1275", "https://github.com/pipecat-ai/pipecat/issues/3420"},
		}},
		{Broken: corrupted(true), Info: rule.Info{
			ID: "gemini/corrupted-signature", Breaks: "a signature in the current turn is none that this server gave out: cut, invented, or of another model or vendor",
			Profiles: signed(), Routes: studio(), Status: 400, Message: "Corrupted thought signature.", Mark: rule.Confirmed,
			Note: "A value that says it was minted for another model than the request's counts as that model's. A value of another host (Vertex, AI Studio) is reported as refused, too; " +
				"here hosts are not told apart: this server takes on either what it gave out itself.",
			Sources: []string{
				"https://github.com/charmbracelet/crush/issues/1698", "https://github.com/massgen/MassGen/issues/665", "https://github.com/heyhuynhgiabuu/proxypal/issues/119",
			},
		}},
		{Broken: corrupted(false), Info: rule.Info{
			ID: "gemini/corrupted-signature-earlier", Breaks: "a signature of an earlier turn is none that this server gave out",
			Profiles: signed(), Routes: studio(), Status: 400, Message: "Corrupted thought signature.", Mark: rule.NotConfirmed,
			Note:    "Not confirmed for earlier turns: conversations were reported to stay refused when the user went on.",
			Sources: []string{"https://github.com/google-gemini/gemini-cli/issues/13467"},
		}},
		{Broken: misplaced, Info: rule.Info{
			ID: "gemini/invalid-signature", Breaks: "a signature in the current turn sits on other content than it was given for: another call, or an edited thought",
			Profiles: signed(), Routes: studio(), Status: 400, Message: "Invalid thought signature", Mark: rule.Documented,
			Note:    "Of 3.5 and later; seen with and without a full stop. Earlier turns and visible text are not looked at.",
			Sources: []string{"https://docs.apiyi.com/en/faq/gemini-thought-signature-missing"},
		}},
		{Broken: notValid, Info: rule.Info{
			ID: "gemini/invalid-signature-vertex", Breaks: "a signature in the current turn is none that this server gave out, or sits on other content",
			Profiles: signed(), Routes: []string{Vertex}, Status: 400, Mark: rule.Confirmed,
			Message: "Unable to submit request because Thought signature is not valid.. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
			Note:    "The two full stops are Google's.",
			Sources: []string{"https://github.com/decolua/9router/issues/301"},
		}},
	}
}

func withLink(link string) string {
	return rule.Fill(missing, rule.Hit{Fill: []string{"{link}", link}})
}
