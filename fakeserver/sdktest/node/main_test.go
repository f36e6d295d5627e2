package node_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// oldest is the first major version of node that the pinned SDKs run on.
const oldest = 20

// TestNodeSDKs runs every *.test.mjs of this folder. Each test there looks at
// what the SDK made of a reply and at what the fake recorded.
func TestNodeSDKs(t *testing.T) {
	node := tool(t, "node")
	install(t)
	fakes := serveFakes(t)
	served := startServe(t, "../../../docs/examples/weather.yaml")
	files, err := filepath.Glob("*.test.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{"--test", "--test-reporter=spec", "--test-timeout=60000"}, files...)...)
	cmd.Env = append(environment(), "FAKES="+fakes, "SERVE="+served.base)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, os.Stdout), os.Stderr
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	ran, passed := count(out.String(), "tests"), count(out.String(), "pass")
	if err != nil || ran < 90 || passed != ran {
		t.Errorf("node --test: got %d of %d tests passed, %v; want all, and 90 at least", passed, ran, err)
	}
	served.end(t)
}

// count reads a line such as "ℹ tests 12" of node's summary, -1: there is none.
func count(out, what string) int {
	m := regexp.MustCompile(`(?m)^ℹ ` + what + ` (\d+)$`).FindStringSubmatch(out)
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

// environment is ours without what would lead an SDK elsewhere.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(s string) bool {
		return regexp.MustCompile(`^(?i:(OPENAI|ANTHROPIC|GOOGLE|GEMINI|GCLOUD|NODE)_|https?_proxy|all_proxy)`).MatchString(s)
	})
}

func notRun(t *testing.T, why string) {
	t.Helper()
	t.Skip("node SDKs: not run: " + why)
}

// tool finds node or npm, or skips the test by name.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		notRun(t, "no "+name+" on PATH")
	}
	out, err := exec.CommandContext(t.Context(), path, "--version").Output()
	if err != nil {
		notRun(t, name+" --version: "+err.Error())
	}
	if version := strings.TrimPrefix(strings.TrimSpace(string(out)), "v"); name == "node" {
		if major, _, _ := strings.Cut(version, "."); len(major) < 2 || major < strconv.Itoa(oldest) {
			notRun(t, "node "+version+" is older than "+strconv.Itoa(oldest))
		}
	}
	return path
}

// unreachable are npm's and the system's words for a registry that is not
// there. Any other failure is one of ours, such as a lock file that is stale.
var unreachable = regexp.MustCompile(`npm (?:error|ERR!) code (E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|IDLETIMEOUT|HOSTUNREACH|NETUNREACH|NOTCACHED|401|403|404|407|5\d\d))`)

// install fetches the pinned packages, unless they are here.
func install(t *testing.T) {
	t.Helper()
	want, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	const stamp = "node_modules/.installed"
	if got, err := os.ReadFile(stamp); err == nil && bytes.Equal(got, want) {
		return
	}
	npm := tool(t, "npm")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "ci", "--no-progress", "--fetch-retries=1")
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if m := unreachable.FindSubmatch(out); err != nil && m != nil {
		notRun(t, "npm ci can't reach the packages: "+string(m[1]))
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		notRun(t, "npm ci was not done after 5 minutes")
	}
	if err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.WriteFile(stamp, want, 0o600); err != nil {
		t.Fatal(err)
	}
}
