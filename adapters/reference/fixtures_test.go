package reference_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

// TestScenarios plays every scenario in memory and compares what was sent with
// the literal requests. The oracles judge much more; this says near the code
// which adapter is off.
func TestScenarios(t *testing.T) {
	all, err := fixtures.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("got no scenarios, want some")
	}
	for _, sc := range all {
		if len(sc.Agent) > 0 {
			continue // driven in processes of their own
		}
		for _, stream := range []bool{false, true} {
			if !sc.HasMode(stream) {
				continue
			}
			name := fmt.Sprintf("%s/stream=%v", sc.ID, stream)
			if sc.Expect == "refused" {
				for _, variant := range sc.Variants {
					t.Run(name+"/"+variant, func(t *testing.T) { refused(t, sc, stream, variant) })
				}
				t.Run(name+"/control", func(t *testing.T) { sent(t, sc, stream, "control") })
				continue
			}
			for _, variant := range append([]string{""}, sc.Variants...) {
				if variant == "" && len(sc.Variants) > 0 {
					continue
				}
				t.Run(strings.TrimSuffix(name+"/"+variant, "/"), func(t *testing.T) { sent(t, sc, stream, variant) })
			}
		}
	}
}

// filled returns run n of the scenario as the harness would hand it out.
func filled(t *testing.T, sc *fixtures.Scenario, n int, stream bool, url string, state *string) subject.Task {
	t.Helper()
	task := parse(t, sc.Tasks[n])
	for i := range task.Legs {
		task.Legs[i].BaseURL, task.Legs[i].APIKey = url, "k-1"
		// A leg that has "stream" keeps it.
		v, err := wire.Parse(sc.Tasks[n])
		if err != nil {
			t.Fatal(err)
		}
		if !v.At(fmt.Sprintf("legs[%d].stream", i)).Exists() {
			task.Legs[i].Stream = stream
		}
	}
	task.State = state
	return task
}

func sent(t *testing.T, sc *fixtures.Scenario, stream bool, variant string) {
	t.Helper()
	t.Parallel()
	var state *string
	if text := sc.State(variant); text != "" {
		state = &text
	}
	p := fakeserver.New(t, fakeserver.FromScenario(sc, variant))
	for n := range sc.Tasks {
		out := play(t, filled(t, sc, n, stream, p.URL(), state))
		switch {
		case sc.Expect == "stream-error" && n == len(sc.Tasks)-1:
			want := subject.FromStream
			if sc.ID == "gemini/stream-malformed" {
				want = subject.FromProvider // the connection is fine, the reply is not
			}
			if out.Error == nil || out.Error.Kind != want {
				t.Errorf("run %d: got error %+v, want one of kind %s", n+1, out.Error, want)
			}
		case sc.Expect == "rejected" && n == len(sc.Tasks)-1:
			if out.Error == nil || out.Error.Kind != subject.FromProvider || out.Error.Status != http.StatusOK {
				t.Errorf("run %d: got error %+v, want one of kind provider and status 200", n+1, out.Error)
			}
		case out.Error != nil:
			t.Fatalf("run %d: got error %+v, want none", n+1, out.Error)
		}
		state = out.State
	}
	record := p.Record()
	if record.Err != nil || record.Leftover != 0 {
		t.Errorf("got error %v and %d replies left over, want none", record.Err, record.Leftover)
	}
	ids := callIDs(t, *state)
	for i, ex := range record.Exchanges {
		want := sc.Request(i+1, stream, variant)
		if want == "" {
			continue
		}
		for n, id := range slices.Backward(ids) {
			want = strings.ReplaceAll(want, fmt.Sprintf("⟨call:%d⟩", n+1), id)
		}
		sameTokens(t, i+1, want, ex.Body)
	}
}

func refused(t *testing.T, sc *fixtures.Scenario, stream bool, variant string) {
	t.Helper()
	t.Parallel()
	p := fakeserver.New(t, fakeserver.Script{})
	state := sc.State(variant)
	out := play(t, filled(t, sc, 0, stream, p.URL(), &state))
	if out.Error == nil || out.Error.Kind != subject.Refused || out.Error.Message != chat.ReplayMessage {
		t.Errorf("got error %+v, want the constant refusal", out.Error)
	}
	if n := len(p.Record().Exchanges); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}

// callIDs returns the public IDs of a conversation in their order.
func callIDs(t *testing.T, state string) []string {
	t.Helper()
	messages, err := chat.DecodeTranscript(state)
	if err != nil {
		t.Fatalf("state: %v", err)
	}
	var ids []string
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			ids = append(ids, call.ID)
		}
	}
	return ids
}

func sameTokens(t *testing.T, n int, want, got string) {
	t.Helper()
	w, err := wire.Parse(want)
	if err != nil {
		t.Fatalf("request %d: the expected text: %v", n, err)
	}
	g, err := wire.Parse(got)
	if err != nil {
		t.Fatalf("request %d: %v", n, err)
	}
	if wire.SameTokens(w, g) {
		return
	}
	a, b := wire.Compact(w), wire.Compact(g)
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	from := max(0, at-80)
	t.Errorf("request %d differs at byte %d:\nwant …%s\ngot  …%s", n, at, a[from:min(len(a), at+120)], b[from:min(len(b), at+120)])
}
