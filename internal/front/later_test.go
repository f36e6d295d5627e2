package front_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// A deadline is the request's that it was set for: the next one, which came with it,
// has none.
func TestDeadlineEndsWithRequest(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		reading := make(chan struct{}, 2)
		dial := start(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			reading <- struct{}{}
			body, err := io.ReadAll(r.Body)
			switch r.URL.Path {
			case "/watched":
				_ = r.Context().Done()
			case "/deadline":
				_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
			}
			_, _ = fmt.Fprintf(w, "%s %v", body, err)
		})})
		for _, path := range []string{"/watched", "/deadline"} {
			c := dial()
			second := post("/", "second")
			in := send(t, c, post(path, "first")+second[:len(second)-1])
			if got, _ := answer(t, in); got != "first <nil>" {
				t.Errorf("%s: got %q", path, got)
			}
			<-reading
			<-reading // the second's is not there yet
			_, _ = io.WriteString(c, second[len(second)-1:])
			if got, _ := answer(t, in); got != "second <nil>" {
				t.Errorf("%s: got %q, want the second request whole", path, got)
			}
		}
	})
}

// A body that breaks off ends the context: its client left, or is given up.
func TestBrokenBodyEndsContext(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		dial := start(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			_, _ = fmt.Fprintf(w, "%v %v", err, r.Context().Err())
		})})
		c := dial()
		request := post("/", "body")
		in := send(t, c, request[:len(request)-1])
		_ = c.CloseWrite()
		if got, _ := answer(t, in); got != "unexpected EOF context canceled" {
			t.Errorf("got %q, want the context canceled", got)
		}
	})
}

// A deadline for the body is none for the client's staying: it ends with the body.
func TestDeadlineEndsWithBody(t *testing.T) {
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		dial := start(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			body, _ := io.ReadAll(r.Body)
			said, later := "stays", time.NewTimer(150*time.Millisecond)
			defer later.Stop()
			select {
			case <-r.Context().Done():
				said = "left"
			case <-later.C:
			}
			_, _ = fmt.Fprintf(w, "%s %s", body, said)
		})})
		if got, _ := answer(t, send(t, dial(), post("/", "body"))); got != "body stays" {
			t.Errorf("got %q, want that the client stays", got)
		}
	})
}
