package live

import (
	"fmt"

	"example.com/replaycheck/fakeserver"
)

const recordOnly = "record-only"

// hasRules reports whether a profile other than record-only holds for a request.
func hasRules(x *fakeserver.Exchange) bool { return x.Profile != "" && x.Profile != recordOnly }

// noProfile says that nothing is refused to a model, though others are.
func noProfile(model string) string {
	if model == "" {
		return "no profile fits a request that names no model: nothing is refused; --profile names one"
	}
	return fmt.Sprintf("no profile fits the model %q: nothing is refused; --profile names one", short(model))
}
