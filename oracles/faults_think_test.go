package oracles_test

import (
	"regexp"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/wire"
	"example.com/replaycheck/oracles"
)

// said is one answer of the reference adapters with the reply that it was made
// of.
type said struct {
	answer *oracles.Answer
	reply  native.Reply
	tools  bool // tools were offered with the request
}

// visible and thought join the reply's texts; each is what a part on its own
// gives.
func (s said) visible(each func(string) string) string { return s.join(native.Text, each) }
func (s said) thought() string                         { return s.join(native.Thought, same1) }

func same1(s string) string { return s }

func (s said) join(k native.Kind, each func(string) string) string {
	var b strings.Builder
	for _, p := range s.reply.Parts {
		if p.Kind == k {
			b.WriteString(each(p.Text))
		}
	}
	return b.String()
}

// onAnswers edits every answer of a Gemini reply.
func onAnswers(e func(s said)) change {
	return func(ev *oracles.Evidence) {
		var finals []said
		for x := range exchanges(ev) {
			if x.Step == 0 || x.Cut {
				continue
			}
			r, err := native.ParseReply(native.API(x.Endpoint), x.Reply)
			if err == nil && len(r.Calls()) == 0 {
				finals = append(finals, said{reply: r, tools: has(x.Body, "tools")})
			}
		}
		for i := range ev.Runs {
			answers := ev.Runs[i].Outcome.Answers
			for j := range answers {
				if len(finals) == 0 {
					return
				}
				s := finals[0]
				finals = finals[1:]
				if s.answer = &answers[j]; s.reply.API == native.Gemini {
					e(s)
				}
			}
		}
	}
}

var inline = regexp.MustCompile(`(?s)<[tT][hH][iI][nN][kK]>.*?</[tT][hH][iI][nN][kK]>`)

// extracted is a text as an extractor leaves it that knows no more than the tags.
func extracted(s string) string {
	if !inline.MatchString(s) {
		return s
	}
	return strings.Trim(regexp.MustCompile(`[ \t]+`).ReplaceAllString(inline.ReplaceAllString(s, " "), " "), " \t\n\v\r\x00")
}

func thinkFaults() []fault {
	return []fault{
		{"thought-visible", "before the text", []string{"THINK-01"}, result.Provider, onAnswers(func(s said) {
			if t := s.thought(); t != "" {
				s.answer.Content = t + s.answer.Content
			}
		})},
		{"thought-visible", "and no thinking", []string{"THINK-01"}, result.Provider, onAnswers(func(s said) {
			if t := s.thought(); t != "" {
				s.answer.Content, s.answer.Thinking = t+s.answer.Content, nil
			}
		})},
		{"later-text-lost", "the first part only", []string{"THINK-02"}, result.Provider, onAnswers(func(s said) {
			for _, p := range s.reply.Parts {
				if p.Kind == native.Text {
					s.answer.Content = extracted(p.Text)
					return
				}
			}
		})},
		{"later-text-lost", "a separator between parts", []string{"THINK-02"}, result.Provider, onAnswers(func(s said) {
			if raw := s.visible(same1); s.answer.Content == raw {
				s.answer.Content = strings.TrimSuffix(s.visible(func(t string) string { return t + "\n" }), "\n")
			}
		})},
		{"loose-thought", "", []string{"THINK-01"}, result.Provider, onAnswers(func(s said) {
			var visible, thoughts strings.Builder
			for _, p := range s.reply.Parts {
				mark := p.Value.Get("thought")
				switch loose := mark.Exists() && mark.Raw() != "false" && mark.Kind() != wire.Null; {
				case p.Kind == native.Thought, p.Kind == native.Text && loose:
					thoughts.WriteString(p.Text)
				case p.Kind == native.Text:
					visible.WriteString(p.Text)
				}
			}
			if thoughts.String() != s.thought() {
				s.answer.Content, s.answer.Thinking = visible.String(), new(thoughts.String())
			}
		})},
		{"tool-chat-own-parser", "", []string{"THINK-06"}, result.Provider, onAnswers(func(s said) {
			if s.tools {
				s.answer.Content, s.answer.Thinking = s.thought()+s.visible(same1), nil
			}
		})},
		{"tool-chat-own-parser", "without the extractor", []string{"THINK-06"}, result.Verbatim, onAnswers(func(s said) {
			if s.tools {
				s.answer.Content = s.visible(same1)
			}
		})},
		{"thinking-resets-finish", "", []string{"THINK-07"}, result.Verbatim, onMeta(func(m *oracles.Meta) { m.FinishReason = "" })},
		{"thinking-resets-finish", "always stop", []string{"THINK-07"}, result.Verbatim, onMeta(func(m *oracles.Meta) { m.FinishReason = "stop" })},
		{"think-tag-split-missed", "", []string{"THINK-03"}, result.Verbatim, onAnswers(func(s said) {
			if strings.Contains(s.visible(same1), "<") {
				s.answer.Content = s.visible(extracted)
			}
		})},
		{"think-trimmed", "", []string{"THINK-04"}, result.Verbatim, onAnswers(func(s said) {
			if t := s.thought(); strings.TrimSpace(t) != t {
				s.answer.Thinking = new(strings.Replace(*s.answer.Thinking, t, strings.TrimSpace(t), 1))
			}
		})},
		{"think-trimmed", "tags taken out", []string{"THINK-04"}, result.Verbatim, onAnswers(func(s said) {
			if t := s.thought(); extracted(t) != t {
				s.answer.Thinking = new(strings.Replace(*s.answer.Thinking, t, extracted(t), 1))
			}
		})},
		{"think-joined-wrong", "", []string{"THINK-05"}, result.Verbatim, onAnswers(func(s said) {
			if t := s.thought(); t != "" && *s.answer.Thinking != t {
				s.answer.Thinking = new(t + strings.TrimPrefix(*s.answer.Thinking, t+"\n"))
			}
		})},
		{"think-joined-wrong", "empty instead of null", []string{"THINK-05"}, result.Verbatim, onAnswers(func(s said) {
			if s.answer.Thinking == nil {
				s.answer.Thinking = new("")
			}
		})},
		{"unclosed-swallowed", "", []string{"THINK-08"}, result.Verbatim, onAnswers(func(s said) {
			if i := strings.LastIndex(strings.ToLower(s.answer.Content), "<think>"); i >= 0 {
				s.answer.Content = s.answer.Content[:i]
			}
		})},
	}
}

// onMeta edits what else an answer holds, where there was something to think.
func onMeta(e func(*oracles.Meta)) change {
	return onAnswers(func(s said) {
		if m := s.answer.Meta; s.answer.Thinking != nil {
			m = new(*m)
			e(m)
			s.answer.Meta = m
		}
	})
}
