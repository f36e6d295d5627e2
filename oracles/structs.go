package oracles

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

func structOracles() []Oracle {
	toGemini := func(v *View) bool { return ordinary(v) && anyOf(v.script, geminiStep(anyStep)) }
	calls := func(v *View) bool {
		return toGemini(v) && (anyOf(v.script, func(s *step) bool { return len(s.calls) > 0 && s.n < len(v.script) }) ||
			anyOf(v.prior, func(s *step) bool { return len(s.calls) > 0 }))
	}
	return []Oracle{
		// args is an object in rebuilt turns; replayed ones keep their root.
		{ID: "STRUCT-01", Scope: calls, Check: checkArgsRoot},
		// response is always an object.
		{ID: "STRUCT-02", Scope: func(v *View) bool {
			return ordinary(v) && anyOf(slices.Concat(v.prior, v.script), v.answered(native.Gemini))
		}, Check: checkResponseRoot},
		// Below the roots lists stay lists and objects objects.
		{ID: "STRUCT-03", Scope: calls, Check: checkNested},
		// A stored list root is sent as an object; the stored bytes stay.
		{ID: "STRUCT-04", Needs: Needs{Carrier: true}, Scope: func(v *View) bool { return toGemini(v) && anyOf(v.prior, listRooted) }, Check: checkOldList},
	}
}

func structFinding(where string, change result.Change, level result.Level, want, got string) Finding {
	return Finding{
		Where: where, Change: change, Level: level, Basis: result.Confirmed, Want: want, Got: got,
		Means: `a list where a struct is required is refused (confirmed): 400 Invalid JSON payload received. … Proto field is not repeating, cannot start list.`,
	}
}

// sentCall is a call as a Gemini request holds it, with the one it answers.
type sentCall struct {
	r    *request
	want want
	got  got
}

func sentCalls(v *View) []sentCall {
	var out []sentCall
	for _, r := range v.to(native.Gemini) {
		a := v.aligned(r)
		for i, w := range a.wants {
			if g := a.at[i]; g >= 0 && w.part.Kind == native.Call {
				out = append(out, sentCall{r, w, a.gots[g]})
			}
		}
	}
	return out
}

// argsOf returns the args of a sent call and where they stand.
func argsOf(s sentCall) (wire.Value, string) {
	call, _ := lookUp(s.got.part.Value, "functionCall")
	return call.Get("args"), at(s.r, join(call.Path(), "args"))
}

func checkArgsRoot(v *View) []Finding {
	out := v.shortfall(func(s *step) bool { return len(s.calls) > 0 })
	for _, s := range sentCalls(v) {
		sent, where := argsOf(s)
		if s.want.rebuilt {
			if sent.Kind() != wire.Object {
				out = append(out, structFinding(where, changeOf(sent), result.Provider, "an object", quote(sent)))
			}
			continue
		}
		call, _ := lookUp(s.want.part.Value, "functionCall")
		switch mine := call.Get("args"); {
		case mine.Kind() == wire.Absent && sent.Exists():
			out = append(out, structFinding(where, result.Added, result.Provider, "absent", quote(sent)))
		case mine.Kind() == wire.Object && !sent.Exists() && mine.Len() == 0:
			out = append(out, structFinding(where, result.Absent, result.Verbatim, quote(mine), "absent")) // T3
		case mine.Kind() == wire.Object && sent.Kind() != wire.Object:
			out = append(out, structFinding(where, changeOf(sent), result.Provider, "an object: "+quote(mine), quote(sent)))
		case mine.Kind() == wire.Array && sent.Kind() != wire.Object:
			out = append(out, structFinding(where, result.Changed, result.Provider, "an object with the indexes as keys", quote(sent)))
		}
	}
	return out
}

// checkResponseRoot judges functionResponse.response: an object that holds the
// tool's result; its exact form for carrier subjects.
func checkResponseRoot(v *View) []Finding {
	out := v.shortfall(v.answered(native.Gemini))
	for _, r := range v.to(native.Gemini) {
		for _, s := range sentResults(r) {
			where := at(r, s.part.Value.Path()+".functionResponse.response")
			if s.part.Body.Kind() != wire.Object {
				out = append(out, structFinding(where, changeOf(s.part.Body), result.Provider, "an object", quote(s.part.Body)))
				continue
			}
			if f, bad := exactResponse(v, where, s.part); bad && v.carrier() {
				out = append(out, f)
			}
		}
	}
	return out
}

// exactResponse compares a response with the form that STRUCT-02 gives the
// result of its call. A response that holds no known result is REPLAY-15's.
func exactResponse(v *View, where string, p native.Part) (Finding, bool) {
	var near string
	for _, cr := range v.results() {
		if cr.run == nil {
			continue
		}
		want := responseFor(cr.run.Result)
		if wire.Compact(p.Body) == want {
			return Finding{}, false
		}
		if cr.holds(p) || near == "" && cr.step.parts[cr.index].Name == p.Name {
			near = want
		}
	}
	if near == "" {
		return Finding{}, false
	}
	return structFinding(where, result.Changed, result.Verbatim, printable(short(near)), quote(p.Body)), true
}

