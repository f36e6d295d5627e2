package oracles

import (
	"fmt"
	"regexp"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

// carrierShape checks the carrier of each step in the state that the subject
// handed out: one capsule with every object-valued part where there is a call
// or a signature, nothing otherwise (REPLAY-01, REPLAY-02); the output items of
// a Responses turn (STREAM-02).
func carrierShape(is func(*step) bool) func(*View) []Finding {
	return func(v *View) []Finding {
		if !v.carrier() {
			return nil
		}
		var out []Finding
		messages := assistants(v.last())
		for _, s := range v.script {
			if s.n == v.broken() || !is(s) {
				continue
			}
			k := len(v.prior) + s.n - 1
			where := fmt.Sprintf("state after the last run, assistant message %d", k+1)
			if k >= len(messages) || v.played(s.n) == nil {
				out = append(out, stateFinding(where, result.Shrunk, "the model turn of "+s.label(), "absent: "+v.ending()))
				break
			}
			if s.api == native.Responses {
				out = append(out, checkItems(where, s, messages[k])...)
				continue
			}
			out = append(out, checkCarrier(where, s, messages[k])...)
		}
		return out
	}
}

func stateFinding(where string, change result.Change, want, got string) Finding {
	return Finding{
		Where: where, Change: change, Level: result.Verbatim, Basis: result.Documented, Want: want, Got: got,
		Means: "the carrier is what a resume or a later request replays (ADR-222)",
	}
}

func checkCarrier(where string, s *step, m message) []Finding {
	due := len(s.calls) > 0
	for _, p := range s.parts {
		// "if a part has a member thoughtSignature, whatever its value"
		due = due || p.Value.Get("thoughtSignature").Exists()
	}
	where += ".provider_items"
	if !due {
		if m.items.Exists() {
			return []Finding{stateFinding(where, result.Added, "no carrier: the turn has neither call nor signature", quote(m.items))}
		}
		return nil
	}
	if !m.items.Exists() {
		return []Finding{stateFinding(where, result.Absent, "one capsule", "absent")}
	}
	if n := m.items.Len(); n != 1 || m.items.Index(0).Get("type").Text() != capsuleType {
		return []Finding{stateFinding(where, result.Changed, "exactly one capsule", fmt.Sprintf("a list of %s: %s", count(n, "item"), quote(m.items)))}
	}
	parts := m.items.Index(0).Get("parts")
	if parts.Len() != len(s.parts) {
		return []Finding{stateFinding(where+"[0].parts", result.Shrunk, fmt.Sprintf("%s, as they came in %s", count(len(s.parts), "part"), s.label()), count(parts.Len(), "part"))}
	}
	for i, p := range s.parts {
		if sent := parts.Index(i); !wire.SameTokens(p.Value, sent) {
			return []Finding{stateFinding(fmt.Sprintf("%s[0].parts[%d]", where, i), result.Changed, quote(p.Value), quote(sent))}
		}
	}
	return nil
}

// checkItems checks that the carrier of a Responses turn is its output items.
func checkItems(where string, s *step, m message) []Finding {
	where += ".provider_items"
	if n := m.items.Len(); n != len(s.parts) {
		return []Finding{stateFinding(where, changeOf(m.items), fmt.Sprintf("the %d output items of %s", len(s.parts), s.label()), fmt.Sprintf("%d items", n))}
	}
	for i, p := range s.parts {
		if sent := m.items.Index(i); !wire.SameTokens(p.Value, sent) {
			return []Finding{stateFinding(fmt.Sprintf("%s[%d]", where, i), result.Changed, quote(p.Value), quote(sent))}
		}
	}
	return nil
}

var publicID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checkPublicIDs checks the call IDs of Gemini turns in the state and in the
// tool log (REPLAY-10).
func checkPublicIDs(v *View) []Finding {
	out := v.shortfall(geminiStep(func(s *step) bool { return len(s.calls) > 0 }))
	seen := map[string]string{}
	check := func(where, id string) {
		switch first, again := seen[id]; {
		case !publicID.MatchString(id):
			out = append(out, stateFinding(where, result.Changed, "a public ID of the form "+publicID.String(), fmt.Sprintf("%q", printable(short(id)))))
		case again:
			out = append(out, stateFinding(where, result.Duplicated, "an ID that no other call of the conversation has", fmt.Sprintf("%s, the ID of %s", named(id), first)))
		default:
			seen[id] = where
		}
	}
	n := 0
	for k, m := range assistants(v.last()) {
		for i, c := range m.calls {
			n++
			check(fmt.Sprintf("state after the last run, assistant message %d, call %d", k+1, i+1), c.ID)
		}
	}
	runs := map[string]bool{}
	for i, run := range v.Runs {
		for j, t := range run.Outcome.ToolRuns {
			where := fmt.Sprintf("run %d, tool run %d", i+1, j+1)
			if _, known := seen[t.CallID]; n > 0 && !known || runs[t.CallID] {
				out = append(out, stateFinding(where, result.Changed, "the public ID of a call that has not run yet", fmt.Sprintf("%q", printable(short(t.CallID)))))
			}
			runs[t.CallID] = true
		}
	}
	if len(runs) == 0 && len(out) == 0 {
		out = append(out, stateFinding("tool log", result.Shrunk, "at least one tool run", "none"))
	}
	return out
}

// storedScope asks for a state with empty, absent or emptied carriers.
func storedScope(v *View) bool {
	return ordinary(v) && anyOf(v.script, geminiStep(anyStep)) && anyOf(v.prior, func(s *step) bool { return s.api == "" || len(s.parts) == 0 })
}

// checkStored judges the turns that came in with the state: an empty capsule is
// an empty list of parts, a turn without carrier is rebuilt (REPLAY-09).
func checkStored(v *View) []Finding {
	out := v.shortfall(anyStep)
	if len(v.requests) == 0 {
		return append(out, stateFinding("request 1", result.Shrunk, "a request that continues the state", "it never came: "+v.ending()))
	}
	for _, r := range v.requests {
		for _, d := range v.diffs()[r] {
			if d.step == nil || d.step.stored {
				out = append(out, d.Finding)
			}
		}
		if r.req.API == native.Gemini {
			out = append(out, checkBare(v, r)...)
		}
	}
	return out
}

// checkBare checks turns that hold no part: an empty capsule is sent as an
// empty list, an empty message as one empty text.
func checkBare(v *View, r *request) []Finding {
	var out []Finding
	var entries []native.Entry
	for _, e := range r.req.Entries {
		if e.Model() {
			entries = append(entries, e)
		}
	}
	for i, m := range storedAssistants(v) {
		where := fmt.Sprintf("model entry %d", i+1)
		if i >= len(entries) {
			out = append(out, stateFinding(at(r, where), result.Shrunk, "a model entry for stored turn "+fmt.Sprint(i+1), "absent"))
			continue
		}
		parts := entries[i].Value.Get("parts")
		want := ""
		switch {
		case m.items.Index(0).Get("type").Text() == capsuleType && m.items.Index(0).Get("parts").Len() == 0:
			want = "[]"
		case m.items.Len() == 0 && m.text == "" && len(m.calls) == 0:
			want = `[{"text":""}]`
		}
		if want != "" && wire.Compact(parts) != want {
			out = append(out, stateFinding(at(r, parts.Path()), result.Changed, want, quote(parts)))
		}
	}
	return out
}

func storedAssistants(v *View) []message {
	var out []message
	for _, m := range readTranscript(v.Scenario.State(v.Variant)) {
		if m.role == "assistant" {
			out = append(out, m)
		}
	}
	return out
}
