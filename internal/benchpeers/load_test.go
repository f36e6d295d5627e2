package benchpeers_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/replaycheck/internal/benchpeers"
	"example.com/replaycheck/internal/native"
)

func TestBodyHasItsSizeAndIsAConversation(t *testing.T) {
	for shape, api := range map[string]native.API{
		benchpeers.Gemini: native.Gemini, benchpeers.GeminiText: native.Gemini, benchpeers.GeminiAgain: native.Gemini, benchpeers.ResponsesAgain: native.Responses, benchpeers.Responses: native.Responses, benchpeers.ResponsesText: native.Responses,
	} {
		for _, size := range []int{900, 901, 2 << 10, 64 << 10, 1 << 20} {
			body, err := benchpeers.Body(shape, size)
			if err != nil || len(body) != size || !json.Valid(body) {
				t.Fatalf("%s: got %d bytes, %v, want %d of JSON", shape, len(body), err, size)
			}
			req, err := native.ParseRequest(api, string(body))
			if err != nil {
				t.Fatal(err)
			}
			last, before := req.Entries[len(req.Entries)-1], req.Entries[:len(req.Entries)-1]
			history := slices.ContainsFunc(before, func(e native.Entry) bool { return e.Model() })
			if last.Role != "user" || !strings.Contains(last.Parts[0].Text, benchpeers.Anchor) || history != !strings.Contains(shape, "one text") {
				t.Errorf("%s: got the end %+v with a history: %t", shape, last, history)
			}
		}
		if _, err := benchpeers.Body(shape, 100); err == nil {
			t.Errorf("%s: got a body of 100 bytes, want an error", shape)
		}
	}
	if _, err := benchpeers.Body("soap", 2048); err == nil {
		t.Error("got a body of an unknown shape, want an error")
	}
}

// listener notes what it gets and answers as told.
type listener struct {
	mu     sync.Mutex
	bodies map[string]int
	keys   map[string]int
	answer http.HandlerFunc
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	l.mu.Lock()
	l.bodies[string(body)]++
	l.keys[r.Header.Get("Authorization")]++
	l.mu.Unlock()
	l.answer(w, r)
}

func listen(t *testing.T, answer http.HandlerFunc) (*listener, benchpeers.Load) {
	t.Helper()
	l := &listener{bodies: map[string]int{}, keys: map[string]int{}, answer: answer}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	body, err := benchpeers.Body(benchpeers.Gemini, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return l, benchpeers.Load{Address: strings.TrimPrefix(server.URL, "http://"), Path: "/x", Body: body, Conns: 4}
}

func TestLoadSendsSoManyAndNoTwoAlike(t *testing.T) {
	l, load := listen(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("y", 9000)) })
	load.Count = 250
	got, err := load.Run(t.Context())
	if err != nil || got.Requests != 250 || got.Errors != 0 || got.Rate() <= 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if len(l.bodies) != 250 || len(l.keys) != 250 {
		t.Errorf("got %d different bodies and %d keys, want 250", len(l.bodies), len(l.keys))
	}
	load.From = 1000
	if _, err := load.Run(t.Context()); err != nil || len(l.bodies) != 500 || len(l.keys) != 500 {
		t.Errorf("got %d different bodies and %d keys, %v, want 250 more", len(l.bodies), len(l.keys), err)
	}
	for body := range l.bodies {
		if len(body) != 2048 || !json.Valid([]byte(body)) {
			t.Fatalf("got a body of %d bytes, want 2048 of JSON", len(body))
		}
	}
}

func TestLoadSendsTheSameAgain(t *testing.T) {
	l, load := listen(t, func(http.ResponseWriter, *http.Request) {})
	var err error
	if load.Body, err = benchpeers.Body(benchpeers.GeminiAgain, 2048); err != nil {
		t.Fatal(err)
	}
	load.Count = 50
	got, err := load.Run(t.Context())
	if err != nil || got.Requests != 50 || l.bodies[string(load.Body)] != 50 || len(l.keys) != 1 {
		t.Errorf("got %+v, %v and the body %d times with %d keys, want it 50 times with one", got, err, l.bodies[string(load.Body)], len(l.keys))
	}
}

func TestLoadEndsByTime(t *testing.T) {
	_, load := listen(t, func(http.ResponseWriter, *http.Request) {})
	load.Duration = 50 * time.Millisecond
	got, err := load.Run(t.Context())
	if err != nil || got.Requests == 0 || got.Errors != 0 || got.Elapsed < load.Duration {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestLoadCountsErrors(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"status 503: full": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "full")
		},
		"closed the connection": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") },
		"EOF": func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = conn.Close()
			}
		},
	}
	for want, answer := range answers {
		_, load := listen(t, answer)
		load.Count = 10
		got, err := load.Run(t.Context())
		if err != nil || got.Requests != 0 || got.Errors != 10 || got.First == nil || !strings.Contains(got.First.Error(), want) {
			t.Errorf("got %+v, %v, want 10 errors with %q", got, err, want)
		}
	}
}

func TestLoadRefusesWhatItCannotDo(t *testing.T) {
	body, err := benchpeers.Body(benchpeers.Gemini, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, load := range map[string]benchpeers.Load{
		"another machine": {Address: "192.0.2.1:80", Body: body, Conns: 1, Count: 1},
		"a name":          {Address: "localhost:80", Body: body, Conns: 1, Count: 1},
		"no end":          {Address: "127.0.0.1:80", Body: body, Conns: 1},
		"no connection":   {Address: "127.0.0.1:80", Body: body, Count: 1},
	} {
		if got, err := load.Run(t.Context()); err == nil {
			t.Errorf("%s: got %+v, want an error", name, got)
		}
	}
}

func TestBareAnswers600Bytes(t *testing.T) {
	h := benchpeers.Bare()
	for range 3 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("z", 1000))))
		if w.Code != http.StatusOK || w.Body.Len() != 600 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("got %d with %d bytes, want 600 of JSON", w.Code, w.Body.Len())
		}
	}
}
