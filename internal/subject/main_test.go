package subject_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"example.com/replaycheck/internal/subject"
)

// badDriver names the behaviour of this test binary when it is run as a driver.
const badDriver = "REPLAYCHECK_TEST_DRIVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(badDriver); mode != "" {
		os.Exit(drive(mode, os.Stdout))
	}
	goleak.VerifyTestMain(m)
}

const goodLine = `{"outcome":{"v":1,"answers":[],"tool_runs":[],"stopped":"","state":null,"error":null}}`

// drive plays a driver, mostly a bad one, and returns its exit code.
func drive(mode string, out io.Writer) int {
	mode, arg, _ := strings.Cut(mode, ":")
	if mode != "deaf" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	switch mode {
	case "print":
		fmt.Fprint(out, arg)
	case "deaf", "good":
		fmt.Fprintln(out, goodLine)
	case "environ":
		fmt.Fprintln(os.Stderr, strings.Join(os.Environ(), "\n"))
		_ = os.MkdirAll(os.Getenv("HOME")+"/cache/mod", 0o700)
		_ = os.WriteFile(os.Getenv("HOME")+"/cache/mod/f", nil, 0o600)
		_ = os.Chmod(os.Getenv("HOME")+"/cache/mod", 0o500)
		fmt.Fprintln(out, goodLine)
	case "invalid-utf8":
		fmt.Fprintln(out, strings.Replace(goodLine, `"stopped":""`, "\"stopped\":\"\xff\"", 1))
	case "exit":
		fmt.Fprintln(out, goodLine)
		fmt.Fprintf(os.Stderr, "first\nfatal:\x1b[31m no key %s\n\n", arg)
		return 3
	case "exit-trace":
		fmt.Fprint(os.Stderr, "file:///driver.mjs:1\nimport x from \"lib\"\n\nError [ERR]: Cannot find package 'lib'\n    at ErrorOf (node:internal)\n{\n  code: 'ERR'\n}\n\nNode.js v20.0.0\n")
		return 3
	case "signal":
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		select {}
	case "hang", "orphan":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), badDriver+"=sleep")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if mode == "orphan" && arg == "detached" {
			child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		}
		if err := child.Start(); err != nil {
			return 4
		}
		fmt.Fprintf(os.Stderr, "pids %d %d\n", os.Getpid(), child.Process.Pid)
		if mode == "hang" {
			_ = child.Wait()
		}
		fmt.Fprintln(out, goodLine)
	case "sleep":
		select {} // until the group is ended
	case "flood-stdout", "flood-line", "flood-stderr":
		return flood(mode)
	case "network", "network-and-exit":
		resp, err := new(http.Client).Get(arg)
		if err == nil {
			_ = resp.Body.Close()
		}
		if mode == "network-and-exit" {
			return 1
		}
		fmt.Fprintln(out, goodLine)
	case "serve":
		return serve()
	}
	return 0
}

func serve() int {
	task := exampleTask()
	line, _ := subject.EncodeRequest(subject.Request{Task: &task})
	if err := subject.Serve(nil, echo{}, strings.NewReader(line), os.Stdout); err != nil { //nolint:staticcheck // echo has no use for a context
		return 1
	}
	return 0
}

// flood writes 200 MB.
func flood(mode string) int {
	out, piece := os.Stdout, strings.Repeat("x", 1<<20-1)+"\n"
	switch mode {
	case "flood-stderr":
		out = os.Stderr
	case "flood-line":
		piece = strings.Repeat("x", 1<<20)
		_, _ = out.WriteString(`{"outcome":"`)
	}
	w := bufio.NewWriterSize(out, 1<<20)
	for range 200 {
		if _, err := w.WriteString(piece); err != nil {
			return 5
		}
	}
	_ = w.Flush()
	return 0
}
