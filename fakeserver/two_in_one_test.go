package fakeserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
)

// A part that says two things at once is the call or the result that it holds,
// in whichever order they stand.
func TestPartsThatSayTwoThings(t *testing.T) {
	const path = "/v1beta/models/gemini-3.8-flash:generateContent"
	for _, c := range []struct{ name, part, want string }{
		{"a call, then text", `{"functionCall":{"name":"f"},"text":"x"}`, "missing a thought_signature"},
		{"text, then a call", `{"text":"x","functionCall":{"name":"f"}}`, "missing a thought_signature"},
		{"a call, then data", `{"functionCall":{"name":"f"},"inlineData":{}}`, "missing a thought_signature"},
		{"a result, then a call", `{"functionResponse":{"name":"f"},"functionCall":{"name":"f"}}`, "missing a thought_signature"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			p := fakeserver.NewPlay(fakeserver.Options{}, fakeserver.Script{Enforce: true})
			body := `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[` + c.part + `]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`
			w := httptest.NewRecorder()
			p.Serve(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)), path, body)
			g.Expect(p.Record().Err).NotTo(HaveOccurred())
			g.Expect(w.Body.String()).To(ContainSubstring(c.want))
		})
	}
}
