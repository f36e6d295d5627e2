package benchpeers

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// The names of what is measured.
const (
	Ours   = "serve"
	BareOf = "bare"
	Aimock = "aimock"
)

// scenario is what serve plays: one reply, whatever came before.
const scenario = `
title: One answer, whatever came before
replies:
  - when: {prompt: ` + Anchor + `}
    text: Hello there, this is the scripted anchor reply.
`

//go:embed aimock/package.json aimock/package-lock.json aimock/npmrc aimock/fixtures.json
var aimock embed.FS

var paths = map[string]string{Gemini: "/v1beta/models/gemini-3.8-flash:generateContent", Responses: "/v1/responses"}

// NotRunError says that a peer can't be had here.
type NotRunError struct{ Peer, Why string }

func (e *NotRunError) Error() string { return e.Peer + ": not run: " + e.Why }

// OurServer is "replaycheck serve" as a built command, with recording and
// validation on. dir is where its scenario is written to.
func OurServer(replaycheck, dir string) (Server, error) {
	file := filepath.Join(dir, "one.yaml")
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		return Server{}, err
	}
	return Server{Name: Ours, Paths: paths, Command: func(address string, keep bool) []string {
		args := []string{replaycheck, "serve", "--addr", address, "--scenario", file}
		if keep {
			args = append(args, "--max-journal", strconv.Itoa(4<<30))
		}
		return args
	}}, nil
}

// BareServer is the handler of Bare in a process of the command self, which
// listens on the address after the word "bare".
func BareServer(self string) Server {
	return Server{Name: BareOf, Paths: paths, Command: func(address string, _ bool) []string { return []string{self, "bare", address} }}
}

// AimockServer installs the npm package below dir. The error is a *NotRunError where
// it can't be had.
func AimockServer(ctx context.Context, dir string) (Server, error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return Server{}, &NotRunError{Aimock, "no " + tool + " on PATH"}
		}
	}
	dir = filepath.Join(dir, Aimock)
	if err := writeAimock(dir); err != nil {
		return Server{}, err
	}
	cmd := exec.CommandContext(ctx, "npm", "ci", "--no-progress", "--fetch-retries=1")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return Server{}, &NotRunError{Aimock, "npm ci: " + npmCode(out, err)}
	}
	cli := filepath.Join(dir, "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
	return Server{Name: Aimock, Paths: paths, Command: func(address string, keep bool) []string {
		args := []string{"node", cli, "-p", address[strings.LastIndexByte(address, ':')+1:], "-f", filepath.Join(dir, "fixtures.json"), "--log-level", "silent"}
		if keep {
			args = append(args, "--journal-max", "0")
		}
		return args
	}}, nil
}

func writeAimock(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	return fs.WalkDir(aimock, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := aimock.ReadFile(name)
		if err != nil {
			return err
		}
		to := filepath.Base(name)
		if to == "npmrc" {
			to = ".npmrc"
		}
		return os.WriteFile(filepath.Join(dir, to), text, 0o600)
	})
}

var code = regexp.MustCompile(`npm (?:error|ERR!) code (\w+)`)

// npmCode is what npm calls an error; its other words name the registry.
func npmCode(out []byte, err error) string {
	if m := code.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	return err.Error()
}
