package pair_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/replaycheck/internal/pair"
	"example.com/replaycheck/internal/result"
)

// wanted is an item's status and a part of its reason.
type wanted struct {
	status result.Status
	reason string
}

var correct = map[string]wanted{
	"only-specs": {result.Pass, "it changes specs/REPLAY-16.md"},
	"signed":     {result.Pass, `good signature by "somebody@example.com"`},
	"base":       {result.Pass, "1 commit on top of "},
	"untouched":  {result.Pass, "1 file as decided"},
	"complete":   {result.Pass, "REPLAY-16: oracle, scenario, 1 of 1 faults detected"},
	"proven":     {result.Pass, "REPLAY-16: 1 of 1 runs fail on the decision commit's adapters (a, request 2, contents[1]: absent), 1 pass at the head"},
}

// expect checks the pair and compares its items: those of broken, and as of a
// correct pair all others (an empty reason: any).
func (r *repository) expect(opts pair.Options, status result.Status, broken map[string]wanted) result.Report {
	r.t.Helper()
	opts.Dir, opts.Decision, opts.Head = r.dir, r.decision, "HEAD"
	before := r.state()
	rep, err := pair.Check(r.t.Context(), opts)
	if err != nil {
		r.t.Fatal(err)
	}
	if after := r.state(); after != before {
		r.t.Errorf("the repository was touched: got\n%s\nwant\n%s", after, before)
	}
	if left, err := os.ReadDir(r.temporary); err != nil || len(left) > 0 {
		r.t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
	if rep.Status != status || rep.Kind != "pair" || rep.Schema != result.Schema || rep.Pair.Decision != r.decision {
		r.t.Errorf("got status %s, kind %q, schema %q, want status %s", rep.Status, rep.Kind, rep.Schema, status)
	}
	want := maps.Clone(correct)
	maps.Copy(want, broken)
	for _, it := range rep.Pair.Items {
		w := want[it.Name]
		delete(want, it.Name)
		if it.Status != w.status || !strings.Contains(it.Reason, w.reason) {
			r.t.Errorf("%s: got %s: %s\nwant %s: %s", it.Name, it.Status, it.Reason, w.status, w.reason)
		}
	}
	if len(want) > 0 {
		r.t.Errorf("no such item: %v", want)
	}
	return rep
}

var decided = map[string]string{"specs/REPLAY-16.md": "A new requirement.\n"}

func TestACorrectPair(t *testing.T) {
	r := newTiny(t)
	r.decide(decided)
	r.commit("Implement", map[string]string{"oracles/oracles.go": judging(), "adapters/adapters.go": sending("new"), "adapters/more.go": "package adapters\n"})
	// What is not committed counts for nothing, and stays.
	if err := os.WriteFile(filepath.Join(r.dir, "adapters", "adapters.go"), []byte("half written"), 0o600); err != nil {
		t.Fatal(err)
	}
	rep := r.expect(pair.Options{RequireSignature: true}, result.Pass, nil)
	if got := rep.Pair.AtDecision; len(got) != 1 || got[0].Status != result.Fail || len(rep.Requirements) != 1 || rep.Requirements[0].Status != result.Pass || len(rep.Faults) != 1 {
		t.Errorf("evidence: got %+v at the decision, %+v at the head, faults %+v", got, rep.Requirements, rep.Faults)
	}
}

// Inside a hook, Git's variables name the user's index and work tree: they are
// not for the commands of pair.
func TestInsideAHook(t *testing.T) {
	r := newTiny(t)
	r.decide(decided)
	r.implement()
	before := r.state()
	t.Run("hook", func(t *testing.T) {
		t.Setenv("GIT_DIR", filepath.Join(r.dir, ".git"))
		t.Setenv("GIT_WORK_TREE", r.dir)
		t.Setenv("GIT_INDEX_FILE", filepath.Join(r.dir, ".git", "index"))
		t.Setenv("GOWORK", filepath.Join(r.dir, "go.work")) // not there: an error where it counts
		rep, err := pair.Check(t.Context(), pair.Options{Dir: r.dir, Decision: r.decision, Head: "main"})
		if err != nil || rep.Status != result.Pass {
			t.Errorf("got %v, %+v", err, rep.Pair)
		}
	})
	if after := r.state(); after != before {
		t.Errorf("the repository was touched: got\n%s\nwant\n%s", after, before)
	}
}

// implementation is an implementation commit with something broken in it.
type implementation struct {
	name    string
	judging []string
	sending string
	files   map[string]string
	status  result.Status
	broken  map[string]wanted
}

func TestBrokenImplementations(t *testing.T) {
	const proves = "that proves nothing"
	for _, row := range []implementation{
		{
			name: "decided file changed", files: map[string]string{"specs/REPLAY-16.md": "A weaker requirement.\n"},
			status: result.Fail, broken: map[string]wanted{"untouched": {result.Fail, "changed since the decision: specs/REPLAY-16.md"}},
		},
		{
			name: "decides too", files: map[string]string{"specs/REPLAY-17.md": "One more.\n"},
			status: result.Fail, broken: map[string]wanted{"untouched": {result.Fail, "the implementation decides too: it changes specs/REPLAY-17.md"}},
		},
		{
			name: "no oracle, no scenario, no fault", judging: []string{`"oracle":"REPLAY-16","scenarios":["a"],"faults":[{"id":"g"}]`, `"oracle":"","scenarios":[],"faults":[]`},
			status: result.Fail, broken: map[string]wanted{
				"complete": {result.Fail, "REPLAY-16: decided, not implemented: no oracle, no scenario, no fault"},
				"proven":   {result.Fail, "REPLAY-16: there is no oracle to run"},
			},
		},
		{
			name: "fault survives", judging: []string{`Verdict = "detected"`, `Verdict = "survived"`},
			status: result.Fail, broken: map[string]wanted{"complete": {result.Fail, "REPLAY-16: no fault is detected: g survived"}},
		},
		{
			name: "fault not in the catalogue", judging: []string{`"requirements":["REPLAY-16"]`, `"requirements":["REPLAY-01"]`},
			status: result.Fail, broken: map[string]wanted{"complete": {result.Fail, "REPLAY-16: its spec names a fault, the catalogue has none for it"}},
		},
		{
			name: "no mutate at the head", judging: []string{"`" + `{"id":"g","requirements":["REPLAY-16"]}` + "`", "``"},
			status: result.Partial, broken: map[string]wanted{"complete": {result.Partial, "whether one is detected was not tried"}},
		},
		{
			name: "oracle that is green before, too", judging: []string{`switch sent {`, `switch "new" {`},
			status: result.Fail, broken: map[string]wanted{"proven": {result.Fail, "REPLAY-16: it passes on the decision commit's adapters too"}},
		},
		{
			name: "red at the head", sending: "old",
			status: result.Fail, broken: map[string]wanted{"proven": {result.Fail, "REPLAY-16: it is fail at the head (a, request 2, contents[1]: absent)"}},
		},
		{
			name: "only the set-up fails before", judging: []string{`switch sent {`, "if sent == \"old\" {\n\t\tsent = \"nothing\"\n\t}\n\tswitch sent {"},
			status: result.Error, broken: map[string]wanted{"proven": {result.Error, "send nothing at all; " + proves}},
		},
		{
			name: "error before", judging: []string{`switch sent {`, "if sent == \"old\" {\n\t\tsent = \"crash\"\n\t}\n\tswitch sent {"},
			status: result.Error, broken: map[string]wanted{"proven": {result.Error, "it is in error (the subject died); " + proves}},
		},
		{
			name: "does not build before", judging: []string{`package oracles`, "package oracles\n\nimport \"tiny/adapters\"\n\nvar _ = adapters.New"},
			files: map[string]string{"adapters/new.go": "package adapters\n\nfunc New() {}\n"}, status: result.Error,
			broken: map[string]wanted{"proven": {result.Error, "the head with the decision commit's adapters: does not build: go: oracles/oracles.go:5:18: undefined: adapters.New"}},
		},
		{
			name: "head does not build", judging: []string{`Judge(`, `Jugde(`}, status: result.Error,
			broken: map[string]wanted{"complete": {result.Error, "the head does not build: go: "}, "proven": {result.Error, "the head does not build: go: "}},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newTiny(t)
			r.decide(decided)
			files := map[string]string{"oracles/oracles.go": judging(row.judging...), "adapters/adapters.go": sending("new")}
			if row.sending != "" {
				files["adapters/adapters.go"] = sending(row.sending)
			}
			maps.Copy(files, row.files)
			r.commit("Implement", files)
			r.expect(pair.Options{}, row.status, row.broken)
		})
	}
}

