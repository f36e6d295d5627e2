package mutations

import (
	"fmt"
	"os"
	"testing"
	"time"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations/internal/overlay"
	"example.com/replaycheck/mutations/internal/worker"
)

func TestTrySource(t *testing.T) {
	if os.Getenv("TRY") == "" {
		t.Skip()
	}
	all, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	var trials []sourceTrial
	for _, f := range all {
		for _, v := range f.Variants {
			if len(v.Source) == 0 {
				continue
			}
			tr := sourceTrial{fault: result.Fault{ID: f.FullID(v), Kind: Source, Requirements: v.Requirements, Level: v.Level}}
			for _, e := range v.Source {
				tr.edits = append(tr.edits, e.overlay())
			}
			trials = append(trials, tr)
		}
	}
	r := &sourceRunner{dir: ".", main: "example.com/replaycheck/mutations/internal/refworker", workers: 2, limits: worker.DefaultLimits()}
	begun := time.Now()
	out, err := r.run(t.Context(), trials)
	runs := 0
	for _, f := range out.faults {
		runs += f.Tried
		fmt.Printf("%-36s %-18s %-12s tried %3d changed %3d  %s\n", f.ID, f.Verdict, f.Cause, f.Tried, len(f.Runs), f.Reason)
	}
	fmt.Println(len(trials), "faults", len(out.runs), "runs", runs, "tries; build", out.build, "cpu of tries", out.cpu, "all", time.Since(begun), err)
	_ = overlay.Edit{}
}
