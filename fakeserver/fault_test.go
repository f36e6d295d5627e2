package fakeserver_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
)

const streamed = "/v1beta/models/g:streamGenerateContent?alt=sse"

// try posts and returns what came of it, the error included.
func try(tb testing.TB, c *http.Client, url, body string) (answer, error) {
	tb.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "identity") // net/http then unpacks nothing
	resp, err := c.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header.Get("Content-Type"), string(got), err, resp.Header}, nil
}

func withFault(r fakeserver.Reply, f fakeserver.Fault) fakeserver.Reply {
	r.Fault = &f
	return r
}

const (
	quota      = `{"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED"}}`
	overloaded = `[{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]`
	noEnd      = `[{"candidates":[{"content":{"parts":[{"text":"h"}]}}]}`
	listed     = "/v1beta/models/g:streamGenerateContent"
)

var faultRows = []struct {
	name   string
	fault  fakeserver.Fault
	path   string
	status int    // 0: no reply at all
	body   string // as it arrives
	broken bool   // it ends unexpectedly
	kind   string
	retry  string
	named  string
}{
	{"429", fakeserver.Fault{Status: 429, RetryAfter: "7"}, generate, 429, quota, false, "application/json", "7", "status 429, Retry-After 7"},
	{"503 of a list", fakeserver.Fault{Status: 503}, listed, 503, overloaded, false, "application/json", "", "status 503"},
	{"reset before headers", fakeserver.Fault{Reset: fakeserver.BeforeHeaders}, generate, 0, "", true, "", "", "reset before headers"},
	{"reset after headers", fakeserver.Fault{Reset: fakeserver.AfterHeaders}, generate, 200, "", true, "application/json", "", "reset after headers"},
	{"cut in the middle", fakeserver.Fault{CutAfter: 10}, generate, 200, geminiPlain[:10], true, "application/json", "", "cut after 10 bytes"},
	{"cut in an event", fakeserver.Fault{CutAfter: 20}, streamed, 200, geminiStream[:20], true, "text/event-stream", "", "cut after 20 bytes"},
	{"events lost", fakeserver.Fault{Lose: 1}, streamed, 200, geminiStream[:strings.Index(geminiStream, "\n\n")+2], false, "text/event-stream", "", "1 events lost"},
	{"a list without its end", fakeserver.Fault{Lose: 1}, listed, 200, noEnd, false, "application/json", "", "1 events lost"},
	{"content type", fakeserver.Fault{ContentType: "text/html"}, generate, 200, geminiPlain, false, "text/html", "", "content type text/html"},
	{"slow drip", fakeserver.Fault{Drip: time.Microsecond, Piece: 7}, generate, 200, geminiPlain, false, "application/json", "", "drip 1µs"},
	{"slow drip of events, late", fakeserver.Fault{Delay: time.Millisecond, Drip: time.Microsecond}, streamed, 200, geminiStream, false, "text/event-stream", "", "delay 1ms, drip 1µs"},
	{"drip that breaks", fakeserver.Fault{Drip: time.Microsecond, CutAfter: 30}, streamed, 200, geminiStream[:30], true, "text/event-stream", "", "cut after 30 bytes, drip 1µs"},
}

func TestFaults(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	for _, row := range faultRows {
		t.Run(row.name, func(t *testing.T) {
			for _, times := range []int{0, 2} {
				row.fault.Times = times
				p := s.Play(script(withFault(gemini, row.fault)))
				harmless := row.body == geminiPlain && row.kind != "text/html" || row.body == geminiStream
				if times > 0 && harmless {
					continue // TestAHarmlessFaultSpendsTheReply
				}
				want := row.body
				if times > 0 && row.kind == "text/html" {
					want = "<!DOCTYPE html>\n<html><head><title>Please wait</title></head><body>Please wait.</body></html>\n"
				}
				for range max(1, times) {
					got, err := try(t, c, p.URL()+row.path, `{}`)
					switch {
					case row.status == 0:
						if err == nil || !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
							t.Errorf("got %+v, %v, want a reset connection", got, err)
						}
					case err != nil:
						t.Error(err)
					case got.status != row.status || got.kind != row.kind || (got.err != nil) != row.broken || got.header.Get("Retry-After") != row.retry || got.body != want:
						t.Errorf("got %+v\nwant %s", got, want)
					}
				}
				if times > 0 { // it is over
					if got := post(t, c, p.URL()+generate, `{}`); got.body != geminiPlain || got.err != nil || got.status != 200 {
						t.Errorf("got %+v, want the reply after %d faults", got, times)
					}
				}
				rec := p.Close()
				if rec.Err != nil || rec.Leftover != 0 || len(rec.Exchanges) != times+1 {
					t.Fatalf("got record %+v", rec)
				}
				for i, x := range rec.Exchanges {
					spent := i == len(rec.Exchanges)-1
					if (x.Step == 1) != spent || (x.Step == 0) == spent {
						t.Errorf("exchange %d: got step %d", i+1, x.Step)
					}
					if whole := spent && times > 0; whole && x.Fault != "" || !whole && (x.Fault != row.named || x.Cut != row.broken) {
						t.Errorf("exchange %d: got fault %q, cut %v", i+1, x.Fault, x.Cut)
					}
				}
			}
		})
	}
}

