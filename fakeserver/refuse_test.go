package fakeserver_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/wire"
)

func TestUnscriptedRequestsAreRecordedAndRefusedInTheAPIsOwnShape(t *testing.T) {
	plainOnly, streamOnly := responses, gemini
	plainOnly.Stream, streamOnly.Plain = "", ""
	for _, row := range []struct {
		name           string
		script         fakeserver.Script
		method, target string
		header         string
		body           string
		google         bool
		endpoint       string
		want           string
	}{
		{"no reply left, gemini", script(), "POST", generate, "", `{}`, true, "gemini", "all 0 replies of the script were given"},
		{"no reply left, responses", script(), "POST", "/v1/responses", "", `{}`, false, "responses", "all 0 replies"},
		{"no reply left, chat", script(), "POST", "/v1/chat/completions", "", `{}`, false, "chat", "all 0 replies"},
		{"another endpoint", script(gemini), "POST", "/v1/responses", "", `{}`, false, "responses", `got a request to the endpoint \"responses\", want \"gemini\" for reply 1`},
		{"no streamed form", script(plainOnly), "POST", "/v1/responses", "", `{"stream":true}`, false, "responses", "has no streamed form"},
		{"no plain form", script(streamOnly), "POST", generate, "", `{}`, true, "gemini", "has no plain form"},
		{"unknown path, gemini", script(gemini), "POST", "/v1beta/models/g:predict", "", `{}`, true, "", "none of the scripted APIs"},
		{"unknown path, openai", script(chat), "POST", "/v1/moderations", "", `{}`, false, "", "none of the scripted APIs"},
		{"two slashes", script(chat), "POST", "//v1/chat/completions", "", `{}`, false, "", "none of the scripted APIs"},
		{"no model", script(gemini), "POST", "/v1beta/models/:generateContent", "", `{}`, true, "", "none of the scripted APIs"},
		{"other version", script(gemini), "POST", "/v2/models/g:generateContent", "", `{}`, true, "", "none of the scripted APIs"},
		{"base URL only", script(gemini), "POST", "/", "", `{}`, false, "", "none of the scripted APIs"},
		{"other method", script(chat), "PUT", "/v1/chat/completions", "", `{}`, false, "chat", `got method \"PUT\"`},
		{"not JSON, openai", script(chat), "POST", "/v1/chat/completions", "", `{"stream":tru}`, false, "chat", "not JSON: wire: invalid JSON at byte 10"},
		{"not JSON, gemini", script(gemini), "POST", generate, "", `{"contents":[`, true, "gemini", "not JSON"},
		{"empty body", script(chat), "POST", "/v1/chat/completions", "", ``, false, "chat", "not JSON"},
		{"two values", script(chat), "POST", "/v1/chat/completions", "", `{}{}`, false, "chat", "not JSON"},
		{"a list", script(chat), "POST", "/v1/chat/completions", "", `[{"stream":true}]`, false, "chat", "a JSON list, want an object"},
		{"compressed", script(gemini), "POST", generate, "gzip", "\x1f\x8b\x08\x00", true, "gemini", `content encoding \"gzip\"`},
		{"said to be compressed", script(gemini), "POST", generate, "GZIP", "{}", true, "gemini", `content encoding \"GZIP\", but it is plain JSON; want none`},
		{"quotes and line breaks in the path", script(), "POST", "/v1/%22%0a%00", "", `{}`, false, "", `\\\"\\n\\u0000`},
		{"a very long path", script(), "POST", "/v1/" + strings.Repeat("é", 1000), "", `{}`, false, "", "…"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, c := start(t, fakeserver.Options{})
			p := s.Play(row.script)
			r, err := http.NewRequest(row.method, p.URL()+row.target, strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			if row.header != "" {
				r.Header.Set("Content-Encoding", row.header)
			}
			got := do(t, c, r)
			if got.status != 400 || got.kind != "application/json" || !strings.Contains(got.body, row.want) {
				t.Errorf("got %+v, want 400 with %q", got, row.want)
			}
			verifyShape(t, got.body, row.google, "400", "INVALID_ARGUMENT")
			rec := p.Close()
			if rec.Err != nil || len(rec.Exchanges) != 1 || rec.Leftover != len(row.script.Replies) {
				t.Fatalf("got record %+v", rec)
			}
			ex := rec.Exchanges[0]
			if ex.Step != 0 || ex.Status != 400 || ex.Body != row.body || ex.Reply != got.body || ex.Endpoint != row.endpoint {
				t.Errorf("got exchange %+v", ex)
			}
		})
	}
}

