package fakeserver_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
)

// A reply that may be repeated is given again to the same request, until a later
// one was given; one that may not be is not.
func TestRepeat(t *testing.T) {
	server, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	const a, b = `{"contents":[{"parts":[{"text":"a"}]}]}`, `{"contents":[{"parts":[{"text":"b"}]}]}`
	for name, row := range map[string]struct {
		repeat bool
		ask    []string
		steps  []int
		left   int
	}{
		"the same":           {true, []string{a, a, b, b}, []int{1, 1, 2, 2}, 1},
		"too late":           {true, []string{a, b, a}, []int{1, 2, 3}, 0},
		"not to be repeated": {false, []string{a, a, b}, []int{1, 2, 3}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var script fakeserver.Script
			for range 3 {
				script.Replies = append(script.Replies, fakeserver.Reply{Endpoint: fakeserver.Gemini, Plain: `{"candidates":[]}`, Repeat: row.repeat})
			}
			p := server.Play(script)
			for _, body := range row.ask {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL()+"/v1beta/models/m:generateContent", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := http.DefaultClient.Do(req) //nolint:forbidigo // a test with a context
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			record := p.Close()
			for i, x := range record.Exchanges {
				if x.Step != row.steps[i] {
					t.Errorf("request %d: got reply %d, want %d", i+1, x.Step, row.steps[i])
				}
			}
			if record.Leftover != row.left {
				t.Errorf("got %d replies left over, want %d", record.Leftover, row.left)
			}
		})
	}
}
