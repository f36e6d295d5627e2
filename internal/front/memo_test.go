package front_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/replaycheck/internal/front"
)

// What a handler finds out from a head is there again with the same head on the same
// connection, and with no other.
func TestMemo(t *testing.T) {
	made := 0
	dial := fronted(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := front.MemoOf(r)
		if m == nil {
			_, _ = fmt.Fprint(w, "none")
			return
		}
		if m.What == nil {
			made++
			m.What = fmt.Sprintf("%d %s %s", made, r.URL.Path, r.Header.Get("X"))
		}
		_, _ = fmt.Fprint(w, m.What)
	})})
	c, other := dial(), dial()
	in, beside := send(t, c, ""), send(t, other, "")
	for i, row := range []struct {
		in            *bufio.Reader
		request, want string
	}{
		{in, post("/a", "1"), "1 /a "},
		{in, post("/a", "2"), "1 /a "},
		{in, post("/b", "1"), "2 /b "},
		{in, post("/a", "1"), "3 /a "},
		{in, post("/a", "1", "X: x"), "4 /a x"},
		{in, post("/a", "1", "X: y"), "5 /a y"},
		{in, post("/a", "1", "X: y"), "5 /a y"},
		{in, post("/a", "22", "X: y"), "6 /a y"}, // another length
		{beside, post("/a", "22", "X: y"), "7 /a y"},
		{in, post("/a", "33", "X: y"), "6 /a y"},
		{in, post("/a", "1", "L: "+strings.Repeat("l", 1<<10)), "8 /a "},
		{in, post("/a", "1", "L: "+strings.Repeat("l", 1<<10)), "9 /a "}, // too long to be kept
		{in, "\r\n" + post("/a", "1"), "10 /a "},
		{in, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", "none"}, // net/http's, and all after it
		{in, post("/a", "33", "X: y"), "none"},
	} {
		to := c
		if row.in == beside {
			to = other
		}
		if _, err := io.WriteString(to, row.request); err != nil {
			t.Fatal(err)
		}
		if got, _ := answer(t, row.in); got != row.want {
			t.Errorf("request %d: got %q, want %q", i+1, got, row.want)
		}
	}
}

// A body that came with its head can be had without a copy; what is left of the
// connection's bytes is the next request.
func TestTake(t *testing.T) {
	dial := fronted(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read := make([]byte, len(r.Header.Get("Read")))
		n, _ := io.ReadFull(r.Body, read)
		here := front.Take(r)
		again := front.Take(r)
		rest, err := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s|%s|%s|%d|%v", read[:n], here, again, len(rest), err)
	})})
	long := strings.Repeat("l", 10_000)
	c := dial()
	// All at once: what is read with the first head is cut where the room ends.
	in := send(t, c, post("/", "one")+post("/", "")+post("/", "three", "Read: xx")+post("/", "x", "Read: x"))
	for _, want := range []string{"|one||0|<nil>", "|||0|<nil>", "th|ree||0|<nil>", "x|||0|<nil>"} {
		if got, _ := answer(t, in); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, row := range []struct{ request, want string }{
		{post("/", long), "|||10000|<nil>"},                // it did not come with the head
		{post("/", "after", "Read: a"), "a|fter||0|<nil>"}, // the connection goes on
		{"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\n", "|||2|<nil>"},
		{post("/", "last"), "|||4|<nil>"}, // net/http's
	} {
		if _, err := io.WriteString(c, row.request); err != nil {
			t.Fatal(err)
		}
		if got, _ := answer(t, in); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

// Heads of replies that are like the one before, or nearly so, are as net/http's.
func TestReplyHeadsInARow(t *testing.T) {
	says := map[string]func(http.ResponseWriter){
		"plain":   func(w http.ResponseWriter) { w.Header()["Content-Type"] = []string{"application/json"} },
		"long":    func(w http.ResponseWriter) { w.Header().Set("Content-Length", "2") },
		"longer":  func(w http.ResponseWriter) { w.Header().Set("Content-Length", "3") },
		"wrong":   func(w http.ResponseWriter) { w.Header().Set("Content-Length", "-2") },
		"twice":   func(w http.ResponseWriter) { w.Header()["X"] = []string{"1", "2"} },
		"once":    func(w http.ResponseWriter) { w.Header()["X"] = []string{"1"} },
		"other":   func(w http.ResponseWriter) { w.Header()["Y"] = []string{"1"} },
		"empty":   func(w http.ResponseWriter) { w.Header()["X"] = []string{} },
		"nothing": func(http.ResponseWriter) {},
		"date":    func(w http.ResponseWriter) { w.Header().Set("Date", "now") },
		"status":  func(w http.ResponseWriter) { w.Header()["X"] = []string{"1"}; w.WriteHeader(http.StatusTeapot) },
		"none":    func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) },
		"stays":   func(w http.ResponseWriter) { w.Header().Set("Connection", "keep-alive") },
		"gzip":    func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "gzip") },
	}
	eachServer(t, func(t *testing.T, start starter) {
		t.Helper()
		dial := start(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			says[r.Header.Get("Say")](w)
			_, _ = io.WriteString(w, "ok")
		})})
		for first := range says {
			for second := range says {
				in := send(t, dial(), post("/", "", "Say: "+first)+post("/", "", "Say: "+first)+post("/", "", "Say: "+second)+post("/", "", "Say: "+first))
				alone := map[string]string{}
				for i, say := range []string{first, first, second, first} {
					got := head(in)
					if alone[say] == "" {
						alone[say] = head(send(t, dial(), post("/", "", "Say: "+say)))
					}
					if got != alone[say] {
						t.Errorf("%s, %s: reply %d: got\n%s, want as alone\n%s", first, second, i+1, got, alone[say])
					}
					if say == "longer" { // a body too short ends the connection
						break
					}
				}
			}
		}
	})
}

// head reads an answer and returns its head without the date of the day, and whether
// the body came.
func head(in *bufio.Reader) string {
	r, err := http.ReadResponse(in, nil)
	if err != nil {
		return err.Error()
	}
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if len(r.Header["Date"]) == 1 && r.Header.Get("Date") != "now" {
		r.Header.Set("Date", "today")
	}
	return fmt.Sprintln(r.Status, r.Header, r.ContentLength, r.Close, string(body), err)
}
