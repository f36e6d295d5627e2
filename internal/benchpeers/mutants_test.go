package benchpeers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/replaycheck/internal/benchpeers"
)

func TestReportsOfMutants(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		read     func([]byte) ([]string, error)
		tried    int
		verdicts string
	}{
		"mutate":   {`{"faults":[{"verdict":"detected"},{"verdict":"no-op"},{"verdict":"detected"},{"verdict":"unsupported"}]}`, benchpeers.OurVerdicts, 3, "2 detected, 1 no-op, 1 unsupported"},
		"gremlins": {`{"files":[{"mutations":[{"status":"KILLED"},{"status":"NOT COVERED"}]},{"mutations":[{"status":"LIVED"},{"status":"NOT VIABLE"}]}]}`, benchpeers.GremlinsVerdicts, 3, "1 killed, 1 lived, 1 not covered, 1 not viable"},
		"nothing":  {`{"faults":[]}`, benchpeers.OurVerdicts, 0, ""},
		"no JSON":  {`oops`, benchpeers.GremlinsVerdicts, 0, ""},
	} {
		file := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		m := benchpeers.Mutants{Tool: name, CPU: 2 * time.Second}
		err := m.Read(file, c.read)
		if m.Tried != c.tried || m.Verdicts != c.verdicts || (err == nil) != (c.tried > 0) {
			t.Errorf("%s: got %+v, %v", name, m, err)
		}
		if c.tried == 3 && m.Rate() != 1.5 {
			t.Errorf("%s: got %v for a CPU second, want 1.5", name, m.Rate())
		}
	}
}

func TestCopyPackageTakesWhatItsTestsNeed(t *testing.T) {
	to := filepath.Join(t.TempDir(), "copy")
	if err := (benchpeers.Mutation{Root: "../..", Package: "adapters/replay"}).CopyPackage(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum", "adapters/replay/carrier.go", "adapters/replay/carrier_test.go", "adapters/chat/message.go", "internal/wire/parse.go"} {
		if _, err := os.Stat(filepath.Join(to, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(to, "oracles")); err == nil {
		t.Error("got the oracles too, which the package does not need")
	}
}

func TestChosen(t *testing.T) {
	for text, want := range map[string]string{
		" ./adapters/replay":                  "adapters/replay []",
		"adapters/gemini=reply.go+turn.go":    "adapters/gemini [reply.go turn.go]",
		"adapters/gemini=":                    "error",
		"adapters/gemini=reply":               "error",
		"adapters/gemini=../replay/native.go": "error",
		"":                                    "error",
	} {
		pkg, files, err := benchpeers.Chosen(text)
		got := fmt.Sprint(pkg, " ", files)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: got %s (%v), want %s", text, got, err, want)
		}
	}
}

func TestOtherFilesAreLeftOut(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "b.go", "b_test.go", "c.txt"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := benchpeers.Mutation{Root: root, Package: ".", Files: []string{"a.go"}}
	if left, err := m.LeftOut(); err != nil || !slices.Equal(left, []string{"b.go"}) {
		t.Errorf("got %v, %v, want b.go", left, err)
	}
	m.Files = []string{"a.go", "none.go"}
	if left, err := m.LeftOut(); err == nil {
		t.Errorf("got %v, want an error for a file that is not there", left)
	}
}

func TestCopyFilesEmptiesTheFolderAndLeavesOutTheDeleted(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for _, name := range []string{filepath.Join(from, "a"), filepath.Join(to, "old")} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := benchpeers.CopyFiles(from, to, []string{"a", "deleted"}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(to)
	if err != nil || len(entries) != 1 || entries[0].Name() != "a" {
		t.Errorf("got %v, %v, want a alone", entries, err)
	}
}

func TestAimockIsNamedWhereItCannotBeHad(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := benchpeers.AimockServer(t.Context(), t.TempDir())
	if err == nil || !strings.HasPrefix(err.Error(), "aimock: not run: no node on PATH") {
		t.Errorf("got %v, want aimock: not run", err)
	}
}
