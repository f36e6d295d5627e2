package oracles_test

import (
	"strings"

	"github.com/tidwall/gjson"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
	"example.com/replaycheck/oracles"
)

func refuseFaults() []fault {
	out := []fault{
		{"refuse-after-contact", "", []string{"REFUSE-09"}, result.Verbatim, refused(func(r, control *oracles.Run) {
			r.Exchanges, r.Connections = control.Exchanges, 1
		})},
		{"refuse-after-contact", "a connection only", []string{"REFUSE-09"}, result.Verbatim, refused(func(r, _ *oracles.Run) { r.Connections = 1 })},
		{"refuse-quotes-content", "", []string{"REFUSE-08"}, result.Verbatim, quoting(func(r *oracles.Run, content string) { r.Outcome.Error.Message += ": " + content })},
		{"refuse-quotes-content", "in the log", []string{"REFUSE-08"}, result.Verbatim, quoting(func(r *oracles.Run, content string) { r.Stderr = "refusing " + content })},
		{"refuse-quotes-content", "another message", []string{"REFUSE-08"}, result.Verbatim, refused(func(r, _ *oracles.Run) { r.Outcome.Error.Message = "gemini: parts: want a list" })},
	}
	for _, r := range []struct{ id, name string }{
		{"REFUSE-01", "missing"},
		{"REFUSE-02", "not-a-list"},
		{"REFUSE-03", "member"},
		{"REFUSE-04", "duplicate"},
		{"REFUSE-05", "mixed"},
		{"REFUSE-06", "not-objects"},
		{"REFUSE-07", "bindings"},
	} {
		id, name := r.id, r.name
		only := func(c change) change {
			return func(ev *oracles.Evidence) {
				if strings.HasPrefix(ev.Scenario.ID, "foreign/refuse-"+name+"-") {
					c(ev)
				}
			}
		}
		out = append(out,
			fault{"refuse-skipped-" + name, "", []string{id, "REFUSE-08", "REFUSE-09"}, result.Verbatim, only(refused(func(r, control *oracles.Run) {
				r.Exchanges, r.Connections, r.Outcome = control.Exchanges, control.Connections, control.Outcome
			}))},
			fault{"refuse-skipped-" + name, "the provider refuses", []string{id, "REFUSE-09"}, result.Verbatim, only(refused(func(r, control *oracles.Run) {
				r.Exchanges, r.Connections = control.Exchanges, control.Connections
				r.Outcome.Error.Kind, r.Outcome.Error.Status = subject.FromProvider, 400
			}))},
			fault{"refuse-skipped-" + name, "another kind of error", []string{id}, result.Verbatim, only(refused(func(r, _ *oracles.Run) { r.Outcome.Error.Kind = subject.FromSubject }))})
	}
	return out
}

// refused edits the runs of a scenario that expects a refusal, each with the
// control run next to it.
func refused(e func(r, control *oracles.Run)) change {
	return func(ev *oracles.Evidence) {
		if ev.Scenario.Expect != "refused" {
			return
		}
		for i := range ev.Runs {
			control := copyRuns(ev.Control)[0]
			e(&ev.Runs[i], &control)
		}
	}
}

// quoting edits the runs that a refusal is due in, with a string of the carrier
// that was put in, if it has one worth the name.
func quoting(e func(r *oracles.Run, content string)) change {
	return func(ev *oracles.Evidence) {
		if ev.Scenario.Expect != "refused" {
			return
		}
		content := ""
		for _, m := range items(ev.Scenario.State(ev.Variant), "messages") {
			carrier, err := wire.Parse(gjson.Get(m, "provider_items").Raw)
			if err != nil {
				continue
			}
			for v := range carrier.All() {
				if s := v.Text(); len(s) >= 8 && s != "nrllm_gemini_generate_content" {
					content = s
				}
			}
		}
		for i := range ev.Runs {
			if content != "" {
				e(&ev.Runs[i], content)
			}
		}
	}
}

func streamFaults() []fault {
	accepted := func(ev *oracles.Evidence) {
		if ev.Scenario.Expect == "stream-error" {
			last := &ev.Runs[len(ev.Runs)-1].Outcome
			last.Error = nil
			last.Answers = append(last.Answers, oracles.Answer{Content: "half"})
		}
	}
	return []fault{
		{"stream-last-chunk-lost", "after the finish reason", []string{"STREAM-01"}, result.Provider, chunkLost(true)},
		{"stream-last-chunk-lost", "with the finish reason", []string{"STREAM-01"}, result.Provider, chunkLost(false)},
		{"stream-broken-accepted", "", []string{"STREAM-02"}, result.Provider, accepted},
		{"stream-broken-accepted", "with a carrier", []string{"STREAM-02"}, result.Verbatim, func(ev *oracles.Evidence) {
			if ev.Scenario.Expect != "stream-error" {
				return
			}
			onState(func(state string) string {
				list := append(items(state, "messages"), `{"role":"assistant","content":"half","provider_items":[`+capsule+`]}`)
				return setItems(state, "messages", list)
			})(ev)
		}},
		{"stream-broken-accepted", "and asked again", []string{"STREAM-02"}, result.Provider, func(ev *oracles.Evidence) {
			if ev.Scenario.Expect == "stream-error" {
				last := &ev.Runs[len(ev.Runs)-1]
				again := last.Exchanges[len(last.Exchanges)-1]
				again.Step, again.Status, again.Reply, again.Cut = 0, 400, `{}`, false
				last.Exchanges = append(last.Exchanges, again)
			}
		}},
	}
}

// chunkLost drops the parts of a stream that came with the finish reason, or
// after it.
func chunkLost(after bool) change {
	return func(ev *oracles.Evidence) {
		lost := map[string]bool{}
		for x := range exchanges(ev) {
			if x.Endpoint != "gemini" {
				continue
			}
			x.Body = model(x.Body, func(parts []string) []string {
				return filter(parts, func(p string) bool { return !lost[wireCompact(p)] })
			})
			finished := false
			for _, chunk := range strings.Split(x.Reply, "data:")[1:] {
				now := strings.Contains(chunk, `"finishReason"`)
				for _, p := range items(chunk, "candidates.0.content.parts") {
					if (isCall(p) || isSigned(p)) && (finished || now && !after) {
						lost[wireCompact(p)] = true
					}
				}
				finished = finished || now
			}
		}
	}
}
