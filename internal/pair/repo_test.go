package pair_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// repository is one that a test made, with a key to sign with.
type repository struct {
	t         *testing.T
	dir       string
	key       string
	decision  string
	temporary string // where temporary folders go
}

// newRepository makes an empty one. What the user configured does not hold there.
func newRepository(t *testing.T) *repository {
	t.Helper()
	for _, tool := range []string{"git", "ssh-keygen", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not on PATH", tool)
		}
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	r := &repository{t: t, dir: filepath.Join(t.TempDir(), "repo"), temporary: t.TempDir()}
	t.Setenv("TMPDIR", r.temporary)
	r.key = r.newKey("id")
	r.run("git", "init", "-q", "-b", "main", r.dir)
	for _, kv := range [][2]string{
		{"user.name", "Somebody"},
		{"user.email", "somebody@example.com"},
		{"gpg.format", "ssh"},
		{"user.signingkey", r.key},
		{"gpg.ssh.allowedSignersFile", r.allow(r.key)},
		{"core.hooksPath", r.hooks()},
	} {
		r.git("config", kv[0], kv[1])
	}
	return r
}

// newTiny makes one with the tiny module on main.
func newTiny(t *testing.T) *repository {
	t.Helper()
	r := newRepository(t)
	archive, err := txtar.ParseFile("testdata/tiny.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	r.commit("Start", files)
	return r
}

func (r *repository) newKey(name string) string {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), name)
	r.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path)
	return path
}

func (r *repository) allow(key string) string {
	r.t.Helper()
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		r.t.Fatal(err)
	}
	file := filepath.Join(r.t.TempDir(), "allowed")
	if err := os.WriteFile(file, []byte("somebody@example.com "+string(public)), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return file
}

// hooks is a folder with a hook that must not run.
func (r *repository) hooks() string {
	r.t.Helper()
	dir := r.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "post-checkout"), []byte("#!/bin/sh\ntouch '"+dir+"/ran'\n"), 0o700); err != nil { //nolint:gosec // a program
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
			r.t.Error("a hook of the user's ran")
		}
	})
	return dir
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	// The test's own commands run no hooks, and refresh no index.
	return r.run("git", append([]string{"--no-optional-locks", "-C", r.dir, "-c", "core.hooksPath=" + os.DevNull}, args...)...)
}

func (r *repository) run(name string, args ...string) string {
	r.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files, one with no text being removed, and commits them.
func (r *repository) commit(message string, files map[string]string, flags ...string) string {
	r.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(r.dir, name)
		if files[name] == "" {
			if err := os.Remove(path); err != nil {
				r.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "--all")
	r.git(append([]string{"commit", "-q", "--allow-empty", "-m", message}, flags...)...)
	return r.git("rev-parse", "HEAD")
}

// decide commits a decision, signed.
func (r *repository) decide(files map[string]string) {
	r.t.Helper()
	r.decision = r.commit("Decide", files, "-S")
}

// state is all that pair may not change.
func (r *repository) state() string {
	r.t.Helper()
	index, err := os.Stat(filepath.Join(r.dir, ".git", "index"))
	if err != nil {
		r.t.Fatal(err)
	}
	return fmt.Sprintln(r.git("status", "--porcelain", "--ignored"), r.git("worktree", "list"), r.git("for-each-ref"), r.git("rev-parse", "HEAD"),
		r.git("count-objects", "-v"), index.ModTime())
}

// judging is an oracles.go that judges REPLAY-16 by what the adapters send, and
// what of it a test replaces.
func judging(replacements ...string) string {
	return strings.NewReplacer(replacements...).Replace(`package oracles

const (
	Trace   = ` + "`" + `{"id":"REPLAY-16","spec":"specs/REPLAY-16.md","oracle":"REPLAY-16","scenarios":["a"],"faults":[{"id":"g"}]}` + "`" + `
	Faults  = ` + "`" + `{"id":"g","requirements":["REPLAY-16"]}` + "`" + `
	Verdict = "detected"
)

func Judge(sent string) (status, runs string, code int) {
	switch sent {
	case "new":
		return "pass", ` + "`" + `{"scenario":"a","status":"pass","findings":[]}` + "`" + `, 3
	case "nothing":
		return "fail", ` + "`" + `{"scenario":"a","status":"fail","findings":[{"where":"request 1","change":"shrunk","level":"provider"}]}` + "`" + `, 1
	case "crash":
		return "error", ` + "`" + `{"scenario":"a","status":"error","reason":"the subject died","findings":[]}` + "`" + `, 2
	}
	return "fail", ` + "`" + `{"scenario":"a","status":"fail","findings":[{"where":"request 2, contents[1]","change":"absent","level":"provider"}]}` + "`" + `, 1
}
`)
}

func sending(what string) string {
	return "package adapters\n\nfunc Send() string { return \"" + what + "\" }\n"
}
