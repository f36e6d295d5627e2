package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output inside the scripts")

// TestMain makes the command and the drivers of the tests programs on PATH:
// copies of the test binary.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"replaycheck": main,
		"drv":         driverMain,
		"stubborn":    stubbornMain,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else a second for each command
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"upto":  upto,
		},
	})
}

// exits N COMMAND… runs a command that must exit with N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGS…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// upto REGEXP FILE writes standard output to a file, up to the first line that
// matches: what comes after it names every requirement there is.
func upto(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: upto REGEXP FILE")
	}
	end, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	text := ts.ReadFile("stdout")
	at := end.FindStringIndex(text)
	if at == nil {
		ts.Fatalf("no match for %q in %s", args[0], text)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text[:at[0]]), 0o600))
}
