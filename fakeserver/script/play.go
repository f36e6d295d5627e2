package script

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// Play returns the script for one conversation: what it has given already is
// remembered in it, so every conversation has its own.
func (s *Script) Play() fakeserver.Script {
	c := &conversation{script: s}
	return fakeserver.Script{Profile: s.Profile, Seed: s.Seed, Pick: c.pick, Known: s.known}
}

// Left returns how many of the script's replies, those with a condition apart,
// come after n that were given.
func (s *Script) Left(n int) int {
	plain := 0
	for _, r := range s.Replies {
		if r.When == nil {
			plain++
		}
	}
	return max(0, plain-n)
}

// conversation is how far one conversation came.
type conversation struct {
	script *Script
	mu     sync.Mutex
	begun  bool
	next   int   // how many replies without condition were given or are past
	given  []int // by reply with a condition: the turn it was given in, from 1; nil: none was
}

func (c *conversation) pick(a fakeserver.Asked) (*fakeserver.Ready, error) {
	root, err := a.JSON()
	if err != nil {
		return nil, err
	}
	all, err := c.script.all(a)
	if err != nil {
		return nil, err
	}
	outline := a.Outline()
	end := &ending{asked: a, turn: outline.Turn, tail: outline.Tail, api: native.API(a.Endpoint), root: root}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begun { // it may have begun before this server did
		c.begun, c.next = true, end.turn-1
	}
	i := c.choose(end)
	if i < 0 {
		return nil, c.none(end)
	}
	return all[i], nil
}

// choose returns the first reply whose condition fits, else the next of those
// without; -1 if there is none. A condition is met once, or again by the same
// turn sent again: a reply's ids must not come twice.
func (c *conversation) choose(end *ending) int {
	n, next := 0, -1
	for i := range c.script.Replies {
		when := c.script.Replies[i].When
		if when == nil {
			if n == c.next && next < 0 {
				next = i
			}
			n++
			continue
		}
		if (c.given == nil || c.given[i] == 0 || c.given[i] == end.turn) && when.fits(end) {
			if c.given == nil {
				c.given = make([]int, len(c.script.Replies))
			}
			c.given[i] = end.turn
			return i
		}
	}
	if next >= 0 {
		c.next++
	}
	return next
}

// none says why no reply fits.
func (c *conversation) none(end *ending) error {
	plain := len(c.script.Replies)
	for _, r := range c.script.Replies {
		if r.When != nil {
			plain--
		}
	}
	text := fmt.Sprintf("all %d replies of the script %q were given", plain, c.script.Name)
	if conditions := len(c.script.Replies) - plain; conditions > 0 {
		text += fmt.Sprintf(", and no condition of the %d others fits turn %d", conditions, end.turn)
	}
	return errors.New(text)
}

// ending is what a request ends with: all after the last turn of the model.
// Texts are read where they are asked for only: histories are long.
type ending struct {
	asked fakeserver.Asked
	turn  int
	tail  []native.Sketch
	api   native.API
	root  wire.Value

	read    bool // results are
	results []result
}

type result struct{ name, text string }

// answers reports whether a result is as a condition asks.
func (end *ending) answers(fits func(result) bool) bool {
	if !end.read {
		end.read = true
		end.readResults()
	}
	return slices.ContainsFunc(end.results, fits)
}

func (end *ending) readResults() {
	var names map[string]string
	for _, s := range end.tail {
		for _, p := range s.Entry().Parts {
			if p.Kind != native.Result {
				continue
			}
			if p.Name == "" && names == nil {
				names = end.callNames()
			}
			text := p.Text
			if text == "" {
				text = unescaped(p)
			}
			end.results = append(end.results, result{cmp.Or(p.Name, names[p.ID]), text})
		}
	}
}

// callNames is what the calls of the history are named, by ID.
func (end *ending) callNames() map[string]string {
	names := map[string]string{}
	for s := range native.Sketches(end.api, end.root) {
		if !s.Model {
			continue
		}
		for _, p := range s.Entry().Parts {
			if p.Kind == native.Call && p.ID != "" {
				names[p.ID] = p.Name
			}
		}
	}
	return names
}

