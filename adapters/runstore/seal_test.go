package runstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore"
	"example.com/replaycheck/adapters/runstore/runstoretest"
)

func TestSealAndOpen(t *testing.T) {
	k := keys(t, 'k')
	for name, run := range map[string]chat.Run{
		"full":  suspended("r1", "user:1"),
		"empty": {ID: "r", Actor: "a"},
		"lines": {ID: "r", Actor: "a", Transcript: "\n\n{}\n", Approved: true},
	} {
		t.Run(name, func(t *testing.T) {
			run.Status = ""
			sealed, err := k.Seal(run)
			must(t, err)
			got, err := k.Open(sealed, run.ID, run.Actor)
			must(t, err)
			if d := cmp.Diff(run, got); d != "" {
				t.Errorf("run (-want +got):\n%s", d)
			}
			again, err := k.Seal(run)
			must(t, err)
			if string(again) == string(sealed) {
				t.Error("sealed twice alike")
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	k := keys(t, 'k')
	sealed, err := k.Seal(suspended("r1", "user:1"))
	must(t, err)
	refused := func(what string, keys *runstore.Keys, text []byte, id, actor string) {
		t.Helper()
		if _, err := keys.Open(text, id, actor); !errors.Is(err, chat.ErrRunSealed) {
			t.Errorf("%s: got %v, want %v", what, err, chat.ErrRunSealed)
		}
	}
	refused("another key", keys(t, 'x'), sealed, "r1", "user:1")
	refused("another run", k, sealed, "r2", "user:1")
	refused("another actor", k, sealed, "r1", "user:2")
	refused("the border moved", k, sealed, "r1 6:user:1", "")
	refused("nothing", k, nil, "r1", "user:1")
	for i := range sealed {
		flipped := append([]byte{}, sealed...)
		flipped[i] ^= 1 << (i % 8)
		refused("a flipped bit", k, flipped, "r1", "user:1")
		refused("cut", k, sealed[:i], "r1", "user:1")
	}
	refused("longer", k, append(append([]byte{}, sealed...), 0), "r1", "user:1")
}

// What is stored may be spoilt, exchanged or opened with the wrong key: the run
// is refused and the rows stay as they are (STATE-03).
func TestSpoiltRowsAreRefusedAndStay(t *testing.T) {
	for _, row := range []struct{ name, spoil string }{
		{"tampered", `UPDATE agent_run SET sealed = (SELECT owner FROM agent_run WHERE run_id = 'r1') WHERE run_id = 'r1'`},
		{"truncated", `UPDATE agent_run SET sealed = substr(sealed, 1, length(sealed) - 1) WHERE run_id = 'r1'`},
		{"cut at 255", `UPDATE agent_run SET sealed = substr(sealed, 1, 255) WHERE run_id = 'r1'`},
		{"gone", `UPDATE agent_run SET sealed = NULL WHERE run_id = 'r1'`},
		{"of another run", `UPDATE agent_run SET sealed = (SELECT sealed FROM agent_run WHERE run_id = 'r2') WHERE run_id = 'r1'`},
		{"of another run, owner too", `UPDATE agent_run SET owner = (SELECT owner FROM agent_run WHERE run_id = 'r2'), sealed = (SELECT sealed FROM agent_run WHERE run_id = 'r2') WHERE run_id = 'r1'`},
		{"renamed", `UPDATE agent_run SET run_id = CASE run_id WHEN 'r1' THEN 'r3' ELSE 'r1' END`},
		{"owner of another run", `UPDATE agent_run SET owner = (SELECT owner FROM agent_run WHERE run_id = 'r2') WHERE run_id = 'r1'`},
		{"wrong key", ``},
	} {
		t.Run(row.name, func(t *testing.T) {
			for engine, fresh := range runstoretest.Engines() {
				t.Run(engine, func(t *testing.T) {
					dsn := fresh(t)
					s := open(t, dsn)
					for _, id := range []string{"r1", "r2"} {
						_, err := s.Create(t.Context(), suspended(id, "user:1"))
						must(t, err)
					}
					if row.spoil == "" {
						s = openWith(t, dsn, runstore.Options{Keys: keys(t, 'x')})
					} else if _, err := runstoretest.DB(t, dsn).ExecContext(t.Context(), row.spoil); err != nil {
						t.Fatal(err)
					}
					before := rows(t, dsn)
					_, err := s.Claim(t.Context(), "r1", "user:1", chat.RunWaiting, accept)
					wantErr(t, err, chat.ErrRunSealed)
					_, err = s.Look(t.Context(), "r1", "user:1")
					wantErr(t, err, chat.ErrRunSealed)
					if d := cmp.Diff(before, rows(t, dsn)); d != "" {
						t.Errorf("the rows changed:\n%s", d)
					}
				})
			}
		})
	}
}

func TestResultsAreBoundToTheirCall(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			s := open(t, dsn)
			_, err := s.Create(t.Context(), suspended("r1", "user:1"))
			must(t, err)
			run, err := s.Claim(t.Context(), "r1", "user:1", chat.RunWaiting, accept)
			must(t, err)
			for i := range run.Pending {
				must(t, s.StartCall(t.Context(), run, i))
				must(t, s.EndCall(t.Context(), run, i, "same"))
			}
			_, err = runstoretest.DB(t, dsn).ExecContext(t.Context(), `UPDATE agent_call SET sealed = (SELECT c.sealed FROM agent_call c WHERE c.position = 1)`)
			must(t, err)
			_, err = s.Claim(t.Context(), "r1", "user:1", chat.RunRunning, accept)
			wantErr(t, err, chat.ErrRunSealed)
		})
	}
}

func TestKeysRotate(t *testing.T) {
	first, err := runstore.GenerateKeys()
	must(t, err)
	second, err := runstore.RotateKeys(first)
	must(t, err)
	old, err := runstore.ParseKeys(first)
	must(t, err)
	both, err := runstore.ParseKeys(second)
	must(t, err)
	run := suspended("r1", "user:1")
	sealed, err := old.Seal(run)
	must(t, err)
	_, err = both.Open(sealed, "r1", "user:1")
	must(t, err)
	sealed, err = both.Seal(run)
	must(t, err)
	_, err = old.Open(sealed, "r1", "user:1")
	wantErr(t, err, chat.ErrRunSealed)

	raw := [][]byte{[]byte(strings.Repeat("n", 32)), []byte(strings.Repeat("k", 32))}
	plain, err := runstore.KeysOf(raw...)
	must(t, err)
	sealed, err = keys(t, 'k').Seal(run)
	must(t, err)
	_, err = plain.Open(sealed, "r1", "user:1")
	must(t, err)
	sealed, err = plain.Seal(run)
	must(t, err)
	_, err = keys(t, 'n').Open(sealed, "r1", "user:1")
	must(t, err)
}

func TestBadKeysAreNotQuoted(t *testing.T) {
	good, err := runstore.GenerateKeys()
	must(t, err)
	for name, text := range map[string]string{"empty": "", "no JSON": "s3cret", "another object": `{"key":"s3cret"}`, "cut": good[:len(good)/2], "edited": strings.Replace(good, `"value":"`, `"value":"s3cret`, 1)} {
		if _, err := runstore.ParseKeys(text); err == nil || strings.Contains(err.Error(), "s3cret") || len(err.Error()) > 100 {
			t.Errorf("%s: got %v, want a short error that quotes nothing", name, err)
		}
		if _, err := runstore.RotateKeys(text); err == nil && name != "edited" {
			t.Errorf("%s: rotated", name)
		}
	}
	if _, err := runstore.KeysOf(); err == nil {
		t.Error("got no error for no keys")
	}
	if _, err := runstore.KeysOf([]byte("short")); err == nil {
		t.Error("got no error for a short key")
	}
}

func TestOpenStoreErrors(t *testing.T) {
	for name, dsn := range map[string]string{
		"no scheme": "/tmp/s3cret.db", "no path": "sqlite:", "another engine": "mysql://u:s3cret@127.0.0.1/x",
		"broken": "postgres://u:s3cret@[::1", "nobody there": "postgres://u:s3cret@127.0.0.1:1/x?connect_timeout=1",
	} {
		_, err := runstore.Open(t.Context(), dsn, runstore.Options{Keys: keys(t, 'k')})
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: got %v, want an error without the password", name, err)
		}
	}
	if _, err := runstore.Open(t.Context(), "sqlite:x", runstore.Options{}); err == nil {
		t.Error("got no error without keys")
	}
}

