package oracles

import (
	"fmt"
	"slices"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

func callidOracles() []Oracle {
	carrier := Needs{Carrier: true}
	out := []Oracle{
		// A populated functionCall.id is bound to its public ID.
		{ID: "CALLID-01", Needs: carrier, Scope: func(v *View) bool { return ordinary(v) && anyOf(v.script, geminiStep(hasIDs)) }, Check: checkBindings},
		// The result echoes exactly the native ID; none where none came.
		{ID: "CALLID-02", Scope: func(v *View) bool {
			return ordinary(v) && anyOf(slices.Concat(v.prior, v.script), v.answered(native.Gemini))
		}, Check: checkEcho},
		// Equal parallel calls are answered right, also reordered.
		{ID: "CALLID-03", Needs: Needs{Capability: "parallel"}, Scope: func(v *View) bool {
			return some(geminiStep(twinCalls))(v) || ordinary(v) && v.shows("CALLID-03")
		}, Check: checkTwins},
		// A bad native ID makes a rejected reply.
		{ID: "CALLID-04", Needs: carrier, Scope: func(v *View) bool { return v.Scenario.Expect == "rejected" && v.shows("CALLID-04") }, Check: checkRejected},
	}
	// 05 validation of bindings, 06 older state without them, 07 turns that need
	// none, 08 public IDs that name other calls too: each accepts what it should
	// and refuses the rest.
	for n := 5; n <= 8; n++ {
		id := fmt.Sprintf("CALLID-%02d", n)
		out = append(out, Oracle{ID: id, Needs: carrier, Scope: func(v *View) bool { return v.shows(id) && v.Scenario.Expect != "rejected" }, Check: func(v *View) []Finding {
			if due(v) {
				return append(checkRefused(v), checkSilence(v)...)
			}
			return append(v.shortfall(anyStep), verbatimOnly(echoes(v))...)
		}})
	}
	return append(out, Oracle{
		// Foreign and rebuilt turns send no native ID.
		ID: "CALLID-09", Needs: Needs{Carrier: true, Capability: "cross-provider"}, Scope: func(v *View) bool {
			return (crosses(native.Gemini, native.Responses)(v) || crosses(native.Gemini, native.Chat)(v) || crosses(native.Responses, native.Gemini)(v)) && ordinary(v)
		}, Check: checkNoNativeIDs,
	})
}

func hasIDs(s *step) bool {
	for _, i := range s.calls {
		if s.parts[i].ID != "" {
			return true
		}
	}
	return false
}

// twinCalls reports whether a step has two equal calls with different IDs.
func twinCalls(s *step) bool {
	for _, i := range s.calls {
		for _, k := range s.calls {
			a, b := s.parts[i], s.parts[k]
			if i < k && a.Name == b.Name && sameArgs(a.Args, b.Args) && a.ID != "" && b.ID != "" && a.ID != b.ID {
				return true
			}
		}
	}
	return false
}

func idFinding(where string, change result.Change, level result.Level, want, got string) Finding {
	return Finding{
		Where: where, Change: change, Level: level, Basis: result.Unconfirmed, Want: want, Got: got,
		Means: "gemini-3.7 was reported to refuse a response ID that differs from its call's; the full answer is not confirmed",
	}
}

// checkBindings compares the bindings in the state with the calls of each step
// (CALLID-01).
func checkBindings(v *View) []Finding {
	out := v.shortfall(geminiStep(hasIDs))
	messages := assistants(v.last())
	for _, s := range v.script {
		if v.played(s.n) == nil || s.n == v.broken() || s.api != native.Gemini || len(s.calls) == 0 {
			continue
		}
		k := len(v.prior) + s.n - 1
		where := fmt.Sprintf("state after the last run, assistant message %d.provider_items[0].tool_call_bindings", k+1)
		if k >= len(messages) || len(messages[k].calls) != len(s.calls) {
			out = append(out, stateFinding(where, result.Shrunk, fmt.Sprintf("a message with %d tool calls", len(s.calls)), "absent: "+v.ending()))
			continue
		}
		var want []wire.Value
		for n, i := range s.calls {
			if id := s.parts[i].ID; id != "" {
				text := fmt.Sprintf(`{"tool_call_id":%s,"native_id":%s}`, wire.Quote(messages[k].calls[n].ID), wire.Quote(id))
				b, _ := wire.Parse(text) // made of quoted strings
				want = append(want, b)
			}
		}
		out = append(out, compareBindings(where, want, messages[k].items.Index(0).Get("tool_call_bindings"))...)
	}
	return out
}

func compareBindings(where string, want []wire.Value, got wire.Value) []Finding {
	if got.Len() != len(want) || len(want) > 0 && got.Kind() != wire.Array {
		return []Finding{stateFinding(where, changeOf(got), fmt.Sprintf("%d bindings", len(want)), quote(got))}
	}
	for i, w := range want {
		if g := got.Index(i); !wire.SameValue(w, g) {
			return []Finding{stateFinding(fmt.Sprintf("%s[%d]", where, i), result.Changed, quote(w), quote(g))}
		}
	}
	return nil
}

// checkEcho judges the ID of every result against its call (CALLID-02). T9: at
// level provider the IDs may be dropped, or invented, on call and result alike.
func checkEcho(v *View) []Finding {
	return append(v.shortfall(v.answered(native.Gemini)), echoes(v)...)
}

func echoes(v *View) []Finding {
	var out []Finding
	for _, r := range v.to(native.Gemini) {
		for _, t := range v.answeredTurns(r) {
			region := t.region()
			for i, cr := range t.calls {
				mine, sent := "", native.Part{}
				if cr.step.api == native.Gemini {
					mine = cr.step.parts[cr.index].ID
				}
				if i < len(t.sent) {
					sent = t.sent[i]
				}
				found := t.own(cr, region)
				if len(found) == 0 {
					out = append(out, idFinding(at(r, ""), result.Unanswered, result.Provider, fmt.Sprintf("the result of call %d of %s", i+1, cr.step.label()), "absent"))
				}
				for _, own := range found {
					out = append(out, echo(r, mine, sent.ID, t.all[own].part)...)
				}
			}
		}
	}
	return out
}

// verbatimOnly moves findings to level verbatim, for a requirement that has no
// other.
func verbatimOnly(in []Finding) []Finding {
	for i := range in {
		in[i].Level = result.Verbatim
	}
	return in
}

// echo compares the ID of a result with the native ID of its call, and with the
// one that the call was sent with.
func echo(r *request, mine, call string, p native.Part) []Finding {
	if mine == p.ID {
		return nil
	}
	level, change := result.Provider, result.Changed
	if p.ID == call && (mine == "" || p.ID == "") {
		level = result.Verbatim // T9: dropped on both, or invented on both where none came
	}
	want, got := fmt.Sprintf("%q", mine), fmt.Sprintf("%q", printable(short(p.ID)))
	switch {
	case mine == "":
		change, want = result.Added, "absent"
	case p.ID == "":
		change, got = result.Absent, "absent"
	}
	return []Finding{idFinding(at(r, p.Value.Path()+".functionResponse.id"), change, level, want, got)}
}

// checkTwins checks that equal calls got their own results (CALLID-03).
func checkTwins(v *View) []Finding {
	out := v.shortfall(geminiStep(twinCalls))
	for _, f := range judgedResults(v) {
		if f.r.req.API == native.Gemini && twinCalls(f.step) {
			out = append(out, f.Finding)
		}
	}
	return out
}

// boundIDs returns the native IDs of the calls in the state that was put in, by
// public ID. A public ID with a native one names no other call (CALLID-08).
func (v *View) boundIDs() map[string]string {
	ids := map[string]string{}
	for _, m := range readTranscript(v.Scenario.State(v.Variant)) {
		if m.role == "assistant" {
			nativeIDs(m, ids)
		}
	}
	return ids
}

// nativeIDs adds the native IDs of a stored turn's calls: by its bindings, else
// by the only call of equal name and arguments.
func nativeIDs(m message, ids map[string]string) {
	capsule := m.items.Index(0)
	for b := range capsule.Get("tool_call_bindings").Items() {
		ids[b.Get("tool_call_id").Text()] = b.Get("native_id").Text()
	}
	_, parts := m.owned()
	for _, p := range parts {
		if p.Kind != native.Call || p.ID == "" {
			continue
		}
		for _, c := range m.calls {
			if _, bound := ids[c.ID]; !bound && capsule.Get("tool_call_bindings").Len() == 0 && c.Name == p.Name && sameRoots(c.Args, p.Args) {
				ids[c.ID] = p.ID
			}
		}
	}
}

// checkRejected checks that a reply was rejected when it was read: a provider
// error, no tool run for it, no further request, nothing of it in the state.
func checkRejected(v *View) []Finding {
	say := func(where string, change result.Change, want, got string) Finding {
		return Finding{
			Where: where, Change: change, Level: result.Verbatim, Basis: result.Documented, Want: want, Got: got,
			Means: "a reply whose calls cannot be told apart must not be used (ADR-226)",
		}
	}
	last := len(v.script)
	if v.played(last) == nil {
		return []Finding{say(fmt.Sprintf("request %d", last), result.Shrunk, "a request", "it never came: "+v.ending())}
	}
	var out []Finding
	run := v.last()
	where := fmt.Sprintf("run %d", len(v.Runs))
	switch err := run.Outcome.Error; {
	case err == nil:
		out = append(out, say(where, result.Accepted, `an error of kind "provider"`, "no error"))
	case err.Kind != subject.FromProvider:
		out = append(out, say(where, result.Accepted, `an error of kind "provider"`, fmt.Sprintf("an error of kind %q", err.Kind)))
	}
	due := 0
	for _, s := range v.script[:last-1] {
		due += len(s.calls)
	}
	ran := 0
	for _, r := range v.Runs {
		ran += len(r.Outcome.ToolRuns)
	}
	if ran > due {
		out = append(out, say(where, result.Accepted, fmt.Sprintf("%d tool runs: none for the rejected reply", due), fmt.Sprintf("%d tool runs", ran)))
	}
	if n := len(v.requests); n > last {
		out = append(out, say(at(v.requests[last], ""), result.Added, "no further request", fmt.Sprintf("%d requests", n)))
	}
	if messages := assistants(run); len(messages) > len(v.prior)+last-1 {
		out = append(out, say("state after the last run", result.Added, "no message for the rejected reply", quote(messages[len(v.prior)+last-1].value)))
	}
	return out
}

// checkNoNativeIDs looks for native IDs and bindings where they don't belong
// (CALLID-09).
func checkNoNativeIDs(v *View) []Finding {
	out := v.shortfall(anyStep)
	for _, to := range []native.API{native.Responses, native.Chat} {
		for _, r := range v.to(to) {
			for _, s := range append(append([]*step(nil), v.prior...), v.script[:r.known]...) {
				if s.api != native.Gemini {
					continue
				}
				for _, i := range s.calls {
					for val := range r.req.Root.All() {
						if id := s.parts[i].ID; id != "" && val.Text() == id {
							out = append(out, idFinding(at(r, val.Path()), result.Foreign, result.Verbatim, "absent", "a native ID of "+s.label()))
						}
					}
				}
			}
			for public, id := range v.boundIDs() {
				for val := range r.req.Root.All() {
					if id != public && val.Text() == id {
						out = append(out, idFinding(at(r, val.Path()), result.Foreign, result.Verbatim, "absent", "a native ID of the state that was put in"))
					}
				}
			}
			findWrapper(r.req.Root, func(val wire.Value, what string) {
				out = append(out, idFinding(at(r, val.Path()), result.Wrapper, result.Verbatim, "absent", what))
			})
		}
	}
	for _, s := range sentCalls(v) {
		if s.want.rebuilt && s.got.part.ID != "" {
			out = append(out, idFinding(at(s.r, s.got.part.Value.Path()+".functionCall.id"), result.Added, result.Verbatim, "absent: the turn is rebuilt", fmt.Sprintf("%q", printable(short(s.got.part.ID)))))
		}
	}
	return out
}
