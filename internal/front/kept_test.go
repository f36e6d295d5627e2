package front_test

import (
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// What is kept of a request is all that is held of it: no head as a whole for the
// sake of a field.
func TestHeadsAreNotHeld(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		var kept []string
		dial := start(t, &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			kept = append(kept, r.Header.Get("X-Number"), r.URL.Path, r.URL.RawQuery)
			for name := range r.Header {
				kept = append(kept, name)
			}
		})})
		c := dial()
		held := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		const requests, key = 1_000, 3_000
		var before int64
		for n := range requests + 1 {
			if n == 1 { // the first brings what is there once
				before = held()
			}
			answer(t, send(t, c, post("/kept?q="+strconv.Itoa(n), "body", "X-Number: "+strconv.Itoa(n), "X-Odd-"+strconv.Itoa(n%2)+": 1", "X-Key: "+strings.Repeat("k", key))))
		}
		if grew := held() - before; grew > requests*key/2 {
			t.Errorf("%d bytes are held of %d requests with a key of %d bytes that nobody keeps", grew, requests, key)
		}
		runtime.KeepAlive(kept)
	})
}