func verifyShape(t *testing.T, body string, google bool, code, status string) {
	t.Helper()
	v, err := wire.Parse(body)
	if err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	e := v.Get("error")
	if !strings.HasPrefix(e.Get("message").Text(), "replaycheck's fake provider: ") {
		t.Errorf("got message %q, want it to say whose it is", e.Get("message").Text())
	}
	if google && (e.Len() != 3 || e.Get("code").Raw() != code || e.Get("status").Text() != status) {
		t.Errorf("got %q, want Gemini's shape with %s %s", body, code, status)
	}
	if !google && (e.Len() != 4 || e.Get("type").Text() != "invalid_request_error" || e.Get("param").Raw() != "null" || e.Get("code").Raw() != "null") {
		t.Errorf("got %q, want OpenAI's shape", body)
	}
}

func TestARefusedRequestSpendsNoReply(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script(gemini, chat))
	post(t, c, p.URL()+"/v1/chat/completions", `{}`)
	if got := post(t, c, p.URL()+generate, `{}`); got.body != geminiPlain {
		t.Errorf("got %+v", got)
	}
	post(t, c, p.URL()+generate, `{}`)
	if got := post(t, c, p.URL()+"/v1/chat/completions", `{"stream":true}`); got.body != chatStream {
		t.Errorf("got %+v", got)
	}
	rec := p.Close()
	var steps []int
	for i, ex := range rec.Exchanges {
		if ex.Seq != i+1 {
			t.Errorf("got Seq %d at %d", ex.Seq, i)
		}
		steps = append(steps, ex.Step)
	}
	if len(steps) != 4 || steps[0] != 0 || steps[1] != 1 || steps[2] != 0 || steps[3] != 2 || rec.Leftover != 0 {
		t.Errorf("got steps %v, leftover %d", steps, rec.Leftover)
	}
}

func hostOf(p *fakeserver.Play) string {
	host, _, _ := strings.Cut(p.URL(), "/r/")
	return host
}

func TestStraysAreCountedAndRecordedNowhere(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script(gemini))
	closed := s.Play(script(gemini))
	closed.Close()
	host := hostOf(p)
	id := strings.TrimPrefix(p.URL(), host+"/r/")
	rows := []struct {
		name, target string
		google       bool
	}{
		{"no prefix", generate, true},
		{"no prefix, openai", "/v1/responses", false},
		{"root", "/", false},
		{"unknown play", "/r/0000000000000000/v1/responses", false},
		{"no play", "/r/", false},
		{"play without a path", "/r/" + id, false},
		{"prefix escaped", "/%72/" + id + generate, true},
		{"play escaped", "/r/%" + "36" + id[1:] + generate, true},
		{"slash escaped", "/r/" + id + "%2Fv1beta/models/g:generateContent", true},
		{"prefix missing", "/" + id + generate, true},
		{"dots", "/r/x/../" + id + generate, true},
		{"dots behind the prefix", "/r/" + id + "/../" + id + generate, true},
		{"dots escaped", "/r/" + id + "/%2e%2e/" + id + generate, true},
		{"a dot at the end", "/r/" + id + "/v1beta/.", false},
		{"a closed play", strings.TrimPrefix(closed.URL(), host) + generate, true},
	}
	for _, row := range rows {
		got := post(t, c, host+row.target, `{}`)
		if got.status != 404 || !strings.Contains(got.body, "/r/<id>") {
			t.Errorf("%s: got %+v", row.name, got)
		}
		verifyShape(t, got.body, row.google || strings.Contains(row.target, "/v1beta/"), "404", "NOT_FOUND")
	}
	if got := s.Strays(); got != int64(len(rows)) {
		t.Errorf("got %d strays, want %d", got, len(rows))
	}
	if rec := p.Close(); len(rec.Exchanges) != 0 || rec.Leftover != 1 || rec.Err != nil {
		t.Errorf("got record %+v", rec)
	}
}

func TestDotsInsideSegmentsAreNoTraversal(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script(gemini, gemini))
	for _, model := range []string{"gemini-3.8", "...odd"} {
		if got := post(t, c, p.URL()+"/v1beta/models/"+model+":generateContent", `{}`); got.status != 200 {
			t.Errorf("got %+v", got)
		}
	}
}
