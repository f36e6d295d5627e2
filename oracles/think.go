package oracles

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
)

func thinkOracles() []Oracle {
	thinking := Needs{Capability: "thinking"}
	carrier := Needs{Carrier: true}
	return []Oracle{
		// String text with thought strictly true is thinking, all other is visible.
		{ID: "THINK-01", Needs: thinking, Scope: answersTell("THINK-01"), Check: join2(checkAnswers("THINK-01"), toldInState)},
		// Each sequence is joined without separators; later parts are not lost.
		{ID: "THINK-02", Needs: thinking, Scope: answersTell("THINK-02"), Check: join2(checkAnswers("THINK-02"), toldInState)},
		// The inline extractor.
		{ID: "THINK-03", Needs: carrier, Scope: answersShow("THINK-03"), Check: checkAnswers("THINK-03")},
		// Native thinking is verbatim; empty contributes nothing.
		{ID: "THINK-04", Needs: thinking, Scope: answersShow("THINK-04"), Check: checkAnswers("THINK-04")},
		// Native, LF, inline; one alone; none is null.
		{ID: "THINK-05", Needs: carrier, Scope: answersShow("THINK-05"), Check: checkAnswers("THINK-05")},
		// Content is the cleaned visible text; plain and tool chat agree.
		{ID: "THINK-06", Needs: thinking, Scope: answersShow("THINK-06"), Check: checkAnswers("THINK-06")},
		// Everything else is as it would be without the separation.
		{ID: "THINK-07", Needs: carrier, Scope: func(v *View) bool {
			return answersShow("THINK-07")(v) || ordinary(v) && anyOf(v.untold(), func(s *step) bool { return s.thought() != "" })
		}, Check: join2(
			join2(checkAnswers("THINK-07"), checkMeta("THINK-07")),
			join2(turns(geminiStep(anyStep), func(diff) bool { return true }), carrierShape(geminiStep(anyStep))))},
		// The malformed and the very long.
		{ID: "THINK-08", Needs: carrier, Scope: answersShow("THINK-08"), Check: checkAnswers("THINK-08")},
	}
}

// expected is what one answer must be.
type expected struct {
	n        int // 1-based
	content  string
	thinking *string
	meta     wire.Value // absent: whatever
}

// expectedAnswers returns the literal answers that show a requirement.
func (v *View) expectedAnswers(id string) []expected {
	var out []expected
	for i, a := range v.answers {
		for s := range a.Get("shows").Items() {
			if s.Text() != id {
				continue
			}
			e := expected{n: i + 1, content: a.Get("content").Text(), meta: a.Get("meta")}
			if t := a.Get("thinking"); t.Kind() == wire.String {
				e.thinking = new(t.Text())
			}
			out = append(out, e)
		}
	}
	return out
}

// untold returns the Gemini answers of a scenario without a literal outcome
// whose text needs no extractor: there the parts tell what an answer must be.
func (v *View) untold() []*step {
	var out []*step
	for _, s := range v.finals() {
		if s.api == native.Gemini && s.n != v.broken() && len(v.answers) == 0 && !strings.Contains(s.visible(), "<") {
			out = append(out, s)
		}
	}
	return out
}

// plainAnswers returns what the answers must be that no literal outcome is about
// (THINK-01, THINK-02).
func (v *View) plainAnswers() []expected {
	var out []expected
	for i, s := range v.finals() {
		if !slices.Contains(v.untold(), s) {
			continue
		}
		e := expected{n: i + 1, content: s.visible()}
		if t := s.thought(); t != "" {
			e.thinking = &t
		}
		out = append(out, e)
	}
	return out
}

func answersShow(id string) func(*View) bool {
	return func(v *View) bool { return ordinary(v) && len(v.expectedAnswers(id)) > 0 }
}

