package oracles

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

func openaiOracles() []Oracle {
	items := func(s *step) bool { return s.api == native.Responses }
	return []Oracle{
		// One table decides the endpoint.
		{ID: "OPENAI-01", Needs: Needs{Reference: true}, Scope: func(v *View) bool {
			return ordinary(v) && anyOf(v.script, func(s *step) bool { return s.api != native.Gemini })
		}, Check: checkEndpoints},
		// Stateless requests ask for what they must replay.
		{ID: "OPENAI-02", Scope: statelessResponses, Check: checkStateless},
		// Output items come back verbatim and in order, outputs matched.
		{ID: "OPENAI-03", Scope: some(items), Check: func(v *View) []Finding {
			return append(turns(items, func(diff) bool { return true })(v), resultsOf(v, native.Responses, native.Responses)...)
		}},
		// No reasoning item without the item that followed it.
		{ID: "OPENAI-04", Scope: some(func(s *step) bool { return items(s) && hasReasoning(s) }), Check: checkPairs},
	}
}

func hasReasoning(s *step) bool {
	return slices.ContainsFunc(slices.Concat(s.parts, s.tail), func(p native.Part) bool { return p.Kind == native.Reasoning })
}

var endpointPaths = map[native.API]string{native.Responses: "/v1/responses", native.Chat: "/v1/chat/completions"}

func checkEndpoints(v *View) []Finding {
	out := v.shortfall(func(*step) bool { return true })
	asked := 0
	for _, r := range v.requests {
		if !faulted(r.x) {
			asked++
		}
	}
	if asked < len(v.script) && len(out) == 0 {
		out = append(out, Finding{
			Where: fmt.Sprintf("request %d", len(v.requests)+1), Change: result.Shrunk, Level: result.Verbatim, Basis: result.Documented,
			Want: fmt.Sprintf("%d requests", len(v.script)), Got: "it never came: " + v.ending(), Means: "nothing was sent to judge",
		})
	}
	for _, r := range v.requests {
		if r.x.Step == 0 {
			continue
		}
		api := v.script[r.x.Step-1].api
		if want := endpointPaths[api]; want != "" && r.x.Path != want {
			out = append(out, Finding{
				Where: at(r, "path"), Change: result.Changed, Level: result.Verbatim, Basis: result.Documented,
				Want: want, Got: printable(short(r.x.Path)), Means: "the model's profile asks for the other endpoint (ADR-203)",
			})
		}
	}
	return out
}

// statelessResponses asks for Responses replies on a leg that is stateless.
func statelessResponses(v *View) bool {
	if !ordinary(v) || !anyOf(v.script, func(s *step) bool { return s.api == native.Responses }) {
		return false
	}
	for _, text := range v.Scenario.Tasks {
		task, err := parseTask(text)
		if err != nil {
			return false
		}
		for _, leg := range task.Legs {
			if leg.Provider == "openai-responses" && !leg.Stateless {
				return false
			}
		}
	}
	return true
}

func checkStateless(v *View) []Finding {
	out := v.shortfall(anyStep)
	if len(v.to(native.Responses)) == 0 {
		return append(out, stateFinding("request 1", result.Shrunk, "a request to Responses", "it never came: "+v.ending()))
	}
	for _, r := range v.to(native.Responses) {
		say := func(path string, change result.Change, level result.Level, want, got string) {
			out = append(out, Finding{
				Where: at(r, path), Change: change, Level: level, Basis: result.Documented, Want: want, Got: got,
				Means: "the provider would keep the conversation, or not return what a stateless client must replay (ADR-203)",
			})
		}
		root := r.req.Root
		if store := root.Get("store"); store.Raw() != "false" {
			say("store", changeOf(store), result.Provider, "false", quote(store))
		}
		if id := root.Get("previous_response_id"); id.Exists() && id.Kind() != wire.Null {
			say("previous_response_id", result.Added, result.Provider, "absent", quote(id))
		} else if id.Exists() {
			say("previous_response_id", result.Added, result.Verbatim, "absent", "null")
		}
		if v.Subject.Name != referenceName {
			continue
		}
		if include := root.Get("include"); wire.Compact(include) != `["reasoning.encrypted_content"]` {
			say("include", changeOf(include), result.Verbatim, `["reasoning.encrypted_content"]`, quote(include))
		}
		for tool := range root.Get("tools").Items() {
			if tool.Get("strict").Raw() != "false" || !tool.Get("name").Exists() {
				say(tool.Path(), result.Changed, result.Verbatim, "a flat tool with strict:false", quote(tool))
			}
		}
	}
	return out
}

