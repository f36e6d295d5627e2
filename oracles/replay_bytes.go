package oracles

import (
	"fmt"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

// onceEach finds minted values that occur more than once among the unescaped
// strings of a body, wherever they hide (REPLAY-07).
func onceEach(v *View) []Finding {
	minted := v.mintedBy()
	var out []Finding
	for _, r := range v.requests {
		seen := map[string]wire.Value{}
		for val := range r.req.Root.All() {
			text := val.Text()
			if len(text) < 40 {
				continue
			}
			for _, sig := range signaturesIn(text, minted) {
				first, again := seen[sig]
				if !again {
					seen[sig] = val
					continue
				}
				if val.Text() == sig && first.Text() != sig { // the copy is the hidden one
					seen[sig], first, val = val, val, first
				}
				out = append(out, Finding{
					Where: at(r, val.Path()), Change: result.Copied, Level: result.Provider, Basis: result.Unconfirmed,
					Want: "absent: each value once in a body", Got: "a second copy of the value at " + first.Path(), Means: "not known to be refused; the value belongs to one part only",
				})
			}
		}
	}
	return out
}

// strays finds values on parts that are not the model's: results and what the
// user said are never signed (REPLAY-07).
func strays(v *View) []Finding {
	var out []Finding
	if !anyOf(v.script, geminiStep(v.replayed)) { // else the comparison of turns says so
		out = v.shortfall(geminiStep(anyStep))
	}
	return append(out, v.straysTo(native.Gemini)...)
}

// straysTo are those in the requests to one API.
func (v *View) straysTo(api native.API) []Finding {
	requests := v.to(api)
	if len(requests) == 0 {
		return nil
	}
	minted := v.mintedBy()
	var out []Finding
	for _, r := range requests {
		for _, e := range r.req.Entries {
			for _, p := range e.Parts {
				if p.Sig.Text() == "" || e.Model() && p.Kind != native.Result {
					continue
				}
				f := Finding{
					Where: at(r, p.Sig.Path()), Change: result.Foreign, Level: result.Provider, Basis: result.Documented,
					Want: "absent: only the model's parts are signed", Got: quote(p.Sig), Means: "a value that belongs to no part; not known what a provider makes of it",
				}
				if _, known := minted[p.Sig.Text()]; known {
					f.Change = result.Moved
				} else if isStandIn(p.Sig.Text()) {
					f.Change = result.StandIn
				}
				out = append(out, f)
			}
		}
	}
	return out
}

// signaturesIn returns the minted values that a string is or contains.
func signaturesIn(text string, minted map[string]owner) []string {
	if _, ok := minted[text]; ok {
		return []string{text}
	}
	var out []string
	for sig := range minted {
		if len(sig) < len(text) && len(sig) >= 40 && strings.Contains(text, sig) {
			out = append(out, sig)
		}
	}
	return out
}

// checkStable compares every entry with the same entry of earlier requests to
// the same API, and the probes of a Builder (REPLAY-12).
func checkStable(v *View) []Finding {
	out := v.shortfall(func(s *step) bool { return s.stored || s.n < len(v.script) })
	before := map[native.API][]string{}
	for _, r := range v.requests {
		var now []string
		for _, e := range r.req.Entries {
			now = append(now, e.Value.Raw())
		}
		old := before[r.req.API]
		for i, raw := range old {
			if i < len(now) && now[i] == raw {
				continue
			}
			f := Finding{
				Where: at(r, fmt.Sprintf("entry %d", i)), Change: result.Shrunk, Level: result.Verbatim, Basis: result.Unconfirmed,
				Want: "the bytes of the earlier request: " + printable(short(raw)), Got: "absent", Means: "a history that changes between requests loses caches and may lose state",
			}
			if i < len(now) {
				f.Where, f.Change, f.Got = at(r, r.req.Entries[i].Value.Path()), result.Changed, printable(short(now[i]))
			}
			out = append(out, f)
			break
		}
		before[r.req.API] = now
	}
	for i, run := range v.Runs {
		if run.ProbeError != "" {
			out = append(out, probeFinding(i, "building a request from the state", "a request", v.redact(run.ProbeError)))
		}
		for _, p := range run.Probes {
			out = append(out, checkProbe(i, p)...)
		}
	}
	return out
}

func probeFinding(run int, what, want, got string) Finding {
	return Finding{
		Where: fmt.Sprintf("run %d, %s", run+1, what), Change: result.Changed, Level: result.Verbatim, Basis: result.Documented,
		Want: printable(short(want)), Got: printable(short(got)), Means: "building a request must leave the conversation as it is (ADR-222)",
	}
}

func checkProbe(run int, p Probe) []Finding {
	var out []Finding
	if p.Before != p.After {
		out = append(out, probeFinding(run, "the messages after building a request", p.Before, p.After))
	}
	if p.Body != p.Body2 {
		out = append(out, probeFinding(run, "the body built a second time", p.Body, p.Body2))
	}
	return out
}

var wrapperNames = []string{"provider_items", "nrllm_provider_items", "tool_call_bindings", "native_id"}

// checkWrapper looks for members and types of the capsule in every body; text,
// arguments, results and schemas apart (REPLAY-13).
func checkWrapper(v *View) []Finding {
	out := v.shortfall(anyStep)
	for _, r := range v.requests {
		findWrapper(r.req.Root, func(val wire.Value, what string) {
			out = append(out, Finding{
				Where: at(r, val.Path()), Change: result.Wrapper, Level: result.Verbatim, Basis: result.Documented,
				Want: "absent", Got: what, Means: "the wrapper is the adapter's own; providers refuse unknown fields or read foreign state",
			})
		})
	}
	return out
}

// freeMembers hold text, arguments, results and schemas: users' own words.
var freeMembers = map[string]bool{"text": true, "args": true, "arguments": true, "response": true, "output": true, "parameters": true, "schema": true, "responseSchema": true, "description": true}

func findWrapper(v wire.Value, say func(wire.Value, string)) {
	for name, m := range v.Members() {
		for _, w := range wrapperNames {
			if name == w {
				say(m, "a member named "+w)
			}
		}
		if name == "type" && m.Text() == capsuleType {
			say(m, "the capsule itself")
		}
		if !freeMembers[name] && !(name == "content" && m.Kind() == wire.String) {
			findWrapper(m, say)
		}
	}
	for item := range v.Items() {
		findWrapper(item, say)
	}
}
