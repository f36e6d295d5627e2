package worker

import (
	"slices"
	"strings"
)

// Offline returns an environment in which HTTP reaches loopback only: everything
// else goes to a proxy that is not there. A fault may well make an adapter ask the
// real provider.
func Offline(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return name == "HTTP_PROXY" || name == "HTTPS_PROXY" || name == "NO_PROXY" || name == "ALL_PROXY"
	})
	return append(env, "HTTP_PROXY="+nowhere, "HTTPS_PROXY="+nowhere, "http_proxy="+nowhere, "https_proxy="+nowhere)
}

// nowhere is a port on which nobody listens ("discard", which is long out of use).
const nowhere = "http://127.0.0.1:9"
