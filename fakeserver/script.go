package fakeserver

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"example.com/replaycheck/fixtures"
)

// The endpoints that a reply can be scripted for.
const (
	Gemini    = "gemini"    // generateContent and streamGenerateContent
	Responses = "responses" // OpenAI Responses
	Chat      = "chat"      // OpenAI Chat Completions
)

// Script is what a run answers. The zero Script refuses every request.
type Script struct {
	Replies []Reply // in the order in which they are given out
	// Edit, unless nil, changes each request between the socket and the record:
	// record and answer are as if the subject had sent what it returns. It may
	// be called from several goroutines at once.
	Edit func(Incoming) Incoming
}

// Incoming is a request on its way in, as Script.Edit sees it.
type Incoming struct {
	Method string // not to be changed
	Path   string // as received, without the play's prefix
	Query  string // as received, keys included
	Body   string
	// Earlier are the play's exchanges so far, with what they were answered. It
	// is shared: read it, don't change it.
	Earlier []Exchange
}

// Reply is one scripted reply. A request that asks for a form that is empty
// while the other is not is refused, apart from replies with an error status:
// those are sent from Plain whatever was asked for, as the providers do.
type Reply struct {
	Endpoint string // Gemini, Responses or Chat
	Plain    string // the body for a plain request: JSON, sent as it is
	Stream   string // the body for a streamed request: server-sent events, sent as they are
	Status   int    // 0: 200
	// Header is added to the reply and replaces the server's own members of
	// the same name. It may be nil.
	Header http.Header
	// Cut breaks the connection after the last byte, so that the client sees an
	// unexpected end: of a stream no end mark comes, of a plain body one byte
	// less than announced. A JSON array lacks its closing bracket.
	Cut bool
}

// FromScenario returns the script of a scenario, in a variant or ("") in none. Reply Meta.Cut (1-based) is
// cut off.
func FromScenario(s *fixtures.Scenario, variant string) Script {
	var script Script
	for i, r := range s.For(variant) {
		script.Replies = append(script.Replies, Reply{
			Endpoint: r.Endpoint, Plain: r.Plain, Stream: r.Stream, Cut: i+1 == s.Cut,
		})
	}
	return script
}

// prepare copies the script's replies. The error joins all that is wrong with
// them.
func (s Script) prepare() ([]Reply, error) {
	var errs []error
	out := slices.Clone(s.Replies)
	for i, r := range out {
		if err := r.check(); err != nil {
			errs = append(errs, fmt.Errorf("fakeserver: script: reply %d: %w", i+1, err))
		}
		if len(r.Header) == 0 {
			continue
		}
		out[i].Header = http.Header{}
		for name, values := range r.Header {
			out[i].Header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	return out, errors.Join(errs...)
}

func (r Reply) check() error {
	var errs []error
	if all := []string{Gemini, Responses, Chat}; !slices.Contains(all, r.Endpoint) {
		errs = append(errs, fmt.Errorf("got endpoint %q, want one of %q", r.Endpoint, all))
	}
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		errs = append(errs, fmt.Errorf("got status %d, want 0 or 200 to 599", r.Status))
	}
	if (r.Status == http.StatusNoContent || r.Status == http.StatusNotModified) && r.Plain+r.Stream != "" {
		errs = append(errs, fmt.Errorf("got a body with status %d, which has none", r.Status))
	}
	return errors.Join(errs...)
}

// formFor makes what a request asked for; nil where the reply has no such form.
// It is called once per reply, as a reply is given out once.
func (r Reply) formFor(c call) *form {
	failed := r.Status >= 400
	switch {
	case failed && (!c.stream || r.Stream == ""):
		return newForm(r, jsonType, r.Plain, nil)
	case c.stream && r.Stream == "" && r.Plain != "", !c.stream && r.Plain == "" && r.Stream != "":
		return nil
	case !c.stream:
		return newForm(r, jsonType, r.Plain, nil)
	case c.array:
		text, pieces := splitArray(r.Stream, r.Cut)
		return newForm(r, jsonType, text, pieces)
	}
	return newForm(r, eventType, r.Stream, splitEvents(r.Stream))
}
