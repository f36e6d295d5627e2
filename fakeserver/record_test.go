package fakeserver_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
)

func TestKeysAreRedactedByNameAndNothingElseIs(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script(gemini))
	body := `{"key":"s3cret","Authorization":"s3cret","q":"?key=s3cret"}`
	r, err := http.NewRequest(http.MethodPost, p.URL()+generate+"?a=%2f&key=s3cret&k%65y=s3cret&$alt=json;key=s3cret;x&KEY=s3cret&key&monkey=1&api_key=s3cret&accessToken=s3cret&X-Amz-Signature=s3cret&$key[]=s3cret&", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"authorization", "X-GOOG-API-KEY", "api-key", "X-Api-Key", "Cookie", "Proxy-Authorization",
		"X-Auth-Token", "Ocp-Apim-Subscription-Key", "Helicone-Auth", "X-Secret", "X-Session-Id", "X-Forwarded-Access-Token", "Apikey", "Set-Cookie", "X-JWT",
	} {
		r.Header[http.CanonicalHeaderKey(name)] = []string{"s3cret", "s3cret too"}
	}
	r.Header.Set("X-Goog-Api-Client", "genai/1")
	r.Header.Set("Idempotency-Key", "retry-1")
	r.Header.Set("X-Author", "keyed tokens")
	do(t, c, r)
	ex := p.Close().Exchanges[0]
	if want := "a=%2f&key=REDACTED&k%65y=REDACTED&$alt=json;key=REDACTED;x&KEY=REDACTED&key&monkey=1&api_key=REDACTED&accessToken=REDACTED&X-Amz-Signature=REDACTED&$key[]=REDACTED&"; ex.Query != want {
		t.Errorf("got query  %s\nwant query %s", ex.Query, want)
	}
	if all := fmt.Sprint(ex.Header, ex.Path, ex.Query, ex.Reply); strings.Contains(all, "s3cret") {
		t.Errorf("got a key in %s", all)
	}
	if got := ex.Header["Authorization"]; len(got) != 2 || got[0] != fakeserver.Redacted || ex.Header.Get("X-Goog-Api-Client") != "genai/1" ||
		ex.Header.Get("Idempotency-Key") != "retry-1" || ex.Header.Get("X-Author") != "keyed tokens" {
		t.Errorf("got header %v", ex.Header)
	}
	if ex.Body != body || ex.Path != generate || ex.Proto != "HTTP/1.1" || ex.Method != http.MethodPost {
		t.Errorf("got %+v", ex)
	}
}

func TestBodiesAreKeptByteForByte(t *testing.T) {
	big := `{"a":"` + strings.Repeat("x", 300_000) + `"}`
	for _, row := range []struct{ name, body string }{
		{"invalid UTF-8", "{\"a\":\"\xff\xfe\xc3\"}"},
		{"escapes and white space", " {\n\t\"a\" : \"\\u00e9\\/\\ud800<&\u2028\" , \"n\":9007199254740993.0e0}\r\n "},
		{"repeated members", `{"a":1,"a":2}`},
		{"large", big},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, chunked %t", row.name, chunked), func(t *testing.T) {
				s, c := start(t, fakeserver.Options{})
				p := s.Play(script(gemini))
				var body io.Reader = strings.NewReader(row.body)
				if chunked {
					body = io.MultiReader(body) // hides the length from net/http
				}
				r, err := http.NewRequest(http.MethodPost, p.URL()+generate, body)
				if err != nil {
					t.Fatal(err)
				}
				if got := do(t, c, r); got.status != 200 {
					t.Errorf("got %+v", got)
				}
				if ex := p.Close().Exchanges[0]; ex.Body != row.body {
					t.Errorf("got another body of %d bytes, want %d", len(ex.Body), len(row.body))
				}
			})
		}
	}
}

func TestRecordsAreCopies(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	sc := script(fakeserver.Reply{Endpoint: "gemini", Plain: geminiPlain, Header: http.Header{"X-A": {"1"}}})
	p := s.Play(sc)
	sc.Replies[0].Plain = "changed"
	sc.Replies[0].Header.Set("X-A", "changed")
	if got := post(t, c, p.URL()+generate, `{}`); got.body != geminiPlain || got.header.Get("X-A") != "1" {
		t.Errorf("got %+v", got)
	}
	first := p.Record()
	first.Exchanges[0].Header.Set("Content-Type", "changed")
	first.Exchanges[0].Body = "changed"
	if ex := p.Record().Exchanges[0]; ex.Body != `{}` || ex.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %+v", ex)
	}
	p.Close()
	if again := p.Close(); len(again.Exchanges) != 1 { // closing twice is harmless
		t.Errorf("got %+v", again)
	}
}

