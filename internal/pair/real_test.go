package pair_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/pair"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations"
)

// TestOnThisRepository is the real thing once: this tree is the head of an
// implementation, and the commit before it the same tree without a requirement,
// its scenarios and the line of an adapter that meets it. Its programs are built
// and run, and its fault is made.
func TestOnThisRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("builds this module twice")
	}
	r := newRepository(t)
	const id, fault = "REFUSE-05", "refuse-skipped-mixed"
	tree := thisTree(t)
	before := map[string]string{}
	for name, text := range tree {
		if name == "specs/"+id+".md" || strings.HasPrefix(name, "fixtures/foreign/refuse-mixed-") {
			continue
		}
		before[name] = text
	}
	unmet(t, before, fault)
	r.commit("Before "+id, before)
	r.decide(map[string]string{"specs/" + id + ".md": tree["specs/"+id+".md"]})
	r.commit("Implement "+id, tree)
	rep := r.expect(pair.Options{RequireSignature: true}, result.Pass, map[string]wanted{
		"only-specs": {result.Pass, "it changes specs/" + id + ".md"},
		"complete":   {result.Pass, id + ": oracle, scenario, 1 of 1 faults detected"},
		"proven":     {result.Pass, "runs fail on the decision commit's adapters (foreign/refuse-mixed-"},
	})
	if len(rep.Pair.AtDecision) != 1 || len(rep.Requirements) != 1 || rep.Subject.Name != "reference" || rep.Level != result.Verbatim {
		t.Errorf("evidence: got %+v, %+v, of %+v", rep.Pair.AtDecision, rep.Requirements, rep.Subject)
	}
}

// thisTree reads what Git knows of this module, or would take in, apart from the
// modules inside it.
func thisTree(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip("this tree is no Git repository")
	}
	files := map[string]string{}
	for _, name := range slices.Compact(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")) {
		if strings.HasPrefix(name, "adapters/thirdparty/") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || len(text) == 0 {
			continue // taken away, and not committed; or empty, which commit takes for that
		}
		files[name] = string(text)
	}
	return files
}

// unmet makes a selected fault in the files.
func unmet(t *testing.T, files map[string]string, id string) {
	t.Helper()
	all, err := mutations.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(f mutations.Fault) bool { return f.ID == id })
	if i < 0 {
		t.Fatalf("fault %s is not in the catalogue", id)
	}
	edit := all[i].Variants[0].Source[0]
	n := 0
	for name, text := range files {
		if strings.HasPrefix(name, edit.Package+"/") && strings.Contains(text, edit.Find) {
			files[name] = strings.Replace(text, edit.Find, edit.Replace, 1)
			n++
		}
	}
	if n != 1 {
		t.Fatalf("fault %s: its place is in %d files, want 1", id, n)
	}
}
