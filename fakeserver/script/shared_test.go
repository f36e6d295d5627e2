package script_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
)

// Plays that share what they know of their script answer as plays that don't,
// whatever they are asked for and in whichever order.
func TestSharedPlaysAnswerAlike(t *testing.T) {
	const text = `
replies:
- parts:
  - call: {name: f, args: {x: 1}, id: fc-1}
    signed: true
- text: b
  signed: true
- text: c
`
	models := []string{"gemini-3.8-flash", "gemini-3-pro", "gemini-4-argon", "gemini-2.5-pro"}
	values := []string{"bm9ib2R5J3M="}
	for _, m := range models {
		_, body := ask(t, fakeserver.NewPlay(fakeserver.Options{}, parse(t, text).Play()), pathOf(m), `{"contents":[]}`)
		_, after, found := strings.Cut(body, `"thoughtSignature":"`)
		if !found {
			t.Fatal(body)
		}
		value, _, _ := strings.Cut(after, `"`)
		values = append(values, value)
	}
	for round := range 20 {
		rng := rand.New(rand.NewPCG(uint64(round), 1))
		script, shared := parse(t, text), &fakeserver.Shared{}
		play := func(with *fakeserver.Shared) *fakeserver.Play {
			s := enforced(script)
			s.Shared = with
			return fakeserver.NewPlay(fakeserver.Options{}, s)
		}
		var together, apart []*fakeserver.Play
		for range 3 {
			together, apart = append(together, play(shared)), append(apart, play(nil))
		}
		for range 12 {
			n, model, value := rng.IntN(3), models[rng.IntN(len(models))], values[rng.IntN(len(values))]
			body := fmt.Sprintf(`{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"x":1},"id":"fc-1"},"thoughtSignature":%q}]},{"role":"user","parts":[{"functionResponse":{"id":"fc-1","name":"f","response":{}}}]}]}`, value)
			status, reply := ask(t, together[n], pathOf(model), body)
			wantStatus, want := ask(t, apart[n], pathOf(model), body)
			NewWithT(t).Expect([]any{status, reply}).To(Equal([]any{wantStatus, want}), "round %d", round)
		}
	}
}

func pathOf(model string) string { return "/v1beta/models/" + model + ":generateContent" }

// However many models clients make up, what is kept for all plays is bounded and
// answers stay the same.
func TestSharedAmongManyModels(t *testing.T) {
	g := NewWithT(t)
	script, shared := parse(t, "replies: [{text: a, signed: true}]"), &fakeserver.Shared{}
	for n := range 200 {
		s := enforced(script)
		s.Shared = shared
		p := fakeserver.NewPlay(fakeserver.Options{}, s)
		w := httptest.NewRecorder()
		p.Serve(w, httptest.NewRequest(http.MethodPost, "/", nil), pathOf(fmt.Sprintf("gemini-3-%d", n)), `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`)
		g.Expect(w.Code).To(Equal(http.StatusOK))
	}
}
