package live

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
)

const recordOnly = "record-only"

// profiles are all of the build; each call of fakeserver.Profiles makes a copy.
var profiles = sync.OnceValue(fakeserver.Profiles)

// family is whose profiles hold for an API, as they name it.
var family = map[native.API]string{
	native.Gemini: "google", native.Vertex: "google", native.GeminiOpenAI: "google",
	native.Responses: "openai", native.Chat: "openai", native.Anthropic: "anthropic",
}

// hasRules reports whether a profile other than record-only holds for a request:
// the one that was named, if it is of the API's family, else the one that the
// model's name fits.
func hasRules(profile string, x *fakeserver.Exchange) bool {
	if profile == recordOnly {
		return false
	}
	of := family[native.API(x.Endpoint)]
	name := strings.ToLower(x.Model[strings.LastIndexByte(x.Model, '/')+1:])
	return slices.ContainsFunc(profiles(), func(p fakeserver.Profile) bool {
		return p.Family == of && (p.Name == profile || slices.ContainsFunc(p.Models, func(m string) bool { return strings.HasPrefix(name, m) }))
	})
}

// noProfile says that nothing is refused to a model, though others are.
func noProfile(model string) string {
	if model == "" {
		return "no profile fits a request that names no model: nothing is refused; --profile names one"
	}
	return fmt.Sprintf("no profile fits the model %q: nothing is refused; --profile names one", short(model))
}