func (r *repository) implement() {
	r.t.Helper()
	r.commit("Implement", map[string]string{"oracles/oracles.go": judging(), "adapters/adapters.go": sending("new")})
}

func TestADecisionThatIsNotAlone(t *testing.T) {
	r := newTiny(t)
	r.decide(map[string]string{"specs/REPLAY-16.md": "A new requirement.\n", "README.md": "And more.\n"})
	r.implement()
	r.expect(pair.Options{}, result.Fail, map[string]wanted{
		"only-specs": {result.Fail, "it also changes README.md"}, "untouched": {result.Pass, "2 files as decided"},
	})
}

func TestADecisionOfNothing(t *testing.T) {
	r := newTiny(t)
	r.decide(nil)
	r.implement()
	skipped := wanted{result.Skipped, ""}
	r.expect(pair.Options{}, result.Fail, map[string]wanted{
		"only-specs": {result.Fail, "it changes no requirement"}, "untouched": skipped, "complete": skipped, "proven": skipped,
	})
}

// A requirement that is taken away must not leave its oracle behind.
func TestADecisionThatTakesAway(t *testing.T) {
	for _, row := range []struct {
		name, oracle string
		status       result.Status
		want         wanted
	}{
		{"oracle is gone", "", result.Pass, wanted{result.Pass, "REPLAY-01 is gone"}},
		{"oracle is left", "REPLAY-01", result.Fail, wanted{result.Fail, "REPLAY-01: its spec is taken away, its oracle is still there"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newTiny(t)
			r.decide(map[string]string{"specs/REPLAY-01.md": ""})
			r.commit("Implement", map[string]string{"oracles/oracles.go": judging(`"id":"REPLAY-16"`, `"id":"REPLAY-01"`, `"oracle":"REPLAY-16"`, `"oracle":"`+row.oracle+`"`)})
			r.expect(pair.Options{}, row.status, map[string]wanted{
				"only-specs": {result.Pass, "specs/REPLAY-01.md"}, "complete": row.want, "proven": {result.Skipped, ""},
			})
		})
	}
}