func changeOf(v wire.Value) result.Change {
	switch v.Kind() {
	case wire.Absent:
		return result.Absent
	case wire.Null:
		return result.Null
	}
	return result.Changed
}

// checkPairs finds reasoning items without the item that followed them, those
// that nothing followed among them, and items that kept their server ID while
// their reasoning is gone (OPENAI-04).
func checkPairs(v *View) []Finding {
	out := v.shortfall(func(s *step) bool { return s.api == native.Responses && v.replayed(s) })
	for _, r := range v.to(native.Responses) {
		a := v.aligned(r)
		for i, w := range a.wants {
			if w.rebuilt || w.part.Kind != native.Reasoning {
				continue
			}
			next := i + 1
			if next >= len(a.wants) || a.wants[next].step != w.step {
				continue // it ended its reply; nothing followed it
			}
			out = append(out, pairFinding(r, a, i, next)...)
		}
		out = append(out, lonely(v, r)...)
	}
	return out
}

// lonely finds reasoning that nothing followed in its reply.
func lonely(v *View, r *request) []Finding {
	var out []Finding
	for _, s := range v.script[:r.known] {
		for _, p := range s.tail {
			if p.Kind != native.Reasoning {
				continue
			}
			for _, e := range r.req.Entries {
				for _, sent := range e.Parts {
					if sent.Kind == native.Reasoning && (sent.Sig.Text() == p.Sig.Text() || sent.Value.Get("id").Text() == p.Value.Get("id").Text()) {
						out = append(out, Finding{
							Where: at(r, sent.Value.Path()), Change: result.Added, Level: result.Provider, Basis: result.Confirmed,
							Want: "absent: nothing followed the item in " + s.label(), Got: describe(sent),
							Means: "refused by OpenAI Responses (confirmed): 400 … was provided without its required following item.",
						})
					}
				}
			}
		}
	}
	return out
}

// anonymous reports whether an item came back without the id that the provider
// pairs it by. A call is known by its call_id (C3).
func anonymous(p, sent native.Part) bool {
	return p.Kind != native.Call && p.Value.Get("id").Text() != "" && sent.Value.Get("id").Text() == ""
}

func pairFinding(r *request, a *alignment, i, next int) []Finding {
	say := func(p native.Part, change result.Change, want, got, means string) []Finding {
		return []Finding{{Where: at(r, p.Value.Path()), Change: change, Level: result.Provider, Basis: result.Confirmed, Want: want, Got: got, Means: means}}
	}
	mine, following := a.at[i], a.at[next]
	switch {
	case mine < 0 && following >= 0 && strings.Contains(a.gots[following].part.Value.Get("id").Text(), "_"):
		return say(a.gots[following].part, result.Absent, "the reasoning item that came before it", "absent",
			"refused by OpenAI Responses (confirmed): 400 … was provided without its required 'reasoning' item")
	case mine >= 0 && following < 0:
		return say(a.gots[mine].part, result.Absent, "followed by "+describe(a.wants[next].part), "the item is missing",
			"refused by OpenAI Responses (confirmed): 400 … was provided without its required following item.")
	case mine >= 0 && following >= 0 && anonymous(a.wants[next].part, a.gots[following].part):
		return say(a.gots[mine].part, result.Absent, "followed by "+describe(a.wants[next].part)+" under its id", "the item has no id",
			"refused by OpenAI Responses (confirmed): 400 … was provided without its required following item.")
	case mine >= 0 && following >= 0 && a.gots[following].entry != a.gots[mine].entry+1:
		return say(a.gots[mine].part, result.Reordered, "followed by "+describe(a.wants[next].part), "followed by another item",
			"refused by OpenAI Responses (confirmed): 400 … was provided without its required following item.")
	}
	return nil
}
