package reference_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/internal/subject"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// play runs a task to its outcome.
func play(t *testing.T, task subject.Task) subject.Outcome {
	t.Helper()
	out, err := reference.New().Run(context.Background(), task)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	if err := out.Check(task); err != nil {
		t.Fatalf("outcome: %v", err)
	}
	return out
}

func parse(t *testing.T, text string) subject.Task {
	t.Helper()
	task, err := subject.ParseTask(text)
	if err != nil {
		t.Fatalf("task: %v", err)
	}
	return task
}
