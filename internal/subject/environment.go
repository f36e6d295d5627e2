package subject

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// inherited returns the variables that a driver gets from the harness. It is an
// allowlist: no list of names that look like keys is ever complete.
func inherited() []string {
	return []string{
		"PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH",
		"SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", // a process on Windows needs these to start at all
	}
}

// den is where one run lives: a fresh home and temporary folder.
type den struct{ root string }

func newDen() (den, error) {
	root, err := os.MkdirTemp("", "replaycheck-driver-")
	if err != nil {
		return den{}, fmt.Errorf("subject: make a home for the driver: %w", err)
	}
	d := den{root}
	for _, name := range []string{d.home(), d.tmp()} {
		if err := os.Mkdir(name, 0o700); err != nil {
			return den{}, errors.Join(fmt.Errorf("subject: make a home for the driver: %w", err), d.remove())
		}
	}
	return d, nil
}

func (d den) home() string { return filepath.Join(d.root, "home") }
func (d den) tmp() string  { return filepath.Join(d.root, "tmp") }

// remove removes all of it, also folders that were made read-only (as Go's
// module cache is).
func (d den) remove() error {
	if os.RemoveAll(d.root) == nil {
		return nil
	}
	_ = filepath.WalkDir(d.root, func(path string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a folder needs its x bit to be removed
		}
		return nil
	})
	if err := os.RemoveAll(d.root); err != nil {
		return fmt.Errorf("subject: remove the driver's home: %w", err)
	}
	return nil
}

// environment returns the variables of a driver, in the form of os.Environ.
// pass holds NAME (inherited if set) or NAME=value; ours come last and win.
func environment(base, pass []string, d den, proxy string) []string {
	var out []string
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if slices.Contains(inherited(), upper) || strings.HasPrefix(upper, "LC_") || slices.Contains(pass, name) {
			out = append(out, kv)
		}
	}
	for _, p := range pass {
		if strings.Contains(p, "=") {
			out = append(out, p)
		}
	}
	out = append(out, "HOME="+d.home(), "USERPROFILE="+d.home(),
		"TMPDIR="+d.tmp(), "TMP="+d.tmp(), "TEMP="+d.tmp())
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		out = append(out, name+"="+proxy, strings.ToLower(name)+"="+proxy)
	}
	return append(out, "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
}

// secrets returns the values that no message may show: the task's keys, the
// password of its database, and
// passed variables whose names say so.
func secrets(environ, pass []string, task *Task) []string {
	var out []string
	add := func(v string) {
		if len(v) >= 4 && !slices.Contains(out, v) { // a shorter one would blank ordinary words
			out = append(out, v)
		}
	}
	if task != nil {
		for _, l := range task.Legs {
			add(l.APIKey)
		}
		if task.Agent != nil {
			add(task.Agent.Key)
			if dsn, err := url.Parse(task.Agent.Store); err == nil {
				password, _ := dsn.User.Password()
				add(password)
			}
		}
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		passed := slices.Contains(pass, name) || slices.Contains(pass, kv)
		if passed && slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"}, func(s string) bool {
			return strings.Contains(strings.ToUpper(name), s)
		}) {
			add(value)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

func redact(s string, secrets []string) string {
	for _, secret := range secrets {
		s = strings.ReplaceAll(s, secret, "[redacted]")
	}
	return s
}
