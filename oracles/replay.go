package oracles

import (
	"slices"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

func replayOracles() []Oracle {
	withCall := geminiStep(func(s *step) bool { return len(s.calls) > 0 })
	plain := geminiStep(func(s *step) bool { return len(s.calls) == 0 })
	single := geminiStep(func(s *step) bool { return len(s.calls) == 1 })
	parallel := geminiStep(func(s *step) bool { return len(s.calls) > 1 })
	beside := geminiStep((*step).beside)
	all := geminiStep(anyStep)
	return []Oracle{
		// The parts of a turn with a call come back, each whole and in order.
		// ADR-222; ai.google.dev/gemini-api/docs/thought-signatures.
		{ID: "REPLAY-01", Scope: some(withCall), Check: join2(
			turns(withCall, func(d diff) bool { return d.aspect != ofBoundary }),
			carrierShape(withCall))},
		// A signed turn without a call comes back the same way; an unsigned one
		// has no carrier.
		{ID: "REPLAY-02", Scope: func(v *View) bool {
			return some(plain)(v) || v.carrier() && ordinary(v) && anyOf(v.script, func(s *step) bool { return plain(s) && s.n != v.broken() })
		}, Check: join2(
			turns(plain, func(diff) bool { return true }), carrierShape(plain))},
		// One call: its turn stands at its place, signature on its own part.
		{ID: "REPLAY-03", Needs: Needs{Forced: true}, Scope: some(single), Check: turns(single, func(diff) bool { return true })},
		// Parallel calls: one model entry, only the signed parts signed.
		{ID: "REPLAY-04", Needs: Needs{Capability: "parallel"}, Scope: some(parallel), Check: turns(parallel, func(diff) bool { return true })},
		// Sequential calls: each earlier step with its own signature.
		{ID: "REPLAY-05", Needs: Needs{Capability: "sequential"}, Scope: sequentialScope, Check: checkSequential},
		// Text next to a call keeps its boundaries.
		{ID: "REPLAY-06", Needs: Needs{Forced: true}, Scope: some(beside), Check: turns(beside, func(d diff) bool {
			return d.part.Kind != native.Call || d.Change == result.Moved || d.aspect != ofSignature && d.aspect != ofContent
		})},
		// A signature is never altered, copied, exchanged or invented.
		{ID: "REPLAY-07", Needs: Needs{Forced: true}, Scope: func(v *View) bool { return ordinary(v) && anyOf(v.script, all) }, Check: join2(
			turns(all, func(d diff) bool {
				switch d.Change {
				case result.Absent, result.Null, result.Empty, result.Moved:
					return false
				}
				return d.aspect == ofSignature
			}), join2(onceEach, strays))},
		// Every request kind replays what is carried.
		{ID: "REPLAY-08", Scope: mixedKinds, Check: turns(all, func(d diff) bool { return d.aspect != ofBoundary })},
		// Empty capsule, no carrier, empty carrier.
		{ID: "REPLAY-09", Needs: Needs{Carrier: true}, Scope: storedScope, Check: checkStored},
		// Public call IDs are unique and well formed.
		{ID: "REPLAY-10", Needs: Needs{Carrier: true}, Scope: func(v *View) bool { return some(withCall)(v) && anyOf(v.script, withCall) }, Check: checkPublicIDs},
		// A result's name is that of its call.
		{ID: "REPLAY-11", Needs: Needs{Forced: true}, Scope: func(v *View) bool {
			return ordinary(v) && anyOf(slices.Concat(v.prior, v.script), v.answered(native.Gemini))
		}, Check: join2(func(v *View) []Finding { return v.shortfall(v.answered(native.Gemini)) }, checkNames)},
		// Building changes nothing; earlier entries never change.
		{ID: "REPLAY-12", Scope: func(v *View) bool { return ordinary(v) && (len(v.prior) > 0 || len(v.script) > 1) }, Check: checkStable},
		// The wrapper reaches no provider.
		{ID: "REPLAY-13", Needs: Needs{Carrier: true}, Scope: ordinary, Check: checkWrapper},
		// Nothing native becomes public.
		{ID: "REPLAY-14", Scope: func(v *View) bool { return ordinary(v) && anyOf(v.script, all) }, Check: checkLeaks},
		// Each call has exactly one result, its own.
		{ID: "REPLAY-15", Needs: Needs{Forced: true}, Scope: func(v *View) bool {
			return ordinary(v) && anyOf(slices.Concat(v.prior, v.script), v.answered(""))
		}, Check: join2(func(v *View) []Finding { return v.shortfall(v.answered("")) }, checkResults)},
	}
}

// answered asks for steps with calls whose results a request to the API must
// hold; "" is any API.
func (v *View) answered(api native.API) func(*step) bool {
	return func(s *step) bool {
		return len(s.calls) > 0 && slices.ContainsFunc(v.script, func(later *step) bool {
			return (s.stored || later.n > s.n) && (api == "" || later.api == api)
		})
	}
}

func anyOf(steps []*step, is func(*step) bool) bool { return slices.ContainsFunc(steps, is) }

// join2 makes one check of two.
func join2(a, b func(*View) []Finding) func(*View) []Finding {
	return func(v *View) []Finding { return append(a(v), b(v)...) }
}

// sequentialScope asks for a request that must hold two steps with calls of one
// user turn.
func sequentialScope(v *View) bool {
	return ordinary(v) && sequentialSteps(v) != nil
}

// sequentialSteps returns the steps that are not alone with calls in their turn.
func sequentialSteps(v *View) map[*step]bool {
	var out map[*step]bool
	for i, s := range v.script {
		for _, next := range v.script[i+1:] {
			if s.api == native.Gemini && next.api == native.Gemini && s.turn == next.turn && len(s.calls) > 0 && len(next.calls) > 0 {
				if out == nil {
					out = map[*step]bool{}
				}
				out[s], out[next] = true, true
			}
		}
	}
	return out
}

func checkSequential(v *View) []Finding {
	steps := sequentialSteps(v)
	return turns(func(s *step) bool { return steps[s] }, func(d diff) bool {
		return d.aspect != ofContent
	})(v)
}

// mixedKinds reports whether one conversation uses more than one request kind
// of Gemini: streamed and plain, or with and without tools.
func mixedKinds(v *View) bool {
	if !ordinary(v) || !anyOf(v.script, geminiStep(v.replayed)) {
		return false
	}
	kinds := map[string]bool{}
	for _, text := range v.Scenario.Tasks {
		task, err := parseTask(text)
		if err != nil {
			return false
		}
		for _, leg := range task.Legs {
			kind := "tools"
			if len(task.Tools) == 0 {
				kind = "chat"
			}
			if leg.Stream {
				kind = "stream"
			}
			kinds[kind] = true
		}
	}
	return len(kinds) > 1
}
