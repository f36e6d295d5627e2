// Package inject makes faults on the wire: edits of whole requests between
// subject and fake server. Each finds its place by what the request means, in
// any subject's spelling of it; where there is none it changes nothing. What an
// edit does not name stays byte for byte.
package inject

import (
	"maps"
	"slices"
	"strings"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/mutations/internal/trial"
)

// request is what an edit sees of a request.
type request struct {
	api  native.API
	body string
	// earlier are the exchanges before it, replies included.
	earlier []fakeserver.Exchange
}

// edit returns the body of a request as the fault would have sent it.
type edit func(r request) string

// Named returns the wire fault of a name, such as "drop-signature" or
// "signature-moved.neighbour"; nil if there is none.
func Named(name string) trial.Edit {
	e := all()[name]
	if e == nil {
		return nil
	}
	return func(in fakeserver.Incoming) fakeserver.Incoming {
		if api := apiOf(in.Path); api != "" {
			in.Body = e(request{api: api, body: in.Body, earlier: in.Earlier})
		}
		return in
	}
}

// Names lists all wire faults.
func Names() []string { return slices.Sorted(maps.Keys(all())) }

func all() map[string]edit {
	out := map[string]edit{}
	for _, m := range []map[string]edit{signatures(), inventions(), parts(), results(), callIDs(), roots(), capsules(), foreign(), items()} {
		maps.Copy(out, m)
	}
	return out
}

// apiOf tells the API by the path of a request.
func apiOf(path string) native.API {
	switch {
	case strings.HasSuffix(path, "enerateContent"):
		return native.Gemini
	case strings.HasSuffix(path, "/responses"):
		return native.Responses
	case strings.HasSuffix(path, "/chat/completions"):
		return native.Chat
	}
	return ""
}

// to limits an edit to one API.
func to(api native.API, e func(body string) string) edit {
	return func(r request) string {
		if r.api != api {
			return r.body
		}
		return e(r.body)
	}
}

// learnt is an edit that needs a value of the earlier replies of another API:
// the last one that pick finds. Without one it changes nothing.
func learnt(api, from native.API, pick func(native.Part) string, e func(body, value string) string) edit {
	return func(r request) string {
		if r.api != api {
			return r.body
		}
		value := ""
		for _, x := range r.earlier {
			if native.API(x.Endpoint) != from {
				continue
			}
			reply, err := native.ParseReply(from, x.Reply)
			if err != nil {
				continue
			}
			for _, p := range reply.Parts {
				if v := pick(p); v != "" {
					value = v
				}
			}
		}
		if value == "" {
			return r.body
		}
		return e(r.body, value)
	}
}