func TestSignatures(t *testing.T) {
	for _, row := range []struct {
		name    string
		require bool
		change  func(*repository)
		status  result.Status
		want    wanted
	}{
		{"unsigned, not asked for", false, (*repository).unsign, result.Pass, wanted{result.Unsupported, "not signed; --require-signature makes that a failure"}},
		{"unsigned", true, (*repository).unsign, result.Fail, wanted{result.Fail, "not signed"}},
		{"tampered with", false, (*repository).tamper, result.Fail, wanted{result.Fail, "bad signature: "}},
		{"another key", false, func(r *repository) {
			r.git("config", "gpg.ssh.allowedSignersFile", r.allow(r.newKey("other")))
		}, result.Fail, wanted{result.Fail, "signed with a key that is not trusted here: "}},
		{"no list of keys", false, func(r *repository) {
			r.git("config", "--unset", "gpg.ssh.allowedSignersFile")
		}, result.Error, wanted{result.Error, "the signature can't be checked: git: error: gpg.ssh.allowedSignersFile needs to be configured"}},
		{"list of keys that is not there", false, func(r *repository) {
			r.git("config", "gpg.ssh.allowedSignersFile", "/nowhere/allowed")
		}, result.Error, wanted{result.Error, "the signature can't be checked: "}},
		{"no program", false, func(r *repository) {
			r.git("config", "gpg.ssh.program", "/nowhere/ssh-keygen")
		}, result.Error, wanted{result.Error, "the signature can't be checked: "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newTiny(t)
			r.decide(decided)
			row.change(r)
			r.implement()
			r.expect(pair.Options{RequireSignature: row.require}, row.status, map[string]wanted{"signed": row.want})
		})
	}
}

func (r *repository) unsign() {
	r.t.Helper()
	r.decision = r.commit("Decide", nil, "--amend", "--no-gpg-sign")
}

