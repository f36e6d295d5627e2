package fakeserver

import "net/http"

// NewPlay begins a run that no server listens for: its owner hands it requests
// through Serve. Options hold as in Start, those below 0 are taken for 0.
func NewPlay(o Options, script Script) *Play {
	o.MaxBody, o.MaxBytes, o.MaxExchanges = max(0, o.MaxBody), max(0, o.MaxBytes), max(0, o.MaxExchanges)
	return newPlay(nil, "", o.withDefaults(), script)
}

// Serve records and answers a request whose body its caller has read already:
// all of it, as it was received. path is the API's own, as received. It reports
// false, and leaves the request to the caller, once the play is closed.
func (p *Play) Serve(w http.ResponseWriter, r *http.Request, path, body string) bool {
	return p.ServeRead(w, r, ReadHead(r, path), NewBody(body, nil))
}

// ServeRead is Serve for callers who have read the request already.
func (p *Play) ServeRead(w http.ResponseWriter, r *http.Request, head *Head, body *Body) bool {
	in := newInflight(w, r, head)
	entered, err := p.enterWith(in, int64(len(body.text)))
	if !entered {
		return false
	}
	defer p.leave(in)
	defer p.own(in)
	if err != nil {
		p.refuse(in, err)
		return true
	}
	p.respond(in, body)
	return true
}

// CheckRules says what is wrong with the names of a script's profile and rules.
func (s Script) CheckRules() error { return s.setting().Check(rules()) }