// unescaped are the strings of a result, and the result as it is written.
func unescaped(p native.Part) string {
	out := []string{p.Body.Raw()}
	for v := range p.Body.All() {
		if text := v.Text(); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

func (w *When) fits(end *ending) bool {
	if w.Turn > 0 && w.Turn != end.turn {
		return false
	}
	if w.Prompt != "" && !end.asked.Says(w.Prompt) {
		return false
	}
	return !w.result || end.answers(func(r result) bool {
		return (w.Name == "" || w.Name == r.name) && strings.Contains(r.text, w.Contains)
	})
}

// known are all replies of the script as an endpoint and model would get them.
func (s *Script) known(a fakeserver.Asked) []fakeserver.Reply {
	var out []fakeserver.Reply
	all, _ := s.all(a) // one that can't be given out gives nothing out
	for i, r := range all {
		if s.Replies[i].Fail == nil {
			out = append(out, r.Reply())
		}
	}
	return out
}

// maxRendered is for how many endpoints and models replies are kept: the names
// of models are the client's to choose.
const maxRendered = 32

// all are all replies as an endpoint and model get them. They are shared.
func (s *Script) all(a fakeserver.Asked) ([]*fakeserver.Ready, error) {
	key := [3]string{a.Endpoint, a.Model, vendorOf(a)}
	if last := s.last.Load(); last != nil && last.key == key { // most requests ask for the same
		return last.replies, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if out, ok := s.rendered[key]; ok {
		s.last.Store(&rendered{key, out})
		return out, nil
	}
	out := make([]*fakeserver.Ready, len(s.Replies))
	for i := range s.Replies {
		r, err := s.render(i, a).Ready()
		if err != nil {
			return nil, fmt.Errorf("reply %d of the script %q: %w", i+1, s.Name, err)
		}
		out[i] = r
	}
	if s.rendered == nil || len(s.rendered) >= maxRendered {
		s.rendered = map[[3]string][]*fakeserver.Ready{}
	}
	s.rendered[key] = out
	s.last.Store(&rendered{key, out})
	return out, nil
}

// vendorOf is whose signatures Chat Completions carries: "google", "vertex", or
// "" for nobody's.
func vendorOf(a fakeserver.Asked) string {
	switch {
	case a.Endpoint != fakeserver.GeminiOpenAI:
		return ""
	case a.Vertex():
		return "vertex"
	}
	return "google"
}

func endpoints() []string {
	return []string{fakeserver.Gemini, fakeserver.Vertex, fakeserver.GeminiOpenAI, fakeserver.Responses, fakeserver.Chat, fakeserver.Anthropic}
}

// render makes reply i (from 0) in both forms of the endpoint that asks.
func (s *Script) render(i int, a fakeserver.Asked) fakeserver.Reply {
	r := s.Replies[i]
	out := fakeserver.Reply{Endpoint: a.Endpoint, Cut: r.Cut, Fault: r.Fault}
	if len(r.Header) > 0 {
		out.Header = http.Header{}
		for name, value := range r.Header {
			out.Header.Set(name, value)
		}
	}
	w := writer{script: s, step: i + 1, model: a.Model}
	switch {
	case r.Raw != nil:
		out.Endpoint, out.Plain, out.Stream = r.Raw.Endpoint, r.Raw.Plain, r.Raw.Stream
	case r.Fail != nil:
		out.Status, out.Plain = r.Fail.Status, failure(a.Endpoint, *r.Fail)
		if r.Fail.RetryAfter != "" {
			if out.Header == nil {
				out.Header = http.Header{}
			}
			out.Header.Set("Retry-After", r.Fail.RetryAfter)
		}
	case a.Endpoint == fakeserver.Gemini, a.Endpoint == fakeserver.Vertex:
		out.Plain, out.Stream = w.gemini(r)
	case a.Endpoint == fakeserver.Responses:
		out.Plain, out.Stream = w.responses(r)
	case a.Endpoint == fakeserver.Anthropic:
		out.Plain, out.Stream = w.anthropic(r)
	default:
		w.vendor = vendorOf(a)
		out.Plain, out.Stream = w.chat(r)
	}
	return out
}
