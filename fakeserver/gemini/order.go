package gemini

import "example.com/replaycheck/fakeserver/rule"

// Each rule of the order says nothing but its sentence.
func broken(yes bool) []rule.Hit {
	if yes {
		return []rule.Hit{{}}
	}
	return nil
}

// step is a run of model entries, which count as one turn of the model, and
// the run of entries of function responses that follows it directly.
type step struct {
	from, to, end  int // contents[from:to] are the model's, contents[to:end] responses
	calls, results int
}

// steps yields the steps in order; one without model entries is a stray run of
// responses.
func (r *Request) steps(yield func(step) bool) {
	c := r.contents
	for i := 0; i < len(c); {
		s := step{from: i}
		for ; i < len(c) && c[i].model; i++ {
			s.calls += c[i].calls
		}
		s.to = i
		for ; i < len(c) && !c[i].model && c[i].results > 0; i++ {
			s.results += c[i].results
		}
		if s.end = i; s.end == s.from { // the user's own words
			i++
			continue
		}
		if !yield(s) {
			return
		}
	}
}

func callFirst(r *Request) []rule.Hit {
	for s := range r.steps {
		return broken(s.from == 0 && s.calls > 0)
	}
	return nil
}

func strayResponse(r *Request) []rule.Hit {
	for s := range r.steps {
		if s.results > 0 && s.calls == 0 {
			return broken(true)
		}
	}
	return nil
}

func counts(r *Request) []rule.Hit {
	for s := range r.steps {
		if s.calls > 0 && s.calls != s.results && (s.results > 0 || s.end < len(r.contents)) { // calls at the very end may wait
			return broken(true)
		}
	}
	return nil
}

// responseIDs compares the IDs of a step's responses with those of its calls.
func responseIDs(r *Request) []rule.Hit {
	for s := range r.steps {
		if s.calls == 0 || s.results == 0 {
			continue
		}
		calls := map[string]bool{}
		for _, p := range r.parts[r.contents[s.from].from:r.contents[s.to-1].to] {
			if id := p.id.Text(); p.kind == call && id != "" {
				calls[id] = true
			}
		}
		for _, p := range r.parts[r.contents[s.to].from:r.contents[s.end-1].to] {
			if id := p.id.Text(); p.kind == result && id != "" && len(calls) > 0 && !calls[id] {
				return broken(true)
			}
		}
	}
	return nil
}
