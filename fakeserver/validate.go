package fakeserver

import (
	"slices"
	"sync"

	"example.com/replaycheck/fakeserver/anthropic"
	"example.com/replaycheck/fakeserver/gemini"
	"example.com/replaycheck/fakeserver/openai"
	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/native"
)

// Refusal is what the provider's profile answers a request that breaks one of
// its rules.
type Refusal = rule.Refusal

// Rule is what is known of one rule of a provider. Nothing in it may be written
// to.
type Rule = rule.Info

// Profile is a generation of models whose rules are known.
type Profile = rule.Profile

// Rules returns all rules, in the order in which they are looked at.
func Rules() []Rule { return slices.Clone(rules()) }

// rules are what Rules returns, to be looked at only.
var rules = sync.OnceValue(func() []Rule { return slices.Concat(gemini.Rules(), openai.Rules(), anthropic.Rules()) })

// Profiles returns all profiles.
func Profiles() []Profile { return rule.Profiles() }

// minted is all that a run gave out or will give out. Which of it a client
// already has makes no difference: it cannot know the rest.
type minted struct {
	gemini    gemini.Minted
	openai    openai.Minted
	anthropic anthropic.Minted
}

// mint reads the replies that a script gives out, once they are asked for. seed is
// the script's.
func mint(seed string, given []Reply) func() *minted {
	return sync.OnceValue(func() *minted {
		m := &minted{}
		m.gemini.Values.Seed, m.openai.Values.Seed, m.anthropic.Values.Seed = seed, seed, seed
		seen := map[string]bool{}
		for _, r := range given {
			for _, text := range []string{r.Plain, r.Stream} {
				if text == "" || seen[text] || r.Status >= 400 {
					continue
				}
				seen[text] = true
				m.add(r.Endpoint, text)
			}
		}
		return m
	})
}

func (m *minted) add(endpoint, text string) {
	// A reply that breaks off has given out what came before.
	reply, _ := native.ParseReply(native.API(endpoint), text)
	switch endpoint {
	case Gemini, Vertex:
		m.gemini.Add(reply.Parts)
	case GeminiOpenAI:
		m.gemini.AddChat(reply.Parts, text)
	case Responses:
		m.openai.Add(reply.Parts)
	case Anthropic:
		m.anthropic.Add(reply.Parts)
	}
}

// validate says what the provider would refuse of a request, nil if nothing is
// known; then what people should know of it.
func (p *Play) validate(in *inflight) (*Refusal, []string) {
	c := in.call
	if c.problem != "" {
		return nil, nil
	}
	by := p.choose(families[c.endpoint], c.model)
	if by.choice.Profile.Name == rule.RecordOnly {
		return nil, nil
	}
	with := asking{by: by, known: p.knows(in), endpoint: c.endpoint, way: c.way(), form: c.form()}
	if was := c.body.checked.Load(); was != nil && was.with == with {
		return was.refusal, was.notes
	}
	refusal, notes := c.check(with)
	c.body.checked.Store(&checked{with, refusal, notes})
	return refusal, notes
}

// asking is what the rules are asked with besides a body. Nothing changes in what it
// points to.
type asking struct {
	by       *chosen
	known    *minted
	endpoint string
	way      string
	form     gemini.Form
}

// checked is what the rules say of a body.
type checked struct {
	with    asking
	refusal *Refusal
	notes   []string
}

func (c call) check(with asking) (*Refusal, []string) {
	choice := with.by.choice
	switch c.endpoint {
	case Gemini, Vertex:
		return gemini.Check(c.body.gemini.of(c.root, gemini.Read), with.way, with.form, choice, &with.known.gemini)
	case GeminiOpenAI:
		return gemini.CheckChat(c.root, with.way, choice, &with.known.gemini)
	case Responses:
		return openai.CheckResponses(c.body.responses.of(c.root, openai.ReadResponses), choice, &with.known.openai)
	case Chat:
		return openai.CheckChat(c.root, choice), nil
	case Anthropic:
		return anthropic.Check(c.root, choice, &with.known.anthropic), nil
	}
	return nil, nil
}

// profile is the name of the profile that holds for a request, "" for one to no API.
func (p *Play) profile(c call) string {
	if c.endpoint == "" {
		return ""
	}
	return p.choose(families[c.endpoint], c.model).choice.Profile.Name
}

// chosen is the choice that a play made last: most requests ask for the same.
type chosen struct {
	family, model string
	choice        rule.Choice
}

func (p *Play) choose(family, model string) *chosen {
	if last := p.basis.last.Load(); last != nil && last.family == family && last.model == model {
		return last
	}
	c := &chosen{family, model, p.basis.rules.For(family, model)}
	p.basis.last.Store(c)
	return c
}

// families are the families of profiles by endpoint.
var families = map[string]string{
	Gemini: rule.Google, Vertex: rule.Google, GeminiOpenAI: rule.Google, Responses: rule.OpenAI, Chat: rule.OpenAI, Anthropic: rule.Anthropic,
}

// way is the route to Gemini.
func (c call) way() string {
	switch {
	case c.vertex:
		return gemini.Vertex
	case c.endpoint == GeminiOpenAI:
		return gemini.Compat
	}
	return gemini.AIStudio
}

// form is how Gemini writes the answer.
func (c call) form() gemini.Form {
	switch {
	case c.array:
		return gemini.List
	case c.stream:
		return gemini.Events
	}
	return gemini.Plain
}

// refused is the form of a refusal.
func refused(r *Refusal, c call) *form {
	kind := jsonType
	if c.stream && !c.array && r.Status < 400 {
		kind = eventType
	}
	return newForm(Reply{Status: r.Status}, kind, r.Body, nil)
}
