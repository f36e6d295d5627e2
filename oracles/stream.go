package oracles

import (
	"fmt"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

func streamOracles() []Oracle {
	// Chat Completions has no carrier to replay.
	streamed := func(s *step) bool { return s.stream && (s.api == native.Gemini || s.api == native.Responses) }
	return []Oracle{
		// Parts over several chunks are one turn; a signed empty tail is a part.
		{ID: "STREAM-01", Scope: some(streamed), Check: turns(streamed, func(diff) bool { return true })},
		// A streamed carrier replays like a plain one; a broken stream is an
		// error and leaves no carrier.
		{ID: "STREAM-02", Scope: func(v *View) bool {
			return v.Scenario.Expect == "stream-error" || v.carrier() && some(streamed)(v)
		}, Check: func(v *View) []Finding {
			out := join2(turns(streamed, func(d diff) bool { return d.Basis != result.Contested }), carrierShape(streamed))(v)
			if v.Scenario.Expect == "stream-error" {
				out = append(out, checkBroken(v)...)
			}
			return out
		}},
	}
}

func checkBroken(v *View) []Finding {
	say := func(where string, change result.Change, level result.Level, want, got string) Finding {
		return Finding{
			Where: where, Change: change, Level: level, Basis: result.Documented, Want: want, Got: got,
			Means: "half a turn taken for a whole one loses parts and their signatures",
		}
	}
	cut := len(v.script)
	if v.played(cut) == nil {
		return []Finding{say(fmt.Sprintf("request %d", cut), result.Shrunk, result.Provider, "a streamed request", "it never came: "+v.ending())}
	}
	var out []Finding
	run := v.last()
	where := fmt.Sprintf("run %d", len(v.Runs))
	if run.Outcome.Error == nil {
		out = append(out, say(where, result.Accepted, result.Provider, "an error: the stream broke off before it was complete", "no error, "+count(len(run.Outcome.Answers), "answer")))
	}
	for _, r := range v.requests {
		if r.x.Step == 0 && !faulted(r.x) || r.x.Step > cut {
			out = append(out, say(at(r, ""), result.Added, result.Provider, "no further request", "a request after the broken stream"))
		}
	}
	if !v.carrier() {
		return out
	}
	messages := assistants(run)
	if due := len(v.prior) + cut - 1; len(messages) > due {
		out = append(out, say(fmt.Sprintf("state after the last run, assistant message %d", due+1), result.Added, result.Verbatim, "no message and no carrier for the broken reply", quote(messages[due].value)))
	}
	for _, p := range v.script[cut-1].parts {
		if sig := p.Sig.Text(); run.Outcome.State != nil && len(sig) > 16 && strings.Contains(*run.Outcome.State, sig) {
			out = append(out, say("state after the last run", result.Added, result.Verbatim, "nothing of the broken reply", "a signature of it"))
		}
	}
	return out
}
