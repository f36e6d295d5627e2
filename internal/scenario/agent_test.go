package scenario_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/scenario"
)

func agentScenario(t *testing.T) *fixtures.Scenario {
	t.Helper()
	all, err := fixtures.All()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(sc *fixtures.Scenario) bool { return sc.ID == "agent/approve" })
	if i < 0 {
		t.Fatal("got no scenario agent/approve")
	}
	return all[i]
}

// What can't be driven is an error of the harness, one line that says why. The
// rest of agent runs is tested where there is a subject that has them: in the
// oracles and in the command.
func TestAgentRunsThatCannotBeDriven(t *testing.T) {
	for name, row := range map[string]struct {
		variant, dsn, want string
	}{
		"no process":      {"sqlite", "", scenario.ErrNoProcess.Error()},
		"no engine":       {"mysql", "", `got engine "mysql", want sqlite or postgres`},
		"no server":       {"postgres", "", "got no DSN"},
		"a DSN no longer": {"postgres", "postgres://u:s3cret@127.0.0.1:1/x?connect_timeout=1", "make a schema"},
	} {
		t.Run(name, func(t *testing.T) {
			d := driver(t, always(&tiny{}))
			d.Postgres = row.dsn
			_, err := d.Drive(t.Context(), agentScenario(t), scenario.Mode{Stored: true}, row.variant, describe())
			if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, row.want)
			}
			if name == "no process" && !errors.Is(err, scenario.ErrNoProcess) {
				t.Errorf("got %v, want ErrNoProcess", err)
			}
		})
	}
}
