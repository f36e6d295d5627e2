package subject

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Anthropic is a provider that descriptions may name already; no task does yet.
const Anthropic = "anthropic"

func providers() []string {
	return []string{Gemini, Vertex, OpenAIResponses, OpenAIChat, GeminiOpenAI, Anthropic}
}

// Capabilities returns the closed list of capabilities, in a fixed order.
func Capabilities() []string {
	return []string{Tools, Parallel, Sequential, Thinking, CrossProvider, AgentRuns}
}

func checkVersion(path string, v int) []string {
	if v == Version {
		return nil
	}
	return []string{fmt.Sprintf("%s.v: got %d, want %d", path, v, Version)}
}

// checker notes what is wrong with a value, path by path.
type checker struct{ wrong []string }

func (c *checker) note(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

func (c *checker) oneOf(path, got string, want ...string) {
	if !slices.Contains(want, got) {
		quoted := make([]string, len(want))
		for i, w := range want {
			quoted[i] = strconv.Quote(w)
		}
		c.note("%s: got %q, want one of %s", path, clip(got, 60), strings.Join(quoted, " "))
	}
}

func (c *checker) each(path string, got []string, want ...string) {
	for i, g := range got {
		c.oneOf(fmt.Sprintf("%s[%d]", path, i), g, want...)
	}
}

// Check returns what is wrong with a description, in one line: names that the
// protocol does not know, and a subject that could not be driven at all.
func (d Description) Check() error {
	c := checker{wrong: checkVersion("describe", d.V)}
	if d.Name == "" {
		c.note("describe.name is empty")
	}
	if len(d.Providers) == 0 {
		c.note("describe.providers is empty, want at least one of %s", strings.Join(providers(), " "))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Providers)) {
		c.oneOf("describe.providers", name, providers()...)
	}
	if len(d.Modes) == 0 {
		c.note("describe.modes is empty, want plain, stream or both")
	}
	c.each("describe.modes", d.Modes, "plain", "stream")
	c.each("describe.stops", d.Stops, StopAtToolCalls, StopAtAnswer)
	c.oneOf("describe.state", d.State, "library", "json", "none")
	c.each("describe.capabilities", d.Capabilities, Capabilities()...)
	for _, name := range slices.Sorted(maps.Keys(d.Unsupported)) {
		c.oneOf("describe.unsupported", name, Capabilities()...)
		if strings.TrimSpace(d.Unsupported[name]) == "" {
			c.note("describe.unsupported.%s: got no reason, want one", name)
		}
		if slices.Contains(d.Capabilities, name) {
			c.note("describe.unsupported.%s: the capability is declared as well", name)
		}
	}
	c.oneOf("describe.carrier", d.Carrier, "", Carrier)
	return oneLine(c.wrong)
}

// Check returns what makes an outcome nonsense as the answer to task, in one
// line. A conversation that failed is no nonsense, and neither is one that
// stopped without a state: those are for the oracles to judge.
func (o Outcome) Check(task Task) error {
	c := checker{wrong: checkVersion("outcome", o.V)}
	if o.Stopped != "" && o.Stopped != task.StopAt {
		c.note("outcome.stopped: got %q, want \"\" or the task's stop_at, %q", clip(o.Stopped, 60), task.StopAt)
	}
	if o.Error != nil {
		c.oneOf("outcome.error.kind", o.Error.Kind, Refused, FromProvider, FromStream, FromSubject, NotSupported)
	}
	if o.Agent != nil {
		c.oneOf("outcome.agent.status", o.Agent.Status, RunWaiting, RunFinished, RunFailed)
		if task.Agent == nil {
			c.note("outcome.agent: got one, want none: the task has no agent run")
		}
	}
	last := Answer{Leg: -1}
	for i, a := range o.Answers {
		path := fmt.Sprintf("outcome.answers[%d]", i)
		if a.Leg < 0 || a.Leg >= len(task.Legs) {
			c.note("%s.leg: got %d, want an index into the task's %d legs", path, a.Leg, len(task.Legs))
			continue
		}
		if n := len(task.Legs[a.Leg].Prompts); a.Prompt < -1 || a.Prompt >= n {
			c.note("%s.prompt: got %d, want an index into the leg's %d prompts, or -1 for calls left pending", path, a.Prompt, n)
		}
		if a.Leg < last.Leg || a.Leg == last.Leg && a.Prompt <= last.Prompt {
			c.note("%s: got leg %d, prompt %d after leg %d, prompt %d, want the order in which they were asked", path, a.Leg, a.Prompt, last.Leg, last.Prompt)
		}
		last = a
	}
	return oneLine(c.wrong)
}