// answersTell is answersShow or a scenario whose parts tell.
func answersTell(id string) func(*View) bool {
	return func(v *View) bool { return answersShow(id)(v) || ordinary(v) && len(v.untold()) > 0 }
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

// checkAnswers compares content and thinking with what they must be. Null and
// empty thinking are told apart at level verbatim only.
func checkAnswers(id string) func(*View) []Finding {
	return func(v *View) []Finding {
		all := v.givenAnswers()
		var out []Finding
		for _, want := range append(v.expectedAnswers(id), v.plainAnswers()...) {
			if want.n > len(all) {
				out = append(out, thinkFinding(fmt.Sprintf("answer %d", want.n), result.Shrunk, result.Provider, quoted(&want.content), "it never came: "+v.ending()))
				continue
			}
			out = append(out, v.compareAnswer(all[want.n-1], want)...)
		}
		return out
	}
}

// compareAnswer compares one answer. Inline thinking is the extractor's
// (THINK-03, verbatim): at level provider it may stay in the text.
func (v *View) compareAnswer(g given, want expected) []Finding {
	var out []Finding
	var from step
	if finals := v.finals(); want.n <= len(finals) {
		from = *finals[want.n-1]
	}
	if g.answer.Content != want.content {
		level := result.Provider
		if g.answer.Content == from.visible() {
			level = result.Verbatim
		}
		out = append(out, thinkFinding(g.where+", content", result.Changed, level, quoted(&want.content), quoted(&g.answer.Content)))
	}
	got := g.answer.Thinking
	if got == nil && want.thinking == nil || got != nil && want.thinking != nil && *got == *want.thinking {
		return out
	}
	change, level := result.Changed, result.Provider
	switch {
	case want.thinking == nil:
		change = result.Added
	case got == nil:
		change = result.Absent
	}
	if got == nil && from.thought() == "" || got != nil && *got == from.thought() {
		level = result.Verbatim // null or empty, or without the inline part
	}
	return append(out, thinkFinding(g.where+", thinking", change, level, quoted(want.thinking), quoted(got)))
}

func quoted(s *string) string {
	if s == nil {
		return "null"
	}
	return printable(short(wire.Quote(*s)))
}

func thinkFinding(where string, change result.Change, level result.Level, want, got string) Finding {
	f := Finding{
		Where: where, Change: change, Level: level, Basis: result.Documented, Want: want, Got: got,
		Means: "the user reads thoughts as the answer, or loses a part of it (ADR-223)",
	}
	if change == result.Shrunk {
		f.Means = "the user gets no answer, so nothing of it could be judged"
	}
	return f
}

// checkMeta compares what else a completion holds with the literal outcome, its
// carrier and other metadata token by token. Where there is none, a finish
// reason that came must not be gone.
func checkMeta(id string) func(*View) []Finding {
	return func(v *View) []Finding {
		all := v.givenAnswers()
		var out []Finding
		for _, want := range append(v.expectedAnswers(id), v.plainAnswers()...) {
			if want.n > len(all) {
				continue // reported by checkAnswers
			}
			g := all[want.n-1]
			if g.answer.Meta == nil {
				out = append(out, thinkFinding(g.where+", meta", result.Absent, result.Verbatim, "usage, model, provider, finish reason and metadata", "absent"))
				continue
			}
			if g.answer.Meta.FinishReason == "" {
				out = append(out, thinkFinding(g.where+", meta.finish_reason", result.Empty, result.Verbatim, "a finish reason", `""`))
				continue
			}
			out = append(out, compareMeta(g, want.meta)...)
		}
		return sortFindings(out)
	}
}

func compareMeta(g given, want wire.Value) []Finding {
	m := g.answer.Meta
	var out []Finding
	for name, got := range map[string]string{
		"usage": string(m.Usage), "model": wire.Quote(m.Model), "provider": wire.Quote(m.Provider),
		"finish_reason": wire.Quote(m.FinishReason), "metadata": object(m.Metadata),
	} {
		same := wire.SameValue
		if name == "metadata" {
			same = wire.SameTokens
		}
		if w := want.Get(name); w.Exists() {
			if sent, err := wire.Parse(got); err != nil || !same(w, sent) {
				out = append(out, thinkFinding(g.where+", meta."+name, result.Changed, result.Verbatim, quote(w), printable(short(got))))
			}
		}
	}
	return out
}

// object writes raw members, sorted by name, each as it is.
func object(members map[string]json.RawMessage) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out = append(out, wire.Quote(name)+":"+string(members[name]))
	}
	return "{" + strings.Join(out, ",") + "}"
}
