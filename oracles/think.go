package oracles

import (
	"fmt"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

func thinkOracles() []Oracle {
	thinking := Needs{Capability: "thinking"}
	carrier := Needs{Carrier: true}
	return []Oracle{
		// String text with thought strictly true is thinking, all other is visible.
		{ID: "THINK-01", Needs: thinking, Scope: answersShow("THINK-01"), Check: checkAnswers("THINK-01")},
		// Each sequence is joined without separators; later parts are not lost.
		{ID: "THINK-02", Needs: thinking, Scope: answersShow("THINK-02"), Check: checkAnswers("THINK-02")},
		// The inline extractor.
		{ID: "THINK-03", Needs: carrier, Scope: answersShow("THINK-03"), Check: checkAnswers("THINK-03")},
		// Native thinking is verbatim; empty contributes nothing.
		{ID: "THINK-04", Needs: thinking, Scope: answersShow("THINK-04"), Check: checkAnswers("THINK-04")},
		// Native, LF, inline; one alone; none is null.
		{ID: "THINK-05", Needs: carrier, Scope: answersShow("THINK-05"), Check: checkAnswers("THINK-05")},
		// Content is the cleaned visible text; plain and tool chat agree.
		{ID: "THINK-06", Needs: thinking, Scope: answersShow("THINK-06"), Check: checkAnswers("THINK-06")},
		// Everything else is as it would be without the separation.
		{ID: "THINK-07", Needs: carrier, Scope: answersShow("THINK-07"), Check: join2(
			join2(checkAnswers("THINK-07"), checkMeta("THINK-07")),
			join2(turns(geminiStep(anyStep), func(diff) bool { return true }), carrierShape(geminiStep(anyStep))))},
		// The malformed and the very long.
		{ID: "THINK-08", Needs: carrier, Scope: answersShow("THINK-08"), Check: checkAnswers("THINK-08")},
	}
}

// expected is one answer of a scenario's literal outcome.
type expected struct {
	n     int // 1-based
	value wire.Value
}

// expectedAnswers returns the answers of the literal outcome that show a
// requirement. They are in the order of the conversation.
func (v *View) expectedAnswers(id string) []expected {
	root, err := wire.Parse(v.Scenario.Outcome(v.Variant))
	if err != nil {
		return nil // no outcome; the loader checks the file
	}
	var out []expected
	n := 0
	for a := range root.Get("answers").Items() {
		n++
		for s := range a.Get("shows").Items() {
			if s.Text() == id {
				out = append(out, expected{n, a})
			}
		}
	}
	return out
}

func answersShow(id string) func(*View) bool {
	return func(v *View) bool { return ordinary(v) && len(v.expectedAnswers(id)) > 0 }
}

// given is one answer that the subject gave.
type given struct {
	where  string
	answer Answer
}

func (v *View) givenAnswers() []given {
	var out []given
	for i, run := range v.Runs {
		for j, a := range run.Outcome.Answers {
			out = append(out, given{fmt.Sprintf("run %d, answer %d", i+1, j+1), a})
		}
	}
	return out
}

// checkAnswers compares content and thinking with the literal outcome. Null and
// empty thinking are told apart at level verbatim only.
func checkAnswers(id string) func(*View) []Finding {
	return func(v *View) []Finding {
		all := v.givenAnswers()
		var out []Finding
		for _, want := range v.expectedAnswers(id) {
			if want.n > len(all) {
				out = append(out, thinkFinding(fmt.Sprintf("answer %d", want.n), result.Shrunk, result.Provider, quote(want.value.Get("content")), "it never came: "+v.ending()))
				continue
			}
			out = append(out, compareAnswer(all[want.n-1], want.value)...)
		}
		return out
	}
}

func compareAnswer(g given, want wire.Value) []Finding {
	var out []Finding
	if text := want.Get("content").Text(); g.answer.Content != text {
		out = append(out, thinkFinding(g.where+", content", result.Changed, result.Provider, printable(short(wire.Quote(text))), printable(short(wire.Quote(g.answer.Content)))))
	}
	thinking := want.Get("thinking")
	switch got := g.answer.Thinking; {
	case thinking.Kind() != wire.String && got == nil:
	case thinking.Kind() != wire.String:
		level := result.Provider
		if *got == "" {
			level = result.Verbatim
		}
		out = append(out, thinkFinding(g.where+", thinking", result.Added, level, "null", printable(short(wire.Quote(*got)))))
	case got == nil:
		out = append(out, thinkFinding(g.where+", thinking", result.Absent, result.Provider, quote(thinking), "null"))
	case *got != thinking.Text():
		out = append(out, thinkFinding(g.where+", thinking", result.Changed, result.Provider, quote(thinking), printable(short(wire.Quote(*got)))))
	}
	return out
}

func thinkFinding(where string, change result.Change, level result.Level, want, got string) Finding {
	return Finding{
		Where: where, Change: change, Level: level, Basis: result.Documented, Want: want, Got: got,
		Means: "the user reads thoughts as the answer, or loses a part of it (ADR-223)",
	}
}

// checkMeta compares what else a completion holds with the literal outcome, and
// its carrier with the one in the state.
func checkMeta(id string) func(*View) []Finding {
	return func(v *View) []Finding {
		all := v.givenAnswers()
		var out []Finding
		for _, want := range v.expectedAnswers(id) {
			if want.n > len(all) {
				continue // reported by checkAnswers
			}
			g := all[want.n-1]
			meta := want.value.Get("meta")
			if g.answer.Meta == nil {
				out = append(out, thinkFinding(g.where+", meta", result.Absent, result.Verbatim, quote(meta), "absent"))
				continue
			}
			for name, got := range map[string]string{
				"usage": string(g.answer.Meta.Usage), "model": wire.Quote(g.answer.Meta.Model),
				"provider": wire.Quote(g.answer.Meta.Provider), "finish_reason": wire.Quote(g.answer.Meta.FinishReason),
			} {
				m := meta.Get(name)
				if sent, err := wire.Parse(got); m.Exists() && (err != nil || !wire.SameValue(m, sent)) {
					out = append(out, thinkFinding(g.where+", meta."+name, result.Changed, result.Verbatim, quote(m), printable(short(got))))
				}
			}
		}
		return sortFindings(out)
	}
}
