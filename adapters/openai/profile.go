package openai

import "strings"

// Profile says what a family of models takes. The table of profiles decides
// which endpoint a request goes to and how its options are written.
type Profile struct {
	// Model is the family's name. It covers itself and every longer name that
	// goes on after it with "-", "." or ":", so "gpt-6-luna" also covers
	// "gpt-6-luna-2026-09-01". The longest name that fits wins.
	Model string
	// ToolsOnResponses sends requests that offer tools to the Responses API
	// (OPENAI-01), provided that the base URL counts as OpenAI's own.
	ToolsOnResponses bool
	// Reasoning models think before they answer: on the Responses API they are
	// asked for their encrypted reasoning, which has to go back (OPENAI-02).
	Reasoning bool
	// Temperature and Stop say whether the option is taken. One that is not is
	// refused here, before any contact, rather than silently left out.
	Temperature, Stop bool
	// MaxCompletionTokens is the newer name of the token limit in Chat
	// Completions; without it the limit is written as max_tokens.
	MaxCompletionTokens bool
}

// Profiles returns the built-in table. It is the caller's own copy.
func Profiles() []Profile {
	return []Profile{
		{Model: "gpt-6-astra", ToolsOnResponses: true, Reasoning: true, MaxCompletionTokens: true},
		{Model: "gpt-6-sol", ToolsOnResponses: true, Reasoning: true, MaxCompletionTokens: true},
		{Model: "gpt-6-luna", ToolsOnResponses: true, Reasoning: true, MaxCompletionTokens: true},
		{Model: "gpt-6", ToolsOnResponses: true, Reasoning: true, MaxCompletionTokens: true},
		{Model: "gpt-5-chat", Temperature: true, Stop: true, MaxCompletionTokens: true},
		{Model: "gpt-5", Reasoning: true, MaxCompletionTokens: true},
		{Model: "o1", Reasoning: true, Stop: true, MaxCompletionTokens: true},
		{Model: "o3", Reasoning: true, MaxCompletionTokens: true},
		{Model: "o4", Reasoning: true, MaxCompletionTokens: true},
	}
}

// unknown is the profile of a model that no row covers: OpenAI's older ones,
// and other vendors' behind a compatible server, which know the older names.
func unknown(model string) Profile {
	return Profile{Model: model, Temperature: true, Stop: true}
}

// profileOf returns the profile of a model; rows of extra come before built-in
// rows of the same name.
func profileOf(model string, extra []Profile) Profile {
	name := strings.TrimPrefix(model, "ft:") // fine-tuned: ft:<base model>:<owner>:…
	best := unknown(model)
	length := 0
	for _, rows := range [][]Profile{extra, Profiles()} {
		for _, p := range rows {
			if len(p.Model) > length && p.covers(name) {
				best, length = p, len(p.Model)
			}
		}
	}
	return best
}

func (p Profile) covers(name string) bool {
	rest, ok := strings.CutPrefix(name, p.Model)
	return ok && (rest == "" || strings.ContainsRune("-.:", rune(rest[0])))
}
