package oracles

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// literalAnswers returns the answers of the scenario's literal outcome, in the
// order of the conversation; none where it has no outcome.
func (v *View) literalAnswers() []wire.Value {
	root, err := wire.Parse(v.Scenario.Outcome(v.Variant))
	if err != nil {
		return nil // the loader checks the file
	}
	return slices.Collect(root.Get("answers").Items())
}

// expectedAnswers returns the literal answers that show a requirement.
func (v *View) expectedAnswers(id string) []expected {
	var out []expected
	for i, a := range v.literalAnswers() {
		for s := range a.Get("shows").Items() {
			if s.Text() == id {
				out = append(out, expected{i + 1, a})
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
			out = append(out, v.compareAnswer(all[want.n-1], want)...)
		}
		return out
	}
}

// compareAnswer compares one answer. Inline thinking is the extractor's
// (THINK-03, verbatim): at level provider it may stay in the text.
func (v *View) compareAnswer(g given, e expected) []Finding {
	var out []Finding
	var from step
	if finals := v.finals(); e.n <= len(finals) {
		from = *finals[e.n-1]
	}
	if text := e.value.Get("content").Text(); g.answer.Content != text {
		level := result.Provider
		if g.answer.Content == from.visible() {
			level = result.Verbatim
		}
		out = append(out, thinkFinding(g.where+", content", result.Changed, level, printable(short(wire.Quote(text))), printable(short(wire.Quote(g.answer.Content)))))
	}
	want := e.value.Get("thinking")
	say := func(change result.Change, got string) {
		level, native := result.Provider, ""
		if g.answer.Thinking != nil {
			native = *g.answer.Thinking
		}
		if native == from.thought() { // null or empty, or without the inline part
			level = result.Verbatim
		}
		out = append(out, thinkFinding(g.where+", thinking", change, level, quote(want), got))
	}
	switch got := g.answer.Thinking; {
	case want.Kind() != wire.String && got == nil:
	case want.Kind() != wire.String:
		say(result.Added, printable(short(wire.Quote(*got))))
	case got == nil:
		say(result.Absent, "null")
	case *got != want.Text():
		say(result.Changed, printable(short(wire.Quote(*got))))
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
// its carrier and other metadata token by token.
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
				"metadata": object(g.answer.Meta.Metadata),
			} {
				m := meta.Get(name)
				if sent, err := wire.Parse(got); m.Exists() && (err != nil || !wire.SameValue(m, sent) || name == "metadata" && wire.Compact(m) != wire.Compact(sent)) {
					out = append(out, thinkFinding(g.where+", meta."+name, result.Changed, result.Verbatim, quote(m), printable(short(got))))
				}
			}
		}
		return sortFindings(out)
	}
}

// object writes raw members, sorted by name, each as it is.
func object(members map[string]json.RawMessage) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out = append(out, wire.Quote(name)+":"+string(members[name]))
	}
	return "{" + strings.Join(out, ",") + "}"
}
