package live_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/live"
)

// Whether a scenario came to its end is known of more replies than are remembered,
// each time it is asked: one with a text is over, one with a call wants an answer.
func TestEndsOfManyReplies(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{Scenarios: []live.Scenario{scenario(t, "either", `
replies:
- when: {prompt: text}
  text: It is cold.
- when: {prompt: call}
  parts: [{call: {name: weather, args: {city: Leipzig}, id: fc-1}, signed: true}]
`)}})
	const models = 40
	for range 2 {
		for n := range models {
			path := strings.Replace(model, "gemini-3.8-flash", fmt.Sprintf("gemini-3.8-flash-%d", n), 1)
			for _, prompt := range []string{"text", "call"} {
				send(t, s, http.MethodPost, fmt.Sprintf("/c/%s%d%s", prompt, n, path), `{"contents":[{"role":"user","parts":[{"text":"`+prompt+`"}]}]}`)
			}
		}
	}
	begun := map[string]int{}
	for _, c := range look(t, s).Conversations {
		begun[c.Name[:4]]++
	}
	g.Expect(begun).To(Equal(map[string]int{"text": 2 * models, "call": models}))
}

// A conversation has one address.
func TestAddresses(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	for i := range 11 {
		talk(t, s, fmt.Sprintf("/c/n%d", i), nil)
	}
	for id, want := range map[string]int{
		"c1": http.StatusOK, "c11": http.StatusOK, "c12": http.StatusNotFound, "c0": http.StatusNotFound, "c": http.StatusNotFound,
		"1": http.StatusNotFound, "c01": http.StatusNotFound, "c+1": http.StatusNotFound, "c-1": http.StatusNotFound, "cc1": http.StatusNotFound,
		"c99999999999999999999": http.StatusNotFound,
	} {
		g.Expect(get(t, s, live.Root+"api/conversations/"+id).status).To(Equal(want), id)
	}
}
