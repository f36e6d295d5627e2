package benchpeers_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/replaycheck/internal/benchpeers"
)

// The test binary is the peer's process too, as the command is.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "bare" {
		ln, err := net.Listen("tcp4", os.Args[2])
		if err == nil {
			err = http.Serve(ln, benchpeers.Bare())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

func TestPlanMeasuresProcesses(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := benchpeers.BareServer(self)
	other.Name = benchpeers.Ours
	plan := benchpeers.Plan{
		Servers: []benchpeers.Server{benchpeers.BareServer(self), other}, Shapes: []string{benchpeers.Gemini}, Sizes: []int{2 << 10},
		Conns: 4, Rounds: 2, Duration: 30 * time.Millisecond, Warm: time.Millisecond, Starts: 2, Kept: 30, Settle: 100 * time.Millisecond, Progress: t.Output(),
	}
	cells, err := plan.Throughput(t.Context())
	if err != nil || len(cells) != 4 {
		t.Fatalf("got %d cells, %v, want 4", len(cells), err)
	}
	for i, c := range cells {
		if c.Rate <= 0 || c.Errors != 0 || c.Round != i/2+1 {
			t.Errorf("got %+v", c)
		}
	}
	took, err := plan.FirstAnswers(t.Context())
	if err != nil || len(took[benchpeers.BareOf]) != 2 || len(took[benchpeers.Ours]) != 2 {
		t.Errorf("got %v, %v", took, err)
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		return
	}
	kept, err := plan.KeptPerByte(t.Context())
	if err != nil || len(kept) != 2 {
		t.Errorf("got %v, %v", kept, err)
	}
}

func TestPlanSaysWhatDoesNotListen(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for want, command := range map[string][]string{
		"no such file":                   {filepath.Join(t.TempDir(), "none")},
		"ended by itself: exit status 2": {self, "bare", "nowhere"},
	} {
		plan := benchpeers.Plan{
			Servers: []benchpeers.Server{{Name: "nobody", Command: func(string, bool) []string { return command }}},
			Shapes:  []string{benchpeers.Gemini}, Sizes: []int{2 << 10}, Conns: 1, Rounds: 1, Duration: time.Millisecond, Progress: t.Output(),
		}
		if _, err := plan.Throughput(t.Context()); err == nil || !strings.Contains(err.Error(), "nobody") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with the server and %q", err, want)
		}
	}
}

func TestReadUsage(t *testing.T) {
	stat := "12 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 1 0 99"
	got, err := benchpeers.ReadUsage(stat, "900 300 2 1 0 5 0", 4096)
	if err != nil || fmt.Sprintf("%+v", got) != "{cpu:2000000000 rss:1228800}" {
		t.Errorf("got %+v, %v, want 2 s and 300 pages", got, err)
	}
	if _, err := benchpeers.ReadUsage("12 (a) S", "", 4096); err == nil {
		t.Error("got no error of half a line")
	}
}
