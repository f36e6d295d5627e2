package node_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/script"
	"example.com/replaycheck/fixtures"
)

// fakes makes plays for the tests in JavaScript: POST /plays with an order,
// GET /plays/ID for what was recorded so far, DELETE for the end of it.
type fakes struct {
	server *fakeserver.Server
	mu     sync.Mutex
	plays  []*fakeserver.Play
}

// order is what a test asks for: one of replies, a scenario and a YAML text.
type order struct {
	Replies  []fakeserver.Reply
	Scenario string
	YAML     string
	Enforce  bool
	Profile  string
	With     []string
}

// seen is an exchange as tests see it.
type seen struct {
	Method   string      `json:"method"`
	Path     string      `json:"path"`
	Query    string      `json:"query"`
	Header   http.Header `json:"header"`
	Body     string      `json:"body"`
	Endpoint string      `json:"endpoint"`
	Stream   bool        `json:"stream"`
	Side     bool        `json:"side"`
	Step     int         `json:"step"`
	Rule     string      `json:"rule"`
	Refused  bool        `json:"refused"`
	Fault    string      `json:"fault"`
	Status   int         `json:"status"`
	Reply    string      `json:"reply"`
}

// recorded is what a play saw.
type recorded struct {
	Exchanges []seen `json:"exchanges"`
	Leftover  int    `json:"leftover"`
	Error     string `json:"error"`
}

func serveFakes(t *testing.T) string {
	t.Helper()
	server, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &fakes{server: server}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /plays", f.begin)
	mux.HandleFunc("GET /plays/{id}", f.show)
	mux.HandleFunc("DELETE /plays/{id}", f.show)
	mux.HandleFunc("GET /scenarios", f.scenarios)
	control := httptest.NewServer(mux)
	t.Cleanup(func() {
		control.Close()
		server.Close()
		if n := server.Strays(); n > 0 {
			t.Errorf("%d requests did not go below a play's URL or were not HTTP, want none", n)
		}
	})
	return control.URL
}

func (f *fakes) begin(w http.ResponseWriter, r *http.Request) {
	var o order
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s, err := o.script()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.server.Play(s)
	f.plays = append(f.plays, p)
	answer(w, map[string]any{"id": len(f.plays) - 1, "url": p.URL()})
}

func (o order) script() (fakeserver.Script, error) {
	s := fakeserver.Script{Replies: o.Replies}
	switch {
	case o.YAML != "":
		own, err := script.Parse("test.yaml", o.YAML)
		if err != nil {
			return s, err
		}
		s = own.Play()
	case o.Scenario != "":
		all, err := fixtures.All()
		if err != nil {
			return s, err
		}
		i := slices.IndexFunc(all, func(sc *fixtures.Scenario) bool { return sc.ID == o.Scenario })
		if i < 0 {
			return s, errors.New("no scenario " + o.Scenario)
		}
		s = fakeserver.FromScenario(all[i], "")
		s.Replies = slices.Concat(s.Replies, o.Replies)
	}
	s.Enforce, s.With = o.Enforce, o.With
	if o.Profile != "" {
		s.Profile = o.Profile
	}
	return s, nil
}

func (f *fakes) show(w http.ResponseWriter, r *http.Request) {
	var id int
	if _, err := fmt.Sscan(r.PathValue("id"), &id); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	p := f.plays[id]
	f.mu.Unlock()
	rec := p.Record()
	if r.Method == http.MethodDelete {
		rec = p.Close()
	}
	out := recorded{Exchanges: []seen{}, Leftover: rec.Leftover}
	if rec.Err != nil {
		out.Error = rec.Err.Error()
	}
	for _, x := range rec.Exchanges {
		s := seen{
			Method: x.Method, Path: x.Path, Query: x.Query, Header: x.Header, Body: x.Body, Endpoint: x.Endpoint, Stream: x.Stream,
			Side: x.Side, Step: x.Step, Refused: x.Refused, Fault: x.Fault, Status: x.Status, Reply: x.Reply,
		}
		if x.Refusal != nil {
			s.Rule = x.Refusal.Rule
		}
		out.Exchanges = append(out.Exchanges, s)
	}
	answer(w, out)
}

// scenarios lists what the product scripts, so that tests can go through it.
func (f *fakes) scenarios(w http.ResponseWriter, _ *http.Request) {
	type one struct {
		ID      string             `json:"id"`
		Cut     int                `json:"cut"`
		Replies []fakeserver.Reply `json:"replies"`
	}
	all, err := fixtures.All()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var out []one
	for _, s := range all {
		out = append(out, one{s.ID, s.Cut, fakeserver.FromScenario(s, "").Replies})
	}
	answer(w, out)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
