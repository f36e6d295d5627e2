package oracles_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// patient sends a request again that met a fault. again, unless nil, is what it
// makes of the body then.
type patient struct {
	t     *testing.T
	again func(body []byte) []byte
}

func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	for range 4 {
		next := r.Clone(r.Context())
		next.Body, next.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.GetBody = nil
		resp, err := http.DefaultTransport.RoundTrip(next) //nolint:forbidigo // the client of a test
		if err == nil {
			var whole []byte
			whole, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			resp.Body = io.NopCloser(bytes.NewReader(whole))
		}
		if err == nil && resp.StatusCode < 429 && resp.Header.Get("Content-Type") != "text/html" {
			return resp, nil
		}
		if p.again != nil {
			body = p.again(body)
		}
	}
	p.t.Error("four faults in a row")
	return nil, io.ErrUnexpectedEOF
}

// retrying are the reference adapters behind a client that tries again.
func retrying(t *testing.T, again func([]byte) []byte) oracles.Subject {
	t.Helper()
	through := reference.Subject{}.Through(&http.Client{Transport: patient{t, again}})
	return odd{run: func(ctx context.Context, task oracles.Task) (oracles.Outcome, error) { return through.Run(ctx, task) }}
}

func chaos(t *testing.T, share float64, names ...string) *fakeserver.Chaos {
	t.Helper()
	c := &fakeserver.Chaos{Seed: 3, Share: share}
	for _, name := range names {
		f, err := fakeserver.ParseFault(name)
		if err != nil {
			t.Fatal(err)
		}
		c.Faults = append(c.Faults, f)
	}
	return c
}

// failures lists the requirements that are not as they are without faults.
func failures(rep oracles.Report) []string {
	var out []string
	for _, r := range rep.Requirements {
		if r.Status != result.Pass && r.Status != result.Unsupported && r.Status != result.Skipped {
			out = append(out, r.ID+" "+string(r.Status)+" "+oracles.Explain(r, rep.Level))
		}
	}
	return out
}

// unbroken are the scenarios but for those that end in a stream that breaks: who
// tries again there does what STREAM-02 forbids.
func unbroken(t *testing.T) []string {
	t.Helper()
	all, err := fixtures.All()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, sc := range all {
		if sc.Expect != "stream-error" && len(sc.Agent) == 0 {
			out = append(out, sc.ID)
		}
	}
	return out
}

// A client that tries again as it should is judged as one that met nothing.
func TestWhoTriesAgainPasses(t *testing.T) {
	few := []string{"gemini/single-call", "gemini/sequential", "openai/parallel"}
	for _, row := range []struct {
		scenarios []string
		share     float64
		faults    string
		least     int
	}{
		{few, 1, "503", 10},
		{few, 1, "429=0", 10},
		{few, 1, "reset-before-headers", 10},
		{few, 1, "reset-after-headers", 10},
		{few, 1, "cut=20", 10},
		{few, 1, "content-type", 10},
		{few, 1, "delay=1ms", 10},
		{few, 1, "drip=1ns", 10},
		{few, 1, "interleave", 10},
		{few, 1, "gzip", 10},
		{unbroken(t), 0.5, "503 reset-before-headers cut=20 gzip interleave", 25},
	} {
		t.Run(row.faults, func(t *testing.T) {
			t.Parallel()
			rep := judged(t, retrying(t, nil), oracles.Config{Scenarios: row.scenarios, Faults: chaos(t, row.share, strings.Fields(row.faults)...)})
			if rep.Summary.Pass < row.least {
				t.Errorf("%d requirements passed, want at least %d", rep.Summary.Pass, row.least)
			}
			if bad := failures(rep); len(bad) > 0 {
				t.Errorf("got\n%s", strings.Join(bad, "\n"))
			}
		})
	}
}

var signatureMember = regexp.MustCompile(`,\s*"thoughtSignature":\s*"[^"]*"`)

// One that loses the signature, but only when it tries again, is found: by the
// request in which it does.
func TestWhoLosesTheSignatureTryingAgainFails(t *testing.T) {
	lossy := retrying(t, func(body []byte) []byte { return signatureMember.ReplaceAll(body, nil) })
	rep := judged(t, lossy, oracles.Config{Scenarios: []string{"gemini/single-call"}, Faults: chaos(t, 0, "503@2")})
	r := requirementOf(t, rep, "REPLAY-03")
	if r.Status != result.Fail {
		t.Fatalf("got %s, want a failure: %s", r.Status, oracles.Explain(r, rep.Level))
	}
	for _, run := range r.Runs {
		for _, f := range run.Findings {
			if !strings.HasPrefix(f.Where, "request 3, contents[1].parts[0]") || f.Change != result.Absent {
				t.Errorf("got %+v, want the request that was sent again", f)
			}
		}
	}
	if rep = judged(t, lossy, oracles.Config{Scenarios: []string{"gemini/single-call"}}); statusOf(t, rep, "REPLAY-03") != result.Pass {
		t.Error("got a failure without a fault")
	}
}

// The one that never tries again shows nothing after the fault: neither pass
// nor failure.
func TestWhoGivesUpIsNotJudged(t *testing.T) {
	rep := judged(t, odd{}, oracles.Config{Scenarios: []string{"gemini/single-call"}, Faults: chaos(t, 0, "503@2")})
	if rep.Status != result.Error {
		t.Errorf("got %s", rep.Status)
	}
	r := requirementOf(t, rep, "REPLAY-03")
	const want = "the subject gave up at an injected fault (status 503, request 2); nothing after it could be judged"
	if r.Status != result.Error || len(r.Runs) == 0 || r.Runs[0].Reason != want {
		t.Errorf("got %+v", r)
	}
}