// responseFor is STRUCT-02's form of a result text, white space between tokens
// dropped: written from the contract, not from the adapters.
func responseFor(text string) string {
	val, err := wire.Parse(text)
	switch {
	case err == nil && utf8.ValidString(text) && val.Kind() == wire.Object:
		return wire.Compact(val)
	case err == nil && utf8.ValidString(text) && val.Kind() == wire.Array:
		return indexed(val)
	}
	return `{"result":` + wire.Quote(strings.ToValidUTF8(text, "\uFFFD")) + `}`
}

// indexed writes a list as an object with its indexes as keys.
func indexed(list wire.Value) string {
	var members []string
	for item := range list.Items() {
		members = append(members, fmt.Sprintf(`"%d":%s`, len(members), wire.Compact(item)))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// checkNested compares the kinds below the roots of arguments and results.
func checkNested(v *View) []Finding {
	out := v.shortfall(func(s *step) bool { return len(s.calls) > 0 })
	for _, s := range sentCalls(v) {
		sent, where := argsOf(s)
		mine, err := wire.Parse(s.want.part.Args)
		if err != nil || !sent.Exists() {
			continue
		}
		if a, b, ok := kindsDiffer(mine, sent); ok {
			out = append(out, structFinding(where, result.Changed, result.Provider, kindAnd(a), kindAnd(b)))
		}
	}
	for _, r := range v.to(native.Gemini) {
		for _, s := range sentResults(r) {
			for _, cr := range v.results() {
				mine, err := wire.Parse(runResult(cr))
				if mine.Kind() == wire.Array {
					mine, err = wire.Parse(indexed(mine)) // STRUCT-02's form of it
				}
				if err != nil || mine.Kind() != wire.Object || !cr.holds(s.part) || !sameNames(mine, s.part.Body) {
					continue
				}
				if a, b, ok := kindsDiffer(mine, s.part.Body); ok {
					out = append(out, structFinding(at(r, s.part.Value.Path()+".functionResponse.response"), result.Changed, result.Provider, kindAnd(a), kindAnd(b)))
				}
			}
		}
	}
	return out
}

func runResult(cr callResult) string {
	if cr.run == nil {
		return ""
	}
	return cr.run.Result
}

func kindAnd(v wire.Value) string { return fmt.Sprintf("%s %s", v.Kind(), quote(v)) }

// sameNames reports whether two objects have the same member names: only then
// is one the other and not a wrapper around it.
func sameNames(a, b wire.Value) bool {
	names := func(v wire.Value) []string {
		var out []string
		for n := range v.Members() {
			out = append(out, n)
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(names(a), names(b))
}

// kindsDiffer returns the first two values below the roots whose kinds differ.
func kindsDiffer(a, b wire.Value) (wire.Value, wire.Value, bool) {
	for name, x := range a.Members() {
		if y := b.Get(name); y.Exists() {
			if p, q, bad := kindPair(x, y); bad {
				return p, q, true
			}
		}
	}
	i := 0
	for x := range a.Items() {
		y := b.Index(i)
		if b.Kind() == wire.Object {
			y = b.Get(fmt.Sprint(i)) // a list root sent as STRUCT-04 has it
		}
		if i++; y.Exists() {
			if p, q, bad := kindPair(x, y); bad {
				return p, q, true
			}
		}
	}
	return wire.Value{}, wire.Value{}, false
}

func kindPair(x, y wire.Value) (wire.Value, wire.Value, bool) {
	container := func(v wire.Value) bool { return v.Kind() == wire.Array || v.Kind() == wire.Object }
	if x.Kind() != y.Kind() && (container(x) || container(y)) {
		return x, y, true
	}
	return kindsDiffer(x, y)
}

// listRooted reports whether a stored turn has a call whose args are a list.
func listRooted(s *step) bool {
	if s.api != native.Gemini {
		return false
	}
	return slices.ContainsFunc(s.parts, func(p native.Part) bool { return p.Kind == native.Call && strings.HasPrefix(p.Args, "[") })
}

func checkOldList(v *View) []Finding {
	out := v.shortfall(anyStep)
	found := false
	for _, s := range sentCalls(v) {
		if mine, err := wire.Parse(s.want.part.Args); err == nil && s.want.step.stored && !s.want.rebuilt && mine.Kind() == wire.Array {
			found = true
			if sent, where := argsOf(s); wire.Compact(sent) != indexed(mine) {
				out = append(out, structFinding(where, result.Changed, result.Verbatim, printable(short(indexed(mine))), quote(sent)))
			}
		}
	}
	if !found {
		out = append(out, structFinding("request 1", result.Shrunk, result.Verbatim, "the stored turn with its list of arguments", "absent: "+v.ending()))
	}
	return append(out, checkStoredBytes(v)...)
}

// checkStoredBytes compares the carriers of the state that was put in with
// those of the state that came out.
func checkStoredBytes(v *View) []Finding {
	before, after := storedAssistants(v), assistants(v.last())
	var out []Finding
	for i, m := range before {
		where := fmt.Sprintf("state after the last run, assistant message %d.provider_items", i+1)
		switch {
		case i >= len(after):
			out = append(out, stateFinding(where, result.Shrunk, quote(m.items), "absent"))
		case !wire.SameTokens(m.items, after[i].items):
			out = append(out, stateFinding(where, result.Changed, quote(m.items), quote(after[i].items)))
		}
	}
	return out
}
