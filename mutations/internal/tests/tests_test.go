package tests_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/mutations/internal/operators"
	"example.com/replaycheck/mutations/internal/overlay"
	"example.com/replaycheck/mutations/internal/tests"
)

// opened is a package with the faults of the operators in it, and its tests. tested
// has their program built first, and them beside it.
func opened(t *testing.T, name string, tested ...string) (*tests.Suite, *overlay.Plan, []operators.Mutant, error) {
	t.Helper()
	ctx := context.Background()
	program, err := overlay.Load(ctx, "../..", "./testdata/own/worker", tested)
	if err != nil {
		t.Fatal(err)
	}
	syntax, err := program.Syntax(name)
	if err != nil {
		t.Fatal(err)
	}
	mutants := operators.Make(syntax)
	var faults []overlay.Fault
	for i, m := range mutants {
		faults = append(faults, overlay.Fault{Number: i + 1, Edits: []overlay.Edit{m.Edit}})
	}
	plan, err := program.Plan(faults)
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	if plan.Tested = len(tested) > 0; plan.Tested {
		if err := plan.Build(ctx, filepath.Join(tmp, "worker")); err != nil {
			t.Fatal(err)
		}
	}
	suite, err := tests.Open(ctx, plan, name, tmp, 2)
	if err == nil {
		t.Cleanup(suite.Close)
	}
	return suite, plan, mutants, err
}

// TestTry: only a test that fails by assertion, every time with the fault and
// never without it, detects one.
func TestTry(t *testing.T) {
	t.Run("beside the program", func(t *testing.T) { try(t, "testdata/own") })
	t.Run("by the go command", func(t *testing.T) { try(t) })
}

func try(t *testing.T, tested ...string) {
	t.Helper()
	suite, plan, mutants, err := opened(t, "testdata/own", tested...)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"TestSkipped is skipped"}; !slices.Equal(suite.Unfit, want) {
		t.Errorf("unfit: got %q, want %q", suite.Unfit, want)
	}
	const alive, crashed, doubtful, timedOut, exited = "alive", "crashed", "doubtful", "timed out", "exited"
	for _, row := range []struct{ function, operator, before, want string }{
		{"Seen", operators.Const, `"seen"`, "TestSeen"},
		{"At", operators.Const, "0", crashed},
		{"Code", operators.Const, "0", exited},
		{"Once", operators.Const, "1", doubtful},
		{"Never", operators.Const, "1", "TestNever"}, // Doubted says what it is worth
		{"Loop", operators.Drop, "n++", timedOut},
		{"Loop", operators.Cut, "", "TestLoop"},
		{"Called", operators.Const, "1", alive},
		{"Skipped", operators.Const, "1", alive},
		{"Branch", operators.Const, "1", alive},
		{"Branch", operators.Const, "2", "TestBranch"},
	} {
		t.Run(row.function+" "+row.operator, func(t *testing.T) {
			i := slices.IndexFunc(mutants, func(m operators.Mutant) bool {
				return m.Func == row.function && m.Operator == row.operator && (row.before == "" || m.Before == row.before)
			})
			if i < 0 {
				t.Fatal("there is no such fault")
			}
			v := suite.Try(context.Background(), i+1, plan.Blocks[i+1], false)
			got := exited
			switch {
			case v.Lives:
				got = alive
			case v.Crashed:
				got = crashed
			case v.Doubtful:
				got = doubtful
			case v.TimedOut:
				got = timedOut
			case len(v.Failed) > 0:
				got = strings.Join(v.Failed, " ")
			}
			if got != row.want || v.Reason == "" && (row.want == crashed || row.want == exited) {
				t.Errorf("got %s (%s), want %s", got, v.Reason, row.want)
			}
		})
	}
	doubted := suite.Doubted(context.Background(), []string{"TestSeen", "TestNever"})
	if len(doubted) != 1 || !strings.Contains(doubted["TestNever"], "TestNever also fails now and then without a fault") {
		t.Errorf("doubted: got %q", doubted)
	}
}

// TestOpen: tests that do not build or that fail by themselves are an error, not a
// suite in which everything lives or nothing does.
func TestOpen(t *testing.T) {
	for _, row := range []struct{ name, want string }{
		{"own/red", "they fail without a fault: TestRed failed"},
		{"own/broken", "undefined"},
	} {
		for _, tested := range [][]string{nil, {"testdata/" + row.name}} {
			if _, _, _, err := opened(t, row.name, tested...); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s: got %v, want %q", row.name, err, row.want)
			}
		}
	}
	suite, plan, _, err := opened(t, "own/none", "testdata/own/none")
	if err != nil || !slices.Equal(suite.Unfit, []string{"there are none"}) {
		t.Fatalf("none: got %+v, %v", suite, err)
	}
	if v := suite.Try(context.Background(), 1, plan.Blocks[1], false); !v.Lives {
		t.Errorf("none: got %+v", v)
	}
}
