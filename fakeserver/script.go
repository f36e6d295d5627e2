package fakeserver

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/fixtures"
)

// The endpoints that a reply can be scripted for.
const (
	Gemini    = "gemini"    // generateContent and streamGenerateContent
	Vertex    = "vertex"    // the same on Vertex's paths
	Anthropic = "anthropic" // Anthropic Messages
	Responses = "responses" // OpenAI Responses
	Chat      = "chat"      // OpenAI Chat Completions

	GeminiOpenAI = "gemini-openai" // Gemini behind its OpenAI-compatible endpoint, on AI Studio and on Vertex
)

// Script is what a run answers. The zero Script refuses every request.
type Script struct {
	Replies []Reply // in the order in which they are given out
	// Before are replies of the past, which nobody can ask for any more: what
	// they gave out is known.
	Before []Reply
	// Profile is the name of the profile whose rules hold for the APIs of its
	// family, see Profiles; "": the one that fits the model's name.
	Profile string
	// Chaos gives some of the replies that have no fault one, nil: none.
	Chaos *Chaos
	// With names the optional rules that hold too.
	With []string
	// Enforce: a request that breaks a rule gets the provider's refusal and
	// spends no reply. Else it is answered as scripted, and the refusal is only
	// recorded.
	Enforce bool
	// Edit, unless nil, changes each request between the socket and the record:
	// record and answer are as if the subject had sent what it returns. It may
	// be called from several goroutines at once.
	Edit func(Incoming) Incoming
	// Pick, unless nil, takes the place of Replies: it chooses each reply by the
	// request, and every choice is a step of its own. The error says why there
	// is none. It is asked in the order of the record and must not call the play.
	Pick func(Asked) (*Ready, error)
	// Seed is what package mint made the replies' opaque values from: one that is
	// in no reply is known by it too. "": none are.
	Seed string
	// Known, unless nil, are replies whose opaque values are known besides those
	// of Before and Replies, to requests like this one: what Pick may give or
	// may have given in an earlier life of the server. It is asked once for each
	// endpoint and model, from one goroutine at a time.
	Known func(Asked) []Reply
	// Shared, unless nil, is for plays of the same script: their Replies, Before,
	// Profile, With, Seed and Known are the same, and are read once.
	Shared *Shared
}

// Asked is a request that a reply is wanted for, as Script.Pick sees it.
type Asked struct {
	Endpoint string // Gemini, Responses or Chat
	Stream   bool
	Model    string // as the request names it
	Path     string // as received, without the play's prefix
	Body     string // a JSON object

	read *Body // the body; nil where it was not read
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
	// Fault is what goes wrong on the way, nil: nothing.
	Fault *Fault
	// Repeat: a request that is sent again, byte for byte, gets this reply
	// again as long as no later one was given, and spends none. Who died before
	// it could store the reply has to ask again.
	Repeat bool
}

// FromScenario returns the script of a scenario, in a variant or ("") in none. Reply Meta.Cut (1-based) is
// cut off. What its stored transcripts hold counts as given out before.
func FromScenario(s *fixtures.Scenario, variant string) Script {
	script := Script{Profile: s.Profile, Before: repliesBefore(s, variant)}
	for i, r := range s.For(variant) {
		script.Replies = append(script.Replies, Reply{
			Endpoint: r.Endpoint, Plain: r.Plain, Stream: r.Stream, Cut: i+1 == s.Cut, Repeat: s.Repeat,
		})
	}
	return script
}

// checkNames says what is wrong with the names of profile and rules.
func (s Script) checkNames() error {
	if s.Profile == "" && len(s.With) == 0 {
		return nil
	}
	if err := s.setting().Check(rules()); err != nil {
		return fmt.Errorf("fakeserver: script: %w", err)
	}
	return nil
}

func (s Script) setting() rule.Setting {
	return rule.Setting{Profile: s.Profile, With: slices.Clone(s.With)}
}

// Endpoints returns the endpoints that a reply can be scripted for.
func Endpoints() []string {
	return []string{Gemini, Vertex, GeminiOpenAI, Responses, Chat, Anthropic}
}

func (r Reply) check() error {
	var errs []error
	if families[r.Endpoint] == "" {
		errs = append(errs, fmt.Errorf("got endpoint %q, want one of %q", r.Endpoint, Endpoints()))
	}
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		errs = append(errs, fmt.Errorf("got status %d, want 0 or 200 to 599", r.Status))
	}
	if r.Fault != nil {
		errs = append(errs, r.Fault.check())
	}
	if (r.Status == http.StatusNoContent || r.Status == http.StatusNotModified) && r.Plain+r.Stream != "" {
		errs = append(errs, fmt.Errorf("got a body with status %d, which has none", r.Status))
	}
	return errors.Join(errs...)
}
