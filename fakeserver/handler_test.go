package fakeserver_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
)

// hand gives a play one request and returns the status and body of its answer.
func hand(t *testing.T, p *fakeserver.Play, path, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/anything"+path, strings.NewReader(body))
	if !p.Serve(w, r, path, body) {
		return 0, ""
	}
	got, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(got)
}

func TestPlayWithoutServer(t *testing.T) {
	g := NewWithT(t)
	p := fakeserver.NewPlay(fakeserver.Options{}, fakeserver.Script{Replies: []fakeserver.Reply{{Endpoint: fakeserver.Gemini, Plain: `{"a":1}`}}})
	g.Expect(p.URL()).To(BeEmpty())
	status, body := hand(t, p, "/v1beta/models/m:generateContent", `{"contents":[]}`)
	g.Expect(status).To(Equal(200))
	g.Expect(body).To(Equal(`{"a":1}`))
	rec := p.Close()
	g.Expect(rec.Err).NotTo(HaveOccurred())
	g.Expect(rec.Leftover).To(BeZero())
	g.Expect(rec.Exchanges).To(HaveLen(1))
	g.Expect(rec.Exchanges[0].Path).To(Equal("/v1beta/models/m:generateContent"))
	g.Expect(rec.Exchanges[0].Body).To(Equal(`{"contents":[]}`))
	status, _ = hand(t, p, "/v1beta/models/m:generateContent", `{}`)
	g.Expect(status).To(BeZero(), "a closed play takes no request")
}

func TestPlayWithoutServerKeepsItsLimits(t *testing.T) {
	g := NewWithT(t)
	p := fakeserver.NewPlay(fakeserver.Options{MaxBytes: 10}, fakeserver.Script{})
	status, body := hand(t, p, "/v1/responses", `{"input":"`+strings.Repeat("x", 50)+`"}`)
	g.Expect(status).To(Equal(413))
	g.Expect(body).To(ContainSubstring("raise Options.MaxBytes"))
	g.Expect(p.Close().Err).To(MatchError(ContainSubstring("MaxBytes")))
}

func TestPick(t *testing.T) {
	var asked []fakeserver.Asked
	replies := map[string]fakeserver.Reply{
		fakeserver.Gemini:    {Endpoint: fakeserver.Gemini, Plain: `{"from":"gemini"}`},
		fakeserver.Responses: {Endpoint: fakeserver.Responses, Stream: "data: {}\n\n"},
		fakeserver.Chat:      {Endpoint: fakeserver.Gemini, Plain: "{}"},
	}
	p := fakeserver.NewPlay(fakeserver.Options{}, fakeserver.Script{Pick: func(a fakeserver.Asked) (*fakeserver.Ready, error) {
		asked = append(asked, a)
		if strings.Contains(a.Body, "neither") {
			return nil, nil //nolint:nilnil // that is what is tried
		}
		if strings.Contains(a.Body, "nothing") {
			return nil, errors.New("no reply of the script fits")
		}
		return replies[a.Endpoint].Ready()
	}})
	for _, c := range []struct {
		name, path, body string
		status           int
		text             string
		step             int
	}{
		{"plain", "/v1beta/models/m:generateContent", `{"contents":[]}`, 200, `{"from":"gemini"}`, 1},
		{"stream", "/v1/responses", `{"model":"gpt-6","stream":true}`, 200, "data: {}", 2},
		{"refused by the choice", "/v1/responses", `{"input":"nothing"}`, 400, "request 3 is not scripted: no reply of the script fits", 0},
		{"neither", "/v1/responses", `{"input":"neither"}`, 400, "request 4 is not scripted: the script's Pick chose neither a reply nor an error", 0},
		{"a form that is not there", "/v1/responses", `{}`, 400, "request 5 is not scripted: the reply chosen for it has no such form", 0},
		{"not asked about a path of no API", "/v1/other", `{}`, 400, "none of the scripted APIs", 0},
		{"again", "/v1beta/models/m:generateContent", `{"contents":[]}`, 200, `{"from":"gemini"}`, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			status, body := hand(t, p, c.path, c.body)
			g.Expect(status).To(Equal(c.status))
			g.Expect(body).To(ContainSubstring(c.text))
			all := p.Record().Exchanges
			g.Expect(all[len(all)-1].Step).To(Equal(c.step))
		})
	}
	NewWithT(t).Expect(asked).To(HaveLen(6))
	const body = `{"model":"gpt-6","stream":true}`
	got := asked[1]
	root, err := got.JSON()
	if err != nil || root.Raw() != body {
		t.Errorf("got %q, %v, want the body as JSON", root.Raw(), err)
	}
	NewWithT(t).Expect([]any{got.Endpoint, got.Stream, got.Model, got.Path, got.Body}).To(Equal([]any{fakeserver.Responses, true, "gpt-6", "/v1/responses", body}))
	if root, err = (fakeserver.Asked{Body: body}).JSON(); err != nil || root.Raw() != body {
		t.Errorf("got %q, %v of one made by hand", root.Raw(), err)
	}
	if _, err = (fakeserver.Asked{Body: "{"}).JSON(); err == nil {
		t.Error("got no error for what is no JSON")
	}
}
