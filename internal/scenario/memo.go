package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

// Memo remembers what was read of scenarios, for who drives the same ones many times.
// The zero value is ready; it is safe for concurrent use. A nil one remembers nothing.
type Memo struct {
	tasks   sync.Map // text → taskText
	calls   sync.Map // text of a reply → bool: it makes calls
	scripts sync.Map // played → fakeserver.Script
}

// played is what a script is made of.
type played struct {
	scenario   *fixtures.Scenario
	variant    string
	recordOnly bool
}

// script returns the script of a scenario, in a variant or ("") in none. Plays of one
// that is remembered share what is read of its replies.
func (m *Memo) script(sc *fixtures.Scenario, variant string, recordsOnly bool) fakeserver.Script {
	key := played{sc, variant, recordsOnly}
	if m != nil {
		if known, ok := m.scripts.Load(key); ok {
			s, _ := known.(fakeserver.Script)
			return s
		}
	}
	s := fakeserver.FromScenario(sc, variant)
	if recordsOnly {
		s.Profile = recordOnly
	}
	if m != nil {
		s.Shared = &fakeserver.Shared{}
		known, _ := m.scripts.LoadOrStore(key, s)
		s, _ = known.(fakeserver.Script)
	}
	return s
}

// holdsCalls reports whether a scripted reply asks for tools. One that breaks off is
// read as far as it goes; it yields no calls to stop at, but then nothing stops.
func (m *Memo) holdsCalls(r fixtures.Reply) bool {
	text := cmp.Or(r.Plain, r.Stream)
	if m != nil {
		if known, ok := m.calls.Load(text); ok {
			return known == true
		}
	}
	reply, err := native.ParseReply(native.API(r.Endpoint), text)
	holds := err == nil && len(reply.Calls()) > 0
	if m != nil {
		m.calls.Store(text, holds)
	}
	return holds
}

// readTasks reads the tasks of a scenario and fills in what the mode decides. They
// share nothing with what the memo keeps.
func (m *Memo) readTasks(sc *fixtures.Scenario, mode Mode) ([]subject.Task, error) {
	var out []subject.Task
	for i, text := range sc.Tasks {
		t, err := m.task(text)
		if err != nil {
			return nil, fmt.Errorf("task %d: %w", i+1, err)
		}
		for j := range t.task.Legs {
			if !t.says[j] {
				t.task.Legs[j].Stream = mode.Stream
			}
		}
		out = append(out, t.task)
	}
	if len(out) == 0 {
		return nil, errors.New("got no task, want one at least")
	}
	return out, nil
}

// taskText is a task as it is written.
type taskText struct {
	task subject.Task
	says []bool // of each leg: it says itself whether to stream, and keeps it
}

func (m *Memo) task(text string) (taskText, error) {
	if m != nil {
		if known, ok := m.tasks.Load(text); ok {
			t, _ := known.(taskText)
			t.task = copyTask(t.task)
			return t, nil
		}
	}
	t, err := readTask(text)
	if m != nil && err == nil {
		m.tasks.Store(text, t)
		t.task = copyTask(t.task)
	}
	return t, err
}

func readTask(text string) (taskText, error) {
	t, err := subject.ParseTask(text)
	if err != nil {
		return taskText{}, err
	}
	root, err := wire.Parse(text)
	if err != nil {
		return taskText{}, err
	}
	out := taskText{task: t, says: make([]bool, len(t.Legs))}
	for j := range t.Legs {
		out.says[j] = root.Get("legs").Index(j).Get("stream").Exists()
	}
	return out, nil
}
