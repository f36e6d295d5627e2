package oracles

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

// secret is native content that must not become public.
type secret struct {
	what string
	text string
}

// secrets lists the native content of the Gemini turns: opaque values, and the
// texts of unknown members.
func (v *View) secrets() []secret {
	var out []secret
	for _, s := range append(append([]*step(nil), v.prior...), v.script...) {
		if s.api != native.Gemini {
			continue
		}
		for i, p := range s.parts {
			if sig := p.Sig.Text(); len(sig) >= 16 {
				out = append(out, secret{fmt.Sprintf("the signature of part %d of %s", i+1, s.label()), sig})
			}
			for name, m := range p.Value.Members() {
				if slices.Contains(listed[native.Gemini], usual(name)) {
					continue
				}
				for val := range m.All() {
					if text := val.Text(); len(text) >= 8 {
						out = append(out, secret{fmt.Sprintf("an unknown member of part %d of %s", i+1, s.label()), text})
					}
				}
			}
		}
	}
	return out
}

// redact replaces native content in a message that a finding is to show.
func (v *View) redact(s string) string {
	for _, sec := range v.secrets() {
		s = strings.ReplaceAll(s, sec.text, "[native content]")
	}
	return s
}

// checkLeaks looks for native content where a user would see it: in answers,
// tool arguments, logs and errors; and for thought text resent as ordinary text
// (REPLAY-14).
func checkLeaks(v *View) []Finding {
	out := v.shortfall(geminiStep(anyStep))
	if len(v.requests) == 0 {
		return v.shortfall(anyStep)
	}
	for _, r := range v.requests {
		for _, d := range v.diffs()[r] {
			if d.Change == result.Leaked {
				out = append(out, d.Finding)
			}
		}
		for _, f := range thoughtsAsText(v, r) {
			if !slices.ContainsFunc(out, func(told Finding) bool { return told.Where == f.Where && told.Change == f.Change }) {
				out = append(out, f)
			}
		}
	}
	secrets := v.secrets()
	for i, run := range v.Runs {
		for j, a := range run.Outcome.Answers {
			out = append(out, seen(fmt.Sprintf("run %d, answer %d", i+1, j+1), a.Content, secrets, result.Provider)...)
		}
		for j, t := range run.Outcome.ToolRuns {
			out = append(out, seen(fmt.Sprintf("run %d, arguments of tool run %d", i+1, j+1), t.Arguments, secrets, result.Provider)...)
			out = append(out, seen(fmt.Sprintf("run %d, call ID of tool run %d", i+1, j+1), t.CallID, secrets, result.Provider)...)
		}
		if !v.carrier() {
			continue
		}
		out = append(out, seen(fmt.Sprintf("run %d, standard error", i+1), run.Stderr, secrets, result.Verbatim)...)
		if run.Outcome.Error != nil {
			out = append(out, seen(fmt.Sprintf("run %d, error message", i+1), run.Outcome.Error.Message, secrets, result.Verbatim)...)
		}
	}
	return append(out, thoughtsInAnswers(v)...)
}

func seen(where, text string, secrets []secret, level result.Level) []Finding {
	var out []Finding
	for _, sec := range secrets {
		if strings.Contains(text, sec.text) {
			out = append(out, Finding{
				Where: where, Change: result.Leaked, Level: level, Basis: result.Documented,
				Want: "absent", Got: sec.what, Means: "native content is the provider's; it belongs in no answer, argument, log or error",
			})
		}
	}
	return out
}

// thoughtsAsText finds thought text among the ordinary text of model entries.
func thoughtsAsText(v *View, r *request) []Finding {
	var out []Finding
	for _, thought := range v.thoughtsBefore(r) {
		for _, g := range v.aligned(r).gots {
			if g.part.Kind == native.Text && strings.Contains(g.part.Text, thought) {
				out = append(out, Finding{
					Where: at(r, g.part.Value.Path()), Change: result.Leaked, Level: result.Provider, Basis: result.Documented,
					Want: "no thought text as ordinary text", Got: describe(g.part), Means: "the model reads its own thoughts as something it said",
				})
			}
		}
	}
	return out
}

// thoughtsBefore are the texts of the thoughts that were there before a request,
// to whichever provider it goes; those too short to be told from other text
// apart.
func (v *View) thoughtsBefore(r *request) []string {
	var out []string
	for _, s := range slices.Concat(v.prior, v.script[:r.known]) {
		for _, p := range s.parts {
			if text := strings.TrimSpace(p.Text); p.Kind == native.Thought && len(text) >= 8 && !strings.Contains(s.visible(), text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// thoughtsInAnswers finds thought text in visible answers.
func thoughtsInAnswers(v *View) []Finding {
	var out []Finding
	for i, run := range v.Runs {
		for j, a := range run.Outcome.Answers {
			for _, s := range v.script {
				for _, p := range s.parts {
					if t := strings.TrimSpace(p.Text); s.api == native.Gemini && p.Kind == native.Thought && len(t) >= 8 && strings.Contains(a.Content, t) {
						out = append(out, Finding{
							Where: fmt.Sprintf("run %d, answer %d", i+1, j+1), Change: result.Leaked, Level: result.Provider, Basis: result.Documented,
							Want: "visible text only", Got: "thought text of " + s.label(), Means: "the user sees the model's thoughts as its answer",
						})
					}
				}
			}
		}
	}
	return out
}
