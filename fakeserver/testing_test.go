package fakeserver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
)

// fakeTB is a test that tells what it was failed with.
type fakeTB struct {
	testing.TB
	cleanups []func()
	failures []string
}

func (f *fakeTB) Helper()            {}
func (f *fakeTB) Cleanup(run func()) { f.cleanups = append(f.cleanups, run) }
func (f *fakeTB) Errorf(format string, args ...any) {
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

// end does what the testing package does after a test.
func (f *fakeTB) end() {
	for _, run := range slices.Backward(f.cleanups) {
		run()
	}
}

func TestNewFailsTheTestForWhatWentWrong(t *testing.T) {
	_, c := start(t, fakeserver.Options{})
	for _, row := range []struct {
		name string
		use  func(*fakeserver.Play)
		want []string
	}{
		{"all well", func(p *fakeserver.Play) { post(t, c, p.URL()+generate, `{}`) }, nil},
		{"left over", func(*fakeserver.Play) {}, []string{"1 scripted replies were left over"}},
		{"one too many", func(p *fakeserver.Play) {
			post(t, c, p.URL()+generate, `{}`)
			post(t, c, p.URL()+generate+"?key=s3cret", `{}`)
		}, []string{"request 2 (POST " + generate + ") was not scripted and got 400 Bad Request: "}},
		{"elsewhere", func(p *fakeserver.Play) {
			post(t, c, p.URL()+generate, `{}`)
			post(t, c, hostOf(p)+generate, `{}`)
		}, []string{"1 requests did not go below the play's URL"}},
		{"hung up", func(p *fakeserver.Play) {
			post(t, c, p.URL()+generate, `{}`)
			waiting(t, p.URL()).conn.Close()
		}, []string{"the record is incomplete: fakeserver: record POST"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			tb := &fakeTB{}
			row.use(fakeserver.New(tb, script(gemini)))
			tb.end()
			if len(tb.failures) != len(row.want) {
				t.Fatalf("got %q, want %q", tb.failures, row.want)
			}
			for i, want := range row.want {
				if !strings.Contains(tb.failures[i], want) || strings.Contains(tb.failures[i], "s3cret") {
					t.Errorf("got %q, want %q", tb.failures[i], want)
				}
			}
		})
	}
}
