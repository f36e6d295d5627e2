package rule

import (
	"fmt"
	"slices"
	"strings"
)

// The families of APIs that share their profiles.
const (
	Google    = "google"
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// The names of the profiles.
const (
	Gemini25   = "gemini-2.5"
	Gemini3    = "gemini-3"
	Gemini4    = "gemini-4"
	GPT6       = "gpt-6"
	GPT5       = "gpt-5"
	GPT41      = "gpt-4.1"
	DeepSeek   = "deepseek"
	Moonshot   = "moonshot"
	Claude     = "claude"
	RecordOnly = "record-only"
)

// Profile is a generation of models whose rules are known.
type Profile struct {
	Name   string
	Family string // "": every one
	About  string // which models, how well they are known
	// Models are the beginnings of the names of its models.
	Models []string
	// Most is the strongest mark that its refusals can have, "" for any.
	Most Mark
}

// profiles is read only.
var profiles = []Profile{
	{Name: Gemini25, Family: Google, Models: []string{"gemini-2", "gemini-1"}, About: "Gemini 2.5 and older: signatures are decoded, never asked for"},
	{Name: Gemini3, Family: Google, Models: []string{"gemini-3", "gemini-pro-latest", "gemini-flash"}, About: "Gemini 3 to 3.8: the first call of each step of the current turn must be signed"},
	{Name: Gemini4, Family: Google, Models: []string{"gemini-4"}, About: "Gemini 4: the rules of Gemini 3, as documented; no error of it was seen", Most: Documented},
	{Name: GPT6, Family: OpenAI, Models: []string{"gpt-6"}, About: "GPT-6: reasoning items in Responses, tools in Chat Completions"},
	{Name: GPT5, Family: OpenAI, Models: []string{"gpt-5", "o1", "o3", "o4", "codex"}, About: "GPT-5 and the o models: the same with the older wording"},
	{Name: GPT41, Family: OpenAI, Models: []string{"gpt-4", "gpt-3.5", "chatgpt-4"}, About: "GPT-4.1 and older: no reasoning items"},
	{Name: DeepSeek, Family: OpenAI, Models: []string{"deepseek"}, About: "DeepSeek behind the same APIs"},
	{Name: Moonshot, Family: OpenAI, Models: []string{"kimi", "moonshot"}, About: "Moonshot behind the same APIs"},
	{Name: Claude, Family: Anthropic, Models: []string{"claude"}, About: "Claude with and without thinking"},
	{Name: RecordOnly, About: "no rule; also where the model's name fits no other profile"},
}

// Profiles returns all profiles. Nothing in them may be written to.
func Profiles() []Profile { return slices.Clone(profiles) }

// Setting says which rules hold in a run. The zero Setting goes by the models.
type Setting struct {
	// Profile is the name of the profile for the APIs of its family, "" to
	// choose it by the model's name; record-only is for all.
	Profile string
	// With names the optional rules that hold too.
	With []string
}

// Choice is a profile with the optional rules that were named.
type Choice struct {
	Profile Profile
	With    []string
	Model   string // as the request names it
}

// For returns the rules for a request to an API of the family.
func (s Setting) For(family, model string) Choice {
	c := Choice{Profile: Profile{Name: RecordOnly}, With: s.With, Model: model}
	if i := slices.IndexFunc(profiles, func(p Profile) bool {
		return p.Name == s.Profile && (p.Family == "" || p.Family == family)
	}); i >= 0 {
		c.Profile = profiles[i]
		return c
	}
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, p := range profiles {
		if p.Family == family && slices.ContainsFunc(p.Models, func(m string) bool { return strings.HasPrefix(name, m) }) {
			c.Profile = p
		}
	}
	return c
}

// Check says what is wrong with the names; rules are all rules there are.
func (s Setting) Check(rules []Info) error {
	if s.Profile != "" && !slices.ContainsFunc(profiles, func(p Profile) bool { return p.Name == s.Profile }) {
		var names []string
		for _, p := range profiles {
			names = append(names, p.Name)
		}
		return fmt.Errorf("got profile %q, want one of %s", s.Profile, strings.Join(names, ", "))
	}
	for _, id := range s.With {
		if !slices.ContainsFunc(rules, func(i Info) bool { return i.ID == id && i.Optional }) {
			var names []string
			for _, i := range rules {
				if i.Optional {
					names = append(names, i.ID)
				}
			}
			return fmt.Errorf("got rule %q, want one of the optional rules %s", id, strings.Join(names, ", "))
		}
	}
	return nil
}

func (c Choice) has(i Info, route string) bool {
	return slices.Contains(i.Profiles, c.Profile.Name) &&
		(len(i.Routes) == 0 || slices.Contains(i.Routes, route)) &&
		(!i.Optional || slices.Contains(c.With, i.ID))
}