// tamper makes a commit that has the signature of another one.
func (r *repository) tamper() {
	r.t.Helper()
	file := filepath.Join(r.t.TempDir(), "commit")
	raw := r.git("cat-file", "commit", r.decision)
	if err := os.WriteFile(file, []byte(strings.Replace(raw, "Decide", "Decree", 1)+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.decision = r.git("hash-object", "-t", "commit", "-w", file)
	r.git("reset", "-q", "--hard", r.decision)
}

func TestBases(t *testing.T) {
	for _, row := range []struct {
		name  string
		build func(*repository)
		want  wanted
	}{
		{"beside the decision", func(r *repository) {
			r.git("checkout", "-q", "-b", "side", "HEAD~1")
			r.commit("Start elsewhere", map[string]string{"specs/REPLAY-16.md": decided["specs/REPLAY-16.md"]})
			r.implement()
		}, wanted{result.Fail, "the decision commit is not in the head's history; they part at "}},
		{"merges what is older", func(r *repository) {
			r.git("checkout", "-q", "-b", "side", "HEAD~1")
			r.commit("Aside", map[string]string{"aside.txt": "x\n"})
			r.git("checkout", "-q", "main")
			r.implement()
			r.git("merge", "-q", "--no-edit", "side")
		}, wanted{result.Fail, "starts at "}},
		{"merge of its own commits", func(r *repository) {
			r.git("checkout", "-q", "-b", "side")
			r.commit("Aside", map[string]string{"aside.txt": "x\n"})
			r.git("checkout", "-q", "main")
			r.implement()
			r.git("merge", "-q", "--no-edit", "side")
		}, wanted{result.Pass, "3 commits on top of "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newTiny(t)
			r.decide(decided)
			row.build(r)
			status := row.want.status
			r.expect(pair.Options{}, status, map[string]wanted{"base": row.want})
		})
	}
}

func TestBadInput(t *testing.T) {
	r := newTiny(t)
	r.decide(decided)
	clone := filepath.Join(t.TempDir(), "shallow")
	r.run("git", "clone", "-q", "--depth", "1", "file://"+r.dir, clone)
	for _, row := range []struct {
		name string
		opts pair.Options
		want string
	}{
		{"unknown decision", pair.Options{Dir: r.dir, Decision: "nope", Head: "HEAD"}, `pair: find decision: got "nope", which names no commit of the repository`},
		{"a file's object", pair.Options{Dir: r.dir, Decision: "HEAD:go.mod", Head: "HEAD"}, `pair: find decision: got "HEAD:go.mod", which names no commit`},
		{"an option", pair.Options{Dir: r.dir, Decision: "--all", Head: "HEAD"}, `pair: find decision: got "--all", which names no commit`},
		{"unknown head", pair.Options{Dir: r.dir, Decision: "HEAD", Head: "nope"}, `pair: find head: got "nope"`},
		{"no folder", pair.Options{Dir: r.dir + "/nope", Decision: "HEAD", Head: "HEAD"}, "want a folder of a Git repository"},
		{"no repository", pair.Options{Dir: r.temporary, Decision: "HEAD", Head: "HEAD"}, "pair: open repository: git: fatal: not a git repository"},
		{"shallow", pair.Options{Dir: clone, Decision: "HEAD", Head: "HEAD"}, "it is a shallow clone, want all history"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := pair.Check(t.Context(), row.opts); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %s", err, row.want)
			}
		})
	}
}

// An interrupt at any step leaves nothing behind.
func TestAnInterruptLeavesNothing(t *testing.T) {
	r := newTiny(t)
	r.decide(decided)
	r.implement()
	before := r.state()
	for _, at := range []string{"build the head", "judge the head", "judge the decision commit's adapters"} {
		t.Run(at, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := pair.Check(ctx, pair.Options{Dir: r.dir, Decision: r.decision, Head: "HEAD", Progress: func(_, _ int, label string) {
				if label == at {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the interrupt", err)
			}
			if left, err := os.ReadDir(r.temporary); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
			if after := r.state(); after != before {
				t.Errorf("the repository was touched: got\n%s\nwant\n%s", after, before)
			}
		})
	}
}