func TestFilesArePrivateAndPathsAreTaken(t *testing.T) {
	for _, name := range []string{"runs.db", "a b?c=d&e#f%20.db", "ü:.db"} {
		path := filepath.Join(t.TempDir(), name)
		s := open(t, "sqlite:"+path)
		_, err := s.Create(t.Context(), suspended("r1", "user:1"))
		must(t, err)
		files, err := os.ReadDir(filepath.Dir(path))
		must(t, err)
		if len(files) < 2 || files[0].Name() != name {
			t.Errorf("got %v, want %s with its journals", files, name)
		}
		for _, f := range files {
			info, err := f.Info()
			must(t, err)
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s: got mode %v, want 0600", f.Name(), info.Mode())
			}
		}
	}
}

func TestAnOlderProgramLeavesANewerSchemaAlone(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			open(t, dsn)
			_, err := runstoretest.DB(t, dsn).ExecContext(t.Context(), `INSERT INTO agent_schema (version_id, is_applied) SELECT 99, is_applied FROM agent_schema WHERE version_id = 1`)
			must(t, err)
			_, err = runstore.Open(t.Context(), dsn, runstore.Options{Keys: keys(t, 'k')})
			if err == nil || !strings.Contains(err.Error(), "got version 99, want at most 1") {
				t.Errorf("got %v, want an error about the version", err)
			}
		})
	}
}
