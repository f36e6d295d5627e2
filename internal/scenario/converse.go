package scenario

import (
	"context"
	"slices"

	"example.com/replaycheck/internal/subject"
)

// converse plays the tasks one after another, each going on with the state of
// the one before. It ends early where the subject does.
func (s *session) converse(ctx context.Context, tasks []subject.Task) error {
	pending := tasks[0].State != nil && len(tasks[0].Legs) > 0 && len(tasks[0].Legs[0].Prompts) == 0
	for i, task := range tasks {
		if i > 0 {
			last := s.runs[len(s.runs)-1].Outcome
			if last.Error != nil || last.State == nil {
				return nil // the subject's end: the replies left over show it
			}
			task.State = last.State
			pending = last.Stopped == subject.StopAtToolCalls
		}
		var err error
		if s.mode.Stored && task.StopAt == "" {
			err = s.stretch(ctx, task, pending)
		} else {
			_, err = s.run(ctx, task)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stretch plays a task in stored mode: it stops at every step with calls and
// after every answer, and goes on with the state in a fresh subject.
func (s *session) stretch(ctx context.Context, task subject.Task, pending bool) error {
	for {
		turns := turnsOf(task, pending)
		task.StopAt = s.stop(len(turns))
		before := s.given
		o, err := s.run(ctx, task)
		if err != nil || o.Stopped == "" || o.Error != nil || o.State == nil {
			return err
		}
		pending = o.Stopped == subject.StopAtToolCalls
		done := len(o.Answers)
		if done >= len(turns) || s.given == before {
			// All is answered; or it stopped without having asked for anything,
			// and would do so for ever.
			return nil
		}
		task = rest(task, turns[done], pending)
		task.State = o.State
	}
}

// stop says where the next run is to end, by the reply that it will get.
func (s *session) stop(turns int) string {
	if s.nextHoldsCalls() && slices.Contains(s.desc.Stops, subject.StopAtToolCalls) {
		return subject.StopAtToolCalls
	}
	if turns > 1 && slices.Contains(s.desc.Stops, subject.StopAtAnswer) {
		return subject.StopAtAnswer
	}
	return ""
}

// turn is one user turn that a task has still to see answered: a prompt of a
// leg, or -1 for pending calls of an earlier run.
type turn struct{ leg, prompt int }

func turnsOf(task subject.Task, pending bool) []turn {
	var out []turn
	for i, leg := range task.Legs {
		if i == 0 && pending {
			out = append(out, turn{0, -1})
		}
		for j := range leg.Prompts {
			out = append(out, turn{i, j})
		}
	}
	return out
}

// rest returns what of a task is left at turn t. A pending turn's prompt is
// sent already.
func rest(task subject.Task, t turn, pending bool) subject.Task {
	from := t.prompt
	if pending {
		from++
	}
	// A subject that says it stopped at an answer and reports none may be left
	// with a pending turn that is not: all prompts are still to be sent.
	from = max(from, 0)
	task.Legs = slices.Clone(task.Legs[t.leg:])
	task.Legs[0].Prompts = task.Legs[0].Prompts[from:]
	return task
}
