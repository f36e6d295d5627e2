package oracles

import (
	"slices"
	"sync"
	"sync/atomic"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// memo remembers what was read of scenarios, for those who judge the same ones many
// times. What it gives out is shared: it is read only, like all that a View holds. A
// nil memo remembers nothing. It is safe for concurrent use.
type memo struct {
	texts sync.Map // remembered → what it was read as
	count atomic.Int64
}

// remembered is a text in one reading.
type remembered struct {
	api  native.API // a reply of it; "": not a reply
	text string
}

// mostRemembered and longestRemembered keep a memo small: what a subject makes of a
// script is not among its texts, but nothing here depends on that.
const (
	mostRemembered    = 4096
	longestRemembered = 2 << 20 // bytes
)

func (m *memo) read(k remembered, read func() (any, error)) (any, error) {
	if m == nil || len(k.text) > longestRemembered {
		return read()
	}
	if v, ok := m.texts.Load(k); ok {
		return v, nil
	}
	v, err := read()
	if err == nil && m.count.Load() < mostRemembered {
		m.count.Add(1)
		m.texts.Store(k, v)
	}
	return v, err
}

// reply is native.ParseReply.
func (m *memo) reply(api native.API, text string) (native.Reply, error) {
	v, err := m.read(remembered{api, text}, func() (any, error) { return native.ParseReply(api, text) })
	r, _ := v.(native.Reply)
	return r, err
}

// answers are those of a literal outcome; none where it cannot be read, which the
// loader checks.
func (m *memo) answers(outcome string) []wire.Value {
	v, err := m.read(remembered{"", outcome}, func() (any, error) {
		root, err := wire.Parse(outcome)
		return slices.Collect(root.Get("answers").Items()), err
	})
	if err != nil {
		return nil
	}
	out, _ := v.([]wire.Value)
	return out
}

// task is parseTask.
func (m *memo) task(text string) (Task, error) {
	v, err := m.read(remembered{"task", text}, func() (any, error) { return parseTask(text) })
	t, _ := v.(Task)
	return t, err
}

// prompts lists the prompts of a scenario's tasks in order; a task that cannot be
// read has none.
func (m *memo) prompts(sc *fixtures.Scenario) []string {
	var out []string
	for _, text := range sc.Tasks {
		task, err := m.task(text)
		if err != nil {
			continue
		}
		for _, leg := range task.Legs {
			out = append(out, leg.Prompts...)
		}
	}
	return out
}