func TestManyPlaysAtOnceDoNotMix(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			plain := fmt.Sprintf(`{"play":%d}`, i)
			p := s.Play(script(fakeserver.Reply{Endpoint: "gemini", Plain: plain}, chat))
			a := post(t, c, p.URL()+generate, plain)
			b := post(t, c, p.URL()+"/v1/chat/completions", `{"stream":true}`)
			rec := p.Close()
			if a.body != plain || b.body != chatStream || len(rec.Exchanges) != 2 || rec.Exchanges[0].Body != plain || rec.Leftover != 0 || rec.Err != nil {
				t.Errorf("play %d: got %+v %+v %+v", i, a, b, rec)
			}
		})
	}
	wg.Wait()
	if s.Strays() != 0 {
		t.Errorf("got %d strays", s.Strays())
	}
}

func TestParallelRequestsOfOnePlayTakeRepliesInTheirRecordedOrder(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	const n = 64
	var sc fakeserver.Script
	for i := range n {
		sc.Replies = append(sc.Replies, fakeserver.Reply{Endpoint: "gemini", Plain: fmt.Sprintf(`{"reply":%d}`, i+1)})
	}
	p := s.Play(sc)
	var got sync.Map
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			body := fmt.Sprintf(`{"request":%d}`, i)
			got.Store(body, post(t, c, p.URL()+generate, body).body)
			p.Record()
		})
	}
	wg.Wait()
	rec := p.Close()
	if len(rec.Exchanges) != n || rec.Leftover != 0 {
		t.Fatalf("got %d exchanges, leftover %d", len(rec.Exchanges), rec.Leftover)
	}
	for i, ex := range rec.Exchanges {
		reply, _ := got.Load(ex.Body)
		if want := fmt.Sprintf(`{"reply":%d}`, i+1); ex.Seq != i+1 || ex.Step != i+1 || ex.Reply != want || reply != want {
			t.Errorf("got %+v, client got %v", ex, reply)
		}
	}
}

func TestAcceptedCountsEveryConnectionOpenedBefore(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	if got := s.Accepted(); got != 0 {
		t.Errorf("got %d", got)
	}
	for i := range 50 {
		dialRaw(t, "http://"+strings.TrimPrefix(s.Play(script()).URL(), "http://")).conn.Close()
		if got := s.Accepted(); got != int64(i+1) {
			t.Fatalf("got %d after %d connections that sent nothing", got, i+1)
		}
	}
	p := s.Play(script(gemini, gemini))
	post(t, c, p.URL()+generate, `{}`)
	post(t, c, p.URL()+generate, `{}`)
	if got := s.Accepted(); got != 51 {
		t.Errorf("got %d, want the kept connection counted once", got)
	}
	s.Close()
	if got := s.Accepted(); got != 51 {
		t.Errorf("got %d after Close", got)
	}
}

func TestFromScenario(t *testing.T) {
	sc := &fixtures.Scenario{Meta: fixtures.Meta{Cut: 2}, Replies: []fixtures.Reply{
		{Endpoint: "gemini", Plain: geminiPlain, Stream: geminiStream},
		{Endpoint: "chat", Plain: chatPlain, Stream: chatStream},
	}}
	got := fakeserver.FromScenario(sc, "")
	cut := chat
	cut.Cut = true
	if want := script(gemini, cut); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAScriptThatMakesNoSenseIsInTheRecord(t *testing.T) {
	s, _ := start(t, fakeserver.Options{})
	err := s.Play(script(gemini,
		fakeserver.Reply{Endpoint: "gemni", Status: 99},
		fakeserver.Reply{Endpoint: "chat", Status: 204, Plain: "x"})).Close().Err
	want := `fakeserver: script: reply 2: got endpoint "gemni", want one of ["gemini" "vertex" "gemini-openai" "responses" "chat" "anthropic"]
got status 99, want 0 or 200 to 599
fakeserver: script: reply 3: got a body with status 204, which has none`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
