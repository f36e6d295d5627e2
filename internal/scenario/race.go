package scenario

import (
	"context"
	"errors"
	"sync"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/native"
)

// race has two processes approve at once. Their requests cannot be told apart:
// they are noted with the attempt that was not turned away.
func (a *agentDrive) race(ctx context.Context, step fixtures.AgentStep, id string) error {
	step.Do = "approve"
	task := a.taskOf(step, id)
	var runs [2]Run
	var errs [2]error
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() { runs[i], errs[i] = a.attempt(ctx, task, "") })
	}
	wg.Wait()
	if runs[1].Outcome.Error != nil && runs[0].Outcome.Error == nil {
		runs[0], runs[1] = runs[1], runs[0]
	}
	a.runs = append(a.runs, runs[0], runs[1])
	before := 0
	if n := len(a.ends); n > 0 {
		before = a.ends[n-1]
	}
	a.ends = append(a.ends, before, len(a.play.Record().Exchanges))
	return errors.Join(errs[0], errs[1])
}

// overtake has a process approve, whose tools hang until a second one has
// resumed the run and ended; then the first goes on. It is noted last, with what
// it sent after that.
func (a *agentDrive) overtake(ctx context.Context, step fixtures.AgentStep, id string) error {
	approve, resume := step, step
	approve.Do, resume.Do = "approve", "resume"
	held := a.tools.stall(a.pending())
	task := a.taskOf(approve, id)
	var first Run
	var firstErr error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		first, firstErr = a.attempt(ctx, task, "")
	}()
	select {
	case <-held.arrived:
	case <-ended: // it ran no tools; what it did is noted
	}
	second, err := a.attempt(ctx, a.taskOf(resume, id), "")
	a.note(second)
	a.tools.release()
	<-ended
	a.note(first)
	return errors.Join(err, firstErr)
}

// pending is how many calls the last reply that was given made.
func (a *agentDrive) pending() int {
	given := len(a.scenario.Replies) - a.play.Record().Leftover
	if given == 0 {
		return 1
	}
	r := a.scenario.Replies[given-1]
	text := r.Plain
	if a.mode.Stream {
		text = r.Stream
	}
	reply, err := native.ParseReply(native.API(r.Endpoint), text)
	if err != nil {
		return 1
	}
	return max(1, len(reply.Calls()))
}
