//go:build replaycheck_lean

package reference

import (
	"context"
	"errors"

	"example.com/replaycheck/internal/subject"
)

// agentRun is not part of this build: replaycheck mutate makes it for faults that no
// agent run is made with, and a run store costs half of the build.
func (s Subject) agentRun(context.Context, subject.Task, *subject.Toolbox, *subject.Outcome) error {
	return errors.New("reference: agent run: not part of this build (tag replaycheck_lean)")
}
