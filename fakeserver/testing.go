package fakeserver

import (
	"net/http"
	"testing"
)

// New starts a server with one play for a test of anybody's. At the end of the
// test it closes both and fails the test where a request was not scripted, a
// reply was left over, a request went elsewhere or the record is incomplete.
func New(tb testing.TB, script Script) *Play {
	tb.Helper()
	s, err := Start(Options{})
	if err != nil {
		tb.Fatal(err)
	}
	p := s.Play(script)
	tb.Cleanup(func() {
		tb.Helper()
		rec := p.Close()
		s.Close()
		report(tb, rec, s.Strays())
	})
	return p
}

func report(tb testing.TB, rec Record, strays int64) {
	tb.Helper()
	for _, ex := range rec.Exchanges {
		if ex.Step == 0 && !ex.Refused && !ex.Side && ex.Fault == "" {
			tb.Errorf("fakeserver: request %d (%s %s) was not scripted and got %d %s: %s",
				ex.Seq, ex.Method, ex.Path, ex.Status, http.StatusText(ex.Status), ex.Reply)
		}
	}
	if rec.Leftover > 0 {
		tb.Errorf("fakeserver: %d scripted replies were left over, want every one asked for", rec.Leftover)
	}
	if rec.Err != nil {
		tb.Errorf("fakeserver: the record is incomplete: %v", rec.Err)
	}
	if strays > 0 {
		tb.Errorf("fakeserver: %d requests did not go below the play's URL or were not HTTP, want none", strays)
	}
}
