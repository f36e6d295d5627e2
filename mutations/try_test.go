package mutations

import (
	"fmt"
	"os"
	"testing"
	"time"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/oracles"
)

func TestTry(t *testing.T) {
	if os.Getenv("TRY") == "" {
		t.Skip()
	}
	begun := time.Now()
	rep, err := Run(t.Context(), Config{
		Subject: oracles.Config{New: func() (oracles.Subject, error) { return reference.New(), nil }, InProcess: true},
		Kinds:   []string{os.Getenv("TRY")}, Worker: ReferenceWorker, Strict: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rep.Faults {
		fmt.Printf("%-36s %-18s %-12s tried %3d changed %3d  %s\n", f.ID, f.Verdict, f.Cause, f.Tried, len(f.Runs), f.Reason)
	}
	fmt.Printf("%+v %v\n", rep.Mutation, time.Since(begun))
}
