package live_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/replaycheck/internal/live"
)

// alike are bodies of one length that differ in one place each: at the beginning,
// where no imprint looks, in the middle and at the end, so that each is taken for
// each other one if bytes are not compared.
func alike(size int) []string {
	text := strings.Repeat("x", size)
	var out []string
	for _, at := range []int{0, size / 2, size - 1} {
		for _, letter := range "abcdef" {
			said := text[:at] + string(letter) + text[at+1:]
			out = append(out, `{"contents":[{"role":"user","parts":[{"text":"`+said+`"}]},{"role":"model","parts":[{"text":"y"}]},{"role":"user","parts":[{"text":"Hello"}]}]}`)
		}
	}
	return out
}

// Every request is recorded as it came, however alike the others are: bodies that
// came before are known by all their bytes, and memory that was read into is used
// again.
func TestAlikeBodies(t *testing.T) {
	for _, size := range []int{10, 6 << 10, 40 << 10} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			s := serve(t, live.Options{Scenarios: []live.Scenario{scenario(t, "one", "replies: [{when: {prompt: Hello}, text: Hello there.}]")}})
			bodies := alike(size)
			var want []string
			var wg sync.WaitGroup
			for client := range 8 {
				var mine []string
				for range 3 {
					mine = append(mine, bodies[client:]...)
					mine = append(mine, bodies[:client]...)
				}
				want = append(want, mine...)
				wg.Go(func() {
					for _, body := range mine {
						r := httptest.NewRequest(http.MethodPost, model, strings.NewReader(body))
						r.Header.Set(live.Header, fmt.Sprintf("client-%d", client))
						w := httptest.NewRecorder()
						s.ServeHTTP(w, r)
						if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
							t.Errorf("got status %d: %s", w.Code, w.Body)
						}
					}
				})
			}
			wg.Wait()
			got := live.Recorded(s)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %d bodies, want the %d that were sent, byte for byte", len(got), len(want))
			}
		})
	}
}

// What is held of bodies that came last is bounded, whatever comes: it grows, and
// is let go of at its bound. When that is differs from run to run, since which
// bodies meet in a slot does.
func TestRecentBodiesAreBounded(t *testing.T) {
	s := serve(t, live.Options{MaxBytes: 16 << 20})
	dense := `{"contents":[` + strings.Repeat("[],", 2_000) + `[]]}` // a tape many times as long as the text
	before, grew, fell := int64(0), false, false
	for n := range 200 {
		body := strings.Replace(dense, "[]", fmt.Sprintf("[%d]", n), 1)
		r := httptest.NewRequest(http.MethodPost, model, strings.NewReader(body))
		r.Header.Set(live.Header, fmt.Sprintf("client-%d", n))
		s.ServeHTTP(httptest.NewRecorder(), r)
		now, most := live.Held(s)
		if now > most || now < 0 {
			t.Fatalf("after request %d: %d bytes are held, want at most %d", n+1, now, most)
		}
		grew, fell, before = grew || now > before, fell || now < before, now
	}
	if !grew || !fell {
		t.Errorf("what is held grew: %v, fell: %v; both are wanted, or the bound was not tried", grew, fell)
	}
}