// Who gets the reply whole has it, whatever else the script asks for.
func TestAHarmlessFaultSpendsTheReply(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	for _, row := range []struct {
		name, path, fault string
		f                 fakeserver.Fault
	}{
		{"late", generate, "delay 1ms", fakeserver.Fault{Delay: time.Millisecond}},
		{"in pieces", streamed, "drip 1µs", fakeserver.Fault{Drip: time.Microsecond}},
		{"interleaved", streamed, "interleaved", fakeserver.Fault{Interleave: true}},
		{"no stream to interleave", generate, "", fakeserver.Fault{Interleave: true}},
		{"compressed", streamed, "gzip", fakeserver.Fault{Gzip: true}},
		{"no stream to lose of", generate, "", fakeserver.Fault{Lose: 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.f.Times = 2
			p := s.Play(script(withFault(gemini, row.f)))
			if got := post(t, c, p.URL()+row.path, `{}`); got.err != nil || got.status != 200 {
				t.Errorf("got %+v", got)
			}
			if x := p.Close().Exchanges[0]; x.Step != 1 || x.Fault != row.fault {
				t.Errorf("got step %d, fault %q, want %q", x.Step, x.Fault, row.fault)
			}
		})
	}
}

func TestProvidersFailInTheirOwnWords(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	for _, row := range []struct {
		endpoint, path string
		status         int
		want           string
	}{
		{"gemini", generate, 500, `{"error":{"code":500,"message":"An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting","status":"INTERNAL"}}`},
		{"responses", responsesPath, 429, `{"error":{"message":"Rate limit reached for requests","type":"requests","param":null,"code":"rate_limit_exceeded"}}`},
		{"chat", chatPath, 500, `{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}}`},
		{"chat", chatPath, 503, `{"error":{"message":"The server is currently overloaded with other requests. Sorry about that! Please try again later.","type":"server_error","param":null,"code":null}}`},
		{"anthropic", messagesPath, 429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit. Please try again later."}}`},
		{"anthropic", messagesPath, 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		{"anthropic", messagesPath, 500, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`},
	} {
		p := s.Play(script(withFault(fakeserver.Reply{Endpoint: row.endpoint, Plain: "{}"}, fakeserver.Fault{Status: row.status})))
		if got := post(t, c, p.URL()+row.path, `{}`); got.body != row.want || got.status != row.status {
			t.Errorf("got %d %s, want %d %s", got.status, got.body, row.status, row.want)
		}
	}
}

func TestInterleavedStreamsSayTheSame(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	texts := map[string]bool{}
	for seed := range uint64(4) {
		for _, path := range []string{streamed, listed} {
			p := s.Play(script(withFault(gemini, fakeserver.Fault{Interleave: true, Seed: seed})))
			got := post(t, c, p.URL()+path, `{}`)
			want, _ := native.ParseReply(native.Gemini, geminiStream)
			reply, err := native.ParseReply(native.Gemini, got.body)
			if err != nil || len(reply.Parts) != len(want.Parts) || reply.Finish != want.Finish || got.body == geminiStream {
				t.Errorf("got %q, %v", got.body, err)
			}
			texts[got.body] = true
			if x := p.Close().Exchanges[0]; x.Reply != got.body {
				t.Errorf("got a record of %q", x.Reply)
			}
		}
	}
	if len(texts) != 2 {
		t.Errorf("got %d texts, want one per form: the seed only says what is flushed when", len(texts))
	}
}

func TestGzip(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	for path, want := range map[string]string{generate: geminiPlain, streamed: geminiStream} {
		p := s.Play(script(withFault(gemini, fakeserver.Fault{Gzip: true}), withFault(gemini, fakeserver.Fault{Gzip: true})))
		got, err := try(t, c, p.URL()+path, `{}`)
		if err != nil || got.header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("got %+v, %v", got, err)
		}
		z, err := gzip.NewReader(bytes.NewReader([]byte(got.body)))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(z); err != nil || string(text) != want {
			t.Errorf("got %q, %v", text, err)
		}
		if got := post(t, c, p.URL()+path, `{}`); got.body != want { // net/http unpacks it
			t.Errorf("got %+v", got)
		}
		if x := p.Close().Exchanges[0]; x.Reply != want || x.Fault != "gzip" || x.Cut {
			t.Errorf("got exchange %+v, want the text as it reads", x)
		}
	}
}

func TestTheSameSeedCutsAtTheSamePlace(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	cut := func(seed uint64) string {
		p := s.Play(script(withFault(gemini, fakeserver.Fault{CutAfter: -1, Seed: seed})))
		defer p.Close()
		got, err := try(t, c, p.URL()+generate, `{}`)
		if err != nil || got.err == nil || !strings.HasPrefix(geminiPlain, got.body) || got.body == "" || len(got.body) >= len(geminiPlain) {
			t.Errorf("got %+v, %v", got, err)
		}
		return got.body
	}
	places := map[string]bool{}
	for seed := range uint64(8) {
		a, b := cut(seed), cut(seed)
		if a != b {
			t.Errorf("seed %d: got %q, then %q", seed, a, b)
		}
		places[a] = true
	}
	if len(places) < 4 {
		t.Errorf("got %d places of 8 seeds", len(places))
	}
}

func TestChaosIsRepeatable(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	play := func(chaos fakeserver.Chaos) []string {
		sc := script()
		for range 30 {
			sc.Replies = append(sc.Replies, gemini)
		}
		sc.Chaos = &chaos
		p := s.Play(sc)
		for range 60 { // each reply and its fault
			if p.Record().Leftover == 0 {
				break
			}
			_, _ = try(t, c, p.URL()+streamed, `{}`)
		}
		rec := p.Close()
		if rec.Err != nil || rec.Leftover > 0 {
			t.Error(rec.Err, rec.Leftover)
		}
		var faults []string
		for _, x := range rec.Exchanges {
			faults = append(faults, x.Fault)
		}
		return faults
	}
	a, b, other := play(fakeserver.Chaos{Seed: 7, Share: 0.5}), play(fakeserver.Chaos{Seed: 7, Share: 0.5}), play(fakeserver.Chaos{Seed: 8, Share: 0.5})
	if strings.Join(a, ";") != strings.Join(b, ";") || strings.Join(a, ";") == strings.Join(other, ";") {
		t.Errorf("got %q and %q, then %q with another seed", a, b, other)
	}
	if none := play(fakeserver.Chaos{Seed: 7}); strings.Join(none, "") != "" || len(none) != 30 {
		t.Errorf("got %q, want none with share 0", none)
	}
}

// A delay ends with the client or the run, however long it is.
func TestADelayHoldsNobodyUp(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script(withFault(gemini, fakeserver.Fault{Delay: time.Hour})))
	done := make(chan error, 1)
	go func() {
		_, err := try(t, c, p.URL()+generate, `{}`)
		done <- err
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for len(p.Record().Exchanges) == 0 {
		<-tick.C
	}
	begun := time.Now()
	rec := p.Close()
	if err := <-done; err == nil || time.Since(begun) > 5*time.Second {
		t.Errorf("got %v after %v, want a broken connection soon", err, time.Since(begun))
	}
	if rec.Exchanges[0].Fault != "delay 1h0m0s" || !rec.Exchanges[0].Cut {
		t.Errorf("got %+v", rec.Exchanges[0])
	}
}

func TestFaultsThatMakeNoSense(t *testing.T) {
	s, _ := start(t, fakeserver.Options{})
	for want, f := range map[string]fakeserver.Fault{
		"got -1 times":                {Times: -1},
		"got status 200":              {Status: 200},
		"Retry-After without":         {RetryAfter: "1"},
		"none below 0":                {Delay: -1},
		"got reset 9":                 {Reset: 9},
		"pieces of -1 bytes, want no": {Piece: -1},
	} {
		if err := s.Play(script(withFault(gemini, f))).Close().Err; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// flushes counts how often what was written is sent.
type flushes struct {
	*httptest.ResponseRecorder
	n int
}

func (f *flushes) Flush() { f.n++ }

// A drip is the same however it was asked for: by a script or by a flag.
func TestDripsComeInTheSamePieces(t *testing.T) {
	flag, err := fakeserver.ParseFault("drip=1us")
	if err != nil {
		t.Fatal(err)
	}
	want := (len(geminiPlain) + 63) / 64
	for name, f := range map[string]fakeserver.Fault{"by a flag": flag.Fault, "by a script": {Drip: time.Microsecond}} {
		p := fakeserver.NewPlay(fakeserver.Options{}, script(withFault(gemini, f)))
		w := &flushes{ResponseRecorder: httptest.NewRecorder()}
		if !p.Serve(w, httptest.NewRequest(http.MethodPost, generate, nil), generate, `{}`) || w.n != want || w.Body.String() != geminiPlain {
			t.Errorf("%s: got %d pieces of %d bytes in all, want %d", name, w.n, w.Body.Len(), want)
		}
	}
}
